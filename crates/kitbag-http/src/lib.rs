//! Kitbag over HTTP: the service that programs and teams use, and the page that shows what a model
//! will see, and why.
//!
//! A thin server: the decisions are the engine's; here are only the routes, the bounds and the guards.
//! [`app`] is the whole service as a [`axum::Router`]; [`serve`] runs it on a socket.
//!
//! ```no_run
//! use kitbag::Engine;
//! use kitbag_http::{Options, State, serve};
//! use std::sync::Arc;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Arc::new(Engine::new()?);
//! let state = State::new(engine, &["path/to/repository".into()], Options::default())?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:7420").await?;
//! serve(state, listener, std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```

mod api;
mod body;
mod correlation;
mod document;
mod error;
mod feed;
mod gate;
mod guard;
mod meters;
mod packs;
mod page;
mod problem;
mod recorded;
mod repos;
mod server;
mod state;

pub use api::{app, app_with};
pub use axum::Router;
pub use error::Error;
pub use guard::Guard;
pub use meters::HTTP_METRICS;
pub use server::{serve, serve_with};
pub use state::{Limits, Options, State};

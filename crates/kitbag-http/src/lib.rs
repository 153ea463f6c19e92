//! HTTP service of Kitbag, with a web page that shows what a model will see and why.
//!
//! A thin layer over the engine: it owns the routes, the limits and the access checks, and makes no
//! packing decisions. [`app`] returns the service as an [`axum::Router`]; [`serve`] runs it on a socket.
//!
//! ```no_run
//! use kitbag::Engine;
//! use kitbag_http::{HttpOptions, HttpState, Router, serve};
//! use std::sync::Arc;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Arc::new(Engine::new()?);
//! let state = HttpState::new(engine, &["path/to/repository".into()], HttpOptions::default())?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:7420").await?;
//! serve(state, listener, Router::new(), std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```

mod accept;
mod access;
mod api;
mod body;
mod error;
mod event_feed;
mod field_selection;
mod follow;
mod http_metrics;
mod incoming_body;
mod middleware;
mod openapi;
mod options;
mod page;
mod portable_schema;
mod problem;
mod recent_packs;
mod recorded_pack;
mod repositories;
mod request_form;
mod request_queue;
mod server;
mod state;
mod viewer;

pub use api::{app, openapi_document};
pub use axum::Router;
pub use error::ServeError;
pub use http_metrics::HTTP_METRICS;
pub use options::{
    AccessPolicy, HttpLimits, HttpOptions, IndexProgress, MIN_TOKEN_CHARS, PhaseCell, ServerPhase,
    TokenGrant,
};
pub use server::{serve, serve_routes};
pub use state::HttpState;

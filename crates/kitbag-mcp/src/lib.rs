//! Kitbag over the Model Context Protocol.
//!
//! Three things that face other programs: the *server* that agents call ([`serve_stdio`], [`app`]),
//! the entries that connect clients to it ([`init`]), and the *proxy* that gives context to the tools
//! of any other server ([`proxy`]). The decisions are the engine's; here is only the protocol.
//!
//! ```no_run
//! use kitbag::Engine;
//! use kitbag_mcp::{Options, State, serve_stdio};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let state = State::new(Engine::new()?, &["path/to/repository".into()], Options::default())?;
//! serve_stdio(state).await?;
//! # Ok(())
//! # }
//! ```

mod arguments;
mod catalogue;
mod client;
mod complete;
mod error;
mod fields;
mod http;
pub mod init;
mod lines;
mod misread;
mod packs;
mod prompts;
pub mod proxy;
mod request;
mod roots;
mod schema;
mod sessions;
mod state;
mod stdio;
mod tools;

pub use catalogue::reference;
pub use error::Error;
pub use http::{Guard, PATH, app, app_of, app_until, serve_http};
pub use state::{Limits, Options, State};
pub use stdio::{serve_on, serve_stdio};

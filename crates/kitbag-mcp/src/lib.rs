//! Kitbag over the Model Context Protocol.
//!
//! Three parts: the *server* that agents call ([`serve_stdio`], [`app`]), the entries that connect
//! clients to it ([`init`]), and the *proxy* that adds context to the tools of any other server
//! ([`proxy`]). This crate has the protocol; the decisions are the engine's.
//!
//! ```no_run
//! use kitbag::Engine;
//! use kitbag_mcp::{McpOptions, McpState, serve_stdio};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let repos = ["path/to/repository".into()];
//! let state = McpState::new(Engine::new()?, &repos, McpOptions::default())?;
//! serve_stdio(state).await?;
//! # Ok(())
//! # }
//! ```

mod admission;
mod arguments;
mod completion;
mod error;
mod handler;
mod http;
pub mod init;
mod line_reader;
mod lru_sessions;
mod options;
mod packs;
mod params;
mod prompts;
pub mod proxy;
mod raw_json;
mod repos;
mod request_schemas;
mod roots;
mod schema;
mod session;
mod state;
mod stdio;
mod tool_error;
mod tool_specs;
mod tools;
mod transport;

pub use error::McpError;
pub use http::{HttpAccess, PATH, app, app_until, listen};
pub use options::{McpLimits, McpOptions, ToolSet};
pub use state::McpState;
pub use stdio::{serve_on, serve_stdio};
pub use tool_specs::reference;

//! Gathering of sources: the provider trait, the built-in providers, and the orchestrator that
//! calls them in parallel under timeouts and a deadline.

pub(crate) mod change;
pub(crate) mod change_state;
pub(crate) mod definition_line;
pub(crate) mod editor;
pub(crate) mod editor_state;
pub(crate) mod excluded_lines;
pub(crate) mod inputs;
pub(crate) mod orchestrate;
pub(crate) mod provider;
pub(crate) mod providers;
pub(crate) mod quotes;
pub(crate) mod touched;

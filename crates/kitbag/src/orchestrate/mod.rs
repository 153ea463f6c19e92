//! Asking the providers: which of them, in parallel, under timeouts and a deadline, and what they
//! came to.
//!
//! `plan` decides who is asked, `run` asks, `answers` keeps what they gave within bounds and in the
//! order of registration. A provider that fails, panics or hangs costs only its own content.

mod answers;
#[cfg(test)]
mod faults;
mod life;
mod plan;
mod registry;
mod run;

pub(crate) use answers::{Bounds, Collected, gather_up};
pub(crate) use plan::{Plan, Planned, State};
pub(crate) use registry::Registry;
pub use registry::{ProviderInfo, UnknownProvider};
pub(crate) use run::{Asking, ask};

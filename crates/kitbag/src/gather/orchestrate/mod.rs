//! Calls the providers in parallel, under timeouts and a deadline.
//!
//! `plan` decides which are called, `run` calls them, and `answers` merges their answers, within
//! bounds and in order of registration. If a provider fails, panics or hangs, only its own content
//! is missing.

mod abandoned;
mod answers;
mod plan;
mod registry;
mod run;
#[cfg(test)]
mod tests;

pub(crate) use answers::{Collected, merge_answers};
pub(crate) use plan::{Plan, Planned, PlannedState};
pub use registry::ProviderInfo;
pub(crate) use registry::Registry;
pub(crate) use run::{ProviderCalls, call_providers};

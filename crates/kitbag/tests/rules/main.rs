//! Rules, as a library user gets them: contexts, conventions, conditions, judges, and the layout.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agents;
mod bad_input;
mod conditions;
mod contexts;
mod conventions;
mod engine;
mod fixture;
mod inheritance;
mod judges;
mod layout;
mod scenarios;
mod server;
mod times;

//! Tests of the public API: contexts, conventions, conditions, judges and the layout.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod agents;
mod bad_input;
mod conditions;
mod contexts;
mod conventions;
mod fixture;
mod inheritance;
mod judges;
mod layout;
mod scenarios;
mod server;
mod times;

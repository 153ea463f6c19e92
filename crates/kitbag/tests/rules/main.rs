//! Rules through the engine: reports, judges and trust.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod engine;
#[allow(dead_code, reason = "shared with the tests of `kitbag-rules`")]
#[path = "../../../kitbag-rules/tests/rules/fixture.rs"]
mod fixture;
#[allow(dead_code, reason = "shared with the tests of `kitbag-rules`")]
#[path = "../../../kitbag-rules/tests/rules/server.rs"]
mod server;

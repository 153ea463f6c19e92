//! The server, the proxy and the client entries, tested from outside.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bad_input;
mod fixture;
mod http;
mod init;
mod proxy;
mod proxy_context;
mod proxy_flow;
mod refs;
mod resources;
mod results;
mod scripted;
mod sessions;
mod symbols;
mod tools;
mod wire;

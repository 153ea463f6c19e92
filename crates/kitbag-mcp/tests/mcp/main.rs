//! The server from outside: frames in, frames out, on streams in memory and over HTTP.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bad_input;
mod behind;
mod fixture;
mod http;
mod init;
mod proxy;
mod proxy_context;
mod proxy_flow;
mod resources;
mod tools;
mod wire;

//! Tests of the service, through its router and over a real socket.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

mod access;
mod bad_input;
mod events;
mod fixture;
mod grants;
mod limits;
mod metrics;
mod negotiation;
mod openapi;
mod packs;
mod records;
mod repository;
mod sessions;
mod socket;

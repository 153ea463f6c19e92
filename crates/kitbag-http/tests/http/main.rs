//! The service, route by route, through its router and over a real socket.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bad_input;
mod described;
mod events;
mod fixture;
mod guards;
mod limits;
mod metrics;
mod packs;
mod records;
mod repository;
mod socket;

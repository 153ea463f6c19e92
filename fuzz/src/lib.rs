//! What the fuzz targets share: how bytes become requests, and what must hold of every pack.
//!
//! The first bytes of an input choose settings and the rest is text, so that real files with a few
//! bytes before them are good seeds: `scripts/fuzz_seeds.py` makes them.

mod bytes;
mod check;
mod request;

pub use bytes::Bytes;
pub use check::{check_pack, check_parses};
pub use request::{Case, counting};

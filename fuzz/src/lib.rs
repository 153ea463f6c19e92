//! Shared parts of the fuzz targets: requests made from bytes, and properties of every pack.
//!
//! The first bytes of an input choose settings, and the rest is text. Real files with a few bytes
//! before them are therefore good seeds; `scripts/fuzz_seeds.py` writes them.

mod bytes;
mod check;
mod request;
mod workers;

pub use bytes::Bytes;
pub use check::{check_pack, check_parses};
pub use request::{Case, counting, strategy};
pub use workers::parse_in_workers;

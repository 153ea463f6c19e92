//! Tests of each stage on small examples: sources in, decision or text out.

mod dedup;
mod edges;
mod format;
mod formats;
mod heads;
mod limits;
mod many_runs;
mod overflow;
mod places;
mod rank;
mod request;
mod select;
mod verify;
mod whole_counts;

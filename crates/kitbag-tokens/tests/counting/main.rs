//! Whether counts are the owners' own, and whether a tally's sums are what counting gives.

mod estimates;
#[cfg(feature = "huggingface")]
mod huggingface;
mod known;
mod makes;
mod properties;
mod texts;

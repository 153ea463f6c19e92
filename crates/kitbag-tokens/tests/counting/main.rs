//! Tests that counts match the reference tokenizers and that sums match counts.

mod estimates;
mod fixtures;
#[cfg(feature = "huggingface")]
mod huggingface;
mod known;
mod properties;
#[cfg(feature = "huggingface")]
mod shapes;
mod texts;

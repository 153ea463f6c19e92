//! Token counting: exact counters, estimators and a cache of counts.
//!
//! [`TokenCounter`] is implemented by every built-in [`Vocabulary`], by any `tokenizer.json` (feature
//! `huggingface`), and by every [`Estimator`]; library users can add their own. A [`Tally`] gives the exact count of any range of lines without recounting them.
//! A [`CachedCounter`] remembers counts, and a [`CounterRegistry`] shares cached counters between requests,
//! by [`TokenizerChoice`] and tenant.
//!
//! ```
//! use kitbag_tokens::CachedCounter;
//! let counter = CachedCounter::named("o200k_base").unwrap();
//! assert_eq!(counter.count("fn main() {}"), 4);
//! assert_eq!(counter.count(""), 0);
//! ```

mod bpe;
mod cached;
mod choice;
mod counter;
mod estimate;
mod hex;
#[cfg(feature = "huggingface")]
mod huggingface;
mod models;
mod panics;
mod registry;
mod settings;
mod suggestion;
mod tally;
mod tokenizer_file;

pub use bpe::Vocabulary;
pub use cached::{CacheStats, CachedCounter, DEFAULT_CACHE_ENTRIES, is_within_one_percent};
pub use choice::{TokenizerChoice, UnknownTokenizer};
pub use counter::{Measure, TokenCounter};
pub use estimate::Estimator;
pub use hex::hex;
#[cfg(feature = "huggingface")]
pub use huggingface::HuggingFace;
pub use models::{Model, NeedsTokenizer, UnknownModel, model, models};
pub use panics::{contain_panic, contains_panics};
pub use registry::CounterRegistry;
pub use settings::TokenizerSettings;
pub use suggestion::{did_you_mean, name_hint, one_of, similar};
pub use tally::Tally;
pub use tokenizer_file::TokenizerFileError;

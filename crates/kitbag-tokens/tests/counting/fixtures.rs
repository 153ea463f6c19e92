//! The counters under test.

use kitbag_tokens::{Estimator, TokenCounter, Vocabulary};

/// All built-in counters and the small tokenizers in `tests/tokenizers`.
pub fn counters() -> Vec<Box<dyn TokenCounter>> {
    let mut counters: Vec<Box<dyn TokenCounter>> = Vec::new();
    counters.extend(Vocabulary::ALL.map(|v| Box::new(v) as Box<dyn TokenCounter>));
    counters.extend(Estimator::ALL.map(|e| Box::new(e) as Box<dyn TokenCounter>));
    #[cfg(feature = "huggingface")]
    counters.extend(TOKENIZERS.map(|name| Box::new(open(name)) as Box<dyn TokenCounter>));
    counters
}

/// Names of the small tokenizers, after the well-known ones they imitate.
#[cfg(feature = "huggingface")]
pub const TOKENIZERS: [&str; 13] = [
    "bert",
    "claude2",
    "deepseek",
    "gemma",
    "gpt2",
    "llama2",
    "llama3",
    "mistral",
    "nemo",
    "qwen2",
    "roberta",
    "starcoder",
    "t5",
];

#[cfg(feature = "huggingface")]
pub fn open(name: &str) -> kitbag_tokens::HuggingFace {
    kitbag_tokens::HuggingFace::open(&path(name)).expect("a tokenizer")
}

#[cfg(feature = "huggingface")]
pub fn path(name: &str) -> std::path::PathBuf {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tokenizers");
    std::path::Path::new(directory).join(format!("{name}.json"))
}

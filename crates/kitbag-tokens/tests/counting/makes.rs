//! Every counter that the tests hold to the rules.

use kitbag_tokens::{Bpe, Estimator, Family, TokenCounter, Vocabulary};

/// All of them: those that are built in, and the small tokenizers of `tests/tokenizers`.
pub fn counters() -> Vec<Box<dyn TokenCounter>> {
    let mut counters: Vec<Box<dyn TokenCounter>> = Vec::new();
    counters.extend(Vocabulary::ALL.map(|v| Box::new(Bpe::new(v)) as Box<dyn TokenCounter>));
    counters.extend(Estimator::ALL.map(|e| Box::new(e) as Box<dyn TokenCounter>));
    counters.extend(Family::ALL.map(|f| Box::new(f) as Box<dyn TokenCounter>));
    #[cfg(feature = "huggingface")]
    counters.extend(MAKES.map(|name| Box::new(make(name)) as Box<dyn TokenCounter>));
    counters
}

/// The small tokenizers, by the well-known one that each is like.
#[cfg(feature = "huggingface")]
pub const MAKES: [&str; 13] = [
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

/// One of the small tokenizers.
#[cfg(feature = "huggingface")]
pub fn make(name: &str) -> kitbag_tokens::HuggingFace {
    kitbag_tokens::HuggingFace::open(&path(name)).expect("a tokenizer")
}

/// Where one of the small tokenizers is.
#[cfg(feature = "huggingface")]
pub fn path(name: &str) -> std::path::PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tokenizers");
    std::path::Path::new(folder).join(format!("{name}.json"))
}

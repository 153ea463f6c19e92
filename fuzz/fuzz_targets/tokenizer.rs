//! Tokenizer files: any file counts tokens, or is rejected with a message.

#![no_main]

use kitbag_tokens::{CounterRegistry, TokenizerChoice, TokenizerSettings};
use libfuzzer_sys::fuzz_target;
use std::cell::LazyCell;
use tempfile::TempDir;

const TEXT: &str = "fn main() {\n    let größe = \"naïve 日本語 \\u{1f600}\";  \n\t}\r\n<|endoftext|>";

thread_local! {
    static FOLDER: LazyCell<TempDir> = LazyCell::new(|| tempfile::tempdir().expect("a folder"));
}

fuzz_target!(|input: &[u8]| {
    let path = FOLDER.with(|folder| folder.path().join("tokenizer.json"));
    std::fs::write(&path, input).expect("a file");
    match CounterRegistry::default().get(&TokenizerChoice::File(path), &TokenizerSettings::default(), "") {
        Ok(counter) => {
            let whole = counter.count(TEXT);
            assert_eq!(counter.count(TEXT), whole, "not deterministic");
            counter.count("");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

//! Tokenizers from files: their ids, where their counts are additive, and errors.

use crate::fixtures::{TOKENIZERS, open, path};
use crate::properties::{last_line, run};
use crate::texts;
use kitbag_tokens::{
    CounterRegistry, HuggingFace, TokenCounter, TokenizerChoice, TokenizerFileError,
    TokenizerSettings,
};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Texts that tokenizers treat differently, with their ids from Python's `tokenizers`.
const KNOWN: &str = include_str!("../tokenizers/known.txt");

// Shows: AC-046, FR-016-73, FR-016-74
#[test]
fn ids_match_python() {
    let mut checked = 0;
    for line in KNOWN.lines() {
        let (name, rest) = line.split_once(' ').expect("a name comes first");
        let (ids, text) = rest.split_once(" <- ").expect("the text comes last");
        let text: String = serde_json::from_str(text).expect("a string");
        let ids: Vec<u32> = serde_json::from_str(ids).expect("numbers");
        let tokenizer = open(name);
        assert_eq!(tokenizer.encode(&text), ids, "{name}: {text:?}");
        assert_eq!(tokenizer.count(&text), ids.len(), "{name}: {text:?}");
        checked += 1;
    }
    assert!(checked >= TOKENIZERS.len() * 10, "{checked} texts");
}

/// A tokenizer whose counts are never summed would pass every other test, slowly.
#[test]
fn counts_of_every_known_tokenizer_are_additive_somewhere() {
    let lines = [("}\n", "fn a()\n"), ("}\n", "    b\n"), ("a\n", "/ c\n"), ("} \r\n", "# d\n")];
    let adds = |name: &str| {
        let tokenizer = open(name);
        lines.map(|(previous, line)| u8::from(tokenizer.is_additive_between(previous, line)))
    };
    for name in ["llama3", "qwen2", "deepseek", "nemo", "llama2", "mistral", "gemma", "bert"] {
        assert_eq!(adds(name), [1, 1, 1, 1], "{name}");
    }
    for name in ["gpt2", "roberta", "starcoder", "claude2"] {
        assert_eq!(adds(name), [1, 0, 1, 0], "{name}");
    }
    assert_eq!(adds("t5"), [0, 0, 0, 0]);
}

/// Each pair has a different count joined than separate.
#[test]
fn counts_are_not_additive_where_lines_merge() {
    for (name, before, line) in [
        ("gpt2", "a\n", "    b\n"),
        ("gpt2", "a\n\n", "b\n"),
        ("llama3", "a\n", "\n"),
        ("nemo", "};\n", "// b\n"),
        ("gemma", "a\n", "\n"),
    ] {
        let tokenizer = open(name);
        let sum = tokenizer.measure(before) + tokenizer.measure(line);
        assert_ne!(
            tokenizer.measure(&format!("{before}{line}")),
            sum,
            "{name}: {line:?} is additive"
        );
        assert!(!tokenizer.is_additive_between(last_line(before), line), "{name}: {line:?}");
    }
}

#[test]
fn sums_are_exact_only_without_a_prefix() {
    let exact: Vec<&str> =
        TOKENIZERS.into_iter().filter(|name| open(name).has_exact_sums()).collect();
    assert_eq!(exact, ["bert", "deepseek", "gemma", "llama3", "nemo", "qwen2"]);
}

/// The packer's own lines begin with punctuation: sums before them must be exact after any text.
#[test]
fn counts_are_additive_before_punctuation_where_sums_are_exact() {
    let tokenizers: Vec<HuggingFace> =
        TOKENIZERS.map(open).into_iter().filter(TokenCounter::has_exact_sums).collect();
    let punctuation = prop::sample::select(vec!["# a", "```", "... 1", "<a>", "{", "\"", "-", "}"]);
    let check = |(before, punctuation, after): (String, &str, String)| {
        for tokenizer in &tokenizers {
            let rest = format!("{punctuation}\n{after}");
            let sum = tokenizer.measure(&before) + tokenizer.measure(&rest);
            let whole = format!("{before}{rest}");
            prop_assert_eq!(tokenizer.measure(&whole), sum, "{}", tokenizer.name());
            prop_assert_eq!(tokenizer.count(&whole), sum.main as usize, "{}", tokenizer.name());
        }
        Ok(())
    };
    run(&(texts::terminated_lines(), punctuation, texts::terminated_lines()), check);
}

/// The prefix belongs to the first line and is not counted again with later ones.
#[test]
fn prefix_is_counted_once() {
    for name in ["llama2", "mistral", "roberta"] {
        let tokenizer = open(name);
        let check = |(before, line): (String, String)| {
            if tokenizer.is_additive_between(last_line(&before), &line) {
                let whole = tokenizer.count(&format!("{before}{line}"));
                let line_tokens = tokenizer.measure(&line).main as usize;
                prop_assert_eq!(whole, tokenizer.count(&before) + line_tokens, "{}", name);
            }
            Ok(())
        };
        run(&(texts::terminated_lines(), texts::line()), check);
        assert_eq!(tokenizer.count(""), 0);
        let words = ["b", "the", "fn", "count", "x y"];
        let differs = |text: &&str| tokenizer.count(text) != tokenizer.measure(text).main as usize;
        assert!(words.iter().any(differs), "{name} has no prefix");
    }
}

#[test]
fn special_token_names_are_ordinary_text() {
    assert!(open("llama3").count("<|end|>") > 1);
    assert!(open("llama2").count("</s>") > 1);
}

/// The file asks for truncation after 64 tokens.
#[test]
fn nothing_is_truncated() {
    assert_eq!(open("bert").count(&"the ".repeat(500)), 500);
}

#[test]
fn name_contains_the_file_name_and_a_content_hash() {
    let (one, other) = (open("llama3"), open("gpt2"));
    assert!(
        one.name().starts_with("llama3.json@") && one.name().len() == "llama3.json@".len() + 12
    );
    assert_ne!(one.name().split('@').nth(1), other.name().split('@').nth(1));
    assert!(one.is_exact() && one.error_margin().is_none());
}

#[test]
fn unusable_files_are_explained() {
    let good = std::fs::read_to_string(path("llama3")).expect("a fixture");
    for (content, message) in [
        ("", "is not JSON: EOF while parsing a value at line 1 column 0"),
        ("{\n  \"model\": {,}\n}", "is not JSON: key must be a string at line 2 column 13"),
        (&good[..2_000], "is not JSON: EOF while parsing"),
        ("[]", "is not a usable tokenizer: not a JSON object"),
        ("{\"bos_token\": \"<s>\"}", "is not a usable tokenizer: missing field `model`"),
        ("{\"model\": {\"type\": \"Magic\"}}", "is not a usable tokenizer: "),
        (&good.replace("\"dropout\":null", "\"dropout\":0.1"), "merges are skipped at random"),
        (
            "{\"model\": {\"type\": \"BPE\", \"vocab\": {}, \"merges\": []}}",
            "is not a usable tokenizer: the vocabulary is empty (`model.vocab`)",
        ),
        (
            "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"\u{3b1}\": 0}, \"merges\": []}}",
            "ordinary text has no tokens and is dropped",
        ),
        (&good.replace("(?i:'s", "(((?i:'s"), "is not a usable tokenizer: "),
    ] {
        let error = failure(content.as_bytes());
        let text = error.to_string();
        assert!(text.contains(message) && text.contains("broken.json"), "{text}");
        assert!(error.hint().is_some_and(|hint| hint.contains("tokenizer.json")));
    }
    let binary = failure(b"\x0a\x0e\x00\xff\xfe sentencepiece");
    assert!(matches!(binary, TokenizerFileError::Syntax { .. }));
}

#[test]
fn missing_file_is_named() {
    let missing = HuggingFace::open(Path::new("no/such.json"));
    let error = missing.err().expect("there is none").to_string();
    assert!(error.starts_with("cannot read the tokenizer `no/such.json`: "), "{error}");
    let without_file = HuggingFace::open(Path::new(env!("CARGO_MANIFEST_DIR")));
    let error = without_file.err().expect("it has none").to_string();
    assert!(error.contains("tokenizer.json`: "), "{error}");
}

#[test]
fn directory_is_searched_for_tokenizer_json() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::copy(path("qwen2"), directory.path().join("tokenizer.json")).expect("a copy");
    let tokenizer = HuggingFace::open(directory.path()).expect("a tokenizer");
    assert_eq!(tokenizer.count("fn main"), open("qwen2").count("fn main"));
}

/// A tokenizer is parsed once per content, and again when the file changes.
#[test]
fn loaded_tokenizers_are_cached_by_content() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| -> PathBuf { directory.path().join(name) };
    std::fs::copy(path("llama3"), file("a.json")).expect("a copy");
    std::fs::copy(path("llama3"), file("b.json")).expect("a copy");
    let (registry, settings) = (CounterRegistry::default(), TokenizerSettings::default());
    let get = |name: &str| {
        let counter =
            registry.get(&TokenizerChoice::File(file(name)), &settings, "").expect("a tokenizer");
        std::sync::Arc::as_ptr(&counter)
    };
    let first = get("a.json");
    assert_eq!(first, get("a.json"));
    assert_eq!(first, get("b.json"), "the same content");
    std::fs::copy(path("gpt2"), file("a.json")).expect("a copy");
    assert_ne!(first, get("a.json"));
}

fn failure(content: &[u8]) -> TokenizerFileError {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("broken.json");
    std::fs::write(&file, content).expect("written");
    HuggingFace::open(&file).err().expect("it is broken")
}

//! Tokenizers that come from files: their ids, where their counts add, and what is wrong with some.

use crate::makes::{MAKES, make, path};
use crate::properties::{last_line, run};
use crate::texts;
use kitbag_tokens::{
    Choice, Countings, HuggingFace, TokenCounter, TokenizerFileError, TokenizerSettings,
};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Texts that makes of tokenizers treat differently, and the ids of each of them, as Python's
/// `tokenizers` gives them.
const KNOWN: &str = include_str!("../tokenizers/known.txt");

// Shows: AC-046, FR-016-73, FR-016-74
#[test]
fn ids_are_those_of_python() {
    let mut checked = 0;
    for line in KNOWN.lines() {
        let (name, rest) = line.split_once(' ').expect("a name comes first");
        let (ids, text) = rest.split_once(" <- ").expect("the text comes last");
        let text: String = serde_json::from_str(text).expect("a string");
        let ids: Vec<u32> = serde_json::from_str(ids).expect("numbers");
        let tokenizer = make(name);
        assert_eq!(tokenizer.encode(&text), ids, "{name}: {text:?}");
        assert_eq!(tokenizer.count(&text), ids.len(), "{name}: {text:?}");
        checked += 1;
    }
    assert!(checked >= MAKES.len() * 10, "{checked} texts");
}

/// A tokenizer whose counts were never added would pass every other test, slowly.
#[test]
fn counts_of_every_known_make_add_somewhere() {
    let lines = [("}\n", "fn a()\n"), ("}\n", "    b\n"), ("a\n", "/ c\n"), ("} \r\n", "# d\n")];
    let adds = |name: &str| {
        let tokenizer = make(name);
        lines.map(|(previous, line)| u8::from(tokenizer.adds_between(previous, line)))
    };
    for name in ["llama3", "qwen2", "deepseek", "nemo", "llama2", "mistral", "gemma", "bert"] {
        assert_eq!(adds(name), [1, 1, 1, 1], "{name}");
    }
    for name in ["gpt2", "roberta", "starcoder", "claude2"] {
        assert_eq!(adds(name), [1, 0, 1, 0], "{name}");
    }
    assert_eq!(adds("t5"), [0, 0, 0, 0]);
}

/// Each really has another count joined than apart, and the tokenizer must know.
#[test]
fn lines_that_merge_are_known() {
    for (name, before, line) in [
        ("gpt2", "a\n", "    b\n"),
        ("gpt2", "a\n\n", "b\n"),
        ("llama3", "a\n", "\n"),
        ("nemo", "};\n", "// b\n"),
        ("gemma", "a\n", "\n"),
    ] {
        let tokenizer = make(name);
        let sum = tokenizer.measure(before) + tokenizer.measure(line);
        assert_ne!(tokenizer.measure(&format!("{before}{line}")), sum, "{name}: {line:?} does add");
        assert!(!tokenizer.adds_between(last_line(before), line), "{name} trusts {line:?}");
    }
}

#[test]
fn sums_are_exact_only_where_nothing_is_put_before_a_text() {
    let exact: Vec<&str> = MAKES.into_iter().filter(|name| make(name).sums_are_exact()).collect();
    assert_eq!(exact, ["bert", "deepseek", "gemma", "llama3", "nemo", "qwen2"]);
}

/// What is said of the packer's own lines: before them, sums are exact whatever came before.
#[test]
fn counts_add_before_signs_where_sums_are_exact() {
    let tokenizers: Vec<HuggingFace> =
        MAKES.map(make).into_iter().filter(TokenCounter::sums_are_exact).collect();
    let sign = prop::sample::select(vec!["# a", "```", "... 1", "<a>", "{", "\"", "-", "}"]);
    let check = |(before, sign, after): (String, &str, String)| {
        for tokenizer in &tokenizers {
            let rest = format!("{sign}\n{after}");
            let sum = tokenizer.measure(&before) + tokenizer.measure(&rest);
            let whole = format!("{before}{rest}");
            prop_assert_eq!(tokenizer.measure(&whole), sum, "{}", tokenizer.name());
            prop_assert_eq!(tokenizer.count(&whole), sum.main as usize, "{}", tokenizer.name());
        }
        Ok(())
    };
    run(&(texts::ended_lines(), sign, texts::ended_lines()), check);
}

/// What is put before a text belongs to its first line, and is not counted again with the others.
#[test]
fn a_text_has_its_prefix_once() {
    for name in ["llama2", "mistral", "roberta"] {
        let tokenizer = make(name);
        let check = |(before, line): (String, String)| {
            if tokenizer.adds_between(last_line(&before), &line) {
                let whole = tokenizer.count(&format!("{before}{line}"));
                let added = tokenizer.measure(&line).main as usize;
                prop_assert_eq!(whole, tokenizer.count(&before) + added, "{}", name);
            }
            Ok(())
        };
        run(&(texts::ended_lines(), texts::line()), check);
        assert_eq!(tokenizer.count(""), 0);
        let words = ["b", "the", "fn", "count", "x y"];
        let differs = |text: &&str| tokenizer.count(text) != tokenizer.measure(text).main as usize;
        assert!(words.iter().any(differs), "{name} puts nothing before a text");
    }
}

#[test]
fn names_of_special_tokens_are_ordinary_text() {
    assert!(make("llama3").count("<|end|>") > 1);
    assert!(make("llama2").count("</s>") > 1);
}

/// The file says that texts are cut after 64 tokens: a count is of all of them.
#[test]
fn nothing_is_truncated() {
    assert_eq!(make("bert").count(&"the ".repeat(500)), 500);
}

#[test]
fn the_name_is_the_files_and_its_contents() {
    let (one, other) = (make("llama3"), make("gpt2"));
    assert!(
        one.name().starts_with("llama3.json@") && one.name().len() == "llama3.json@".len() + 12
    );
    assert_ne!(one.name().split('@').nth(1), other.name().split('@').nth(1));
    assert!(one.is_exact() && one.error().is_none());
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let good = std::fs::read_to_string(path("llama3")).expect("a fixture");
    for (content, message) in [
        ("", "is not JSON: EOF while parsing a value at line 1 column 0"),
        ("{\n  \"model\": {,}\n}", "is not JSON: key must be a string at line 2 column 13"),
        (&good[..2_000], "is not JSON: EOF while parsing"),
        ("[]", "is not a tokenizer that can be used: it is not a JSON object"),
        ("{\"bos_token\": \"<s>\"}", "is not a tokenizer that can be used: missing field `model`"),
        ("{\"model\": {\"type\": \"Magic\"}}", "is not a tokenizer that can be used: "),
        (&good.replace("\"dropout\":null", "\"dropout\":0.1"), "it leaves out merges at random"),
        (
            "{\"model\": {\"type\": \"BPE\", \"vocab\": {}, \"merges\": []}}",
            "is not a tokenizer that can be used: its vocabulary is empty (`model.vocab`)",
        ),
        (
            "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"\u{3b1}\": 0}, \"merges\": []}}",
            "it has no token for ordinary text, which it leaves out",
        ),
        (&good.replace("(?i:'s", "(((?i:'s"), "is not a tokenizer that can be used: "),
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
fn a_missing_file_is_named() {
    let missing = HuggingFace::open(Path::new("no/such.json"));
    let error = missing.err().expect("there is none").to_string();
    assert!(error.starts_with("cannot read the tokenizer `no/such.json`: "), "{error}");
    let folder = HuggingFace::open(Path::new(env!("CARGO_MANIFEST_DIR")));
    let error = folder.err().expect("it has none").to_string();
    assert!(error.contains("tokenizer.json`: "), "{error}");
}

#[test]
fn a_folder_stands_for_its_tokenizer() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(path("qwen2"), folder.path().join("tokenizer.json")).expect("a copy");
    let tokenizer = HuggingFace::open(folder.path()).expect("a tokenizer");
    assert_eq!(tokenizer.count("fn main"), make("qwen2").count("fn main"));
}

/// A tokenizer is made once for each content, and anew when the file has another.
#[test]
fn a_tokenizer_is_known_by_its_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| -> PathBuf { folder.path().join(name) };
    std::fs::copy(path("llama3"), file("a.json")).expect("a copy");
    std::fs::copy(path("llama3"), file("b.json")).expect("a copy");
    let (countings, settings) = (Countings::default(), TokenizerSettings::default());
    let get = |name: &str| {
        let counting =
            countings.get(&Choice::File(file(name)), &settings, "").expect("a tokenizer");
        std::sync::Arc::as_ptr(&counting)
    };
    let first = get("a.json");
    assert_eq!(first, get("a.json"));
    assert_eq!(first, get("b.json"), "the same content");
    std::fs::copy(path("gpt2"), file("a.json")).expect("a copy");
    assert_ne!(first, get("a.json"));
}

fn failure(content: &[u8]) -> TokenizerFileError {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("broken.json");
    std::fs::write(&file, content).expect("written");
    HuggingFace::open(&file).err().expect("it is broken")
}

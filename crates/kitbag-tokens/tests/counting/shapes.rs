//! Any shape of `tokenizer.json` is usable or an error, and never a panic.

use kitbag_tokens::{HuggingFace, TokenCounter, TokenizerFileError};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::fs;

const EXPRESSIONS: [&str; 16] = [
    "", "x*", "^", "\\b", "(?=a)", "(?!a)", "a|", "\\s*", "[a-z]+", "\\p{L}*", "(?<=a)", "é",
    "\\G", "(a|b)*c?", "(a*)*b", "(",
];

const CONTENTS: [&str; 6] = ["", "a", "▁", "ab", "é中", "\n"];

const TEXTS: [&str; 9] = [
    "",
    "a",
    "abc def",
    "naïve 中文",
    " \n a\t\u{1F980}",
    "aaaa\n\nbbb  ccc",
    "\0\u{E000}",
    "a\u{301}ﬁ",
    "<s>a▁</s>",
];

const VOCABULARY: [&str; 12] =
    ["<unk>", "a", "b", "c", "ab", "▁", "▁a", "é", "\n", "##a", "<0x0A>", "Ġa"];

/// Loads a tokenizer and counts all texts with it.
fn load_and_count(file: &Value) -> Result<usize, TokenizerFileError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tokenizer.json");
    fs::write(&path, file.to_string()).expect("written");
    let counter = HuggingFace::open(&path)?;
    Ok(TEXTS.iter().map(|text| counter.count(text)).sum())
}

fn tokenizer(normalizer: &Value, pre_tokenizer: &Value, model: &Value) -> Value {
    json!({
        "version": "1.0", "added_tokens": [], "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "model": model,
    })
}

fn word_level() -> Value {
    json!({"type": "WordLevel", "vocab": vocabulary(), "unk_token": "<unk>"})
}

fn vocabulary() -> Value {
    let ids = VOCABULARY.iter().enumerate();
    Value::Object(ids.map(|(id, word)| ((*word).to_owned(), json!(id))).collect::<Map<_, _>>())
}

fn pattern() -> impl Strategy<Value = Value> {
    let expression = || prop::sample::select(&EXPRESSIONS[..]);
    prop_oneof![
        expression().prop_map(|text| json!({"Regex": text})),
        expression().prop_map(|text| json!({"String": text})),
        Just(Value::Null),
    ]
}

fn content() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&CONTENTS[..])
}

fn normalizer() -> impl Strategy<Value = Value> {
    let plain = ["NFC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel", "Precompiled"];
    let stage = prop_oneof![
        4 => (pattern(), content()).prop_map(|(pattern, content)| {
            json!({"type": "Replace", "pattern": pattern, "content": content})
        }),
        1 => content().prop_map(|text| json!({"type": "Prepend", "prepend": text})),
        1 => prop::sample::select(plain.to_vec()).prop_map(|kind| json!({"type": kind})),
        1 => "[A-Za-z0-9+/]{4,40}={0,2}".prop_map(|map| {
            json!({"type": "Precompiled", "precompiled_charsmap": map})
        }),
        1 => any::<[bool; 2]>().prop_map(|[left, right]| {
            json!({"type": "Strip", "strip_left": left, "strip_right": right})
        }),
    ];
    prop::collection::vec(stage, 0..4)
        .prop_map(|stages| json!({"type": "Sequence", "normalizers": stages}))
}

fn pre_tokenizer() -> impl Strategy<Value = Value> {
    let behaviors = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"];
    let plain = ["Whitespace", "BertPreTokenizer", "UnicodeScripts"];
    let stage = prop_oneof![
        4 => (pattern(), prop::sample::select(behaviors.to_vec()), any::<bool>()).prop_map(
            |(pattern, behavior, invert)| {
                json!({"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert})
            }
        ),
        1 => any::<[bool; 3]>().prop_map(|[prefix, trim, regex]| {
            json!({"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim,
                "use_regex": regex})
        }),
        1 => (content(), any::<bool>()).prop_map(|(text, split)| {
            json!({"type": "Metaspace", "replacement": text, "prepend_scheme": "always",
                "split": split})
        }),
        1 => prop::sample::select(plain.to_vec()).prop_map(|kind| json!({"type": kind})),
        1 => (0..3).prop_map(|length| json!({"type": "FixedLength", "length": length})),
    ];
    prop::collection::vec(stage, 0..3)
        .prop_map(|stages| json!({"type": "Sequence", "pretokenizers": stages}))
}

fn model() -> impl Strategy<Value = Value> {
    let scores: Vec<Value> = VOCABULARY.iter().map(|word| json!([word, -1.5])).collect();
    let prefix = || prop::sample::select(vec![Value::Null, json!(""), json!("##"), json!("long")]);
    prop_oneof![
        (prefix(), any::<bool>()).prop_map(|(prefix, fallback)| {
            json!({"type": "BPE", "vocab": vocabulary(), "merges": [["a", "b"]],
                "unk_token": "<unk>", "byte_fallback": fallback,
                "continuing_subword_prefix": prefix})
        }),
        (0..3usize).prop_map(|length| {
            json!({"type": "WordPiece", "vocab": vocabulary(), "unk_token": "<unk>",
                "continuing_subword_prefix": "##", "max_input_chars_per_word": length * 10})
        }),
        (0..20usize, any::<bool>()).prop_map(move |(unknown, fallback)| {
            json!({"type": "Unigram", "vocab": scores, "unk_id": unknown,
                "byte_fallback": fallback})
        }),
        Just(word_level()),
    ]
}

fn added_tokens() -> impl Strategy<Value = Value> {
    let token = (content(), any::<[bool; 5]>(), 0..20u32).prop_map(|(text, flags, id)| {
        json!({"id": id, "content": text, "single_word": flags[0], "lstrip": flags[1],
            "rstrip": flags[2], "normalized": flags[3], "special": flags[4]})
    });
    prop::collection::vec(token, 0..3).prop_map(Value::from)
}

proptest! {
    #[test]
    fn no_shape_panics(
        normalizer in normalizer(),
        pre_tokenizer in pre_tokenizer(),
        model in model(),
        added in added_tokens(),
    ) {
        let mut file = tokenizer(&normalizer, &pre_tokenizer, &model);
        file["added_tokens"] = added;
        if let Err(error) = load_and_count(&file) {
            prop_assert!(error.to_string().contains("tokenizer.json"));
        }
    }
}

#[track_caller]
fn check_unusable(normalizer: &Value, pre_tokenizer: &Value, expected: &str) {
    let error = load_and_count(&tokenizer(normalizer, pre_tokenizer, &word_level()));
    let error = error.expect_err("unusable").to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn stages_that_the_library_cannot_run_are_errors() {
    let empty = json!({"type": "Replace", "pattern": {"Regex": "x*"}, "content": "y"});
    check_unusable(&empty, &Value::Null, "`Replace` matches the empty string");
    let prepend = json!({"type": "Prepend", "prepend": ""});
    check_unusable(&prepend, &Value::Null, "`Prepend` is empty");
    let fixed = json!({"type": "FixedLength", "length": 0});
    check_unusable(&Value::Null, &fixed, "`FixedLength` is 0");
    let doubling = json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
    let sequence = json!({"type": "Sequence", "normalizers": vec![doubling; 60]});
    check_unusable(&sequence, &Value::Null, "enlarge some texts");
    for map in ["!!!", "AAAA", "BAAAAAEAAAA=", "CAAAAP//////////YWJj"] {
        let damaged = json!({"type": "Precompiled", "precompiled_charsmap": map});
        check_unusable(&damaged, &Value::Null, "cannot run it");
    }
}

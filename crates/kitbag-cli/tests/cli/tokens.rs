//! `kitbag tokens`.

use crate::fixture::Fixture;

#[test]
fn files_are_counted_one_by_one_and_together() {
    let fixture =
        Fixture::with(&[("a.txt", "hello world\n"), ("b.txt", ""), ("copy.txt", "hello world\n")]);
    let run = fixture.run(["tokens", "a.txt", "b.txt", "copy.txt"]);
    insta::assert_snapshot!(run.stdout, @"
    3  a.txt     o200k_base (exact)
    0  b.txt     o200k_base (exact)
    3  copy.txt  o200k_base (exact, cached)
    6  total
    ");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let report = fixture.json(["tokens", "a.txt", "copy.txt", "--json"]);
    assert_eq!(
        report,
        serde_json::json!({
            "version": 1, "tokenizer": "o200k_base", "exact": true, "total_tokens": 6, "cache_hit_rate": 0.5,
            "files": [
                {"path": "a.txt", "tokens": 3, "cached": false},
                {"path": "copy.txt", "tokens": 3, "cached": true},
            ],
        })
    );
}

#[test]
fn standard_input_is_counted() {
    let fixture = Fixture::empty();
    for arguments in [&["tokens"][..], &["tokens", "-"]] {
        let run = fixture.feed(arguments, "hello world\n");
        assert_eq!(run.stdout, "3  -  o200k_base (exact)\n");
    }
}

#[test]
fn a_model_or_a_tokenizer_can_be_named() {
    let fixture = Fixture::with(&[("a.txt", "hello world\n")]);
    let line = |extra: &[&str]| fixture.run(["tokens", "a.txt"].iter().chain(extra)).stdout;
    assert_eq!(line(&["--model", "gpt-4"]), "3  a.txt  cl100k_base (exact)\n");
    assert_eq!(line(&["--tokenizer", "words"]), "3  a.txt  words (estimated)\n");
    assert_eq!(line(&["--tokenizer", "characters"]), "3  a.txt  characters (estimated)\n");
    let run = fixture.run(["tokens", "a.txt", "--tokenizer", "p50k"]);
    run.fails(
        2,
        &[
            "unknown tokenizer `p50k`",
            "hint: expected one of `o200k_base`, `cl100k_base`, `claude`, `claude-4.7`, `gemini`, \
             `characters`, `words`, or the path of a `tokenizer.json`",
        ],
    );
    let run = fixture.run(["tokens", "a.txt", "--model", "gpt-4p"]);
    run.fails(2, &["unknown model `gpt-4p`", "hint: did you mean `"]);
    fixture
        .run(["tokens", "a.txt", "--model", "gpt-4", "--tokenizer", "words"])
        .fails(2, &["cannot be used with"]);
}

#[test]
fn uncountable_files_are_reported() {
    let fixture = Fixture::project();
    fixture.run(["tokens", "nope"]).fails(2, &["cannot read `nope`: "]);
    fixture.run(["tokens", "src"]).fails(2, &["`src` is a folder, not a file"]);
    fixture.run(["tokens", "README.md", "nope"]).fails(2, &["cannot read `nope`: "]);
    fixture.feed(["tokens", "-"], "\0").fails(2, &["standard input is a binary file"]);
}

// Shows: AC-046, FR-016-74
#[cfg(feature = "huggingface")]
#[test]
fn a_tokenizer_can_be_given_by_its_path() {
    let fixture = Fixture::with(&[("a.txt", "fn main() {}\n")]);
    let run = fixture.run(["tokens", "a.txt", "--tokenizer", LLAMA_3]);
    let (count, name) = run.stdout.trim_end().split_once("  a.txt  ").expect("one line");
    assert!(name.starts_with("llama3.json@") && name.ends_with(" (exact)"), "{name}");
    let report = fixture.json(["tokens", "a.txt", "--tokenizer", LLAMA_3, "--json"]);
    assert_eq!(report["total_tokens"].to_string(), count);
    assert_eq!(report["exact"], true);
}

#[cfg(feature = "huggingface")]
const LLAMA_3: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../kitbag-tokens/tests/tokenizers/llama3.json");

#[cfg(feature = "huggingface")]
#[test]
fn an_unusable_tokenizer_is_reported() {
    let fixture = Fixture::with(&[("a.txt", "a\n"), ("broken.json", "{\n\"model\": }\n")]);
    fixture
        .run(["tokens", "a.txt", "--tokenizer", "no/tokenizer.json"])
        .fails(2, &["cannot read the tokenizer `no/tokenizer.json`: "]);
    fixture.run(["tokens", "a.txt", "--tokenizer", "./broken.json"]).fails(
        2,
        &[
            "`./broken.json` is not JSON: expected value at line 2 column 10",
            "hint: use the `tokenizer.json`",
        ],
    );
}

// Shows: AC-049, NFR-016-21
#[test]
fn a_claim_is_compared_with_the_count() {
    let fixture = Fixture::with(&[("a.txt", &"word\n".repeat(100))]);
    let run = fixture.run(["tokens", "a.txt", "--claimed", "202"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let run = fixture.run(["tokens", "a.txt", "--claimed", "203"]);
    run.stderr_contains(&["200 tokens, not within 1 % of 203"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "200  a.txt  o200k_base (exact)\n"));
    let report = fixture.json(["tokens", "a.txt", "--claimed", "199", "--json"]);
    assert_eq!((&report["claimed"], &report["within_one_percent"]), (&199.into(), &true.into()));
}

#[test]
fn an_estimate_states_its_error() {
    let fixture = Fixture::with(&[("a.txt", "hello world\n")]);
    let run = fixture.run(["tokens", "a.txt", "--model", "claude-sonnet-4-5"]);
    assert_eq!(run.stdout, "5  a.txt  claude (estimated)\n");
    assert!(run.stderr.contains("claude: a conservative estimate"), "{}", run.stderr);
    for name in ["claude", "claude-4.7", "gemini", "characters", "words"] {
        let report = fixture.json(["tokens", "a.txt", "--tokenizer", name, "--json"]);
        assert_eq!(report["exact"], false);
        assert!(report["error"].as_str().is_some_and(|error| error.contains('%')), "{name}");
    }
}

#[test]
fn a_model_whose_tokenizer_is_a_file_is_reported() {
    let fixture = Fixture::with(&[("a.txt", "a\n")]);
    fixture.run(["tokens", "a.txt", "--model", "Qwen/Qwen3-8B"]).fails(
        2,
        &[
            "the tokenizer of `qwen3` is not built in",
            "hint: pass the `tokenizer.json`",
            "--tokenizer PATH",
        ],
    );
}

#[test]
fn counting_follows_the_configuration() {
    let config = "model:\n  tokenizer: words\n";
    let fixture = Fixture::with(&[("there/.agent/config.yml", config), ("there/a.txt", "a b c\n")]);
    let tokenizer = |extra: &[&str]| {
        let plain = ["tokens", "a.txt", "--repo", "there", "--json"];
        fixture.json(plain.iter().chain(extra))["tokenizer"].clone()
    };
    assert_eq!(tokenizer(&[]), "o200k_base", "not trusted");
    assert_eq!(fixture.run(["trust", "--repo", "there"]).code, Some(0));
    assert_eq!(tokenizer(&[]), "words");
    assert_eq!(tokenizer(&["--set", "model.tokenizer=characters"]), "characters");
    assert_eq!(tokenizer(&["--tokenizer", "cl100k_base"]), "cl100k_base");
    assert_eq!(tokenizer(&["--model", "gpt-4o"]), "o200k_base");
    fixture.run(["tokens", "a.txt", "--repo", "nope"]).fails(2, &["no such folder: `nope`"]);
}

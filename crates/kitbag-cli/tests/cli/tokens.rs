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
fn a_model_or_a_tokenizer_may_be_named() {
    let fixture = Fixture::with(&[("a.txt", "hello world\n")]);
    let line = |extra: &[&str]| fixture.run(["tokens", "a.txt"].iter().chain(extra)).stdout;
    assert_eq!(line(&["--model", "gpt-4"]), "3  a.txt  cl100k_base (exact)\n");
    assert_eq!(line(&["--tokenizer", "words"]), "3  a.txt  words (an estimate)\n");
    assert_eq!(line(&["--tokenizer", "characters"]), "3  a.txt  characters (an estimate)\n");
    let run = fixture.run(["tokens", "a.txt", "--tokenizer", "p50k"]);
    run.fails(
        2,
        &[
            "unknown tokenizer `p50k`",
            "hint: there are `o200k_base`, `cl100k_base`, `characters`, `words`",
        ],
    );
    let run = fixture.run(["tokens", "a.txt", "--model", "gpt-4p"]);
    run.fails(2, &["unknown model `gpt-4p`", "hint: the nearest known model is `"]);
    fixture
        .run(["tokens", "a.txt", "--model", "gpt-4", "--tokenizer", "words"])
        .fails(2, &["cannot be used with"]);
}

#[test]
fn what_cannot_be_counted_is_named() {
    let fixture = Fixture::project();
    fixture.run(["tokens", "nope"]).fails(2, &["cannot read `nope`: "]);
    fixture.run(["tokens", "src"]).fails(2, &["a folder, not a file: `src`"]);
    fixture.run(["tokens", "README.md", "nope"]).fails(2, &["cannot read `nope`: "]);
    fixture.feed(["tokens", "-"], "\0").fails(2, &["binary, not text: standard input"]);
}

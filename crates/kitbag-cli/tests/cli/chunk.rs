//! `kitbag chunk`.

use crate::fixture::Fixture;

#[test]
fn the_chunks_of_a_file_are_listed() {
    let fixture = Fixture::project();
    let run = fixture.run(["chunk", "src/auth.rs", "--min-chunk-tokens", "0"]);
    let rows: Vec<Vec<&str>> =
        run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        rows,
        [
            ["1-5", "32", "tokens", "function", "login"],
            ["7-10", "27", "tokens", "function", "oauth_token"],
        ]
    );
    insta::assert_snapshot!(run.stderr, @"2 chunks, 10 lines of rust");
    let report = fixture.json(["chunk", "src/auth.rs", "--json"]);
    assert_eq!(
        (&report["language"], &report["lines"], &report["tokenizer"]),
        (&"rust".into(), &10.into(), &"o200k_base".into())
    );
    assert_eq!(report["chunks"].as_array().unwrap().len(), 1, "small neighbors are joined");
}

#[test]
fn the_way_of_splitting_can_be_chosen() {
    let fixture = Fixture::with(&[("a.txt", &"one two three four\n".repeat(120))]);
    let spans = |extra: &[&str]| {
        let run = fixture.run(["chunk", "a.txt"].iter().chain(extra));
        let spans: Vec<String> =
            run.stdout.lines().map(|line| line.split_whitespace().next().unwrap().into()).collect();
        spans.join(" ")
    };
    assert_eq!(spans(&["--by", "lines", "--min-chunk-tokens", "0"]), "1-50 51-100 101-120");
    assert_eq!(spans(&["--by", "tokens", "--max-chunk-tokens", "300"]), "1-60 61-120");
}

#[test]
fn an_empty_file_has_no_chunks() {
    let fixture = Fixture::with(&[("empty.rs", "")]);
    let run = fixture.run(["chunk", "empty.rs"]);
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), "", "0 chunks, 0 lines of rust\n")
    );
    let run = fixture.feed(["chunk", "-"], "text\n");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "1 chunk, 1 line of unknown\n"));
}

#[test]
fn unreadable_files_are_reported() {
    let fixture = Fixture::project();
    fixture.run(["chunk"]).fails(2, &["<FILE>"]);
    fixture.run(["chunk", "nope"]).fails(2, &["cannot read `nope`: "]);
    fixture.run(["chunk", "src"]).fails(2, &["`src` is a folder, not a file"]);
    fixture
        .run(["chunk", "README.md", "--max-chunk-tokens", "1"])
        .fails(2, &["--max-chunk-tokens <TOKENS>"]);
}

/// A repository that is configured for small chunks.
fn configured() -> Fixture {
    let config = "context:\n  chunking:\n    min_chunk_tokens: 0\n    lines_per_chunk: 20\n    \
                  languages:\n      text: lines\n      python: tokens\nmodel:\n  tokenizer: cl100k_base\n";
    let text = "one two three four\n".repeat(60);
    Fixture::with(&[("there/.agent/config.yml", config), ("there/a.txt", &text)])
}

#[test]
fn chunking_follows_the_configuration() {
    let fixture = configured();
    let report = |extra: &[&str]| {
        let plain = ["chunk", "a.txt", "--repo", "there", "--json"];
        fixture.json(plain.iter().chain(extra))
    };
    let count = |extra: &[&str]| report(extra)["chunks"].as_array().unwrap().len();
    assert_eq!(report(&[])["tokenizer"], "o200k_base", "not trusted");
    assert_eq!(fixture.run(["trust", "--repo", "there"]).code, Some(0));
    assert_eq!(report(&[])["tokenizer"], "cl100k_base");
    assert_eq!((report(&[])["path"].as_str(), count(&[])), (Some("a.txt"), 3));
    assert_eq!(count(&["--set", "context.chunking.lines_per_chunk=30"]), 2);
    assert_eq!(count(&["--by", "tokens"]), 1, "the command line wins");
    fixture
        .run(["chunk", "a.txt", "--repo", "there", "--set", "context.chunking.lines=1"])
        .fails(2, &["context.chunking.lines"]);
}

#[test]
fn languages_are_listed_with_their_splitting() {
    let fixture = configured();
    let split = |repo: &str, name: &str| {
        let report = fixture.json(["languages", "--json", "--repo", repo]);
        let languages = report["languages"].as_array().unwrap().clone();
        languages.into_iter().find(|it| it["name"] == name).unwrap()["split"].clone()
    };
    assert_eq!(
        (split(".", "python"), split("there", "python")),
        ("grammar".into(), "tokens".into())
    );
    assert_eq!(split("there", "rust"), "grammar");
}

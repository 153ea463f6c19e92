//! `kitbag diff`.

use crate::fixture::Fixture;

#[test]
fn added_and_removed_chunks_have_reasons() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--budget", "1000"]);
    fixture.run([
        "pack",
        "login paint",
        "--budget",
        "70",
        "--overflow",
        "skip",
        "--file",
        "src/colour.rs",
    ]);
    let run = fixture.run(["diff"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for words in [
        "the task differs",
        "budget: 1000 -> 70",
        "context.selection.overflow: outline -> skip",
        "references: none -> src/colour.rs",
        "Added\n",
        "src/colour.rs:1-4",
        "before: the file was not found",
        "Removed\n",
        "src/auth.rs:1-10",
        "now: budget (does not fit in the remaining budget",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let back = fixture.json(["diff", "@0", "@1", "--json"]);
    assert_eq!(back["added"][0]["path"], "src/auth.rs");
    assert_eq!(back["tokens"][0], fixture.json(["show", "--json"])["total_tokens"]);
}

#[test]
fn every_cause_is_reported() {
    let fixture = Fixture::project();
    let plain = ["pack", "login"];
    let config = "context:\n  chunking:\n    lines_per_chunk: 20\n";
    for (arguments, expected) in [
        (
            vec!["--set", "context.chunking.max_chunk_tokens=300"],
            vec!["context.chunking.max_chunk_tokens: ", " -> 300"],
        ),
        (
            vec!["--set", "context.source_priority.search_results=10"],
            vec!["context.source_priority.search_results: 60 -> 10"],
        ),
        (
            vec!["--open", "src/colour.rs", "--provider", "history"],
            vec!["open_files: none -> src/colour.rs", "providers: none -> history"],
        ),
        (vec!["--no-provider", "search"], vec!["no_providers: none -> search"]),
        (vec!["--overflow", "truncate"], vec!["context.selection.overflow: outline -> truncate"]),
        (vec!["--no-redact"], vec!["redact: true -> false"]),
        (vec!["--header", "Pineapple"], vec!["context.formatting.header: null -> sha256:"]),
        (vec!["--deadline", "9000"], vec!["deadline_ms: none -> 9000"]),
        (
            vec!["--document", "src/auth.rs", "--cursor", "3"],
            vec!["document: none -> src/auth.rs", "cursor: none -> 3"],
        ),
        (vec!["--model", "gpt-4o"], vec!["model: none -> gpt-4o"]),
        (vec!["--now", "2030-01-01T00:00:00Z"], vec!["now: ", " -> 2030-01-01T00:00:00Z"]),
    ] {
        fixture.run(plain);
        let run = fixture.run(plain.iter().chain(&arguments));
        assert_eq!(run.code, Some(0), "{arguments:?} {}", run.stderr);
        let diff = fixture.run(["diff"]).stdout;
        for words in expected {
            assert!(diff.contains(words), "{arguments:?} {words}: {diff}");
        }
        assert!(!diff.contains("Pineapple"), "{diff}");
    }
    fixture.run(plain);
    fixture.write(".agent/config.yml", config);
    fixture.run(plain);
    let diff = fixture.run(["diff"]).stdout;
    assert!(diff.contains("context.chunking.lines_per_chunk: 50 -> 20"), "{diff}");
    fixture.run(plain);
    let same = fixture.json(["diff", "--json"]);
    assert_eq!(same["request"].as_array().unwrap().len(), 0, "{same:#}");
}

#[test]
fn lines_of_a_larger_chunk_are_reported() {
    let fixture = Fixture::project();
    fixture.run(["pack", "--file", "src/auth.rs"]);
    fixture.run(["pack", "--file", "src/auth.rs:2-3"]);
    let run = fixture.run(["diff"]).stdout;
    assert!(run.contains("before: part of 1-10"), "{run}");
}

#[test]
fn a_chunk_that_moved_is_the_same_chunk() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let auth = fixture.read("src/auth.rs");
    fixture.write("src/auth.rs", format!("//! Who may come in.\n\n{auth}"));
    fixture.run(["pack", "login"]);
    let json = fixture.json(["diff", "--json"]);
    let added: Vec<_> = json["added"].as_array().unwrap().iter().collect();
    assert!(added.iter().all(|it| it["path"] != "src/auth.rs"), "{json:#}");
    let changed = json["changed"].as_array().unwrap();
    let auth = changed.iter().find(|it| it["path"] == "src/auth.rs").unwrap();
    assert!(auth["what"].to_string().contains("lines 1-10 -> "), "{auth}");
}

#[test]
fn a_diff_requires_two_packs() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    fixture.run(["diff"]).fails(2, &["no record `@1`, only 1 record"]);
    fixture.run(["diff", "@1"]).fails(2, &["AFTER"]);
}

//! `kitbag diff`.

use crate::fixture::Fixture;

#[test]
fn what_came_and_went_is_told_with_the_reason() {
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
        "the task is another",
        "budget: 1000 -> 70",
        "files named: none -> src/colour.rs",
        "Came\n",
        "src/colour.rs:1-4",
        "before: the file was not found",
        "Went\n",
        "src/auth.rs:1-10",
        "now: budget (does not fit what is left of 70 tokens",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let back = fixture.json(["diff", "@0", "@1", "--json"]);
    assert_eq!(back["came"][0]["path"], "src/auth.rs");
    assert_eq!(back["tokens"][0], fixture.json(["show", "--json"])["total_tokens"]);
}

#[test]
fn a_chunk_that_moved_is_the_same_chunk() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let auth = fixture.read("src/auth.rs");
    fixture.write("src/auth.rs", format!("//! Who may come in.\n\n{auth}"));
    fixture.run(["pack", "login"]);
    let json = fixture.json(["diff", "--json"]);
    let came: Vec<_> = json["came"].as_array().unwrap().iter().collect();
    assert!(came.iter().all(|it| it["path"] != "src/auth.rs"), "{json:#}");
    let changed = json["changed"].as_array().unwrap();
    let auth = changed.iter().find(|it| it["path"] == "src/auth.rs").unwrap();
    assert!(auth["what"].to_string().contains("lines 1-10 -> "), "{auth}");
}

#[test]
fn two_packs_are_needed() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    fixture.run(["diff"]).fails(2, &["there is no record `@1`; there are 1"]);
    fixture.run(["diff", "@1"]).fails(2, &["AFTER"]);
}

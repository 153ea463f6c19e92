//! `kitbag index`.

use crate::fixture::Fixture;
use std::fs;

#[test]
fn an_index_is_made_shown_and_removed() {
    let fixture = Fixture::project();
    let run = fixture.run(["index"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.says(&["there is no index of", "a pack makes one"]);
    let run = fixture.run(["index", "refresh"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.says(&["3 files, 3 analysed; "]);
    let run = fixture.run(["index", "status"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for line in
        ["folder     /", "tokenizer  o200k_base", "files      3", "contents   3", "segments   1"]
    {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
    assert!(run.stdout.contains("last used  20"), "{}", run.stdout);
    assert_eq!(fixture.run(["index", "clear"]).code, Some(0));
    assert_eq!(fs::read_dir(fixture.cache()).unwrap().count(), 0);
    let run = fixture.run(["index", "clear"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.says(&["there is no index of `.`"]);
}

#[test]
fn the_reports_are_stable() {
    let fixture = Fixture::project();
    let fields = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let refreshed = fixture.json(["index", "refresh", "--json"]);
    assert_eq!(
        fields(&refreshed),
        [
            "version",
            "repo",
            "files",
            "unchanged",
            "known",
            "analysed",
            "not_text",
            "too_large",
            "unreadable",
            "unkept",
            "ms",
            "warnings"
        ]
    );
    assert_eq!((&refreshed["version"], &refreshed["analysed"]), (&1.into(), &3.into()));
    let status = fixture.json(["index", "--json"]);
    assert_eq!(fields(&status), ["version", "repo", "indexes"]);
    assert_eq!(
        fields(&status["indexes"][0]),
        ["tokenizer", "folder", "files", "contents", "segments", "bytes", "used", "trouble"]
    );
    let cleared = fixture.json(["index", "clear", "--json"]);
    assert_eq!(fields(&cleared), ["version", "removed", "busy"]);
    assert_eq!(cleared["removed"][0], status["indexes"][0]["folder"]);
}

#[test]
fn a_repository_may_have_an_index_for_each_way_of_counting() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    fixture.run(["pack", "login", "--model", "gpt-4", "--budget", "500"]);
    let status = fixture.json(["index", "--json"]);
    assert_eq!(status["indexes"].as_array().unwrap().len(), 2);
    let cleared = fixture.json(["index", "clear", "--json"]);
    assert_eq!(cleared["removed"].as_array().unwrap().len(), 2);
}

#[test]
fn clearing_takes_one_repository_or_all() {
    let fixture = Fixture::with(&[("one/a.rs", "fn a() {}\n"), ("two/b.rs", "fn b() {}\n")]);
    for repo in ["one", "two"] {
        assert_eq!(fixture.run(["index", "refresh", "--repo", repo]).code, Some(0));
    }
    assert_eq!(fs::read_dir(fixture.cache()).unwrap().count(), 2);
    fixture.run(["index", "clear", "--repo", "one"]).says(&["removed `", "/one-"]);
    assert_eq!(fs::read_dir(fixture.cache()).unwrap().count(), 1);
    fixture.run(["index", "--repo", "one", "refresh"]);
    let run = fixture.run(["index", "clear", "--all"]);
    assert_eq!((run.code, run.stderr.matches("removed").count()), (Some(0), 2));
    fixture.run(["index", "clear", "--all"]).says(&["there is no index of any repository"]);
}

#[test]
fn what_is_mistyped_is_named() {
    let fixture = Fixture::project();
    fixture.run(["index", "refrehs"]).fails(2, &["'refrehs'", "'refresh'"]);
    for action in ["status", "refresh", "clear"] {
        let run = fixture.run(["index", action, "--repo", "nope"]);
        run.fails(2, &["no such folder: `nope`"]);
        let run = fixture.run(["index", action, "--repo", "README.md"]);
        run.fails(2, &["not a folder: `README.md`"]);
    }
}

#[test]
fn a_damaged_index_is_told_by_its_status() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let folder = fs::read_dir(fixture.cache()).unwrap().next().unwrap().unwrap().path();
    fs::write(folder.join("manifest"), "nonsense").unwrap();
    let run = fixture.run(["index"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("trouble    its manifest"), "{}", run.stdout);
}

#[test]
fn a_damaged_history_is_told_by_the_status_of_its_index() {
    let fixture = Fixture::project();
    fixture.git(&["init", "-q", "-b", "main"]);
    fixture.commit(1, "one");
    fixture.run(["pack", "login"]);
    assert!(!fixture.run(["index"]).stdout.contains("trouble"));
    let folder = fs::read_dir(fixture.cache()).unwrap().next().unwrap().unwrap().path();
    fs::write(folder.join("history"), "nonsense").unwrap();
    let run = fixture.run(["index"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("trouble    the history file `/"), "{}", run.stdout);
}

#[test]
fn an_index_that_cannot_be_kept_is_a_failure_of_what_is_there_to_keep_it() {
    let fixture = Fixture::project();
    fixture.write("no-folder", "");
    let run = |arguments: &[&str]| {
        let mut command = fixture.command();
        command.env("XDG_CACHE_HOME", fixture.path("no-folder")).args(arguments);
        crate::fixture::Run::from(command.output().unwrap())
    };
    let refreshed = run(&["index", "refresh"]);
    assert_eq!(refreshed.code, Some(1));
    refreshed.says(&["error: the index is not kept: ", "/no-folder/kitbag/"]);
    assert_eq!(refreshed.stderr.matches("is not kept").count(), 1, "{}", refreshed.stderr);
    let json = run(&["index", "refresh", "--json"]);
    assert_eq!(json.code, Some(1));
    assert!(json.stdout.contains("\"unkept\": \"the index is not kept: "), "{}", json.stdout);
    let status = run(&["index", "status"]);
    status.fails(1, &["no-folder/kitbag/", "Not a directory"]);
    let packed = run(&["pack", "login"]);
    assert_eq!(packed.code, Some(0), "a pack needs no place for its index");
    packed.says(&["warning: the index is not kept: "]);
}

#[test]
fn without_a_place_for_indexes_there_is_nothing_to_look_after() {
    let fixture = Fixture::project();
    let run = |arguments: &[&str]| {
        let mut command = fixture.command();
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME").args(arguments);
        crate::fixture::Run::from(command.output().unwrap())
    };
    let failed = run(&["index"]);
    failed.fails(1, &["there is no folder to keep indexes in", "hint: set XDG_CACHE_HOME"]);
    let refreshed = run(&["index", "refresh"]);
    assert_eq!(refreshed.code, Some(1));
    refreshed.says(&["error: there is no folder to keep indexes in"]);
    assert_eq!(run(&["pack", "login"]).code, Some(0));
}

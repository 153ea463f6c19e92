//! `kitbag index`.

use crate::fixture::Fixture;
use std::fs;

#[test]
fn an_index_is_created_shown_and_removed() {
    let fixture = Fixture::project();
    let run = fixture.run(["index"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.stderr_contains(&["no index of", "the first pack creates it"]);
    let run = fixture.run(["index", "refresh"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.stderr_contains(&["3 files, 3 analyzed; "]);
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
    run.stderr_contains(&["no index of `.` found"]);
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
            "analyzed",
            "not_text",
            "too_large",
            "unreadable",
            "unkept",
            "ms",
            "warnings"
        ]
    );
    assert_eq!((&refreshed["version"], &refreshed["analyzed"]), (&1.into(), &3.into()));
    let status = fixture.json(["index", "--json"]);
    assert_eq!(fields(&status), ["version", "repo", "indexes"]);
    assert_eq!(
        fields(&status["indexes"][0]),
        [
            "tokenizer",
            "of_commits",
            "folder",
            "files",
            "contents",
            "segments",
            "bytes",
            "used",
            "trouble"
        ]
    );
    let cleared = fixture.json(["index", "clear", "--json"]);
    assert_eq!(fields(&cleared), ["version", "removed", "busy"]);
    assert_eq!(cleared["removed"][0], status["indexes"][0]["folder"]);
}

#[test]
fn tokenizers_share_one_index() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    for model in ["gpt-4", "claude-sonnet-4-5"] {
        let pack = fixture.json(["pack", "login", "--model", model, "--budget", "500", "--json"]);
        assert!(!pack["included"].as_array().unwrap().is_empty());
        let refreshed = fixture.json(["index", "refresh", "--json"]);
        assert_eq!(refreshed["analyzed"], 0, "{model}");
    }
    let status = fixture.json(["index", "--json"]);
    assert_eq!(status["indexes"].as_array().unwrap().len(), 1);
    let cleared = fixture.json(["index", "clear", "--json"]);
    assert_eq!(cleared["removed"].as_array().unwrap().len(), 1);
}

#[test]
fn chunks_are_counted_with_the_tokenizer_of_the_request() {
    let fixture = Fixture::project();
    for tokenizer in ["o200k_base", "cl100k_base", "claude", "characters"] {
        fixture.write(".agent/config.yml", format!("model:\n  tokenizer: {tokenizer}\n"));
        let pack = fixture.json(["pack", "login", "--json"]);
        let found = fixture.json(["search", "login", "--json"]);
        let lists = [&pack["included"], &pack["excluded"], &found["results"]];
        let chunks: Vec<_> = lists.iter().flat_map(|it| it.as_array().unwrap()).collect();
        assert!(chunks.len() > 2);
        for chunk in chunks.into_iter().filter(|it| it["start_line"].is_u64()) {
            let line = |key: &str| chunk[key].as_u64().unwrap() as usize;
            let text = fixture.read(chunk["path"].as_str().unwrap());
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            fixture.write("../lines", lines[line("start_line") - 1..line("end_line")].concat());
            let counted = fixture.json(["tokens", "../lines", "--json"]);
            assert_eq!(chunk["tokens"], counted["total_tokens"], "{tokenizer}: {chunk}");
        }
    }
}

#[test]
fn clear_removes_one_index_or_all() {
    let fixture = Fixture::with(&[("one/a.rs", "fn a() {}\n"), ("two/b.rs", "fn b() {}\n")]);
    for repo in ["one", "two"] {
        assert_eq!(fixture.run(["index", "refresh", "--repo", repo]).code, Some(0));
    }
    assert_eq!(fs::read_dir(fixture.cache()).unwrap().count(), 2);
    fixture.run(["index", "clear", "--repo", "one"]).stderr_contains(&["removed `", "/one-"]);
    assert_eq!(fs::read_dir(fixture.cache()).unwrap().count(), 1);
    fixture.run(["index", "--repo", "one", "refresh"]);
    let run = fixture.run(["index", "clear", "--all"]);
    assert_eq!((run.code, run.stderr.matches("removed").count()), (Some(0), 2));
    fixture.run(["index", "clear", "--all"]).stderr_contains(&["no index of any repository found"]);
}

#[test]
fn typos_are_reported() {
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
fn status_reports_a_damaged_index() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let folder = fs::read_dir(fixture.cache()).unwrap().next().unwrap().unwrap().path();
    fs::write(folder.join("manifest"), "nonsense").unwrap();
    let run = fixture.run(["index"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("problem    its manifest"), "{}", run.stdout);
}

#[test]
fn status_reports_a_damaged_history() {
    let fixture = Fixture::project();
    fixture.git(&["init", "-q", "-b", "main"]);
    fixture.commit(1, "one");
    fixture.run(["pack", "login"]);
    assert!(!fixture.run(["index"]).stdout.contains("problem"));
    let folder = fs::read_dir(fixture.cache()).unwrap().next().unwrap().unwrap().path();
    fs::write(folder.join("history"), "nonsense").unwrap();
    let run = fixture.run(["index"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("problem    the history file `/"), "{}", run.stdout);
}

#[test]
fn refresh_fails_if_the_index_cannot_be_saved() {
    let fixture = Fixture::project();
    fixture.write("no-folder", "");
    let run = |arguments: &[&str]| {
        let mut command = fixture.command();
        command.env("XDG_CACHE_HOME", fixture.path("no-folder")).args(arguments);
        crate::fixture::Run::from(command.output().unwrap())
    };
    let refreshed = run(&["index", "refresh"]);
    assert_eq!(refreshed.code, Some(1));
    refreshed.stderr_contains(&["error: the index cannot be saved: ", "/no-folder/kitbag/"]);
    assert_eq!(refreshed.stderr.matches("cannot be saved").count(), 1, "{}", refreshed.stderr);
    let json = run(&["index", "refresh", "--json"]);
    assert_eq!(json.code, Some(1));
    assert!(json.stdout.contains("\"unkept\": \"the index cannot be saved: "), "{}", json.stdout);
    let status = run(&["index", "status"]);
    status.fails(1, &["no-folder/kitbag/", "Not a directory"]);
    let packed = run(&["pack", "login"]);
    assert_eq!(packed.code, Some(0), "a pack needs no place for its index");
    packed.stderr_contains(&["warning: the index cannot be saved: "]);
}

#[test]
fn index_commands_fail_without_a_cache_folder() {
    let fixture = Fixture::project();
    let run = |arguments: &[&str]| {
        let mut command = fixture.command();
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME").args(arguments);
        crate::fixture::Run::from(command.output().unwrap())
    };
    let failed = run(&["index"]);
    failed.fails(1, &["there is no folder for indexes", "hint: set XDG_CACHE_HOME"]);
    let refreshed = run(&["index", "refresh"]);
    assert_eq!(refreshed.code, Some(1));
    refreshed.stderr_contains(&["error: there is no folder for indexes"]);
    assert_eq!(run(&["pack", "login"]).code, Some(0));
}

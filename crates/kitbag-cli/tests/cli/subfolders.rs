//! Commands in a subfolder of a repository: the whole repository is searched, and the subfolder is preferred.

use crate::fixture::{Fixture, Run, included};
use crate::mcp::StdioServer;
use serde_json::{Value, json};
use std::process::Stdio;

/// Two packages with functions of the same name, and one that only the first has.
fn monorepo() -> Fixture {
    let function = |name: &str, factor: u32| {
        format!(
            "/// Reads the configuration.\npub fn {name}(x: u32) -> u32 {{\n    x * {factor}\n}}\n"
        )
    };
    let fixture = Fixture::empty();
    fixture.git(&["init", "--quiet"]);
    fixture.write("packages/one/src/lib.rs", function("parse_config", 1));
    fixture.write("packages/two/src/lib.rs", function("parse_config", 2));
    fixture.write("packages/one/src/cookies.rs", function("store_cookie", 3));
    fixture.write("packages/one/notes.md", "# One\n\nParses the configuration.\n");
    fixture.commit(1, "import");
    fixture
}

fn run_in(fixture: &Fixture, folder: &str, arguments: &[&str]) -> Run {
    let mut command = fixture.command();
    command.args(arguments).current_dir(fixture.path(folder)).stdin(Stdio::null());
    Run::from(command.output().unwrap())
}

fn json_in(fixture: &Fixture, folder: &str, arguments: &[&str]) -> Value {
    let run = run_in(fixture, folder, &[arguments, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn the_subfolder_is_preferred_and_the_pack_says_so() {
    let fixture = monorepo();
    for (folder, first) in [
        ("packages/one", "packages/one/src/lib.rs"),
        ("packages/two", "packages/two/src/lib.rs"),
        ("packages/two/src", "packages/two/src/lib.rs"),
    ] {
        let report = json_in(&fixture, folder, &["pack", "how does parse_config work"]);
        let paths = included(&report);
        assert_eq!(paths[0], first, "{folder}: {paths:?}");
        assert!(paths.contains(&"packages/one/src/lib.rs"), "{folder}: {paths:?}");
        assert!(paths.contains(&"packages/two/src/lib.rs"), "{folder}: {paths:?}");
        assert_eq!(report["preferred_folder"], folder);
        let why = report["included"][0]["why"].to_string();
        assert!(why.contains("in the folder that you are in"), "{why}");
    }
    let task = &["pack", "how does parse_config work", "--contents"];
    let run = run_in(&fixture, "packages/two", task);
    run.stderr_contains(&["files in `packages/two` are preferred; `--repo .` searches only this"]);
    let said = "Files in `packages/two`, where the user is, are preferred.";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    let quiet = run_in(&fixture, "packages/two", &["pack", "parse_config", "--quiet"]);
    assert_eq!(quiet.stderr, "");
    let top = fixture.run(["pack", "how does parse_config work", "--contents"]);
    assert!(!top.stderr.contains("preferred") && !top.stdout.contains("preferred"));
    assert!(fixture.json(["pack", "parse_config", "--json"])["preferred_folder"].is_null());
}

#[test]
fn what_only_another_folder_has_is_found() {
    let fixture = monorepo();
    let report = json_in(&fixture, "packages/two", &["pack", "how does store_cookie work"]);
    assert_eq!(included(&report)[0], "packages/one/src/cookies.rs");
    let found = run_in(&fixture, "packages/two", &["search", "store_cookie"]).stdout;
    assert!(found.contains("packages/one/src/cookies.rs:1-4"), "{found}");
    let symbol = run_in(&fixture, "packages/two/src", &["symbol", "store_cookie"]).stdout;
    assert!(symbol.contains("packages/one/src/cookies.rs:2"), "{symbol}");
}

#[test]
fn a_folder_that_is_named_is_searched_alone() {
    let fixture = monorepo();
    for (folder, repo) in [("packages/two", "."), (".", "packages/two"), ("packages/one", "../two")]
    {
        let task = &["pack", "how does parse_config work", "--repo", repo];
        let report = json_in(&fixture, folder, task);
        assert_eq!(included(&report), ["src/lib.rs"], "{folder} {repo}");
        assert!(report["preferred_folder"].is_null());
    }
}

#[test]
fn files_are_relative_to_the_current_folder_or_to_the_repository() {
    let fixture = monorepo();
    let own = "packages/one/src/lib.rs";
    for file in
        ["src/lib.rs", "./src/lib.rs:1-2", own, "../one/src/lib.rs", "packages/one/src/lib.rs:2-3"]
    {
        let report = json_in(&fixture, "packages/one", &["pack", "--file", file]);
        assert_eq!(included(&report), [own], "{file}");
    }
    let report = json_in(&fixture, "packages/two", &["pack", "--file", "../one/notes.md"]);
    assert_eq!(included(&report), ["packages/one/notes.md"]);
    let outside = run_in(&fixture, "packages/two", &["pack", "--file", "../../../x.rs"]);
    assert!(outside.stderr.contains("outside"), "{}", outside.stderr);
    let missing = run_in(&fixture, "packages/one", &["pack", "--file", "src/libb.rs"]);
    missing.fails(2, &["packages/one/src/libb.rs", "packages/one/src/lib.rs"]);
    let document =
        ["pack", "x", "--document", "src/lib.rs", "--cursor", "2", "--open", "src/cookies.rs"];
    let report = json_in(&fixture, "packages/one", &document);
    assert!(included(&report).contains(&"packages/one/src/cookies.rs"), "{report:#}");
}

#[test]
fn globs_are_relative_to_the_current_folder() {
    let fixture = monorepo();
    let paths = |glob: &str| {
        let arguments = ["pack", "how does parse_config work", "--fill", "--include", glob];
        let report = json_in(&fixture, "packages/one", &arguments);
        let mut paths: Vec<String> = included(&report).into_iter().map(str::to_owned).collect();
        paths.sort_unstable();
        paths
    };
    assert_eq!(paths("src/lib.rs"), ["packages/one/src/lib.rs"]);
    assert_eq!(paths("../two/**"), ["packages/two/src/lib.rs"]);
    assert_eq!(paths("packages/two/**"), ["packages/two/src/lib.rs"]);
    assert_eq!(paths("lib.rs"), ["packages/one/src/lib.rs", "packages/two/src/lib.rs"]);
    assert_eq!(paths("/packages/two"), ["packages/two/src/lib.rs"]);
}

#[test]
fn a_pack_of_a_subfolder_can_be_inspected_from_anywhere() {
    let fixture = monorepo();
    run_in(&fixture, "packages/two", &["pack", "how does parse_config work"]);
    for folder in [".", "packages/one", "packages/two/src"] {
        let shown = run_in(&fixture, folder, &["show"]);
        assert!(shown.stdout.contains("packages/two/src/lib.rs"), "{}", shown.stderr);
    }
    let explained = run_in(&fixture, "packages/two", &["explain", "src/lib.rs:2"]);
    assert!(explained.stdout.contains("packages/two/src/lib.rs:2 is in"), "{}", explained.stdout);
    let task = "how does parse_config work";
    let explained = fixture.run(["explain", "packages/two/src/lib.rs:2", "--task", task]).stdout;
    assert!(explained.contains("folder") && explained.contains("rank 1,"), "{explained}");
}

#[test]
fn a_subfolder_of_a_project_without_git_belongs_to_it() {
    let fixture = Fixture::with(&[
        ("src/deep/a.rs", "pub fn login() {}\n"),
        ("lib/b.rs", "pub fn logout() {}\n"),
        (
            ".agent/config.yml",
            "context:\n  budget:\n    total: 400\n    response_reserve: 0\n    system_reserve: 0\n",
        ),
    ]);
    let report = json_in(&fixture, "src/deep", &["pack", "logout"]);
    assert_eq!((&report["budget"], included(&report)[0]), (&json!(400), "lib/b.rs"));
}

#[test]
fn the_overview_and_the_review_are_of_the_whole_repository() {
    let fixture = monorepo();
    let map = run_in(&fixture, "packages/two", &["map"]).stdout;
    assert!(map.contains("store_cookie") && map.contains("packages/two/src/lib.rs"), "{map}");
    let symbols = map.split("Central symbols").nth(1).unwrap();
    let at = |path: &str| symbols.find(path).unwrap();
    assert!(at("packages/two/src/lib.rs") < at("packages/one/src/cookies.rs"), "{symbols}");
    fixture.write("packages/one/src/cookies.rs", "pub fn store_cookie() -> u32 {\n    7\n}\n");
    let review = json_in(&fixture, "packages/two", &["pack", "--diff"]);
    assert_eq!(included(&review)[0], "packages/one/src/cookies.rs.diff");
}

#[test]
fn agents_in_a_subfolder_get_its_files_first() {
    let fixture = monorepo();
    for package in ["one", "two"] {
        let folder = fixture.path(&format!("packages/{package}"));
        let mut server = StdioServer::start_in(&fixture, &folder, &[]);
        let task = json!({ "task": "how does parse_config work" });
        let (text, is_error) = server.call("pack_context", task.clone());
        assert!(!is_error, "{text}");
        let said = format!("Files in `packages/{package}`, where the user is, are preferred.");
        assert!(text.contains(&said), "{text}");
        let (found, _) = server.call("search_code", task);
        let own = format!("packages/{package}/src/lib.rs");
        let first = found.lines().find(|line| line.contains("/src/lib.rs")).unwrap();
        assert!(first.contains(&own), "{found}");
    }
}

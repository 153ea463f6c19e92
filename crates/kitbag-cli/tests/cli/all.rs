//! `--all`: requests to many repositories.

use crate::fixture::{AUTH, Fixture, included};
use crate::serve::Server;
use serde_json::Value;
use std::fs;

const TOKEN: &str = "0123456789abcdef";
const OTHER_TOKEN: &str = "fedcba9876543210";

/// A folder `mirrors` with three bare repositories.
fn fleet() -> Fixture {
    let fixture = Fixture::empty();
    let repositories: [(&str, &[(&str, &str)]); 3] = [
        ("acme+auth", &[("src/auth.rs", AUTH), ("README.md", "# Auth\n\nUsers login by OAuth.\n")]),
        ("acme+paint.git", &[("mixer.py", "def mix_pigments(ochre):\n    return ochre + 1\n")]),
        ("zoo+birds", &[("herons.py", "def count_herons(marsh):\n    return census(marsh)\n")]),
    ];
    for (name, files) in repositories {
        add(&fixture, name, files);
    }
    fixture
}

fn add(fixture: &Fixture, name: &str, files: &[(&str, &str)]) {
    for (path, content) in files {
        fixture.write(&format!("source/{path}"), content);
    }
    let git = |arguments: &[&str]| fixture.git(&[&["-C", "source"][..], arguments].concat());
    git(&["init", "--quiet", "--initial-branch", "main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "begin"]);
    fixture.git(&["clone", "--quiet", "--mirror", "source", &format!("mirrors/{name}")]);
    fs::remove_dir_all(fixture.path("source")).unwrap();
}

fn found(report: &Value) -> Vec<&str> {
    let results = report["results"].as_array().unwrap().iter();
    results.map(|it| it["path"].as_str().unwrap()).collect()
}

fn chosen(report: &Value) -> Vec<&str> {
    let chosen = report["repositories"].as_array().unwrap().iter();
    chosen.map(|it| it["name"].as_str().unwrap()).collect()
}

const ALL: [&str; 3] = ["--all", "--repos", "mirrors"];

fn all<'a>(command: &'a str, task: &'a str) -> Vec<&'a str> {
    [&[command, task, "--json"][..], &ALL].concat()
}

#[test]
fn a_search_of_all_repositories_finds_the_right_one() {
    let fixture = fleet();
    let report = fixture.json(all("search", "why does the census of herons fail?"));
    assert_eq!(chosen(&report), ["zoo/birds"]);
    assert_eq!(found(&report), ["zoo/birds/herons.py"]);
    assert_eq!(report["repositories"][0]["words"][0], "herons");
    let report = fixture.json(all("search", "login census in acme/auth"));
    assert_eq!(chosen(&report), ["acme/auth", "zoo/birds"], "the named one first");
    assert_eq!(report["repositories"][0]["named"], true);
    let run = fixture.run([&["search", "count_herons"][..], &ALL].concat());
    assert!(run.stdout.contains("zoo/birds/herons.py:1-2"), "{run:?}");
    run.stderr_contains(&["searched 1 repository: zoo/birds\n"]);
}

#[test]
fn a_pack_of_all_repositories_has_their_names_before_the_paths_and_one_budget() {
    let fixture = fleet();
    let task = "mix_pigments and the oauth_token of a login";
    let first = fixture.json(all("pack", task));
    assert_eq!(included(&first), ["acme/paint/mixer.py", "acme/auth/src/auth.rs"]);
    assert!(first["content"].as_str().unwrap().contains("### acme/paint/mixer.py (lines 1-2)"));
    assert!(first["total_tokens"].as_u64() <= first["budget"].as_u64());
    assert_eq!(first.get("commit"), None);
    assert_eq!(fixture.json(all("pack", task)), first, "warm");
    assert_eq!(fixture.run(["index", "clear", "--all"]).code, Some(0));
    assert_eq!(fixture.json(all("pack", task)), first, "cold");
    let preview = fixture.json(all("preview", task));
    assert_eq!(included(&preview), included(&first));
}

#[test]
fn a_task_about_nothing_gives_an_empty_pack_that_says_why() {
    let fixture = fleet();
    let run = fixture.run([&["pack", "frobnicate the quux"][..], &ALL].concat());
    run.is_empty_for("no word of the task distinguishes the repositories");
    let run = fixture.run([&["search", "frobnicate the quux"][..], &ALL].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.stderr_contains(&["warning: nothing was found: no word of the task distinguishes"]);
}

#[test]
fn a_new_commit_and_a_new_repository_are_seen_at_once() {
    let fixture = fleet();
    let task = all("search", "who feeds the pelicans?");
    assert!(chosen_or_none(&fixture.json(task.clone())).is_empty());
    add(&fixture, "zoo+pelicans", &[("feed.py", "def feed_pelicans(fish):\n    return fish\n")]);
    assert_eq!(chosen(&fixture.json(task.clone())), ["zoo/pelicans"]);
    fixture.git(&["clone", "--quiet", "mirrors/zoo+birds", "clone"]);
    fixture.write("clone/feed.py", "def feed_pelicans(shrimp):\n    return shrimp\n");
    fixture.git(&["-C", "clone", "add", "--all"]);
    fixture.git(&["-C", "clone", "commit", "--quiet", "--message", "feed"]);
    fixture.git(&["-C", "clone", "push", "--quiet"]);
    fs::remove_dir_all(fixture.path("mirrors/zoo+pelicans")).unwrap();
    assert_eq!(chosen(&fixture.json(task)), ["zoo/birds"]);
}

fn chosen_or_none(report: &Value) -> Vec<&str> {
    report.get("repositories").map_or_else(Vec::new, |_| chosen(report))
}

#[test]
fn a_broken_repository_is_reported_and_the_others_are_searched() {
    let fixture = fleet();
    fs::remove_dir_all(fixture.path("mirrors/acme+auth/objects")).unwrap();
    fs::create_dir(fixture.path("mirrors/acme+auth/objects")).unwrap();
    fixture.write("mirrors/acme+paint.git/HEAD", "no ref\n");
    let report = fixture.json(all("search", "count the herons"));
    assert_eq!(found(&report), ["zoo/birds/herons.py"]);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("`acme/auth` was not considered"), "{warnings}");
    assert!(warnings.contains("`acme/paint` was not considered"), "{warnings}");
    let run = fixture.run(["index", "refresh", "--repos", "mirrors"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    run.stderr_contains(&["`acme/auth` cannot be indexed", "1 repository indexed"]);
}

#[test]
fn a_repository_with_many_refs_is_like_any_other() {
    let fixture = fleet();
    let git = fixture.path("mirrors/zoo+birds");
    let head = fs::read_to_string(git.join("packed-refs")).unwrap();
    let id = head.lines().find_map(|line| line.strip_suffix(" refs/heads/main")).unwrap();
    let mut refs = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    (0..100_000).for_each(|n| refs.push_str(&format!("{id} refs/heads/branch-{n:06}\n")));
    refs.push_str(&format!("{id} refs/heads/main\n"));
    fs::write(git.join("packed-refs"), refs).unwrap();
    let report = fixture.json(all("search", "count the herons"));
    assert_eq!(found(&report), ["zoo/birds/herons.py"]);
    let indexed = fixture.json(["index", "refresh", "--repos", "mirrors", "--json"]);
    assert_eq!((&indexed["repositories"], &indexed["failed"]), (&3.into(), &Value::Array(vec![])));
}

#[test]
fn repositories_must_be_named_or_in_a_folder() {
    let fixture = fleet();
    let named = ["--repo", "mirrors/acme+auth", "--repo", "mirrors/zoo+birds"];
    let report =
        fixture.json([&["search", "count the herons", "--all", "--json"][..], &named].concat());
    assert_eq!(found(&report), ["zoo+birds/herons.py"]);
    let run = fixture.run([&["search", "count the herons"][..], &named].concat());
    run.fails(2, &["several repositories require --all"]);
    fixture.write("file", "");
    fs::create_dir(fixture.path("empty")).unwrap();
    for command in ["search", "pack", "preview"] {
        let run = |arguments: &[&str]| fixture.run([&[command, "herons"], arguments].concat());
        run(&["--all"]).fails(2, &["`--all` requires repositories", "--repos DIR"]);
        run(&["--repos", "mirrors"]).fails(2, &["--all"]);
        run(&["--all", "--repos", "missing"]).fails(2, &["cannot list `missing`"]);
        run(&["--all", "--repos", "file"]).fails(2, &["cannot list `file`"]);
        run(&["--all", "--repos", "empty"]).fails(2, &["there are no repositories in `empty`"]);
        run(&["--all", "--repos", "mirrors", "--ref", "HEAD"]).fails(2, &["ref` "]);
    }
    let run = fixture.run(["pack", "herons", "--all", "--repos", "mirrors", "--file", "herons.py"]);
    run.fails(2, &["`--file` cannot be used with several repositories"]);
    fixture.run(["pack", "--all", "--repos", "mirrors"]).fails(2, &["requires a task"]);
    let named = ["--repo", "mirrors/zoo+birds", "--repo", "mirrors/acme+auth"];
    let report = fixture.json([&["pack", "count herons", "--all", "--json"][..], &named].concat());
    assert_eq!(included(&report), ["zoo+birds/herons.py"]);
}

/// Asks a tool of the MCP server, in the revision without sessions.
fn call(server: &Server, token: &str, tool: &str, arguments: &str) -> String {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nauthorization: Bearer {token}\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/call\r\nmcp-name: {tool}"
    );
    let meta = "{\"io.modelcontextprotocol/protocolVersion\": \"2026-07-28\", \
                \"io.modelcontextprotocol/clientInfo\": {\"name\": \"test\", \"version\": \"1\"}, \
                \"io.modelcontextprotocol/clientCapabilities\": {}}";
    let body = format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": \
         {{\"name\": \"{tool}\", \"arguments\": {arguments}, \"_meta\": {meta}}}}}"
    );
    server.ask_with(&head, &body)
}

#[test]
fn a_token_for_some_repositories_sees_no_others_over_http_and_mcp() {
    let fixture = fleet();
    let tokens = "server.tokens=ACME_TOKEN=acme/*";
    let arguments = ["--repos", "mirrors", "--set", tokens, "--set", "server.token_env=ALL_TOKEN"];
    let variables = [("ACME_TOKEN", TOKEN), ("ALL_TOKEN", OTHER_TOKEN)];
    let server = Server::start(&fixture, &arguments, &variables);
    let post = |token: &str, body: &str| {
        let head = format!("POST /v1/search HTTP/1.1\r\nauthorization: Bearer {token}");
        server.ask_with(&head, body)
    };
    let task = r#"{"task": "count the herons that login", "repo": "*"}"#;
    let (own, everything) = (post(TOKEN, task), post(OTHER_TOKEN, task));
    assert!(own.contains("acme/auth/src/auth.rs") && !own.contains("zoo"), "{own}");
    assert!(everything.contains("zoo/birds/herons.py"), "{everything}");
    for name in ["zoo/birds", "acme/birds", "zoo/missing"] {
        let answer = post(TOKEN, &format!(r#"{{"task": "herons", "repo": "{name}"}}"#));
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
        assert!(!answer.replace(name, "").contains("birds"), "{answer}");
    }
    for tool in ["search_code", "pack_context"] {
        let task = r#"{"task": "count the herons that login", "repo": "*"}"#;
        let own = call(&server, TOKEN, tool, task);
        assert!(own.contains("acme/auth/src/auth.rs") && !own.contains("zoo"), "{tool}: {own}");
        let everything = call(&server, OTHER_TOKEN, tool, task);
        assert!(everything.contains("zoo/birds/herons.py"), "{tool}: {everything}");
        let error = |name: &str| {
            let arguments = format!(r#"{{"task": "herons", "repo": "{name}"}}"#);
            let answer = call(&server, TOKEN, tool, &arguments).replace(name, "NAME");
            answer.split_once("\r\n\r\n").unwrap().1.to_owned()
        };
        assert_eq!(error("zoo/birds"), error("zoo/nests"), "{tool}");
        assert!(error("zoo/birds").contains("unknown repository"), "{}", error("zoo/birds"));
    }
    let run = server.stop("-TERM");
    assert!(!run.stderr.contains(TOKEN), "{}", run.stderr);
}

#[test]
fn tokens_that_grant_nothing_or_the_same_are_refused() {
    let fixture = fleet();
    let serve = |entry: &str, variables: &[(&str, &str)]| {
        let mut command = fixture.command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--repos", "mirrors"]);
        command.args(["--set", &format!("server.tokens={entry}")]);
        command.envs(variables.iter().copied());
        crate::fixture::Run::from(command.output().unwrap())
    };
    serve("acme/*", &[]).fails(2, &["`server.tokens`: `acme/*` does not grant anything"]);
    serve("A=", &[]).fails(2, &["`server.tokens`: `A=` does not grant anything"]);
    serve("A=acme/**", &[("A", TOKEN)]).fails(2, &["invalid repository pattern `acme/**`"]);
    serve("A=acme/*", &[]).fails(2, &["`A` is not set, or empty", "`server.tokens` names it"]);
    serve("A=acme/*", &[("A", "short")]).fails(2, &["the token in `A` is too short"]);
    let both = [("A", TOKEN), ("B", TOKEN)];
    serve("A=acme/*, B=zoo/*", &both).fails(2, &["the token in `B` is that of another entry too"]);
}

#[test]
fn a_machine_without_indexes_takes_the_summaries_from_the_store() {
    let (first, second) = (fleet(), Fixture::empty());
    let store = format!("file://{}", first.path("store").display());
    let push = ["index", "push", "--store", &store, "--repos", "mirrors"];
    first.run(push).stderr_contains(&["acme/auth: pushed 2 contents in 1 segment"]);
    // The same mirrors on a machine whose cache is empty.
    fs::rename(first.path("mirrors"), second.path("mirrors")).unwrap();
    let with_store = [&all("search", "census of herons")[..], &["--store", &store]].concat();
    let report = second.json(with_store);
    assert_eq!(found(&report), ["zoo/birds/herons.py"]);
    let indexes = fs::read_dir(second.cache()).unwrap().map(|it| it.unwrap().file_name());
    let indexes: Vec<_> = indexes.filter(|name| name != "summaries").collect();
    assert_eq!(indexes.len(), 1, "only what was chosen is indexed: {indexes:?}");
    let alone = Fixture::empty();
    fs::rename(second.path("mirrors"), alone.path("mirrors")).unwrap();
    assert_eq!(alone.json(all("search", "census of herons")), report);
}

#[test]
fn a_push_of_all_repositories_names_those_that_fail_and_goes_on() {
    let fixture = fleet();
    fs::remove_dir_all(fixture.path("mirrors/acme+auth/objects")).unwrap();
    fs::create_dir(fixture.path("mirrors/acme+auth/objects")).unwrap();
    fixture.git(&["init", "--quiet", "--bare", "mirrors/acme+empty"]);
    add(
        &fixture,
        "acme+odd",
        &[(".agent/config.yml", "context: {no_such: 1}\n"), ("odd.py", "x = 1\n")],
    );
    let store = format!("file://{}", fixture.path("store").display());
    let run = fixture.run(["index", "push", "--store", &store, "--repos", "mirrors"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    run.stderr_contains(&[
        "`acme/auth` cannot be pushed: `HEAD` names the commit",
        "acme/empty: nothing to push: `HEAD` names a branch without commits",
        "`acme/odd` cannot be pushed: ",
        "acme/paint: pushed 1 content",
        "zoo/birds: pushed 1 content",
        "2 repositories cannot be pushed",
    ]);
    fixture.write("key", "0".repeat(64));
    let key = format!("store: {{key_file: '{}'}}\n", fixture.path("key").display());
    fixture.write("../home/.config/kitbag/config.yml", key);
    let run = fixture.run(["index", "push", "--store", &store, "--repos", "mirrors"]);
    run.fails(1, &["is not encrypted, but a key is configured"]);
    assert!(!run.stderr.contains("acme/"), "no repository is tried: {run:?}");
}

#[test]
fn mirrors_without_a_remote_have_the_same_names_in_a_store_one_by_one() {
    let fixture = fleet();
    add(&fixture, "acme+deep/repo", &[("deep.py", "def dive(depth):\n    return depth\n")]);
    let store = format!("file://{}", fixture.path("store").display());
    for (folder, name) in [
        ("acme+auth", "acme/auth"),
        ("acme+paint.git", "acme/paint"),
        ("acme+deep/repo", "acme/deep"),
    ] {
        let folder = format!("mirrors/{folder}");
        let pushed =
            fixture.json(["index", "push", "--store", &store, "--repo", &folder, "--json"]);
        assert_eq!(pushed["repository"], name);
    }
    let all = fixture.run(["index", "push", "--store", &store, "--repos", "mirrors"]);
    all.stderr_contains(&["acme/deep: nothing to push", "zoo/birds: pushed 1 content"]);
}

#[test]
fn requests_to_all_repositories_report_a_store_that_cannot_be_used() {
    for command in ["search", "pack"] {
        let fixture = fleet();
        let store = ["--store", "file:///nonexistent/store"];
        let report = fixture.json([&all(command, "count the herons")[..], &store].concat());
        let warnings = report["warnings"].as_array().unwrap();
        let about_summaries = warnings.iter().filter(|warning| {
            let text = warning.as_str().unwrap();
            text.contains("/nonexistent/store") && text.contains("are summarized here instead")
        });
        assert_eq!(about_summaries.count(), 1, "{warnings:?}");
        assert!(warnings.len() <= 4, "{warnings:?}");
    }
}

#[test]
fn a_folder_of_a_name_that_another_has_is_reported() {
    let fixture = fleet();
    add(&fixture, "zoo/birds.git", &[("owls.py", "def count_owls():\n    return 1\n")]);
    let run = fixture.run(all("search", "count the herons"));
    assert_eq!(run.code, Some(0), "{run:?}");
    run.stderr_contains(&["mirrors/zoo+birds` is left out: another folder has the same name"]);
}

#[test]
fn a_server_is_ready_once_its_repositories_have_summaries() {
    let fixture = fleet();
    let server = Server::start(&fixture, &["--repos", "mirrors"], &[]);
    let started = std::time::Instant::now();
    while !server.ask("GET /readyz", "").starts_with("HTTP/1.1 200 ") {
        assert!(started.elapsed() < std::time::Duration::from_secs(50), "not before the limit");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let summaries = fs::read_dir(fixture.cache().join("summaries")).unwrap();
    assert_eq!(summaries.count(), 3);
    let progress = server.ask("GET /v1/progress", "");
    assert!(progress.contains(r#""summarized":3,"repositories":3"#), "{progress}");
    let run = server.stop("-TERM");
    assert_eq!(run.code, Some(0));
    assert!(!run.stderr.contains("ERROR"), "a probe is no error: {}", run.stderr);
}

#[test]
fn a_token_for_some_repositories_sees_no_folders_of_the_server() {
    let fixture = fleet();
    fs::remove_dir_all(fixture.path("mirrors/acme+auth/objects")).unwrap();
    fs::create_dir(fixture.path("mirrors/acme+auth/objects")).unwrap();
    add(&fixture, "acme+odd", &[("odd.py", "x = 1\n")]);
    fixture.write("mirrors/acme+odd/HEAD", "no ref\n");
    let settings = ["--set", "server.token_env=ALL", "--set", "server.tokens=TEAM=acme/*"];
    let arguments = [&["--repos", "mirrors"][..], &settings].concat();
    let server = Server::start(&fixture, &arguments, &[("ALL", OTHER_TOKEN), ("TEAM", TOKEN)]);
    let ask = |token: &str, head: &str, body: &str| {
        server.ask_with(&format!("{head} HTTP/1.1\r\nauthorization: Bearer {token}"), body)
    };
    let folder = fixture.path("").canonicalize().unwrap();
    let folder = folder.to_str().unwrap();
    assert!(ask(OTHER_TOKEN, "GET /v1/repos", "").contains(folder));
    let odd = "`acme/odd` was not considered: a ref needs a git repository: not a git repository: `acme/odd`";
    for (head, body, expected) in [
        ("GET /v1/repos", "", r#""path":"acme/auth""#),
        ("POST /v1/search", r#"{"task": "mix ochre pigments", "repo": "*"}"#, odd),
        ("POST /v1/pack", r#"{"task": "mix ochre pigments", "repo": "*"}"#, odd),
        ("POST /v1/pack", r#"{"task": "login", "repo": "acme/auth"}"#, "missing or damaged"),
        ("POST /v1/search", r#"{"task": "odd", "repo": "acme/odd"}"#, "not a git repository"),
        ("GET /v1/config?repo=acme/paint", "", "context.budget"),
    ] {
        let answer = ask(TOKEN, head, body);
        assert!(answer.contains(expected), "{head}: {answer}");
        assert!(!answer.contains(folder), "{head}: {answer}");
    }
    for repo in ["*", "acme/odd"] {
        let arguments = format!(r#"{{"task": "mix ochre pigments", "repo": "{repo}"}}"#);
        let answer = call(&server, TOKEN, "search_code", &arguments);
        assert!(answer.contains("not a git repository"), "{answer}");
        assert!(!answer.contains(folder), "{answer}");
    }
}

#[test]
fn a_pack_of_all_repositories_uses_the_key_of_the_store() {
    let fixture = fleet();
    let store = format!("file://{}", fixture.path("store").display());
    let key = "ab".repeat(32);
    let run = |arguments: &[&str]| {
        let mut command = fixture.command();
        command.args(arguments).env("KITBAG_STORE_KEY_ENV", "TEAM_KEY").env("TEAM_KEY", &key);
        crate::fixture::Run::from(command.output().unwrap())
    };
    let push = run(&["index", "push", "--store", &store, "--repos", "mirrors"]);
    assert_eq!(push.code, Some(0), "{push:?}");
    assert_eq!(fixture.run(["index", "clear", "--all"]).code, Some(0));
    let pack = run(&[&all("pack", "count the herons")[..], &["--store", &store]].concat());
    assert_eq!(pack.code, Some(0), "{pack:?}");
    let report: Value = serde_json::from_str(&pack.stdout).unwrap();
    assert_eq!(included(&report), ["zoo/birds/herons.py"]);
    assert_eq!(report["warnings"], serde_json::json!([]));
}

#[test]
fn a_store_without_its_key_is_reported_before_anything_is_searched_or_served() {
    let fixture = fleet();
    let settings =
        ["--store", "file:///nonexistent/store", "--set", "store.key_file=/nonexistent/key"];
    let message = "`store.key_file` names no usable key: `/nonexistent/key`";
    let serve = ["serve", "--repos", "mirrors", "--listen", "127.0.0.1:0"];
    fixture.run([&serve[..], &settings].concat()).fails(2, &[message]);
    let key = "store: {key_file: /nonexistent/key}\n";
    fixture.write("../home/.config/kitbag/config.yml", key);
    for command in [all("search", "herons"), vec!["mcp", "--repos", "mirrors"]] {
        fixture.run([&command[..], &settings[..2]].concat()).fails(2, &[message]);
    }
}

#[test]
fn an_empty_repository_does_not_prevent_an_empty_pack() {
    let fixture = fleet();
    fixture.git(&["init", "--quiet", "--bare", "mirrors/aaa+empty"]);
    let run = fixture.run([&["pack", "frobnicate the quux"][..], &ALL].concat());
    run.is_empty_for("no word of the task distinguishes the repositories");
    assert!(!run.stderr.contains("`aaa/empty` was not searched"), "{run:?}");
}

#[test]
fn indexes_that_cannot_be_saved_are_an_error() {
    let fixture = fleet();
    fixture.write("file", "");
    let mut command = fixture.command();
    command.args(["index", "refresh", "--repos", "mirrors"]);
    let run = command.env("XDG_CACHE_HOME", fixture.path("file").join("cache")).output();
    let run = crate::fixture::Run::from(run.unwrap());
    assert_eq!(run.code, Some(1), "{run:?}");
    run.stderr_contains(&["error: the index cannot be saved"]);
}

#[test]
fn a_token_for_some_repositories_sees_no_settings_of_the_server() {
    let fixture = fleet();
    let tokens = "server.tokens=TEAM=acme/*, ZOO=zoo/*";
    let arguments = ["--repos", "mirrors", "--set", "server.token_env=ALL", "--set", tokens];
    let variables = [("ALL", OTHER_TOKEN), ("TEAM", TOKEN), ("ZOO", "0123456789fedcba")];
    let server = Server::start(&fixture, &arguments, &variables);
    let config = |token: &str| {
        let head = "GET /v1/config?repo=acme/paint HTTP/1.1";
        server.ask_with(&format!("{head}\r\nauthorization: Bearer {token}"), "")
    };
    assert!(config(OTHER_TOKEN).contains("ZOO=zoo/*"));
    let seen = config(TOKEN);
    assert!(seen.contains("context.budget.total"), "{seen}");
    assert!(
        !seen.contains("zoo") && !seen.contains("server.") && !seen.contains("store."),
        "{seen}"
    );
}

#[test]
fn damaged_and_missing_summaries_are_made_again() {
    let (first, second) = (fleet(), Fixture::empty());
    let store = format!("file://{}", first.path("store").display());
    assert_eq!(first.run(["index", "push", "--store", &store, "--repos", "mirrors"]).code, Some(0));
    let folder = first.path("store/v1/summaries");
    let mut summaries = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
    fs::write(summaries.next().unwrap(), "damaged").unwrap();
    fs::remove_file(summaries.next().unwrap()).unwrap();
    fs::rename(first.path("mirrors"), second.path("mirrors")).unwrap();
    let search = all("search", "census of herons");
    let with_store = [&search[..], &["--store", &store]].concat();
    let report = second.json(with_store);
    assert_eq!(found(&report), ["zoo/birds/herons.py"]);
    let again = ["index", "push", "--store", &store, "--repos", "mirrors"];
    assert_eq!(second.run(again).code, Some(0));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
}

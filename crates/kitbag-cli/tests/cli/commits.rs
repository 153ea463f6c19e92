//! `--ref`: packs and searches of any commit, and repositories without a work tree.

use crate::fixture::{AUTH, Fixture, excluded, included};
use crate::serve::Server;
use serde_json::Value;

/// A repository with the tags `v1` and `v2`, between which `login` changes, and other changes in the work tree.
fn repository() -> Fixture {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet", "--initial-branch", "main"]);
    fixture.write(".env", "TOKEN=1\n");
    fixture.write(
        "src/keys.rs",
        "/// The login key.\npub const KEY: &str = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\";\n",
    );
    fixture.commit(1, "first");
    fixture.git(&["tag", "v1"]);
    fixture.write("src/auth.rs", AUTH.replace("login", "sign_in").as_str());
    fixture.write(
        "src/session.rs",
        "/// Keeps a login session.\npub fn session(login: u32) -> u32 {\n    login\n}\n",
    );
    fixture.commit(2, "second");
    fixture.git(&["tag", "v2"]);
    fixture
}

/// Adds a bare clone of the repository.
fn mirror(fixture: &Fixture, name: &str) -> String {
    let path = fixture.path(&format!("../mirrors/{name}"));
    fixture.git(&["clone", "--quiet", "--mirror", ".", path.to_str().unwrap()]);
    path.to_str().unwrap().to_owned()
}

/// Returns what a pack decided, without what names its origin.
fn decision(mut report: Value) -> Value {
    for field in ["commit", "record"] {
        report.as_object_mut().unwrap().remove(field);
    }
    report
}

#[test]
fn commit_gives_the_pack_of_its_clean_work_tree() {
    let fixture = repository();
    let task = ["pack", "how does login keep a session?", "--json", "--fill"];
    let clean = fixture.json(task);
    let at_head = fixture.json([&task[..], &["--ref", "HEAD"]].concat());
    let commit = at_head["commit"].as_str().unwrap().to_owned();
    assert_eq!((commit.len(), clean.get("commit")), (40, None));
    assert_eq!(decision(at_head.clone()), decision(clean));
    fixture.write("src/auth.rs", "");
    fixture.write("src/new.rs", "/// Another login.\npub fn login() {}\n");
    let dirty = fixture.json([&task[..], &["--ref", &commit[..9]]].concat());
    assert_eq!(decision(dirty), decision(at_head));
    let bare = mirror(&fixture, "app.git");
    let of_mirror = fixture.json([&task[..], &["--repo", &bare]].concat());
    assert_eq!(of_mirror["commit"], commit.as_str());
    assert_eq!(
        of_mirror["content"],
        fixture.json([&task[..], &["--ref", "main"]].concat())["content"]
    );
}

#[test]
fn every_command_reads_the_commit() {
    let fixture = repository();
    let bare = mirror(&fixture, "app.git");
    for repo in [".", &bare] {
        let at_v1 = ["--repo", repo, "--ref", "v1"];
        let run = |arguments: &[&str]| {
            let run = fixture.run([arguments, &at_v1].concat());
            assert_eq!(run.code, Some(0), "{run:?}");
            run.stdout
        };
        assert!(run(&["pack", "login"]).contains("pub fn login"));
        assert!(run(&["pack", "explain it", "--file", "src/auth.rs:1-3"]).contains("pub fn login"));
        assert!(run(&["preview", "login"]).contains("src/auth.rs"));
        assert!(run(&["search", "login"]).contains("src/auth.rs"));
        assert!(run(&["symbol", "login"]).contains("definitions: 1"));
        assert!(run(&["map"]).contains("src/"));
        assert!(run(&["chunk", "src/auth.rs"]).contains("login"));
        assert!(run(&["tokens", "src/auth.rs"]).contains(" src/auth.rs "));
        assert!(run(&["compare", "src/auth.rs:1-3", "src/auth.rs:1-2"]).contains("overlap"));
        let diff = run(&["pack", "--diff", "v2"]);
        assert!(diff.contains("-pub fn sign_in") && diff.contains("+pub fn login"), "{diff}");
    }
    let own = fixture.run(["pack", "--diff", "--repo", &bare]).stdout;
    assert!(own.contains("+pub fn sign_in"), "the changes of `HEAD` itself: {own}");
}

#[test]
fn commands_about_files_read_the_head_of_a_mirror() {
    let fixture = repository();
    let bare = mirror(&fixture, "app.git");
    for command in ["chunk", "tokens"] {
        let at_head = fixture.run([command, "src/auth.rs", "--repo", &bare]);
        assert_eq!(at_head.code, Some(0), "{at_head:?}");
        assert_eq!(at_head, fixture.run([command, "src/auth.rs", "--repo", &bare, "--ref", "v2"]));
        assert_eq!(fixture.run([command, "no.rs", "--repo", &bare]).code, Some(2));
    }
    let counted = fixture.feed(["tokens", "-", "--repo", &bare], "login");
    assert!(counted.stdout.starts_with('1'), "{counted:?}");
}

#[test]
fn configuration_of_a_commit_is_shown_and_checked() {
    let fixture = repository();
    fixture.write(".agent/config.yml", "context:\n  budget:\n    total: 50000\n");
    fixture.commit(3, "configure");
    fixture.git(&["tag", "v3"]);
    fixture.write(".agent/config.yml", "context:\n  no_such: 1\n");
    fixture.commit(4, "misconfigure");
    fixture.git(&["tag", "v4"]);
    std::fs::remove_file(fixture.path(".agent/config.yml")).unwrap();
    let bare = mirror(&fixture, "app.git");
    for repo in [".", &bare] {
        let show = ["config", "show", "context.budget.total", "--repo", repo, "--ref", "v3"];
        let shown = fixture.run(show);
        assert!(shown.stdout.contains("total: 50000"), "{shown:?}");
        assert!(shown.stdout.contains(":.agent/config.yml:3:12"), "{shown:?}");
        assert!(!shown.stdout.contains("mirrors"), "the mirror has no such file: {shown:?}");
        let chunk = ["chunk", "src/auth.rs", "--repo", repo, "--ref", "v4"];
        for arguments in [&chunk[..], &["config", "check", "--repo", repo, "--ref", "v4"]] {
            let run = fixture.run(arguments);
            run.fails(2, &["no_such", ":.agent/config.yml:2:3"]);
            assert!(!run.stderr.contains("mirrors"), "{run:?}");
        }
    }
}

#[test]
fn unknown_refs_are_usage_errors_with_the_nearest_name() {
    let fixture = repository();
    let bare = mirror(&fixture, "app.git");
    let fails = |arguments: &[&str], messages: &[&str]| {
        fixture.run([&["pack", "login"], arguments].concat()).fails(2, messages);
    };
    fails(&["--ref", "v11"], &["no such ref: `v11`", "did you mean `v1`?"]);
    fails(&["--repo", &bare, "--ref", "mian"], &["no such ref: `mian`", "did you mean `main`?"]);
    fails(&["--ref", "zzzzzz"], &["branches and tags: `main`, `v1`, `v2`"]);
    fails(&["--ref=--upload-pack=touch x"], &["no such ref", "a ref is the name of a branch"]);
    fails(&["--ref", "a\nb"], &["no such ref", "a ref is the name of a branch"]);
    fails(&["--ref", "v1:src"], &["`v1:src` is a tree, not a commit"]);
    fails(&["--ref", "v1", "--file", "src/session.rs"], &["no such file: `src/session.rs`"]);
    fails(
        &["--ref", "v1", "--diff", "staged"],
        &["no such revision: `staged`", "nothing is staged"],
    );
    Fixture::project()
        .run(["pack", "login", "--ref", "v1"])
        .fails(2, &["a ref needs a git repository"]);
    let empty = Fixture::empty();
    empty.git(&["init", "--quiet", "--bare", "."]);
    let unborn = "`HEAD` names a branch without commits";
    empty.run(["pack", "login"]).fails(2, &[unborn, "no branches or tags"]);
    fixture.git(&["-C", &bare, "symbolic-ref", "HEAD", "refs/heads/gone"]);
    fails(&["--repo", &bare], &[unborn, "branches and tags: `main`, `v1`, `v2`"]);
}

#[test]
fn a_ref_that_is_not_one_commit_is_explained() {
    let fixture = repository();
    let fails = |code: i32, arguments: &[&str], messages: &[&str]| {
        fixture.run([&["pack", "login"], arguments].concat()).fails(code, messages);
    };
    fixture.git(&["tag", "file", "v1:src/auth.rs"]);
    fixture.git(&["tag", "--annotate", "--message", "x", "note", "v1:src/auth.rs"]);
    for tag in ["file", "note"] {
        let message = format!("`{tag}` is a blob, not a commit");
        fails(2, &["--ref", tag], &[&message, "name a branch"]);
        fails(2, &["--diff", tag], &[&message]);
    }
    // Of 1,500 commits, some begin with the same digits.
    let commit = |n: u32| {
        format!("commit refs/heads/many\ncommitter A <a@example.org> {n} +0000\ndata 0\n\n")
    };
    let mut import = std::process::Command::new("git");
    fixture.isolate(&mut import);
    let import = import.args(["fast-import", "--quiet"]).stdin(std::process::Stdio::piped());
    let mut import = import.spawn().unwrap();
    let commits: String = (0..1_500).map(commit).collect();
    std::io::Write::write_all(&mut import.stdin.take().unwrap(), commits.as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    let mut log = std::process::Command::new("git");
    fixture.isolate(&mut log);
    let log = log.args(["log", "--format=%H", "many"]).output().unwrap();
    let log = String::from_utf8(log.stdout).unwrap();
    let mut ids: Vec<&str> = log.lines().map(|id| &id[..4]).collect();
    ids.sort_unstable();
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]).unwrap()[0];
    let message = format!("several commits begin with `{twice}`");
    fails(2, &["--ref", twice], &[&message, "use more characters"]);
}

#[test]
fn a_damaged_mirror_is_no_unknown_ref() {
    let fixture = repository();
    let bare = mirror(&fixture, "app.git");
    std::fs::remove_dir_all(format!("{bare}/objects")).unwrap();
    std::fs::create_dir(format!("{bare}/objects")).unwrap();
    for revision in ["HEAD", "main", "v1"] {
        let run = fixture.run(["pack", "login", "--repo", &bare, "--ref", revision]);
        run.fails(1, &[&format!("`{revision}` names the commit "), "which is missing or damaged"]);
    }
    // The names can still be read, but not beyond the first.
    let run = fixture.run(["pack", "login", "--repo", &bare, "--ref", "mian"]);
    run.fails(2, &["no such ref: `mian`", "git cannot list the branches and tags"]);
}

#[test]
fn denied_files_and_secrets_of_a_commit_stay_out() {
    let fixture = repository();
    let report = fixture.json(["pack", "login key token", "--ref", "v1", "--json", "--fill"]);
    assert!(excluded(&report).contains(&(".env", "denied")), "{:?}", excluded(&report));
    let content = report["content"].as_str().unwrap();
    assert!(content.contains("[REDACTED:github-token]") && !content.contains("ghp_"), "{content}");
    fixture.run(["pack", "x", "--ref", "v1", "--file", ".env"]).is_empty_for("");
}

#[test]
fn configuration_is_that_of_the_commit() {
    let fixture = repository();
    fixture.write(".agent/config.yml", "security:\n  deny: [auth.rs]\n  redact: false\n");
    fixture.commit(3, "configure");
    let bare = mirror(&fixture, "app.git");
    std::fs::remove_file(fixture.path(".agent/config.yml")).unwrap();
    for repo in [".", &bare] {
        let paths = |revision: &str| {
            let report =
                fixture.json(["pack", "sign in", "--repo", repo, "--ref", revision, "--json"]);
            let paths: Vec<String> = included(&report).into_iter().map(str::to_owned).collect();
            (paths, report["warnings"].to_string())
        };
        assert!(paths("v2").0.contains(&"src/auth.rs".to_owned()));
        let (denied, warnings) = paths("main");
        assert!(!denied.contains(&"src/auth.rs".to_owned()), "{denied:?}");
        assert!(warnings.contains("`security.redact` is ignored"), "trust is required: {warnings}");
    }
    // In a subfolder, the file at the top of the commit applies.
    let within = fixture.json(["pack", "sign in", "--repo", "src", "--ref", "main", "--json"]);
    assert!(!included(&within).contains(&"auth.rs"));
}

#[test]
fn records_remember_the_commit() {
    let fixture = repository();
    let bare = mirror(&fixture, "app.git");
    for repo in [".", &bare] {
        let run = |arguments: &[&str]| fixture.run([arguments, &["--repo", repo]].concat());
        let packed = run(&["pack", "login", "--ref", "v1"]);
        assert_eq!(packed.code, Some(0), "{packed:?}");
        assert_eq!(run(&["export"]).stdout, packed.stdout);
        assert_eq!(run(&["verify"]).code, Some(0));
        let drifted = run(&["verify", "--ref", "v2"]);
        assert_eq!(drifted.code, Some(1), "{drifted:?}");
        assert!(drifted.stdout.contains("src/auth.rs"), "{drifted:?}");
        let explained = run(&["explain", "src/auth.rs:2", "--task", "login"]);
        assert!(explained.stdout.contains("is in the pack"), "{explained:?}");
        let shown = fixture.json(["show", "--json", "--repo", repo]);
        assert_eq!(shown["request"]["commit"].as_str().unwrap().len(), 40);
        assert_eq!(shown["request"]["now"], 1_704_110_400, "the time of the commit");
        run(&["pack", "login", "--ref", "v2"]);
        assert!(run(&["diff"]).stdout.contains("commit: "));
    }
}

#[test]
fn commits_and_the_work_tree_share_analyses() {
    let fixture = repository();
    let bare = mirror(&fixture, "app.git");
    let analyzed = |arguments: &[&str]| {
        let refreshed = fixture.json([&["index", "refresh", "--json"], arguments].concat());
        (refreshed["files"].as_u64().unwrap(), refreshed["analyzed"].as_u64().unwrap())
    };
    assert_eq!(analyzed(&["--repo", &bare, "--ref", "v1"]), (4, 4));
    assert_eq!(analyzed(&["--repo", &bare, "--ref", "v2"]), (5, 2), "only what has changed");
    assert_eq!(analyzed(&["--repo", &bare, "--ref", "v1"]), (4, 0));
    assert_eq!(analyzed(&["--repo", &bare]), (5, 0), "`HEAD`");
    assert_eq!(analyzed(&[]), (5, 5), "another repository");
    assert_eq!(analyzed(&["--ref", "v2"]), (5, 0), "the work tree has them");
    let status = fixture.json(["index", "status", "--json"]);
    let of_commits =
        status["indexes"].as_array().unwrap().iter().map(|it| it["of_commits"].as_bool());
    assert_eq!(of_commits.collect::<Vec<_>>(), [Some(false), Some(true)]);
    assert_eq!(fixture.run(["index", "clear"]).stderr.matches("removed").count(), 2);
}

#[test]
fn server_packs_any_ref_of_mirrors_that_come_and_go() {
    let fixture = repository();
    mirror(&fixture, "acme+app/repo");
    let mirrors = fixture.path("../mirrors");
    let server = Server::start(&fixture, &["--repos", mirrors.to_str().unwrap()], &[]);
    let pack = |body: &str| server.ask("POST /v1/pack", body);
    let first = pack(r#"{"task": "login", "repo": "acme/app", "ref": "v1"}"#);
    assert!(first.contains("pub fn login"), "{first}");
    assert!(pack(r#"{"task": "sign_in", "repo": "acme/app"}"#).contains("pub fn sign_in"));
    let unknown = pack(r#"{"task": "login", "repo": "acme/app", "ref": "v9"}"#);
    assert!(
        unknown.starts_with("HTTP/1.1 422") && unknown.contains("urn:kitbag:unknown_ref"),
        "{unknown}"
    );
    assert!(pack(r#"{"task": "login"}"#).starts_with("HTTP/1.1 404"));
    let missing = pack(r#"{"task": "login", "repo": "lib"}"#);
    assert!(missing.starts_with("HTTP/1.1 404") && missing.contains("`acme/app`"), "{missing}");
    mirror(&fixture, "lib.git");
    assert!(pack(r#"{"task": "login", "repo": "lib", "ref": "v1"}"#).contains("pub fn login"));
    let repos = server.ask("GET /v1/repos", "");
    assert!(repos.contains("\"acme/app\"") && repos.contains("\"lib\""), "{repos}");
    let search = server.ask("POST /v1/search", r#"{"task": "login", "repo": "lib", "ref": "v1"}"#);
    assert!(search.contains("src/auth.rs"), "{search}");
    let file = server.ask("GET /v1/file?repo=lib&ref=v1&path=src/auth.rs&start=2&end=2", "");
    assert!(file.contains("pub fn login"), "{file}");
    std::fs::remove_dir_all(mirrors.join("lib.git")).unwrap();
    assert!(pack(r#"{"task": "login", "repo": "lib"}"#).starts_with("HTTP/1.1 404"));
    server.stop("-TERM");
}

#[test]
fn rules_are_those_of_the_commit() {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet", "--initial-branch", "main"]);
    fixture.write(".cursor/rules/style.mdc", "---\nalwaysApply: true\n---\nUse tabs.\n");
    fixture.commit(1, "first");
    std::fs::remove_file(fixture.path(".cursor/rules/style.mdc")).unwrap();
    fixture.commit(2, "second");
    let bare = mirror(&fixture, "app.git");
    for repo in [".", &bare] {
        let has_rule = |revision: &str| {
            let run = fixture.run(["rules", "--repo", repo, "--ref", revision]);
            assert_eq!(run.code, Some(0), "{run:?}");
            run.stdout.contains(".cursor/rules/style.mdc")
        };
        assert!(has_rule("HEAD~1") && !has_rule("HEAD"), "{repo}");
    }
}

//! Records of packs.

use crate::fixture::{AUTH, Fixture, Run};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// The folder of the records.
fn folder(fixture: &Fixture) -> PathBuf {
    let packs = fixture.cache().parent().unwrap().join("packs");
    let mut folders = fs::read_dir(packs).unwrap();
    let folder = folders.next().unwrap().unwrap().path();
    assert!(folders.next().is_none(), "one for the repository");
    folder
}

fn records(fixture: &Fixture) -> Vec<PathBuf> {
    let files = fs::read_dir(folder(fixture)).unwrap().map(|it| it.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "record")).collect();
    files.sort();
    files
}

#[test]
fn a_record_has_no_content_and_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::project();
    fixture.write("notes.txt", "login is an umbrella word\n");
    let secret = "the customer is called Zebedee";
    fixture.write("tool.txt", format!("{secret}\n"));
    fixture.write(
        "a.md",
        "# The merger with Xanadu, login\n\nText.\n\n## Login of Ottoline\n\nMore.\n",
    );
    fixture.write("b.rst", "Login of Periwinkle\n===================\n\nText.\n");
    fixture.write("c.yml", "Persimmon: login\n");
    fixture.run([
        "pack",
        "why does login fail for Quackenbush?",
        "--tool-result",
        "log=tool.txt",
        "--header",
        "Pineapple",
        "--open",
        "notes.txt",
    ]);
    let files = records(&fixture);
    assert_eq!(files.len(), 1);
    let text = String::from_utf8_lossy(&fs::read(&files[0]).unwrap()).into_owned();
    for content in [
        "Quackenbush",
        "Zebedee",
        "umbrella",
        "Pineapple",
        "Logs a user",
        "token-{user}",
        "Xanadu",
        "Ottoline",
        "Periwinkle",
        "Persimmon",
    ] {
        assert!(!text.contains(content), "{content}");
    }
    for kept in ["src/auth.rs", "notes.txt", "kitbag_record", "log", "a.md"] {
        assert!(text.contains(kept), "{kept}");
    }
    let shown = fixture.json(["show", "--json"]);
    let auth = shown["included"].as_array().unwrap().iter().find(|it| it["path"] == "src/auth.rs");
    assert_eq!(auth.unwrap()["symbol"], "login", "names in code are kept");
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&files[0]), mode(&folder(&fixture))), (0o600, 0o700));
}

#[test]
fn recording_can_be_disabled() {
    let fixture = Fixture::project();
    let packs = fixture.cache().parent().unwrap().join("packs");
    fixture.run(["pack", "login", "--no-record"]);
    fixture.run(["pack", "login", "--set", "context.record.enabled=false"]);
    fixture.run(["preview", "login"]);
    assert!(!packs.exists());
    let none = fixture.run(["show"]);
    none.fails(1, &["no pack of `", "is recorded", "hint: create one with `kitbag pack"]);
    for command in ["verify", "sources", "diff", "export"] {
        fixture.run([command]).fails(1, &["is recorded", "hint: create one"]);
    }
    fixture.run(["explain", "src/auth.rs:2"]).fails(1, &["is recorded", "hint: create one"]);
    let list = fixture.run(["show", "--list"]);
    assert_eq!((list.code, list.stdout.as_str()), (Some(0), ""));
    list.stderr_contains(&["no packs of `", "recorded yet"]);
}

#[test]
fn records_do_not_change_the_pack_or_its_report() {
    let fixture = Fixture::project();
    let once = fixture.json(["pack", "login", "--json"]);
    let again = fixture.json(["pack", "login", "--json"]);
    let without = fixture.json(["pack", "login", "--json", "--no-record"]);
    let same = |mut value: Value| {
        value["stats"]["cache_hit_rate"].take();
        value
    };
    assert_eq!(same(once.clone()), same(again));
    assert_eq!(same(once), same(without));
}

#[test]
fn damaged_and_foreign_records_are_skipped_with_a_warning() {
    let fixture = Fixture::project();
    for _ in 0..4 {
        fixture.run(["pack", "login"]);
    }
    let files = records(&fixture);
    let good = fs::read(&files[3]).unwrap();
    let replaced = |from: &str, to: &str| {
        let at = good.windows(from.len()).position(|it| it == from.as_bytes()).unwrap();
        [&good[..at], to.as_bytes(), &good[at + from.len()..]].concat()
    };
    fs::write(&files[3], &good[..good.len() / 2]).unwrap();
    fs::write(&files[2], replaced("\"kitbag_record\":3", "\"kitbag_record\":99")).unwrap();
    fs::write(&files[1], replaced("src/auth.rs", "src/auht.rs")).unwrap();
    let run = fixture.run(["show"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.stderr_contains(&[": it is damaged", "another version of Kitbag wrote it (format 99)"]);
    assert_eq!(run.stderr.matches("skipped the record").count(), 3, "{}", run.stderr);
    let list = fixture.run(["show", "--list"]);
    assert_eq!(
        list.stdout.lines().count(),
        1,
        "what cannot be opened is not listed: {}",
        list.stdout
    );
    assert_eq!(list.stderr.matches("skipped the record").count(), 3, "{}", list.stderr);
    let first = files[0].file_stem().unwrap().to_string_lossy().into_owned();
    assert!(run.stdout.contains(first.rsplit_once('-').unwrap().1), "the first is still good");
    for file in &files {
        fs::write(file, "nonsense").unwrap();
    }
    let run = fixture.run(["show"]);
    run.fails(1, &["is recorded", "cannot be read; pack again"]);
    assert_eq!(fixture.run(["pack", "login"]).code, Some(0));
    assert_eq!(fixture.run(["show"]).code, Some(0), "the new one is found before the bad ones");
}

#[test]
fn the_oldest_records_are_removed() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let one = records(&fixture).remove(0);
    for number in 0..70 {
        fs::copy(&one, folder(&fixture).join(format!("{number:014}-{number:08x}.record"))).unwrap();
    }
    fixture.run(["pack", "login"]);
    let left = records(&fixture);
    assert_eq!(left.len(), 50);
    assert!(left.contains(&one), "the newest stay");
}

#[test]
fn concurrent_processes_record_independently() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--no-record"]);
    let user = fixture.path("../home/config/kitbag/config.yml");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    let run = |_| {
        let mut command = fixture.command();
        command.args(["pack", "login", "--set", "context.record.audit=true"]);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..6).map(run).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(records(&fixture).len(), 6);
    let list = fixture.run(["show", "--list"]);
    assert_eq!((list.stdout.lines().count(), list.stderr.as_str()), (6, ""));
    let log = fs::read_to_string(folder(&fixture).join("audit.jsonl")).unwrap();
    let lines: Vec<Value> = log.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(lines.len(), 6, "a whole line each");
}

#[test]
fn the_audit_log_lists_included_and_excluded_chunks() {
    let fixture = Fixture::project();
    fixture.write(".env", "TOKEN=1\n");
    fixture.run(["pack", "login", "--file", ".env", "--budget", "60", "--fill"]);
    assert!(!folder(&fixture).join("audit.jsonl").exists(), "only when asked for");
    let audit = ["--set", "context.record.audit=true"];
    fixture
        .run(["pack", "login", "--file", ".env", "--budget", "60", "--fill"].iter().chain(&audit));
    let log = fs::read_to_string(folder(&fixture).join("audit.jsonl")).unwrap();
    let line: Value = serde_json::from_str(log.trim()).unwrap();
    let excluded = line["excluded"].as_array().unwrap();
    assert!(excluded.iter().any(|it| it["path"] == ".env" && it["reason"] == "denied"));
    assert!(!line["included"].as_array().unwrap().is_empty(), "{line:#}");
    assert_eq!(line["included"][0]["runs"][0]["sha256"].as_str().unwrap().len(), 64);
    assert!(!log.contains("Logs a user") && !log.contains("TOKEN=1"), "{log}");
    fixture.write(".agent/config.yml", "context:\n  record:\n    audit: true\n");
    fixture.run(["pack", "login"]).fails(2, &["context.record.audit"]);
}

#[test]
fn an_unwritable_audit_log_gives_a_warning_and_keeps_the_record() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    fs::create_dir(folder(&fixture).join("audit.jsonl")).unwrap();
    let run = fixture.run(["pack", "login", "--set", "context.record.audit=true"]);
    assert_eq!(run.code, Some(0));
    run.stderr_contains(&["warning: the pack is not in the audit log: "]);
    assert!(!run.stderr.contains("not recorded"), "{}", run.stderr);
    assert_eq!(records(&fixture).len(), 2);
}

#[test]
fn audit_logs_are_not_removed() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let own = folder(&fixture);
    fs::write(own.join("audit.1.jsonl"), "{}\n").unwrap();
    fs::File::create(own.join("audit.jsonl")).unwrap().set_len(21 << 20).unwrap();
    fixture.run(["pack", "login", "--set", "context.record.audit=true"]);
    let size = |name: &str| fs::metadata(own.join(name)).unwrap().len();
    assert_eq!((size("audit.1.jsonl"), size("audit.2.jsonl")), (3, 21 << 20));
    assert!((1..10_000).contains(&size("audit.jsonl")), "a new one is begun");
    let packs = own.parent().unwrap();
    for number in 0..202 {
        let other = packs.join(format!("other-{number}"));
        fs::create_dir(&other).unwrap();
        fs::write(other.join("1-a.record"), "").unwrap();
        fs::write(other.join("audit.jsonl"), "{}\n").unwrap();
    }
    let other = Fixture::project();
    let mut command = other.command();
    command.env("XDG_CACHE_HOME", fixture.cache().parent().unwrap().parent().unwrap());
    assert!(command.args(["pack", "login"]).output().unwrap().status.success());
    let others = (0..202).map(|number| packs.join(format!("other-{number}")));
    let (mut logs, mut left) = (0, 0);
    for other in others {
        logs += usize::from(other.join("audit.jsonl").exists());
        left += usize::from(other.join("1-a.record").exists());
    }
    assert_eq!(logs, 202);
    assert!((190..202).contains(&left), "some are forgotten: {left}");
}

#[test]
fn a_pack_without_an_id_gets_one() {
    let fixture = Fixture::project();
    let id = |run: Run| -> Value {
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["correlation_id"].clone()
    };
    let first = id(fixture.run(["pack", "login", "--json"]));
    assert_eq!(first.as_str().unwrap().len(), 32);
    assert_eq!(fixture.json(["show", "--json"])["request"]["correlation_id"], first);
    assert_ne!(id(fixture.run(["pack", "login", "--json"])), first);
    let logged = fixture.run(["pack", "login", "-v"]).stderr;
    assert!(logged.lines().any(|line| line.contains("correlation_id")), "{logged}");
}

#[test]
fn without_a_home_packs_are_not_recorded() {
    let fixture = Fixture::project();
    let run = |arguments: &[&str]| {
        let mut command = fixture.command();
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME").args(arguments);
        Run::from(command.output().unwrap())
    };
    let pack = run(&["pack", "login"]);
    assert_eq!(pack.code, Some(0));
    assert!(!pack.stderr.contains("recorded"), "{}", pack.stderr);
    run(&["show"]).fails(1, &["no folder for records", "hint: set XDG_CACHE_HOME"]);
    let compared = run(&["compare", "src/auth.rs:1-5", "src/auth.rs:4-10"]);
    assert_eq!(compared.code, Some(0), "it needs no record: {}", compared.stderr);
}

#[test]
fn an_unwritable_cache_gives_a_warning() {
    let fixture = Fixture::project();
    fs::create_dir_all(fixture.cache().parent().unwrap()).unwrap();
    fs::write(fixture.cache().parent().unwrap().join("packs"), "a file in the way").unwrap();
    let run = fixture.run(["pack", "login"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("src/auth.rs"), "{}", run.stdout);
    run.stderr_contains(&["warning: the pack is not recorded: "]);
}

#[test]
fn a_repository_has_its_own_records() {
    let fixture = Fixture::with(&[("one/a.rs", AUTH), ("two/b.rs", AUTH)]);
    fixture.run(["pack", "login", "--repo", "one"]);
    fixture.run(["show", "--repo", "two"]).fails(1, &["is recorded", "with --repo"]);
    let shown = fixture.run(["show", "--repo", "one"]).stdout;
    assert!(shown.contains("a.rs:1-10"), "{shown}");
}

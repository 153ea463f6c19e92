//! `kitbag watch`.

#![cfg(target_os = "linux")]

use crate::fixture::{Fixture, Run};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn watch_updates_the_index_until_interrupted() {
    let fixture = Fixture::project();
    let mut program = fixture.command();
    program.arg("watch").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut next = || said.next().unwrap().unwrap();
    assert!(next().starts_with("3 files, 3 analyzed; "));
    fixture.write("src/new.rs", "fn quagga() {}\n");
    let line = next();
    assert!(line.starts_with("4 files, ") && line.contains("1 analyzed; "), "{line}");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(next(), "error: interrupted");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let status = fixture.json(["index", "--json"]);
    assert_eq!(status["indexes"][0]["contents"], 4, "{status}");
    assert!(fixture.run(["pack", "quagga"]).stdout.contains("fn quagga()"));
}

#[test]
fn quiet_prints_only_errors() {
    let fixture = Fixture::project();
    let mut program = fixture.command();
    program.args(["watch", "--quiet"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = program.spawn().unwrap();
    while fixture.json(["index", "--json"])["indexes"][0]["contents"] != 3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let run = Run::from(child.wait_with_output().unwrap());
    run.fails(130, &["error: interrupted\n"]);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn json_has_a_line_for_each_change() {
    let fixture = Fixture::project();
    let mut program = fixture.command();
    program.args(["watch", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: serde_json::Value = serde_json::from_str(&said.next().unwrap().unwrap()).unwrap();
    assert_eq!((&first["version"], &first["files"]), (&1.into(), &3.into()), "{first}");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_repository_that_is_not_a_folder_is_reported() {
    let fixture = Fixture::project();
    fixture.run(["watch", "--repo", "nope"]).fails(2, &["no such folder: `nope`"]);
}

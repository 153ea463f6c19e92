//! Ctrl-C.

#![cfg(target_os = "linux")]

use crate::fixture::{Fixture, Run};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

// Shows: NFR-016-40
#[test]
fn an_interrupted_pack_ends_with_130_and_leaves_nothing() {
    let fixture = Fixture::empty();
    let content = "login_user(token, session, request, response)\n".repeat(4_000);
    for number in 0..200 {
        fixture.write(&format!("src/{number}.txt"), &content);
    }
    fixture.write("out.md", "old");
    let run = interrupt(&fixture, &["pack", "login", "--output", "out.md"]);
    run.fails(130, &["error: interrupted\n"]);
    assert_eq!(fixture.read("out.md"), "old");
    assert_eq!(fixture.names(""), ["out.md", "src"]);
}

#[test]
fn waiting_for_the_reader_of_a_pipe_can_be_interrupted() {
    let fixture = Fixture::project();
    let made = Command::new("mkfifo").arg(fixture.path("../pipe")).status().unwrap();
    assert!(made.success());
    let run = interrupt(&fixture, &["pack", "login", "--output", "../pipe"]);
    assert_eq!(run.code, Some(130), "{run:?}");
}

/// Runs the program and interrupts it once it has a handler, repeatedly if needed.
fn interrupt(fixture: &Fixture, arguments: &[&str]) -> Run {
    let mut program = fixture.command();
    program.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    while !has_handler(&child) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended too early");
        sleep(Duration::from_millis(1));
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    Run::from(child.wait_with_output().unwrap())
}

/// Whether the program has a handler for SIGINT, which is signal 2.
fn has_handler(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 0b10 != 0)
}

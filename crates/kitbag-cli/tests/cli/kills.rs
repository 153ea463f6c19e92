//! Killing the program at any moment.

#![cfg(target_os = "linux")]

use crate::fixture::Fixture;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

#[test]
fn a_pack_after_a_kill_is_the_pack_of_a_first_build() {
    let fixture = Fixture::project();
    for number in 0..120 {
        let lines: String = (0..60)
            .map(|line| format!("    let token_{line} = login({number}, {line});\n"))
            .collect();
        fixture.write(&format!("src/f{number}.rs"), format!("fn f{number}() {{\n{lines}}}\n"));
    }
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "Begin");
    let pack = ["pack", "login by token", "--budget", "2k"];
    let began = Instant::now();
    let first = fixture.run(pack);
    let whole = began.elapsed();
    assert_eq!(first.code, Some(0));
    fixture.run(["index", "clear"]);
    for step in 1..=12 {
        let mut program = fixture.command();
        program.args(pack).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = program.spawn().unwrap();
        sleep(Duration::from_nanos((whole * step / 12).as_nanos() as u64));
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(fixture.run(pack), first, "after a kill at {step} twelfths");
        if step % 2 == 0 {
            fixture.run(["index", "clear"]);
        }
    }
}

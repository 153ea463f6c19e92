//! Files that crash or stall a parser.

use crate::fixture::{Fixture, included};
use crate::serve::Server;
use serde_json::json;

/// A here-document whose delimiter overflows the buffer of Ruby's scanner.
fn crashing_ruby() -> String {
    let delimiter = "A".repeat(256);
    format!("x = <<{delimiter}\nlogin\n{delimiter}\n")
}

// Shows: THREAT-3
#[test]
fn a_file_that_crashes_its_parser_is_split_by_lines() {
    let fixture = Fixture::project();
    fixture.write("crash.rb", crashing_ruby());
    let run = fixture.run(["chunk", "crash.rb"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    run.stderr_contains(&["warning: split by lines: the parser crashed"]);
    for _ in 0..2 {
        let report = fixture.json(["pack", "login", "--json"]);
        assert!(included(&report).contains(&"src/auth.rs"), "others are not affected");
        assert!(included(&report).contains(&"crash.rb"), "{report}");
        let warning = "split by lines: `crash.rb` (the parser crashed)";
        assert_eq!(report["warnings"], json!([warning]));
        assert_eq!(report["partial"], false, "every machine would split it by lines");
    }
    let run = fixture.run(["search", "login"]);
    run.stderr_contains(&["warning: split by lines: `crash.rb` (the parser crashed)"]);
}

// Shows: THREAT-3
#[test]
fn a_pack_in_which_a_parser_exceeded_a_limit_is_partial() {
    let fixture = Fixture::project();
    fixture.write("stall.c", "+ - * / ".repeat(12_000));
    for _ in 0..2 {
        let report = fixture.json(["pack", "login", "--json"]);
        assert!(included(&report).contains(&"src/auth.rs"));
        let warning = "split by lines: `stall.c` (the parser exceeded its time limit)";
        assert_eq!(report["warnings"], json!([warning]));
        assert_eq!(report["partial"], true, "a faster machine might have parsed it");
    }
}

// Shows: THREAT-3
#[test]
fn many_files_that_stall_their_parser_share_a_budget() {
    let fixture = Fixture::project();
    for number in 0..24 {
        let stalling = "+ - * / ".repeat(6_000);
        fixture.write(&format!("stall{number}.c"), format!("// {number}\n{stalling}"));
    }
    for _ in 0..2 {
        let report = fixture.json(["pack", "login", "--json"]);
        assert!(included(&report).contains(&"src/auth.rs"), "others are not affected");
        let warning = report["warnings"][0].as_str().expect("a warning");
        assert!(warning.starts_with("split by lines: `stall0.c` ("), "{warning}");
        assert!(warning.ends_with("and 23 more files"), "{warning}");
        assert_eq!(report["partial"], true);
    }
}

/// A commit that is a pipe, which git waits for.
#[cfg(target_os = "linux")]
#[test]
fn files_are_listed_without_git_where_it_stalls() {
    let fixture = Fixture::project();
    fixture.git(&["init", "-q", "-b", "main"]);
    fixture.commit(1, "first");
    let head = fixture.read(".git/refs/heads/main");
    let (folder, name) = head.trim().split_at(2);
    let object = fixture.path(".git/objects").join(folder).join(name);
    std::fs::remove_file(&object).expect("a loose object");
    let pipe = std::process::Command::new("mkfifo").arg(&object).status();
    assert!(pipe.expect("`mkfifo` runs").success());
    let report = fixture.json(["pack", "login", "--json"]);
    assert!(included(&report).contains(&"src/auth.rs"), "{report}");
    let warning = report["warnings"][0].as_str().expect("a warning");
    assert!(warning.starts_with("git is not used here, files are listed without it"), "{warning}");
    // Git would now fail for another reason, if it were started.
    std::fs::remove_file(&object).expect("a pipe");
    let report = fixture.json(["pack", "login", "--json"]);
    assert_eq!(report["warnings"][0], warning, "it is remembered");
}

// Shows: THREAT-3
#[test]
fn a_document_that_crashes_its_parser_does_not_end_the_server() {
    let fixture = Fixture::project();
    let server = Server::start(&fixture, &[], &[]);
    let document = json!({"path": "crash.rb", "content": crashing_ruby()});
    let request = json!({"task": "login", "document": document}).to_string();
    for _ in 0..2 {
        let answer = server.ask("POST /v1/pack", &request);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.contains("split by lines: `crash.rb`"), "{answer}");
        let answer = server.ask("POST /v1/pack", r#"{"task": "login"}"#);
        assert!(answer.contains("pub fn login"), "{answer}");
    }
    assert_eq!(server.stop("-TERM").code, Some(0));
}

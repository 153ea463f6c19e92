//! The task: from the command line, a file or standard input.

use crate::fixture::{Fixture, included};

#[test]
fn an_empty_task_is_an_error_with_an_example() {
    let fixture = Fixture::project();
    for arguments in [
        &["pack", ""][..],
        &["pack", "  \n"],
        &["pack", "--query-file", "-"],
        &["pack", "--sources", "-"],
    ] {
        fixture
            .run(arguments)
            .fails(2, &["nothing to pack", "hint: describe the task: kitbag pack"]);
    }
}

#[test]
fn a_task_is_read_from_a_file_or_standard_input() {
    let fixture = Fixture::project();
    fixture.write("../task.md", "login\n");
    let typed = fixture.run(["pack", "login"]);
    assert_eq!(fixture.run(["pack", "--query-file", "../task.md"]), typed);
    assert_eq!(fixture.feed(["pack", "--query-file", "-"], "login\n"), typed);
}

#[test]
fn an_unreadable_task_file_is_reported() {
    let fixture = Fixture::project();
    fixture.run(["pack", "--query-file", "nope"]).fails(2, &["cannot read `nope`: "]);
    fixture.run(["pack", "--query-file", "src"]).fails(2, &["`src` is a folder, not a file"]);
    fixture.write("binary", b"log\0in");
    fixture.run(["pack", "--query-file", "binary"]).fails(2, &["`binary` is a binary file"]);
    fixture
        .feed(["pack", "--query-file", "-"], "\0")
        .fails(2, &["standard input is a binary file"]);
    fixture.run(["pack", "x", "--query-file", "README.md"]).fails(2, &["cannot be used with"]);
    let both = fixture.run(["pack", "--query-file", "-", "--sources", "-"]);
    both.fails(
        2,
        &["only one argument can read standard input", "hint: use a file for all but one of them"],
    );
}

#[test]
fn task_files_of_any_text_encoding_are_read() {
    let fixture = Fixture::project();
    let units = "\u{feff}paint\r\n".encode_utf16().flat_map(u16::to_le_bytes);
    fixture.write("../utf16.txt", units.collect::<Vec<u8>>());
    fixture.write("../broken.txt", b"paint \xff\xfe");
    for file in ["../utf16.txt", "../broken.txt"] {
        let report = fixture.json(["pack", "--query-file", file, "--json"]);
        assert_eq!(included(&report), ["src/colour.rs"], "{file}");
    }
}

#[test]
fn a_truncated_task_is_reported() {
    let fixture = Fixture::project();
    let log = format!("paint\n{}", "2024-01-01 12:00:00 nothing happened\n".repeat(5_000));
    let report = fixture.feed(["pack", "--query-file", "-", "--json"], log.clone());
    assert_eq!(report.code, Some(0));
    let unread = log.trim().len() - 100_000;
    report
        .stderr_contains(&[&format!("warning: the last {unread} bytes of the task were not read")]);
    assert!(report.stdout.contains("src/colour.rs"));
}

#[test]
fn a_task_without_a_known_word_gives_an_empty_pack_and_a_hint() {
    let fixture = Fixture::project();
    fixture.run(["pack", "?!... --- ***"]).is_empty_for("the task has no word to search for");
    fixture
        .run(["pack", "zyzzyva"])
        .is_empty_for("no word of the task occurs in the 3 files searched; use words");
}

#[test]
fn a_folder_without_files_gives_an_empty_pack_and_a_hint() {
    let empty = Fixture::empty();
    empty.run(["pack", "login"]).is_empty_for("there are no files to search");
    empty.git(&["init", "--quiet"]);
    empty.run(["pack", "login"]).is_empty_for("there are no files to search");
}

#[test]
fn a_repository_that_is_not_a_folder_is_reported() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login", "--repo", "nope"]).fails(2, &["no such folder: `nope`"]);
    fixture.run(["pack", "login", "--repo", "README.md"]).fails(2, &["not a folder: `README.md`"]);
    fixture
        .run(["pack", "login", "--repo", "README.md/x"])
        .fails(2, &["not a folder: `README.md/x`"]);
}

#[test]
fn a_repository_needs_neither_git_nor_a_commit() {
    let fixture = Fixture::project();
    let plain = fixture.run(["pack", "login"]);
    assert!(plain.stdout.contains("src/auth.rs"));
    fixture.git(&["init", "--quiet"]);
    assert_eq!(fixture.run(["pack", "login"]), plain, "unborn HEAD");
}

#[test]
fn a_repository_within_a_plain_folder_is_searched_too() {
    let fixture = Fixture::with(&[
        ("outer.rs", "fn login() {}\n"),
        ("inner/src/a.rs", "fn login() -> u8 { 1 }\n"),
    ]);
    fixture.git(&["init", "--quiet", "inner"]);
    let report = fixture.json(["pack", "login", "--json"]);
    let mut paths = included(&report);
    paths.sort_unstable();
    assert_eq!(paths, ["inner/src/a.rs", "outer.rs"]);
}

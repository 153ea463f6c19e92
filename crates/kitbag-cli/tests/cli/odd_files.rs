//! Files that are too large, no text, or oddly called, as they come up in a search or are named.

use crate::fixture::{Fixture, excluded, included};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

#[test]
fn a_huge_file_is_passed_over() {
    let fixture = Fixture::project();
    File::create(fixture.path("huge.txt")).unwrap().set_len(200 << 20).unwrap();
    assert_eq!(included(&fixture.json(["pack", "login", "--json"])), ["src/auth.rs", "README.md"]);
    let run = fixture.run(["pack", "--file", "huge.txt"]);
    run.is_empty_for("nothing that was named can go in");
    run.says(&["warning: left out: 209715200 bytes are more than 67108864: `huge.txt`"]);
    fixture.run(["chunk", "huge.txt"]).fails(2, &["larger than 64 MB: `huge.txt`"]);
    fixture.run(["tokens", "huge.txt"]).fails(2, &["binary, not text: `huge.txt`"]);
    File::create(fixture.path("huge.txt")).unwrap().set_len(300 << 20).unwrap();
    fixture.run(["tokens", "huge.txt"]).fails(2, &["larger than 256 MB: `huge.txt`"]);
}

// Shows: AC-133, THREAT-3
#[test]
fn a_line_of_50_mb_is_no_chunk_of_a_pack() {
    let fixture = Fixture::empty();
    fixture.write("line.js", "a".repeat(50_000_000));
    let run = fixture.run(["pack", "--file", "line.js"]);
    run.is_empty_for(
        "nothing that was found can go in; `line.js`: a single line larger than a chunk",
    );
    let run = fixture.run(["chunk", "line.js"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.starts_with("1-1 ") && run.stdout.contains("long_line"), "{run:?}");
    run.says(&["warning: cut by lines: ", "1 chunk, 1 line of javascript"]);
    let run = fixture.run(["tokens", "line.js"]);
    run.fails(
        2,
        &[
            "a run of more than 4,194,304 bytes without a break: `line.js`",
            "hint: estimate it with --tokenizer characters",
        ],
    );
    let run = fixture.run(["tokens", "line.js", "--tokenizer", "characters"]);
    assert!(run.stdout.starts_with("12500000  line.js"), "{run:?}");
}

// Shows: THREAT-3
#[test]
fn deep_nesting_is_cut_by_lines() {
    let deep = format!("login = {}{}\n", "[\n".repeat(10_000), "]\n".repeat(10_000));
    for name in ["a.py", "a.js", "a.rb", "a.json"] {
        let fixture = Fixture::with(&[(name, &deep)]);
        let run = fixture.run(["chunk", name]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        let run = fixture.run(["pack", "login", "--budget", "4k"]);
        assert!(run.stdout.contains("login = ["), "{name}: {}", run.stderr);
    }
}

// Shows: AC-028, NFR-016-44
#[test]
fn what_is_no_text_is_left_out() {
    let fixture = Fixture::project();
    fixture.write("logo.txt", b"login\0\x01\x02");
    assert!(!included(&fixture.json(["pack", "login", "--json"])).contains(&"logo.txt"));
    let report = fixture.json(["pack", "--file", "logo.txt", "--json"]);
    assert_eq!(excluded(&report), [("logo.txt", "binary")]);
    let run = fixture.run(["pack", "--file", "logo.txt"]);
    run.says(&["warning: left out: binary: it holds a zero byte: `logo.txt`"]);
    fixture.run(["chunk", "logo.txt"]).fails(2, &["binary, not text: `logo.txt`"]);
}

// Shows: AC-132, NFR-016-43
#[test]
fn other_encodings_are_decoded() {
    let fixture = Fixture::empty();
    let utf16 = |unit: fn(u16) -> [u8; 2]| {
        "\u{feff}login é\r\nnext\r\n".encode_utf16().flat_map(unit).collect::<Vec<u8>>()
    };
    fixture.write("little.txt", utf16(u16::to_le_bytes));
    fixture.write("big.txt", utf16(u16::to_be_bytes));
    fixture.write("broken.txt", b"login \xff here\n");
    let run = fixture.run(["pack", "login", "--overflow", "skip"]);
    assert!(run.stdout.contains("login é\r\nnext\r\n"), "{run:?}");
    assert!(run.stdout.contains("login \u{fffd} here\n"), "{run:?}");
}

// Shows: THREAT-4
#[test]
fn odd_names_stay_on_their_line() {
    let fixture = Fixture::empty();
    let names = ["new\nline.rs", "quote\"'.rs", "spa ce.rs", "esc\u{1b}[31m.rs", "back`tick.rs"];
    for (place, name) in names.iter().enumerate() {
        fixture.write(name, format!("fn login_{place}() {{}}\n"));
    }
    std::fs::write(fixture.path("").join(OsStr::from_bytes(b"not\xffutf8.rs")), "fn login() {}\n")
        .unwrap();
    let report = fixture.json(["pack", "login", "--json"]);
    let mut paths = included(&report);
    paths.sort_unstable();
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(paths, expected);
    assert_eq!(excluded(&report), [("not\u{fffd}utf8.rs", "unreadable")]);
    let text = fixture.run(["pack", "login"]).stdout;
    assert_eq!(text.lines().filter(|line| line.starts_with("### ")).count(), names.len());
    assert!(!text.contains('\u{1b}'));
    let listing = fixture.run(["preview", "login"]).stdout;
    assert_eq!(listing.lines().count(), names.len());
    assert!(!listing.contains('\u{1b}') && listing.contains("new\\nline.rs"));
    let run = fixture.run(["pack", "--file", "no\u{1b}[31m\nsuch"]);
    run.fails(2, &["no such file: `no\\u{1b}[31m\\nsuch`"]);
    let run = fixture.run([
        OsStr::new("pack"),
        OsStr::new("--file"),
        OsStr::from_bytes(b"not\xffutf8.rs"),
    ]);
    run.fails(2, &["invalid UTF-8"]);
}

//! Files that are too large, binary or unusually named.

use crate::fixture::{Fixture, excluded, included};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

#[test]
fn a_huge_file_is_skipped() {
    let fixture = Fixture::project();
    File::create(fixture.path("huge.txt")).unwrap().set_len(200 << 20).unwrap();
    let report = fixture.json(["pack", "login", "--json", "--fill"]);
    assert_eq!(included(&report), ["src/auth.rs", "README.md"]);
    let run = fixture.run(["pack", "--file", "huge.txt"]);
    run.is_empty_for("none of the named sources can be packed");
    run.stderr_contains(&[
        "warning: `huge.txt` was left out: 209715200 bytes exceed the limit of 67108864",
    ]);
    fixture.run(["chunk", "huge.txt"]).fails(2, &["`huge.txt` is larger than 64 MB"]);
    fixture.run(["tokens", "huge.txt"]).fails(2, &["`huge.txt` is a binary file"]);
    File::create(fixture.path("huge.txt")).unwrap().set_len(300 << 20).unwrap();
    fixture.run(["tokens", "huge.txt"]).fails(2, &["`huge.txt` is larger than 256 MB"]);
}

// Shows: AC-133, THREAT-3
#[test]
fn a_line_of_50_mb_is_not_packed() {
    let fixture = Fixture::empty();
    fixture.write("line.js", "a".repeat(50_000_000));
    let run = fixture.run(["pack", "--file", "line.js"]);
    run.is_empty_for(
        "all sources were excluded, such as `line.js`: a single line exceeds the maximum chunk size",
    );
    let run = fixture.run(["chunk", "line.js"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.starts_with("1-1 ") && run.stdout.contains("long_line"), "{run:?}");
    run.stderr_contains(&["warning: split by lines: ", "1 chunk, 1 line of javascript"]);
    let run = fixture.run(["tokens", "line.js"]);
    run.fails(
        2,
        &[
            "`line.js` has a run of more than 4,194,304 bytes without a break",
            "hint: estimate it with --tokenizer characters",
        ],
    );
    let run = fixture.run(["tokens", "line.js", "--tokenizer", "characters"]);
    assert!(run.stdout.starts_with("12500000  line.js"), "{run:?}");
}

// Shows: THREAT-3
#[test]
fn deep_nesting_is_split_by_lines() {
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
fn binary_files_are_excluded() {
    let fixture = Fixture::project();
    fixture.write("logo.txt", b"login\0\x01\x02");
    assert!(!included(&fixture.json(["pack", "login", "--json"])).contains(&"logo.txt"));
    let report = fixture.json(["pack", "--file", "logo.txt", "--json"]);
    assert_eq!(excluded(&report), [("logo.txt", "binary")]);
    let run = fixture.run(["pack", "--file", "logo.txt"]);
    run.stderr_contains(&["warning: `logo.txt` was left out: binary file"]);
    fixture.run(["chunk", "logo.txt"]).fails(2, &["`logo.txt` is a binary file"]);
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
    let is_place = |line: &&str| line.contains(".rs:");
    assert_eq!(listing.lines().filter(is_place).count(), names.len(), "{listing}");
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

//! What is in the cache instead of a file, and what cannot be written.
#![cfg(unix)]

use crate::fixture::{Fixture, Run, included};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, mut found): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    found.extend(folders.iter().flat_map(|folder| files(folder)));
    found.sort();
    found
}

fn cache(fixture: &Fixture) -> PathBuf {
    fixture.path("../home/cache/kitbag")
}

/// Replaces each file of the cache in turn, and packs.
fn check_each(replace: impl Fn(&Path)) {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "Start");
    let pack = ["pack", "why does login fail?", "--set", "context.record.audit=true"];
    let expected = fixture.run(pack);
    assert_eq!(expected.code, Some(0), "{}", expected.stderr);
    let all = files(&cache(&fixture));
    assert!(all.len() >= 4, "{all:?}");
    for file in all {
        if !file.exists() {
            continue; // A record that was removed meanwhile.
        }
        fs::remove_file(&file).unwrap();
        replace(&file);
        let run = fixture.run(pack);
        assert_eq!((run.code, &run.stdout), (Some(0), &expected.stdout), "{file:?} {}", run.stderr);
        let show = fixture.run(["show"]);
        assert!(matches!(show.code, Some(0 | 1)), "{file:?} {show:?}");
        let _ = fs::remove_file(&file).or_else(|_| fs::remove_dir(&file));
    }
}

#[test]
fn a_fifo_in_the_cache_does_not_block() {
    check_each(|file| {
        assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
    });
}

#[test]
fn a_folder_in_the_cache_is_no_obstacle() {
    check_each(|file| fs::create_dir(file).unwrap());
}

#[test]
fn a_huge_file_in_the_cache_is_not_read() {
    // Sparse: it has a terabyte and takes no space.
    check_each(|file| fs::File::create(file).unwrap().set_len(1 << 40).unwrap());
}

/// Runs the program with a limit on file sizes, in blocks of 512 or 1,024 bytes.
fn run_limited(fixture: &Fixture, blocks: u32, arguments: &[&str]) -> Run {
    let kitbag = fixture.command();
    let mut shell = Command::new("sh");
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script]).arg(kitbag.get_program()).args(arguments);
    shell.current_dir(kitbag.get_current_dir().unwrap());
    shell.envs(kitbag.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Run::from(shell.output().unwrap())
}

#[test]
fn a_file_beyond_the_size_limit_is_an_error() {
    let fixture = Fixture::project();
    let long = "/// login\nfn login() {\n    start();\n}\n".repeat(2_000);
    fixture.write("src/long.rs", &long);
    fixture.write("out.md", "before\n");
    let pack = ["pack", "login", "--file", "src/long.rs", "--budget", "30000"];
    let to_file: Vec<&str> = pack.into_iter().chain(["-o", "out.md"]).collect();
    let run = run_limited(&fixture, 1, &to_file);
    run.fails(1, &["out.md", "File too large"]);
    assert_eq!(fixture.read("out.md"), "before\n");
    // The index cannot be written either, but standard output is a pipe.
    let run = run_limited(&fixture, 1, &pack);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, fixture.run(pack).stdout);
}

#[test]
fn a_missed_deadline_names_the_tokenizer_that_counted() {
    let fixture = Fixture::project();
    let tokenizer = |extra: &[&str]| {
        let pack = ["pack", "why does login fail?", "--deadline", "1", "--json"];
        fixture.json(pack.iter().chain(extra))["tokenizer"].clone()
    };
    let found = tokenizer(&[]);
    assert_eq!((&found["name"], &found["exact"]), (&"o200k_base".into(), &true.into()));
    let found = tokenizer(&["--set", "context.tokenizer.use_exact=false"]);
    assert_eq!((&found["name"], &found["exact"]), (&"characters".into(), &false.into()));
    let found = tokenizer(&["--model", "claude-sonnet-4"]);
    assert_eq!((&found["name"], &found["exact"]), (&"claude".into(), &false.into()));
    let words = "{\"version\":\"1.0\",\"added_tokens\":[],\"model\":{\"type\":\"WordLevel\",\
                 \"vocab\":{\"<unk>\":0},\"unk_token\":\"<unk>\"}}";
    fixture.write("../home/tokenizer.json", words);
    let path = fixture.path("../home/tokenizer.json").display().to_string();
    let found = tokenizer(&["--tokenizer", &path]);
    let name = found["name"].as_str().unwrap();
    let is_own = name.starts_with("tokenizer.json@");
    assert!(is_own || name == "characters", "{found}");
    assert_eq!(found["exact"], is_own, "{found}");
    let complete = fixture.json(["pack", "login", "--json"]);
    assert!(!included(&complete).is_empty());
}

#[test]
fn a_tokenizer_that_cannot_be_run_is_an_error() {
    let fixture = Fixture::project();
    let file = |normalizer: &str| {
        format!(
            "{{\"version\":\"1.0\",\"added_tokens\":[],\"normalizer\":{normalizer},\"model\":\
             {{\"type\":\"WordLevel\",\"vocab\":{{\"<unk>\":0}},\"unk_token\":\"<unk>\"}}}}"
        )
    };
    let empty = r#"{"type":"Replace","pattern":{"Regex":"x*"},"content":"y"}"#;
    let damaged = r#"{"type":"Precompiled","precompiled_charsmap":"BAAAAAEAAAA="}"#;
    for (normalizer, reason) in [(empty, "matches the empty string"), (damaged, "cannot run it")] {
        fixture.write("t/tokenizer.json", file(normalizer));
        let run = fixture.run(["pack", "login", "--tokenizer", "t/tokenizer.json"]);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run.fails(2, &["is not a usable tokenizer", reason]);
    }
    assert!(Command::new("mkfifo").arg(fixture.path("fifo.json")).status().unwrap().success());
    let run = fixture.run(["tokens", "README.md", "--tokenizer", "fifo.json"]);
    assert!(run.stderr.contains("not a file"), "{}", run.stderr);
}

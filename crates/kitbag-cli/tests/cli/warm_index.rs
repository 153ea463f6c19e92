//! Packs from a warm index equal packs without one.

use crate::fixture::{Fixture, Run, included};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PACK: [&str; 4] = ["pack", "login by token", "--budget", "2k"];

/// A repository with a history and dozens of files.
fn repository() -> Fixture {
    let fixture = Fixture::project();
    for number in 0..40 {
        let text = format!(
            "/// Token number {number}.\npub fn token_{number}(login: u32) -> u32 {{\n    login + {number}\n}}\n"
        );
        fixture.write(&format!("src/part{}/token_{number}.rs", number % 4), text);
    }
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "Begin with tokens");
    fixture.write("src/auth.rs", "pub fn login() -> u32 {\n    token_7(1)\n}\n");
    fixture.commit(2, "Login takes a token");
    fixture
}

/// The folders of all indexes in the cache.
fn folders(fixture: &Fixture) -> Vec<PathBuf> {
    let entries = fs::read_dir(fixture.cache()).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn run_with(fixture: &Fixture, cache: &Path, arguments: &[&str]) -> Run {
    let mut command = fixture.command();
    Run::from(command.env("XDG_CACHE_HOME", cache).args(arguments).output().unwrap())
}

#[test]
fn a_warm_pack_equals_the_first() {
    let fixture = repository();
    let first = fixture.run(PACK);
    assert_eq!(first.code, Some(0));
    assert!(first.stdout.contains("token"), "{first:?}");
    assert_eq!(fixture.run(PACK), first);
    fixture.run(["index", "clear"]);
    assert_eq!(fixture.run(PACK), first, "rebuilt");
    fixture.run(["pack", "paint", "--include", "src/colour.rs"]);
    assert_eq!(fixture.run(PACK), first, "after a search of a part");
}

#[test]
fn an_undone_edit_gives_the_same_pack() {
    let fixture = repository();
    let first = fixture.run(PACK);
    let old = fixture.read("src/auth.rs");
    fixture.write("src/auth.rs", "pub fn login() -> u32 {\n    quagga()\n}\n");
    let other = fixture.run(PACK);
    assert!(other.stdout.contains("quagga") && other.stdout != first.stdout);
    fixture.write("src/auth.rs", &old);
    assert_eq!(fixture.run(PACK).stdout, first.stdout);
}

#[test]
fn the_next_pack_sees_every_kind_of_change() {
    let fixture = repository();
    let found = |word: &str| {
        let report = fixture.json(["pack", word, "--json"]);
        included(&report).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found("quagga"), [""; 0]);
    fixture.write("src/new.rs", "fn quagga() {}\n");
    assert_eq!(found("quagga"), ["src/new.rs"], "new");
    fixture.write("src/new.rs", "fn okapis() {}\n");
    assert_eq!(found("quagga"), [""; 0], "of the same size, changed at once");
    assert_eq!(found("okapis"), ["src/new.rs"]);
    fs::rename(fixture.path("src/new.rs"), fixture.path("src/old.rs")).unwrap();
    assert_eq!(found("okapis"), ["src/old.rs"], "renamed");
    fs::remove_file(fixture.path("src/old.rs")).unwrap();
    assert_eq!(found("okapis"), [""; 0], "deleted");
    fixture.write(".gitignore", "part1\n");
    fixture.write("src/part1/okapi.rs", "fn okapis() {}\n");
    assert_eq!(found("okapis"), [""; 0], "ignored");
    fixture.write(".gitignore", "");
    assert_eq!(found("okapis"), ["src/part1/okapi.rs"], "no longer ignored");
}

#[test]
fn concurrent_processes_give_the_same_bytes() {
    let fixture = repository();
    let spawn = |_| {
        let mut command = fixture.command();
        command.args(PACK).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(spawn).collect();
    let runs: Vec<Run> =
        children.into_iter().map(|it| Run::from(it.wait_with_output().unwrap())).collect();
    let after = fixture.run(PACK);
    for run in runs {
        assert_eq!(run, after);
    }
    assert_eq!(after.code, Some(0));
}

#[test]
fn an_unusable_cache_gives_one_warning() {
    let fixture = repository();
    let first = fixture.run(PACK);
    let file = fixture.path("../file");
    fs::write(&file, "in the way").unwrap();
    // Not even root can create a folder there.
    for cache in [&file, Path::new("/proc/kitbag")] {
        let run = run_with(&fixture, cache, &PACK);
        assert_eq!((run.code, &run.stdout), (Some(0), &first.stdout), "{}", cache.display());
        assert_eq!(run.stderr.matches("warning: ").count(), 1, "{}", run.stderr);
        run.stderr_contains(&[
            "warning: the index cannot be saved: ",
            "; the pack is not recorded either",
        ]);
    }
}

#[test]
fn a_damaged_index_is_reported_once_and_rebuilt() {
    let fixture = repository();
    let first = fixture.run(PACK);
    let files: Vec<PathBuf> = folders(&fixture)
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| fs::metadata(path).unwrap().len() > 0)
        .collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let Ok(mut bytes) = fs::read(&file) else { continue };
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(&file, bytes).unwrap();
        let mended = fixture.run(PACK);
        assert_eq!((mended.code, &mended.stdout), (Some(0), &first.stdout), "{}", file.display());
        assert_eq!(mended.stderr.matches("warning: ").count(), 1, "{}: {mended:?}", file.display());
        assert_eq!(fixture.run(PACK), first, "{}", file.display());
    }
}

#[test]
fn the_cache_is_private_and_in_the_users_folder() {
    let fixture = repository();
    let elsewhere = fixture.path("../elsewhere");
    let run = run_with(&fixture, &elsewhere, &PACK);
    assert_eq!(run.code, Some(0));
    assert!(!fixture.cache().exists());
    let index = elsewhere.join("kitbag/index");
    let folder = fs::read_dir(&index).unwrap().next().unwrap().unwrap().path();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for made in [elsewhere.join("kitbag"), index, folder.clone()] {
        assert_eq!(mode(&made), 0o700, "{}", made.display());
    }
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        assert_eq!(mode(&file) & 0o077, 0, "{}", file.display());
    }
    let mut git = Command::new("git");
    let status = git.arg("-C").arg(fixture.path("")).args(["status", "--short"]).output().unwrap();
    assert_eq!(String::from_utf8(status.stdout).unwrap(), "", "nothing in the repository");
}

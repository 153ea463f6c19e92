//! Output to files and standard output.

use crate::fixture::{Fixture, Run, text};
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

const PACK: [&str; 5] = ["pack", "login", "--include", "src/**", "--output"];

#[test]
fn file_and_standard_output_get_the_same_text() {
    let fixture = Fixture::project();
    let printed = fixture.run(["pack", "login", "--include", "src/**"]);
    let written = fixture.run(PACK.iter().chain(&["out.md"]));
    assert_eq!((written.stdout.as_str(), &written.stderr), ("", &printed.stderr));
    assert_eq!(fixture.read("out.md"), printed.stdout);
    for name in ["-", "/dev/stdout", "/dev/fd/1"] {
        assert_eq!(fixture.run(PACK.iter().chain(&[name])), printed, "{name}");
    }
    assert_eq!(fixture.names(""), ["README.md", "out.md", "src"], "nothing else is left behind");
}

#[test]
fn an_existing_file_keeps_its_mode_and_a_link_stays_a_link() {
    let fixture = Fixture::project();
    fixture.write("real.md", "old");
    fs::set_permissions(fixture.path("real.md"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.md", fixture.path("link.md")).unwrap();
    symlink("made.md", fixture.path("dangling.md")).unwrap();
    for name in ["link.md", "dangling.md"] {
        assert_eq!(fixture.run(PACK.iter().chain(&[name])).code, Some(0));
        assert!(fs::symlink_metadata(fixture.path(name)).unwrap().is_symlink(), "{name}");
    }
    assert!(fixture.read("real.md").contains("fn login"));
    assert!(fixture.read("made.md").contains("fn login"));
    let mode = fs::metadata(fixture.path("real.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn a_new_file_follows_the_users_mask() {
    let fixture = Fixture::project();
    let run = in_shell(&fixture, "umask 077; exec", "out.md");
    assert_eq!(run.code, Some(0), "{run:?}");
    let mode = fs::metadata(fixture.path("out.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn an_invalid_output_path_fails_before_packing() {
    let fixture = Fixture::project();
    symlink("b", fixture.path("a")).unwrap();
    symlink("a", fixture.path("b")).unwrap();
    fixture.run(PACK.iter().chain(&["missing/out.md"])).fails(2, &["no such folder: `missing`"]);
    fixture
        .run(PACK.iter().chain(&["README.md/out.md"]))
        .fails(2, &["no such folder: `README.md`"]);
    fixture.run(PACK.iter().chain(&["src"])).fails(2, &["`src` is a folder, not a file"]);
    fixture.run(PACK.iter().chain(&["a"])).fails(1, &["cannot write `a`: "]);
    assert_eq!(fixture.names(""), ["README.md", "a", "b", "src"]);
}

#[test]
fn a_write_that_fails_leaves_the_old_file() {
    let fixture = Fixture::project();
    fixture.write("out.md", "old");
    // Simulates a full disk: no file may grow.
    let run = in_shell(&fixture, "trap '' XFSZ; ulimit -f 0; exec", "out.md");
    run.fails(1, &["cannot write `out.md`: File too large"]);
    assert!(!run.stderr.contains(".kitbag-"), "{}", run.stderr);
    assert_eq!(fixture.read("out.md"), "old");
    assert_eq!(fixture.names(""), ["README.md", "out.md", "src"]);
}

#[test]
fn a_full_device_fails_the_run() {
    let fixture = Fixture::project();
    fixture
        .run(PACK.iter().chain(&["/dev/full"]))
        .fails(1, &["cannot write `/dev/full`: No space left"]);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let run = Run::from(fixture.command().args(["pack", "login"]).stdout(full).output().unwrap());
    run.fails(1, &["cannot write standard output: No space left"]);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let fixture = Fixture::project();
    for arguments in [
        &["pack", "login"][..],
        &["pack", "login", "--json"],
        &["languages"],
        &["chunk", "src/auth.rs"],
        &["--help"],
    ] {
        let mut child = fixture
            .command()
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stderr_contains(&[]);
    }
}

/// Packs into `output` from a shell that sets `limits`.
fn in_shell(fixture: &Fixture, limits: &str, output: &str) -> Run {
    let program = fixture.command();
    let mut shell = Command::new("bash");
    let script = format!("{limits} \"$0\" \"$@\"");
    shell.arg("-c").arg(script).arg(program.get_program()).args(PACK).arg(output);
    shell.current_dir(text(&fixture.path("")));
    Run::from(shell.output().unwrap())
}

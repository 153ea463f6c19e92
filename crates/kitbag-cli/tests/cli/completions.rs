//! `kitbag completions`, `kitbag man` and `kitbag --version`.

use crate::fixture::Fixture;

#[test]
fn completions_include_the_commands_in_every_shell() {
    let fixture = Fixture::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = fixture.run(["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        for word in ["explain", "--no-record", "budget"] {
            let word = if shell == "fish" { word.trim_start_matches("--") } else { word };
            assert!(run.stdout.contains(word), "{shell}: {word}");
        }
    }
    fixture.run(["completions", "bahs"]).fails(2, &["'bahs'", "'bash'"]);
}

#[test]
fn the_man_pages_are_written_for_every_command() {
    let fixture = Fixture::empty();
    let page = fixture.run(["man"]).stdout;
    assert!(page.contains(".TH kitbag 1") && page.contains(".SH SYNOPSIS"), "{page}");
    assert_eq!(fixture.run(["man", "pages"]).code, Some(0));
    let names = fixture.names("pages");
    for name in ["kitbag.1", "kitbag-pack.1", "kitbag-explain.1"] {
        assert!(names.iter().any(|it| it == name), "{name}: {names:?}");
    }
    fixture.write("file", "");
    fixture.run(["man", "file/pages"]).fails(1, &["cannot write `file/pages`"]);
}

#[test]
fn the_long_version_has_the_facts_of_the_build() {
    let fixture = Fixture::empty();
    let short = fixture.run(["-V"]).stdout;
    assert_eq!(short, format!("kitbag {}\n", env!("CARGO_PKG_VERSION")));
    let long = fixture.run(["--version"]).stdout;
    assert!(long.starts_with(&short), "{long}");
    for fact in ["commit    ", "target    ", "profile   ", "features  "] {
        let line = long.lines().find(|line| line.starts_with(fact)).unwrap();
        assert!(line.len() > fact.len(), "{line}");
    }
}

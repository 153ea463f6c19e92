//! `kitbag index push`, `pull`, `gc` and `--store`: two fixtures with the same files are two machines.

use crate::fixture::Fixture;
use std::fs;
use std::path::Path;

/// More files than a pack analyzes without asking the store.
const FILES: usize = 60;

struct Machines {
    first: Fixture,
    second: Fixture,
    alone: Fixture,
    store: tempfile::TempDir,
}

impl Machines {
    fn new() -> Self {
        let machine = || {
            let fixture = Fixture::empty();
            for number in 0..FILES {
                let text = format!(
                    "def step_{number}(value):\n    return value + {number}\n\n\ndef login_{number}():\n    \
                     return step_{number}(1)\n"
                );
                fixture.write(&format!("src/part_{number}.py"), text);
            }
            fixture.git(&["init", "--quiet"]);
            fixture.git(&["remote", "add", "origin", "https://example.org/team/parts.git"]);
            fixture.commit(1, "parts");
            fixture
        };
        let store = tempfile::tempdir().unwrap();
        Self { first: machine(), second: machine(), alone: machine(), store }
    }

    fn url(&self) -> String {
        format!("file://{}", self.store.path().display())
    }

    /// Returns the files of the store whose path contains `part`.
    fn objects(&self, part: &str) -> Vec<std::path::PathBuf> {
        fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() { files(&entry, found) } else { found.push(entry) }
            }
        }
        let mut found = Vec::new();
        files(self.store.path(), &mut found);
        found.retain(|file| file.to_string_lossy().contains(part));
        found
    }
}

#[test]
fn what_one_machine_pushed_the_other_does_not_analyze() {
    let machines = Machines::new();
    let url = machines.url();
    let pushed = machines.first.json(["index", "push", "--store", &url, "--json"]);
    assert_eq!((&pushed["analyzed"], &pushed["pushed"]), (&FILES.into(), &FILES.into()));
    assert_eq!(pushed["repository"], "example.org/team/parts");
    let again = machines.first.json(["index", "push", "--store", &url, "--json"]);
    assert_eq!((&again["pushed"], &again["sent"]), (&0.into(), &0.into()));
    let pulled = machines.second.json(["index", "pull", "--store", &url, "--json"]);
    assert_eq!((&pulled["pulled"], &pulled["analyzed"]), (&FILES.into(), &0.into()));
    let status = machines.second.json(["index", "status", "--store", &url, "--json"]);
    assert_eq!((&status["contents"], &status["lists"]), (&FILES.into(), &1.into()));
    let collected = machines.second.json(["index", "gc", "--store", &url, "--json"]);
    assert_eq!((&collected["segments"], &collected["deleted_segments"]), (&1.into(), &0.into()));
}

#[test]
fn a_pack_has_the_same_bytes_with_and_without_a_store() {
    let machines = Machines::new();
    let url = machines.url();
    machines.first.json(["index", "push", "--store", &url, "--json"]);
    let task = "where does login_7 call step_7";
    let with = machines.second.run(["pack", task, "--store", &url]);
    let without = machines.alone.run(["pack", task]);
    assert_eq!((with.code, with.stderr.contains("warning")), (Some(0), false), "{}", with.stderr);
    assert_eq!(with.stdout, without.stdout);
    assert!(with.stdout.contains("def login_7"));
    let refreshed = machines.second.json(["index", "refresh", "--json"]);
    assert_eq!(refreshed["analyzed"], 0);
}

#[test]
fn a_pack_adds_to_the_store_only_if_the_settings_say_so() {
    let machines = Machines::new();
    let url = machines.url();
    machines.first.run(["pack", "login", "--store", &url]);
    assert_eq!(machines.objects("").len(), 0);
    machines.alone.run(["pack", "login", "--store", &url, "--set", "store.write=true"]);
    let pulled = machines.second.json(["index", "pull", "--store", &url, "--json"]);
    assert_eq!((&pulled["pulled"], &pulled["analyzed"]), (&FILES.into(), &0.into()));
}

#[test]
fn a_store_holds_no_text_of_a_file() {
    let machines = Machines::new();
    machines.first.write("src/part_0.py", "# a hidden sentence\nanswer = 'a string literal'\n");
    machines.first.json(["index", "push", "--store", &machines.url(), "--json"]);
    let status = machines.first.json(["index", "--json"]);
    let folder = Path::new(status["indexes"][0]["folder"].as_str().unwrap()).to_owned();
    // The objects are compressed; what the index saves here is what they have.
    let segments = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let segments: Vec<_> =
        segments.filter(|path| path.to_string_lossy().contains("segment-")).collect();
    assert!(!segments.is_empty());
    for bytes in segments.iter().map(|segment| fs::read(segment).unwrap()) {
        for text in ["hidden", "sentence", "literal", "return", "part_1.py"] {
            assert!(!bytes.windows(text.len()).any(|it| it == text.as_bytes()), "{text}");
        }
        assert!(bytes.windows(7).any(|it| it == b"login_1"), "names of symbols are there");
    }
}

#[test]
fn a_broken_store_costs_a_pack_no_more_than_a_warning() {
    let machines = Machines::new();
    let url = machines.url();
    machines.first.json(["index", "push", "--store", &url, "--json"]);
    let expected = machines.alone.run(["pack", "login_3"]).stdout;
    for segment in machines.objects("segments") {
        let mut bytes = fs::read(&segment).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(segment, bytes).unwrap();
    }
    let run = machines.second.run(["pack", "login_3", "--store", &url]);
    assert_eq!((run.code, &run.stdout), (Some(0), &expected));
    run.stderr_contains(&["warning: the object", "is damaged", "analyzed here instead"]);
    let missing = machines.first.run(["pack", "login_3", "--store", "file:///nonexistent/store"]);
    assert_eq!((missing.code, &missing.stdout), (Some(0), &expected));
}

/// The hint about a damaged object says to delete it.
#[test]
fn a_push_adds_again_what_was_deleted_from_the_store() {
    let machines = Machines::new();
    let url = machines.url();
    machines.first.json(["index", "push", "--store", &url, "--json"]);
    for segment in machines.objects("segments") {
        fs::write(segment, "damaged").unwrap();
    }
    let damaged = machines.alone.run(["index", "push", "--store", &url]);
    assert_eq!(damaged.code, Some(0), "{}", damaged.stderr);
    damaged.stderr_contains(&["is damaged", "delete the object"]);
    for segment in machines.objects("segments") {
        fs::remove_file(segment).unwrap();
    }
    let again = machines.first.json(["index", "push", "--store", &url, "--json"]);
    assert_eq!(again["pushed"], FILES);
    let pulled = machines.second.json(["index", "pull", "--store", &url, "--json"]);
    assert_eq!((&pulled["pulled"], &pulled["analyzed"]), (&FILES.into(), &0.into()));
}

#[test]
fn commands_about_the_store_fail_clearly() {
    let fixture = Fixture::project();
    fixture.run(["index", "push"]).fails(2, &["no store is configured", "--store URL"]);
    fixture.run(["index", "pull", "--store", "bucket"]).fails(2, &["must begin with `s3://`"]);
    fixture
        .run(["index", "pull", "--store", "file:///nonexistent/store"])
        .fails(1, &["the folder does not exist"]);
    fixture.write(".agent/config.yml", "store: {url: 's3://theirs'}\n");
    fixture.run(["pack", "paint"]).fails(2, &["`store.url` can only be set by the user"]);
}

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

#[test]
fn a_push_repairs_what_is_damaged() {
    let machines = Machines::new();
    let url = machines.url();
    machines.first.json(["index", "push", "--store", &url, "--json"]);
    for segment in machines.objects("segments") {
        fs::write(segment, "damaged").unwrap();
    }
    let repaired = machines.alone.run(["index", "push", "--store", &url]);
    assert_eq!(repaired.code, Some(0), "{}", repaired.stderr);
    repaired.stderr_contains(&["is damaged", "delete the object", "pushed 60 contents"]);
    let pulled = machines.second.json(["index", "pull", "--store", &url, "--json"]);
    assert_eq!((&pulled["pulled"], &pulled["analyzed"]), (&FILES.into(), &0.into()));
    // The hint about a damaged object says to delete it.
    for segment in machines.objects("segments") {
        fs::remove_file(segment).unwrap();
    }
    let again = machines.first.json(["index", "push", "--store", &url, "--json"]);
    assert_eq!(again["pushed"], FILES);
}

#[test]
fn a_pull_finishes_without_damaged_and_missing_segments() {
    let machines = Machines::new();
    let url = machines.url();
    machines.first.json(["index", "push", "--store", &url, "--json"]);
    let segment = &machines.objects("segments")[0];
    let name = segment.file_name().unwrap().to_str().unwrap();
    let pull = ["index", "pull", "--store", url.as_str()];
    fs::write(segment, "damaged").unwrap();
    let damaged = machines.second.run(pull);
    assert_eq!(damaged.code, Some(1));
    damaged.stderr_contains(&[name, "is damaged", "error: objects in the store are damaged"]);
    fs::remove_file(segment).unwrap();
    machines.alone.run(["pack", "login_3", "--store", &url]).stderr_contains(&[name, "is missing"]);
    fs::remove_dir_all(machines.alone.cache()).unwrap();
    let missing = machines.alone.run(pull);
    assert_eq!(missing.code, Some(1));
    missing.stderr_contains(&[name, "is missing", "error: objects in the store are damaged"]);
    for machine in [&machines.second, &machines.alone] {
        assert_eq!(machine.json(["index", "refresh", "--json"])["analyzed"], 0);
    }
    let status = machines.second.run(["index", "status", "--store", &url]);
    assert_eq!(status.code, Some(0));
    status.stderr_contains(&[name, "is missing"]);
}

#[test]
fn a_damaged_list_is_left_out_and_named() {
    let machines = Machines::new();
    let url = machines.url();
    machines.first.json(["index", "push", "--store", &url, "--json"]);
    let list = &machines.objects("lists")[0];
    fs::write(list, "damaged").unwrap();
    let name = list.file_name().unwrap().to_str().unwrap();
    let packed = machines.second.run(["pack", "login_3", "--store", &url]);
    assert_eq!(packed.code, Some(0));
    packed.stderr_contains(&[name, "is damaged"]);
    let pushed = machines.first.run(["index", "push", "--store", &url]);
    assert_eq!(pushed.code, Some(0), "{}", pushed.stderr);
    pushed.stderr_contains(&[name, "is damaged", "pushed 60 contents"]);
    let collected = machines.first.run(["index", "gc", "--store", &url]);
    assert_eq!(collected.code, Some(1));
    collected.stderr_contains(&[name, "is damaged"]);
}

#[test]
fn a_place_without_a_store_is_reported() {
    let machines = Machines::new();
    let url = machines.url();
    let new = "is not a Kitbag store yet";
    for command in ["status", "pull", "gc"] {
        machines.first.run(["index", command, "--store", &url]).fails(1, &[new, "index push"]);
    }
    let packed = machines.first.run(["pack", "login_3", "--store", &url]);
    assert_eq!(packed.code, Some(0));
    packed.stderr_contains(&["warning:", new]);
    // Nothing is missing here any more.
    machines.first.run(["index", "pull", "--store", &url]).fails(1, &[new]);
    fs::write(machines.store.path().join("photo.jpg"), "").unwrap();
    for command in ["status", "pull", "gc", "push"] {
        machines.second.run(["index", command, "--store", &url]).fails(1, &["such as `photo.jpg`"]);
    }
    machines.alone.run(["pack", "login_3", "--store", &url]).stderr_contains(&["`photo.jpg`"]);
    assert_eq!(machines.objects("").len(), 1);
}

#[test]
fn only_a_push_creates_a_folder_and_only_in_one_that_exists() {
    let machines = Machines::new();
    let url = format!("{}/new", machines.url());
    for command in ["status", "pull", "gc"] {
        machines.first.run(["index", command, "--store", &url]).fails(1, &["does not exist"]);
    }
    let unmounted = format!("{url}/share");
    machines.first.run(["index", "push", "--store", &unmounted]).fails(1, &["or mounted first"]);
    let bad_ref = ["index", "push", "--ref", "no-such-branch", "--store", &url];
    assert_ne!(machines.first.run(bad_ref).code, Some(0));
    assert!(!machines.store.path().join("new").exists());
    machines.first.json(["index", "push", "--store", &url, "--json"]);
    assert!(machines.store.path().join("new/kitbag-store.json").exists());
}

#[test]
fn a_lost_marker_is_reported_and_written_again() {
    let machines = Machines::new();
    let url = machines.url();
    let key = machines.first.path("../store.key");
    fs::write(&key, "5".repeat(64)).unwrap();
    machines.first.json(["index", "push", "--store", &url, "--json"]);
    fs::remove_dir_all(machines.store.path().join("v1")).unwrap();
    fs::remove_file(machines.store.path().join("kitbag-store.json")).unwrap();
    let with_key = |machine: &Fixture, action: &str| {
        let mut command = machine.command();
        command.args(["index", action, "--store", &url]).env("KITBAG_STORE_KEY_FILE", &key);
        command.output().unwrap()
    };
    let pushed = with_key(&machines.first, "push");
    let stderr = String::from_utf8_lossy(&pushed.stderr).into_owned();
    assert!(pushed.status.success(), "{stderr}");
    #[cfg(unix)]
    assert!(stderr.contains("all users of this machine can read the key"), "{stderr}");
    fs::remove_file(machines.store.path().join("kitbag-store.json")).unwrap();
    let status = ["index", "status", "--store", url.as_str()];
    machines.second.run(status).fails(1, &["has lost its `kitbag-store.json`"]);
    machines.second.run(["index", "push", "--store", &url]).fails(1, &["no key is configured"]);
    assert!(with_key(&machines.first, "push").status.success());
    machines.second.run(status).fails(1, &["is encrypted, and no key is configured"]);
}

#[test]
fn an_invalid_address_of_a_server_is_a_mistake_in_the_settings() {
    let fixture = Fixture::project();
    let mut command = fixture.command();
    command.args(["index", "status", "--store", "s3://bucket"]);
    let output = command.env("AWS_ENDPOINT_URL", "127.0.0.1:9000").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("`AWS_ENDPOINT_URL` is `127.0.0.1:9000`"), "{stderr}");
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

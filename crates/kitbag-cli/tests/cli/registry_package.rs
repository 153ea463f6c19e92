//! The ranking scenarios of the packer design on code that was not written for them: `clap_builder`, in the
//! version that Cargo.lock pins, committed with fixed dates.

use crate::fixture::{Fixture, included};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of a dependency's source code, which was needed to build the program.
fn package_folder(name: &str) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let arguments = ["metadata", "--format-version", "1", "--offline", "--locked"];
    let output = Command::new(cargo)
        .args(arguments)
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let package = metadata["packages"]
        .as_array()
        .and_then(|all| all.iter().find(|it| it["name"] == name))
        .expect("it is a dependency");
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned()
}

/// Adds the Rust files below a folder to a fixture.
fn add_code(fixture: &Fixture, root: &Path, folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_code(fixture, root, &path);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            fixture.write(name, std::fs::read(&path).unwrap());
        }
    }
}

/// A repository with the package, committed on 1 January.
fn repository() -> Fixture {
    let fixture = Fixture::empty();
    fixture.git(&["init", "--quiet"]);
    let root = package_folder("clap_builder");
    add_code(&fixture, &root, &root.join("src"));
    fixture.commit(1, "import");
    fixture
}

fn set_weights(fixture: &Fixture, relevance: f64, recency: f64, source: f64) {
    let weights = format!(
        "context:\n  ranking:\n    relevance_weight: {relevance}\n    recency_weight: {recency}\n    \
         source_weight: {source}\n"
    );
    fixture.write(".agent/config.yml", weights);
}

fn factors(record: &Value, name: &str) -> Vec<f64> {
    let included = record["included"].as_array().unwrap();
    included.iter().map(|it| it["factors"][name].as_f64().unwrap()).collect()
}

const USAGE: &str = "src/output/usage.rs";

#[test]
fn scenario_3_an_open_file_that_is_found_and_in_a_diff_is_packed_once() {
    let fixture = repository();
    fixture.write("../diff.txt", "+    pub(crate) fn create_usage_with_title(&self) {\n");
    let inputs = ["--open", USAGE, "--tool-result", "git diff=../diff.txt"];
    let task = "why is create_usage_with_title failing?";
    let pack = fixture.run(["pack", task].iter().chain(&inputs));
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    let line = "    pub(crate) fn create_usage_with_title(";
    let shown: Vec<&str> = pack.stdout.lines().filter(|it| it.contains(line)).collect();
    assert_eq!(shown.len(), 2, "the file's line and the tool's: {shown:?}");
    let kept = fixture.json(["show", "--json"]);
    let own = |list: &str| -> Vec<Value> {
        let items = kept[list].as_array().unwrap().iter();
        items.filter(|it| it["path"] == USAGE).cloned().collect()
    };
    assert!(own("included").iter().all(|it| it["kind"] == "open_file"));
    let copies = own("excluded");
    assert!(copies.iter().any(|it| it["reason"] == "duplicate" && it["provider"] == "search"));
}

#[test]
fn scenario_5_more_relevant_chunks_rank_higher() {
    let fixture = repository();
    set_weights(&fixture, 0.7, 0.2, 0.1);
    fixture.run(["pack", "explain how the usage string of a command is created"]);
    let kept = fixture.json(["show", "--json"]);
    assert_eq!(included(&kept)[0], USAGE);
    let relevance = factors(&kept, "relevance");
    assert!(relevance.is_sorted_by(|a, b| a >= b), "{relevance:?}");
    assert!(relevance.len() > 1, "{relevance:?}");
}

#[test]
fn scenario_6_recent_changes_rank_higher() {
    let fixture = repository();
    set_weights(&fixture, 0.3, 0.6, 0.1);
    let changed = "src/error/format.rs";
    fixture.write(changed, format!("{}// Bug fix: check null.\n", fixture.read(changed)));
    fixture.commit(29, "Fix null check bug");
    fixture.run(["pack", "why is the format of an error crashing on null input?", "--fill"]);
    let kept = fixture.json(["show", "--json"]);
    let recency = factors(&kept, "recency");
    let paths = included(&kept);
    assert_eq!(paths[0], changed);
    // The configuration is in the last commit as well.
    let sources = paths.iter().zip(&recency).filter(|(path, _)| !path.starts_with(".agent/"));
    for (path, recency) in sources {
        assert_eq!(*recency > 0.98, *path == changed, "{path}: {recency}");
        assert!(*recency > 0.98 || *recency < 0.1, "four weeks old: {recency}");
    }
    let old = paths.iter().position(|path| *path != changed).expect("older code is found too");
    assert!(paths[old..].iter().all(|path| *path != changed), "{paths:?}");
}

#[test]
fn scenario_7_an_open_file_ranks_above_search_results() {
    let fixture = repository();
    let (open, task) = ("src/parser/features/suggestions.rs", "how does a suggestion work?");
    assert!(fixture.run(["search", task, "--files"]).stdout.contains(open));
    fixture.run(["pack", task, "--open", open]);
    let kept = fixture.json(["show", "--json"]);
    let kinds = kept["included"].as_array().unwrap().iter();
    let kinds: Vec<(&Value, bool)> = kinds.map(|it| (&it["kind"], it["path"] == open)).collect();
    assert_eq!(kinds[0], (&"open_file".into(), true));
    for (kind, is_open) in kinds {
        assert_eq!(kind == "open_file", is_open);
    }
}

#[test]
fn scenario_8_a_task_about_something_else_gives_an_empty_pack() {
    let fixture = repository();
    let pack = fixture.run(["pack", "explain the FrobnicatorService implementation"]);
    assert_eq!((pack.code, pack.stdout.trim()), (Some(0), ""), "{}", pack.stdout);
    pack.stderr_contains(&["`FrobnicatorService` does not occur in this repository"]);
    let shown = fixture.run(["show"]).stdout;
    assert!(shown.contains("0 chunks of 0 files in"), "{shown}");
    let filled = fixture.run(["pack", "explain the FrobnicatorService implementation", "--fill"]);
    assert!(filled.stdout.len() > 1_000, "what was left out is available");
}

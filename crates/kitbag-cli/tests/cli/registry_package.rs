//! The ten verification scenarios of the packer design on code that was not written for them: `clap_builder`
//! and, where many files are needed, `tokio`, in the versions that Cargo.lock pins, committed with fixed
//! dates. The words and options are the design's; only the names are those of the package.

use crate::fixture::{Fixture, included};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of a dependency's source code, which was needed to build the program.
fn package_folder(name: &str) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    // Packages of other platforms need not be there.
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let rustc = String::from_utf8(rustc.stdout).expect("text");
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let arguments = ["metadata", "--format-version", "1", "--offline", "--locked"];
    let output = Command::new(cargo)
        .args(arguments)
        .args(["--filter-platform", host, "--manifest-path"])
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

/// A repository with `clap_builder`, committed on 1 January.
fn repository() -> Fixture {
    repository_of("clap_builder")
}

fn repository_of(package: &str) -> Fixture {
    let fixture = Fixture::empty();
    fixture.git(&["init", "--quiet"]);
    let root = package_folder(package);
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

fn list<'a>(record: &'a Value, name: &str) -> &'a Vec<Value> {
    record[name].as_array().expect("a list")
}

const USAGE: &str = "src/output/usage.rs";

#[test]
fn scenario_1_search_results_become_a_formatted_context() {
    let fixture = repository();
    let found = fixture.run(["search", "ArgGroup", "--files"]).stdout;
    assert!(found.contains("src/builder/arg_group.rs"), "{found}");
    let pack = fixture.run(["pack", "explain how ArgGroup handles conflicts"]);
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    assert!(pack.stdout.contains("### src/builder/arg_group.rs (lines "), "{}", pack.stdout);
    assert!(pack.stdout.contains("\n```rust\n"), "{}", pack.stdout);
    let kept = fixture.json(["show", "--json"]);
    let (inside, outside) = (list(&kept, "included").len(), list(&kept, "excluded").len());
    let shown = fixture.run(["show"]).stdout;
    let thousands = |number: u64| match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", number / 1_000, number % 1_000),
    };
    let tokens = kept["total_tokens"].as_u64().unwrap();
    for words in [
        format!("{} of 90,000 tokens", thousands(tokens)),
        format!("{inside} chunks of "),
        format!(" {} left out", thousands(outside as u64)),
        "src/builder/arg_group.rs:".to_owned(),
    ] {
        assert!(shown.contains(&words), "{words}: {shown}");
    }
}

#[test]
fn scenario_2_the_budget_is_kept_and_excluded_chunks_are_listed() {
    let fixture = repository();
    let budget = "context:\n  budget:\n    total: 50000\n    response_reserve: 10000\n    \
                  system_reserve: 5000\n";
    fixture.write(".agent/config.yml", budget);
    let task = "list all value parsers and their responsibilities";
    let pack = fixture.run(["pack", task, "--fill"]);
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    let kept = fixture.json(["show", "--json"]);
    assert_eq!(kept["budget"], 35_000);
    let tokens = kept["total_tokens"].as_u64().unwrap();
    assert!((34_300..=35_000).contains(&tokens), "98 % are used: {tokens}");
    let score = |it: &Value| it["score"].as_f64().unwrap();
    let unfit = list(&kept, "excluded").iter().filter(|it| it["reason"] == "budget");
    let best_outside = unfit.clone().map(score).fold(0.0, f64::max);
    let best_inside = list(&kept, "included").iter().map(score).fold(0.0, f64::max);
    assert!(best_outside < best_inside, "{best_outside} {best_inside}");
    let shown = fixture.run(["show", "--excluded"]).stdout;
    for words in [format!("budget {}", unfit.count()), "does not fit in the remaining".to_owned()] {
        assert!(shown.contains(&words), "{words}: {shown}");
    }
}

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
fn scenario_4_an_exported_pack_is_valid_markdown() {
    let fixture = repository();
    let pack = fixture.run(["pack", "show me the ArgGroup class"]);
    let export = fixture.run(["export", "-o", "../packed.md"]);
    assert_eq!(export.code, Some(0), "{}", export.stderr);
    let packed = fixture.read("../packed.md");
    assert_eq!(packed, pack.stdout, "byte for byte");
    let kept = fixture.json(["show", "--json"]);
    let mut paths = included(&kept);
    paths.sort_unstable();
    paths.dedup();
    let headers: Vec<&str> = packed.lines().filter(|line| line.starts_with("### src/")).collect();
    assert_eq!(headers.len(), paths.len(), "a header for each file: {headers:?}");
    assert!(headers[0].starts_with("### src/builder/arg_group.rs (lines "), "{headers:?}");
    // What is between the fences is the text of the file, line by line.
    let file = fixture.read("src/builder/arg_group.rs");
    let mut lines = packed.lines().skip(1);
    let fence = lines.next().unwrap().strip_suffix("rust").expect("the language");
    let code: Vec<&str> = lines.take_while(|line| *line != fence).collect();
    assert!(file.contains(&code.join("\n")), "{code:?}");
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

#[test]
fn scenario_9_every_stage_of_a_pack_of_many_files_is_timed() {
    let fixture = repository_of("tokio");
    let pack = fixture.run(["pack", "explain all the public structs", "--fill", "--timing"]);
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    let report = fixture.json(["pack", "explain all the public structs", "--fill", "--json"]);
    assert!(report["stats"]["files_searched"].as_u64().unwrap() >= 100, "{}", report["stats"]);
    let stages = ["collect", "chunk", "rank", "deduplicate", "select", "format", "verify", "total"];
    for stage in stages {
        let is_shown = |line: &str| line.trim_start().starts_with(stage) && line.ends_with(" ms");
        assert!(pack.stderr.lines().any(is_shown), "{stage}: {}", pack.stderr);
    }
}

#[test]
fn scenario_10_a_changed_configuration_takes_effect_at_once() {
    let fixture = repository();
    let total = || fixture.run(["config", "show", "context.budget.total"]).stdout;
    assert!(total().contains("100000"), "{}", total());
    let pack = || {
        fixture.run(["pack", "explain how usage strings are created", "--fill"]);
        fixture.json(["show", "--json"])
    };
    let before = pack();
    let budget = "context:\n  budget:\n    total: 150000\n    response_reserve: 15000\n    \
                  system_reserve: 8000\n";
    fixture.write(".agent/config.yml", budget);
    // A repository that wants more than the user allows needs the user's consent.
    assert_eq!(pack()["budget"], 90_000);
    assert_eq!(fixture.run(["trust"]).code, Some(0));
    assert!(total().contains("150000"), "{}", total());
    let after = pack();
    assert_eq!((&before["budget"], &after["budget"]), (&90_000.into(), &127_000.into()));
    assert!(list(&after, "included").len() > list(&before, "included").len());
}

#[test]
fn words_of_another_language_do_not_make_a_task_foreign() {
    let fixture = repository_of("tokio");
    let task = "Das JoinHandle liefert beim Herunterfahren keinen Abbruch zurück, obwohl die übergebene Aufgabe \
                längst beendet wurde und niemand mehr darauf wartet.";
    let report = fixture.json(["pack", task, "--budget", "4k", "--json"]);
    assert!(included(&report).iter().any(|path| path.ends_with("task/join.rs")), "{report}");
    let foreign = "Wie wird der Kuchen mit Erdbeeren und Sahne im Ofen gebacken?";
    let report = fixture.json(["pack", foreign, "--budget", "4k", "--json"]);
    assert_eq!(included(&report), Vec::<&str>::new());
}

//! What the caller names or supplies goes in before what is found, and the search ends where nothing
//! else is likely to matter.

use crate::fixture::{Fixture, excluded, included};
use serde_json::Value;

/// A project with a large file that has little to do with the task, but for one function.
fn project() -> Fixture {
    let fixture = Fixture::project();
    let function = |name: &str, words: &str| {
        let body: String = (0..12).map(|step| format!("    {words}_{step}(cart);\n")).collect();
        format!("/// Handles {words}.\npub fn {name}(cart: &Cart) {{\n{body}}}\n\n")
    };
    let parts = ["tax", "stock", "parcel", "refund", "login", "coupon", "gift", "locale"];
    let large: String = parts.iter().map(|name| function(name, &format!("{name}_rule"))).collect();
    fixture.write("src/shop.rs", large);
    fixture
}

fn pinned(report: &Value) -> Vec<&str> {
    let items = report["included"].as_array().unwrap().iter();
    let pinned = items.filter(|it| it["pinned"] == true);
    pinned.map(|it| it["path"].as_str().unwrap()).collect()
}

#[test]
fn a_named_file_goes_in_before_what_is_found() {
    let fixture = project();
    let named = ["--file", "src/colour.rs", "--budget", "60", "--overflow", "skip"];
    let report = fixture.json(["pack", "login", "--json"].iter().chain(&named));
    assert_eq!(included(&report)[0], "src/colour.rs");
    assert_eq!(pinned(&report), ["src/colour.rs"]);
    let text = report["content"].as_str().unwrap();
    assert!(text.starts_with("### src/colour.rs"), "{text}");
    assert!(report["total_tokens"].as_u64().unwrap() <= 60);
    assert!(excluded(&report).contains(&("src/auth.rs", "budget")), "{report:#}");
}

/// The parts of a named file are ranked by the task, and what is missing is named.
#[test]
fn the_most_relevant_parts_of_a_named_file_go_in() {
    let fixture = project();
    let named = ["--file", "src/shop.rs", "--budget", "250", "--overflow", "skip"];
    let report =
        fixture.json(["pack", "how is the login rule applied?", "--json"].iter().chain(&named));
    let first = &report["included"][0];
    assert_eq!((&first["path"], &first["pinned"]), (&"src/shop.rs".into(), &true.into()));
    let text = report["content"].as_str().unwrap();
    assert!(text.contains("pub fn login(cart"), "{text}");
    assert!(!text.contains("pub fn tax(cart"), "{text}");
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("`src/shop.rs` is not in the pack as a whole: "), "{warnings}");
    let whole = fixture.json(["pack", "login", "--json", "--file", "src/shop.rs"]);
    assert_eq!(whole["warnings"].as_array().unwrap().len(), 0, "{whole:#}");
    let copies = excluded(&whole);
    assert!(copies.iter().all(|(_, reason)| *reason == "duplicate"), "found too: {copies:?}");
}

#[test]
fn tool_results_and_sources_are_pinned_and_open_files_are_not() {
    let fixture = project();
    fixture.write("../log.txt", "no word of it\n");
    let source = "{\"path\": \"README.md\", \"kind\": \"search_result\", \"relevance\": 0.001}\n";
    let inputs = ["--tool-result", "cargo test=../log.txt", "--open", "src/colour.rs"];
    let own = ["pack", "oauth", "--json", "--sources", "-"];
    let run = fixture.feed(own.iter().chain(&inputs), source);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let mut paths = pinned(&report);
    paths.sort_unstable();
    assert_eq!(paths, ["README.md", "cargo test"], "{report:#}");
    assert!(included(&report).contains(&"src/colour.rs"), "an open file does not end the search");
}

#[test]
fn nothing_is_pinned_in_other_profiles() {
    let fixture = project();
    let named = ["--file", "src/colour.rs", "--profile", "chunks"];
    let report = fixture.json(["pack", "login", "--json"].iter().chain(&named));
    assert_eq!((included(&report), pinned(&report).len()), (vec!["src/colour.rs"], 0));
    let set = ["--set", "context.selection.pin=false", "--file", "src/colour.rs"];
    let report = fixture.json(["pack", "login", "--json"].iter().chain(&set));
    assert_eq!(pinned(&report).len(), 0);
}

/// A limit of 1 leaves out all search results but those that are certain, whatever their figures.
#[test]
fn the_search_ends_below_the_stop_and_fill_goes_on() {
    let fixture = project();
    let stop = ["--set", "context.selection.stop_below=1"];
    let stopped = fixture.json(["pack", "oauth login token", "--json"].iter().chain(&stop));
    let out: Vec<&Value> = stopped["excluded"].as_array().unwrap().iter().collect();
    let out: Vec<&&Value> = out.iter().filter(|it| it["reason"] == "below_stop").collect();
    assert!(!out.is_empty(), "{stopped:#}");
    for item in &out {
        let detail = item["detail"].as_str().unwrap();
        assert!(detail.starts_with("its relevance of 0.") && detail.ends_with("is below 1"));
        assert!(item["factors"]["relevance"].as_f64().unwrap() < 1.0);
    }
    let fill = stop.iter().chain(&["--fill"]);
    let filled = fixture.json(["pack", "oauth login token", "--json"].iter().chain(fill));
    let number = |report: &Value| report["included"].as_array().unwrap().len();
    assert_eq!(number(&filled), number(&stopped) + out.len(), "{filled:#}");
    assert!(!excluded(&filled).iter().any(|(_, reason)| *reason == "below_stop"));
    let guaranteed = ["--min-chunks", "2"];
    let arguments = ["preview", "oauth login token", "--json"].iter().chain(&stop);
    let report = fixture.json(arguments.chain(&guaranteed));
    assert!(number(&report) >= 2, "{report:#}");
    fixture.run(["pack", "oauth login token"].iter().chain(&stop));
    let shown = fixture.run(["show", "--excluded"]).stdout;
    assert!(shown.contains("below_stop") && shown.contains("is below 1"), "{shown}");
    let path = out[0]["path"].as_str().unwrap();
    let explained = fixture.run(["explain", &format!("{path}:{}", out[0]["start_line"])]).stdout;
    assert!(explained.contains("--fill"), "{explained}");
}

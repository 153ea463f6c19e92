//! What people expect without reading the documentation: the design's own settings, labels, and lists of
//! what was left out.

use crate::fixture::{Fixture, excluded, included};

/// The settings of the packer design, as written there.
const DESIGN: &str = "\
# .agent/config.yml
context:
  budget:
    total: 100000
    response_reserve: 8000
    system_reserve: 2000
  source_priority:
    tool_results: 100
    open_files: 80
    search_results: 60
    references: 40
  ranking:
    relevance_weight: 0.5
    recency_weight: 0.3
    source_weight: 0.2
  chunking:
    max_chunk_tokens: 2000
    min_chunk_tokens: 100
    prefer_structural: true
    languages:
      csharp: structural
      python: line_based
";

/// Keys of the design that need nothing from the user here.
const WITHOUT_EFFECT: &str = "      unknown: line_based\n    validate_syntax: true\n    \
    snapshot_files: true\n  formatting:\n    validate_line_numbers: true\n";

#[test]
fn the_configuration_of_the_design_is_accepted() {
    let fixture = Fixture::project();
    fixture.write(".agent/config.yml", DESIGN);
    let check = fixture.run(["config", "check"]);
    assert_eq!(
        (check.code, check.stderr.contains("no effect")),
        (Some(0), false),
        "{}",
        check.stderr
    );
    let python = fixture.run(["config", "show", "context.chunking.languages.python"]).stdout;
    assert!(python.contains("lines"), "{python}");
    fixture.write(".agent/config.yml", format!("{DESIGN}{WITHOUT_EFFECT}"));
    let pack = fixture.run(["pack", "login"]);
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    for key in [
        "context.chunking.languages.unknown",
        "context.chunking.validate_syntax",
        "context.chunking.snapshot_files",
        "context.formatting.validate_line_numbers",
    ] {
        let words = format!("`{key}` has no effect: ");
        assert_eq!(pack.stderr.matches(&words).count(), 1, "{words}: {}", pack.stderr);
    }
    fixture.write(".agent/config.yml", DESIGN.replace("line_based", "line-based"));
    fixture.run(["pack", "login"]).fails(2, &["one of `structure`, `lines`, `tokens`"]);
}

#[test]
fn a_file_of_an_unknown_language_is_text() {
    let fixture = Fixture::with(&[("notes.zzz", "remember the milk\n")]);
    let pack = |format| fixture.run(["pack", "--file", "notes.zzz", "--format", format]).stdout;
    assert!(
        pack("markdown").contains("\n```text\nremember the milk\n```\n"),
        "{}",
        pack("markdown")
    );
    assert!(pack("xml").contains("language=\"text\""), "{}", pack("xml"));
    assert!(pack("json").contains("\"language\": \"text\""), "{}", pack("json"));
}

#[test]
fn application_settings_are_denied_and_an_example_is_not() {
    let settings = "{\n  \"ConnectionStrings\": {\"Main\": \"Server=db\"}\n}\n";
    let files = [("src/appsettings.json", settings), ("src/appsettings.Example.json", settings)];
    let fixture = Fixture::with(&files);
    let pack = fixture.json(["pack", "ConnectionStrings", "--json"]);
    let content = pack["content"].as_str().unwrap();
    assert!(content.contains("src/appsettings.Example.json"), "{content}");
    assert!(!content.contains("src/appsettings.json"), "{content}");
    let named = fixture.json(["pack", "x", "--file", "src/appsettings.json", "--json"]);
    assert!(excluded(&named).contains(&("src/appsettings.json", "denied")), "{named:#}");
}

/// A repository with a small context and one that is too large for most budgets.
fn contexts() -> Fixture {
    let large: String = (0..300).map(|part| format!("Words about part {part}.\n")).collect();
    Fixture::with(&[
        ("src/lib.rs", "pub fn login() {}\n"),
        (
            ".agent/contexts/default.yml",
            "metadata: {name: default, type: project}\ninjection_rules:\n  - {name: all, inject: \
             [large, small]}\n",
        ),
        (".agent/contexts/large.md", &large),
        (".agent/contexts/small.md", "Be brief.\n"),
    ])
}

#[test]
fn contexts_that_do_not_fit_are_listed_and_counted() {
    let fixture = contexts();
    let pack = |budget: &str| {
        fixture.json(["pack", "login", "--profile", "situation", "--budget", budget, "--json"])
    };
    let small = pack("100");
    let left_out = excluded(&small);
    assert!(left_out.contains(&("large", "budget")), "{left_out:?}");
    assert_eq!(small["stats"]["excluded"], left_out.len());
    let detail = small["excluded"].as_array().unwrap().iter().find(|it| it["path"] == "large");
    assert!(detail.unwrap()["detail"].as_str().unwrap().contains("does not fit"), "{detail:?}");
    assert!(excluded(&pack("8000")).is_empty());
}

#[test]
fn rules_have_a_section_of_their_own_in_every_profile() {
    let fixture = contexts();
    for profile in ["agent", "orchestrate", "inline-edit", "situation"] {
        let arguments =
            ["pack", "login", "--profile", profile, "--provider", "rules", "--deadline", "60000"];
        let text = fixture.run(arguments).stdout;
        let is_header = |line: &&str| line.starts_with('#') && line.contains("ontexts");
        let headers: Vec<&str> = text.lines().filter(is_header).collect();
        assert!(!headers.is_empty(), "{profile}: {text}");
        assert!(text.contains("Be brief."), "{profile}: {text}");
    }
}

/// Every header names exactly the lines that follow it.
#[test]
fn the_labels_of_outlines_name_the_lines_that_are_shown() {
    let body = "    let total = values.iter().sum::<u32>();\n".repeat(30);
    let function = |name: &str| {
        format!(
            "/// Computes {name}.\npub fn {name}(values: &[u32]) -> u32 {{\n{body}    total\n}}\n\n"
        )
    };
    let file: String = ["login", "logout", "log_twice"].map(function).concat();
    let fixture = Fixture::with(&[("src/lib.rs", &file)]);
    let report =
        fixture.json(["pack", "login logout log_twice", "--budget", "600", "--fill", "--json"]);
    let shown: Vec<(u64, u64, bool)> = report["included"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|it| {
            let is_outline = it["form"] == "outline";
            let ranges = it["shown"].as_array().unwrap().iter();
            ranges.map(move |range| {
                (range[0].as_u64().unwrap(), range[1].as_u64().unwrap(), is_outline)
            })
        })
        .collect();
    assert!(shown.iter().any(|it| it.2), "an outline is in: {report:#}");
    let text = report["content"].as_str().unwrap();
    let header = text.lines().next().unwrap();
    for (first, last, is_outline) in shown {
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let label = if is_outline { format!("{lines} outline") } else { lines };
        assert!(header.contains(&label), "{label}: {header}");
        let numbers = first as usize - 1..last as usize;
        let own: Vec<&str> = file.lines().skip(numbers.start).take(numbers.len()).collect();
        assert!(text.contains(&own.join("\n")), "{label}");
    }
}

#[test]
fn a_list_in_set_is_read_as_a_list() {
    let fixture = Fixture::project();
    let has_source = |value: &str| {
        let set = format!("security.deny={value}");
        let report = fixture.json(["pack", "login", "--json", "--set", &set]);
        included(&report).iter().any(|path| path.starts_with("src/"))
    };
    assert!(!has_source("[\"src/**\"]") && has_source("[\"docs/**\"]"));
    let bad = fixture.run(["pack", "login", "--set", "security.deny=[\"src/**\""]);
    assert_eq!(bad.code, Some(2), "{}", bad.stderr);
}

#[test]
fn files_of_a_submodule_that_is_checked_out_are_searched() {
    let fixture = Fixture::with(&[("main.py", "print(1)\n")]);
    fixture.git(&["init", "--quiet"]);
    fixture.write("../library/widget.py", "def frobnicate_widget(x):\n    return x + 1\n");
    let library = fixture.path("../library");
    let library = library.to_str().unwrap();
    fixture.git(&["-C", library, "init", "--quiet"]);
    fixture.git(&["-C", library, "add", "."]);
    let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let commit = ["commit", "--quiet", "--message", "import"];
    fixture.git(&[&["-C", library][..], &author, &commit].concat());
    let add =
        ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "library"];
    fixture.git(&add);
    fixture.commit(1, "import");
    let found = fixture.run(["search", "frobnicate_widget"]).stdout;
    assert!(found.contains("library/widget.py:1-2"), "{found}");
}

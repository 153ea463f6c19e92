//! `kitbag rules`.

use crate::fixture::Fixture;

fn project() -> Fixture {
    Fixture::with(&[
        ("AGENTS.md", "Run the tests. See @docs/style.md.\n"),
        ("docs/style.md", "Short functions.\n"),
        ("src/auth/AGENTS.md", "Tokens never go to logs.\n"),
        ("src/auth/login.rs", "fn login() {}\n"),
        (".cursor/rules/rust.mdc", "---\nglobs: **/*.rs\n---\nNo unwrap.\n"),
        (".cursor/rules/css.mdc", "---\nglobs: **/*.css\n---\nUse variables.\n"),
        (
            ".agent/contexts/default.yml",
            "metadata: {name: Shop}\ninjection_rules:\n  - name: risk\n    description: How to go back\n    condition: the change could lose data\n    inject: docs/style.md\n",
        ),
    ])
}

/// Lines of a text, with runs of spaces collapsed.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn rules_of_a_file_are_listed_with_source_and_reason() {
    let fixture = project();
    let run = fixture.run(["rules", "src/auth/login.rs", "--all", "--now", "0"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        lines(&run.stdout),
        [
            "contexts",
            "Shop (priority 4.00) .agent/contexts/default.yml current",
            "apply",
            "AGENTS.md AGENTS.md AGENTS.md always",
            "src/auth/AGENTS.md src/auth/AGENTS.md AGENTS.md `src/auth/login.rs` is in `src/auth`",
            "rust .cursor/rules/rust.mdc Cursor rule `src/auth/login.rs` matches `**/*.rs`",
            "undecided",
            "risk .agent/contexts/default.yml:3 context the condition was not judged How to go back",
            "do not apply",
            "css .cursor/rules/css.mdc Cursor rule no given file matches `**/*.css`",
        ]
    );
}

#[test]
fn without_a_path_rules_of_the_repository_are_listed() {
    let fixture = project();
    let report = fixture.json(["rules", "--json"]);
    assert_eq!(report["version"], 1);
    let names = |key: &str| -> Vec<String> {
        let rules = report[key].as_array().unwrap().iter();
        rules.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("applies"), ["AGENTS.md"]);
    assert_eq!(names("undecided"), ["risk"]);
    assert_eq!(names("not"), ["src/auth/AGENTS.md", "css", "rust"]);
    assert_eq!(report["applies"][0]["injects"][0], "docs/style.md");
}

#[test]
fn errors_in_rules_have_a_place_and_status_2() {
    let fixture = project();
    fixture.write(".agent/contexts/broken.yml", "metadata: {nmae: x}\nextends: nothing\n");
    let run = fixture.run(["rules"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("AGENTS.md"), "what is right applies all the same");
    run.stderr_contains(&[
        "error: .agent/contexts/broken.yml:1:12: unknown key `metadata.nmae`",
        "hint: did you mean `name`?",
        "error: .agent/contexts/broken.yml:2:10: unknown context `nothing` in `extends`",
        "error: 2 errors in the rules of this repository",
    ]);
    let run = fixture.run(["rules", "--json"]);
    assert_eq!(run.code, Some(2));
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["problems"][0]["code"], "unknown_key");
    assert_eq!(report["problems"][0]["line"], 1);
}

#[test]
fn a_missing_path_or_context_is_reported() {
    let fixture = project();
    fixture.run(["rules", "src/nothing.rs"]).fails(2, &["no such file: `src/nothing.rs`"]);
    fixture.run(["rules", "../x"]).fails(2, &["outside the root: `../x`"]);
    fixture
        .run(["rules", "--context", "defalt"])
        .fails(2, &["unknown context `defalt`", "did you mean `default`?"]);
}

#[test]
fn no_rules_are_not_an_error() {
    let run = Fixture::empty().run(["rules"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""));
    run.stderr_contains(&["no rules apply"]);
}

#[test]
fn lines_that_a_rule_quotes_are_in_a_pack_once() {
    let fixture = Fixture::project();
    let guide = "# Guide\n\nThe login must stay fast.\n\n## Tests\n\nRun the login tests.\n";
    fixture.write("AGENTS.md", guide);
    fixture.git(&["init", "--quiet"]);
    fixture.commit(2, "add the login guide");
    let all = ["rules", "style", "history"].map(|id| format!("--provider={id}"));
    let arguments = ["pack", "login guide", "--json"].map(str::to_owned).into_iter();
    let pack = fixture.json(arguments.chain(all));
    let text = pack["content"].as_str().unwrap();
    for line in ["The login must stay fast.", "Run the login tests."] {
        assert_eq!(text.lines().filter(|it| *it == line).count(), 1, "{text}");
    }
    let left_out = pack["excluded"].as_array().unwrap().iter();
    let copies = left_out.filter(|it| it["path"] == "AGENTS.md").map(|it| {
        assert_eq!(it["detail"], "same content as rules/applies/AGENTS.md");
        (it["provider"].as_str().unwrap(), it["reason"].as_str().unwrap())
    });
    let mut copies: Vec<_> = copies.collect();
    copies.sort_unstable();
    assert_eq!(copies, [("search", "duplicate"), ("style", "duplicate")]);
    assert_eq!(pack["warnings"], serde_json::json!([]));
}

#[test]
fn a_rule_without_a_given_file_lists_the_files_of_the_pack_that_it_is_for() {
    let fixture = project();
    let pack = fixture.json(["pack", "login", "--provider", "rules", "--json"]);
    let rule = |name: &str| {
        let rules = pack["rules"].as_array().unwrap().iter();
        rules.filter(|it| it["name"] == name).map(|it| it["matching_files"].clone()).next().unwrap()
    };
    assert_eq!(rule("rust"), serde_json::json!(["src/auth/login.rs"]));
    assert_eq!((rule("css").is_null(), rule("AGENTS.md").is_null()), (true, true));
    let arguments =
        ["pack", "login", "--provider", "rules", "--file", "src/auth/login.rs", "--json"];
    let given = fixture.json(arguments);
    let rust = given["rules"].as_array().unwrap().iter().find(|it| it["name"] == "rust").unwrap();
    assert_eq!(rust["outcome"], "holds");
}

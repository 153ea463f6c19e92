//! `kitbag pack`: text, report and budget.

use crate::fixture::{Fixture, included};

// Shows: AC-142
#[test]
fn the_pack_alone_is_on_standard_output_and_one_line_on_standard_error() {
    let run = Fixture::project().run(["pack", "login", "--include", "src/**"]);
    assert_eq!(run.code, Some(0));
    insta::assert_snapshot!(run.stdout, @r#"
    ### src/auth.rs (lines 1-10)
    ```rust
    /// Logs a user in.
    pub fn login(user: &str) -> bool {
        let token = oauth_token(user);
        !token.is_empty()
    }

    /// The token of a user.
    pub fn oauth_token(user: &str) -> String {
        format!("token-{user}")
    }
    ```
    "#);
    insta::assert_snapshot!(run.stderr, @"74 of 90,000 tokens (o200k_base), 1 chunk of 1 file, 0 left out");
}

#[test]
fn the_report_lists_included_chunks_with_reasons() {
    let fixture = Fixture::project();
    let arguments = ["pack", "login", "--include", "src/**", "--json"];
    let run = fixture.run(arguments);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let fields: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "version",
            "content",
            "total_tokens",
            "budget",
            "tokenizer",
            "included",
            "excluded",
            "redactions",
            "stats",
            "providers",
            "variables",
            "partial",
            "correlation_id",
            "timings",
            "warnings"
        ]
    );
    assert_eq!(report["content"], fixture.run(["pack", "login", "--include", "src/**"]).stdout);
    assert!(report["timings"].as_array().unwrap().iter().all(|it| it["ms"].is_number()));
    let mut item = report["included"][0].clone();
    item["score"].take();
    item["factors"].take();
    assert_eq!(
        item,
        serde_json::json!({
            "path": "src/auth.rs", "start_line": 1, "end_line": 10, "symbol": "login",
            "kind": "search_result", "provider": "search", "tokens": 58, "score": null, "factors": null,
            "form": "full", "shown": [[1, 10]], "why": ["defines `login`"],
        })
    );
    for factor in ["relevance", "recency", "source"] {
        let value = report["included"][0]["factors"][factor].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&value), "{factor}: {value}");
    }
}

// Shows: AC-009, FR-016-118
#[test]
fn chunks_that_do_not_fit_are_excluded_with_a_reason() {
    let report = Fixture::project().json(["pack", "login", "--budget", "30", "--json"]);
    assert_eq!(report["budget"], 30);
    assert!(report["total_tokens"].as_u64().unwrap() <= 30);
    let out = report["excluded"].as_array().unwrap();
    let out = out.iter().find(|it| it["path"] == "src/auth.rs").unwrap();
    assert_eq!(
        (&out["reason"], &out["start_line"], &out["end_line"]),
        (&"budget".into(), &1.into(), &10.into())
    );
    assert!(out["detail"].as_str().unwrap().contains("remaining budget"));
}

// Shows: NFR-016-30
#[test]
fn two_runs_give_the_same_bytes() {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "Begin");
    let text = ["pack", "login by token", "--budget", "60"];
    assert_eq!(fixture.run(text), fixture.run(text));
    let json = ["pack", "login by token", "--json"];
    assert_eq!(fixture.json(json), fixture.json(json));
}

// Shows: AC-059, NFR-016-23
#[test]
fn a_budget_is_never_exceeded_and_counts_what_is_printed() {
    let fixture = Fixture::project();
    for budget in ["0", "1", "20", "25", "74", "1k", "1_000_000_000"] {
        let run = fixture.run(["pack", "login token", "--budget", budget]);
        let counted = fixture.feed(["tokens", "--json"], run.stdout.clone());
        let counted: serde_json::Value = serde_json::from_str(&counted.stdout).unwrap();
        let said = run.stderr.lines().last().unwrap().split(" of ").next().unwrap();
        assert_eq!(counted["total_tokens"].to_string(), said);
        let most: u64 = budget.replace('_', "").replace('k', "000").parse().unwrap();
        assert!(counted["total_tokens"].as_u64().unwrap() <= most, "{budget}: {run:?}");
    }
}

// Shows: AC-062, AC-135
#[test]
fn a_tiny_budget_gives_an_empty_pack_with_a_warning() {
    let fixture = Fixture::project();
    fixture
        .run(["pack", "paint", "--budget", "0"])
        .is_empty_for("no chunk fits in 0 tokens (1 chunk tried)");
    fixture
        .run(["pack", "paint", "--budget", "1"])
        .is_empty_for("no chunk fits in 1 token (1 chunk tried);");
}

/// A larger budget would not help, so the message names the limit of the kind.
#[test]
fn an_empty_share_is_reported() {
    let fixture = Fixture::project();
    let none = "context.budget.categories.search_result=0";
    fixture.run(["pack", "paint", "--budget", "500", "--set", none]).is_empty_for(
        "no chunk fits in the 0 tokens that `context.budget.categories.search_result` allows",
    );
    fixture
        .run(["pack", "paint", "--budget", "1", "--set", none])
        .is_empty_for("no chunk fits in 1 token (1 chunk tried); raise the budget");
}

// Shows: AC-128
#[test]
fn an_invalid_budget_is_rejected() {
    let fixture = Fixture::project();
    for wrong in ["-5", "abc", "", "1.5k", "k"] {
        let run = fixture.run(["pack", "login", "--budget", wrong]);
        run.fails(2, &["--budget <TOKENS>", "not a number of tokens such as `8000` or `32k`"]);
    }
    let run = fixture.run(["pack", "login", "--budget", "99999999999999999999999"]);
    run.fails(2, &["more than the maximum of 1000000000 tokens"]);
    fixture.run(["pack", "login", "--window", "-5"]).fails(2, &["not a number of tokens"]);
}

// Shows: AC-065
#[test]
fn a_window_leaves_room_for_prompt_and_answer() {
    let fixture = Fixture::project();
    let report = fixture.json(["pack", "login", "--window", "50k", "--json"]);
    assert_eq!(report["budget"], 40_000);
    let run = fixture.run(["pack", "login", "--window", "5000"]);
    run.fails(2, &["do not fit in the window", "hint: pass a larger --window, or set the budget"]);
    fixture
        .run(["pack", "login", "--window", "50k", "--budget", "3k"])
        .fails(2, &["cannot be used with"]);
}

// Shows: AC-048, AC-059, AC-143
#[cfg(feature = "huggingface")]
#[test]
fn a_pack_is_exact_with_any_tokenizer() {
    let fixture = Fixture::project();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../kitbag-tokens/tests/tokenizers");
    for make in ["llama3", "gpt2", "llama2", "gemma", "bert", "t5"] {
        let path = format!("{folder}/{make}.json");
        for budget in ["40", "90", "150", "400"] {
            let arguments = ["pack", "login", "--budget", budget, "--tokenizer", &path, "--json"];
            let report = fixture.json(arguments);
            let text = report["content"].as_str().expect("a text");
            let counted = fixture.feed(["tokens", "--tokenizer", &path], text).stdout;
            let counted = counted.split(' ').next().unwrap_or_default();
            assert_eq!(report["total_tokens"].to_string(), counted, "{make} {budget}");
            let preview = ["preview", "login", "--budget", budget, "--tokenizer", &path, "--json"];
            let preview = fixture.json(preview);
            assert_eq!(report["total_tokens"], preview["total_tokens"], "{make} {budget}");
            assert!(report["total_tokens"].as_u64() <= budget.parse().ok(), "{make} {budget}");
        }
    }
}

#[test]
fn an_estimate_is_marked_in_the_report() {
    let fixture = Fixture::project();
    let arguments = ["pack", "login", "--model", "claude-opus-4-1", "--json"];
    let tokenizer = &fixture.json(arguments)["tokenizer"];
    assert_eq!((&tokenizer["name"], &tokenizer["exact"]), (&"claude".into(), &false.into()));
    assert!(tokenizer["error"].as_str().is_some_and(|error| error.contains("not public")));
    let run = fixture.run(["pack", "login", "--model", "claude-opus-4-1"]);
    assert!(run.stderr.contains("(claude, estimated)"), "{}", run.stderr);
    assert!(run.stderr.contains("claude: a conservative estimate"), "{}", run.stderr);
}

// Shows: AC-143, FR-016-74, NFR-016-22
#[test]
fn a_model_decides_the_counter_and_the_window() {
    let fixture = Fixture::project();
    let report = fixture.json(["pack", "login", "--model", "gpt-4o-mini", "--json"]);
    assert_eq!(
        (&report["budget"], &report["tokenizer"]["name"]),
        (&118_000.into(), &"o200k_base".into())
    );
    let report = fixture.json(["pack", "login", "--model", "gpt-4", "--budget", "500", "--json"]);
    assert_eq!(report["tokenizer"], serde_json::json!({"name": "cl100k_base", "exact": true}));
    let run = fixture.run(["pack", "login", "--model", "gpt-4p"]);
    run.fails(2, &["unknown model `gpt-4p`", "hint: did you mean `gpt-4"]);
}

// Shows: AC-144
#[test]
fn ages_are_measured_from_now() {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "Begin");
    let recency = |now: &str| {
        let report = fixture.json(["pack", "paint", "--json", "--now", now]);
        report["included"][0]["factors"]["recency"].as_f64().unwrap()
    };
    assert!((recency("2024-01-01T12:00:00Z") - 1.0).abs() < 1e-9);
    assert!((recency("2024-01-11T12:00:00Z") - (-1.0f64).exp()).abs() < 1e-9);
    assert!((recency("-5") - 1.0).abs() < 1e-9, "the future");
    fixture
        .run(["pack", "paint", "--now", "yesterday"])
        .fails(2, &["`yesterday` is not a time such as"]);
}

#[test]
fn an_overflow_of_outlines_shows_signatures() {
    let body = "    let unrelated = compute(1, 2, 3);\n".repeat(200);
    let fixture = Fixture::with(&[(
        "a.rs",
        &format!("/// Logs in.\nfn login(user: &str, password: &str) {{\n{body}}}\n"),
    )]);
    let report = fixture.json(["pack", "login", "--budget", "60", "--json"]);
    assert_eq!(
        (&report["included"][0]["form"], &report["included"][0]["shown"][0]),
        (&"outline".into(), &serde_json::json!([1, 2]))
    );
    let report = fixture.json(["pack", "login", "--budget", "60", "--overflow", "skip", "--json"]);
    assert!(included(&report).is_empty());
}

// Shows: FMT-10
#[test]
fn timings_are_printed_on_request() {
    let run = Fixture::project().run(["pack", "login", "--timing"]);
    run.stderr_contains(&["collect", "verify", " ms"]);
}

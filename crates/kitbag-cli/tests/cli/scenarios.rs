//! The ten verification scenarios of the packer design, on a small repository.

use crate::fixture::{Fixture, included};
use serde_json::Value;

/// A class with some short methods.
fn class(name: &str, methods: &[&str]) -> String {
    let method = |method: &&str| {
        format!(
            "    /// {method} of the {name}.\n    public async Task<Result> {method}(int id)\n    {{\n        \
             var found = await _repository.Find{method}(id);\n        \
             if (found == null) throw new {name}Exception(\"{method}\");\n        \
             return found.{method}();\n    }}\n"
        )
    };
    let methods: Vec<String> = methods.iter().map(method).collect();
    format!("public class {name}\n{{\n{}}}\n", methods.join("\n"))
}

/// A repository with services, an interface and tests.
fn repository() -> Fixture {
    let fixture = Fixture::empty();
    fixture.git(&["init", "--quiet"]);
    fixture.write("src/Services/UserService.cs", class("UserService", &["GetUser", "CreateUser"]));
    fixture.write(
        "src/Interfaces/IUserService.cs",
        "public interface IUserService\n{\n    Task<Result> GetUser(int id);\n}\n",
    );
    fixture.write("tests/UserServiceTests.cs", class("UserServiceTests", &["AuthenticatesUser"]));
    fixture.write(
        "src/Auth/AuthController.cs",
        class("AuthController", &["HandleOAuthCallback", "RefreshToken"]),
    );
    fixture.write("src/Auth/OAuth2Provider.cs", class("OAuth2Provider", &["ProcessCallback"]));
    fixture.write("src/OrderService.cs", class("OrderService", &["ProcessOrder", "CancelOrder"]));
    fixture.write("src/PaymentService.cs", class("PaymentService", &["ProcessPayment", "Refund"]));
    fixture.write("src/InvoiceService.cs", class("InvoiceService", &["PaymentInvoice"]));
    fixture.commit(1, "services");
    fixture
}

/// The record of the last pack.
fn record(fixture: &Fixture) -> Value {
    fixture.json(["show", "--json"])
}

fn scores(record: &Value) -> Vec<(String, f64)> {
    let row = |it: &Value| {
        let path = it["path"].as_str().unwrap().to_owned();
        (path, it["score"].as_f64().unwrap())
    };
    record["included"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn scenario_1_search_results_become_a_formatted_context() {
    let fixture = repository();
    let found = fixture.run(["search", "UserService", "--files"]);
    assert!(found.stdout.contains("src/Services/UserService.cs"), "{}", found.stdout);
    let pack = fixture.run(["pack", "explain how UserService handles authentication"]);
    assert_eq!(pack.code, Some(0));
    assert!(pack.stdout.contains("### src/Services/UserService.cs (lines 1-"), "{}", pack.stdout);
    let shown = fixture.run(["show"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    let kept = record(&fixture);
    let tokens = kept["total_tokens"].as_u64().unwrap();
    for words in [
        format!("{tokens} of 90,000 tokens (o200k_base)"),
        format!("{} chunks of ", kept["included"].as_array().unwrap().len()),
        "src/Services/UserService.cs:1-".to_owned(),
        "search_result".to_owned(),
    ] {
        assert!(shown.stdout.contains(&words), "{words}: {}", shown.stdout);
    }
}

// Shows: AC-146
#[test]
fn scenario_2_the_budget_is_kept_and_excluded_chunks_are_listed() {
    let fixture = repository();
    let budget = "context:\n  budget:\n    total: 1000\n    response_reserve: 400\n    \
                  system_reserve: 200\n";
    fixture.write(".agent/config.yml", budget);
    let task = "list all service classes and their responsibilities";
    let pack = fixture.run(["pack", task, "--overflow", "skip"]);
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    let kept = record(&fixture);
    assert_eq!(kept["budget"], 400);
    assert!(kept["total_tokens"].as_u64().unwrap() <= 400);
    let left = 400 - kept["total_tokens"].as_u64().unwrap();
    let out = kept["excluded"].as_array().unwrap();
    let unfit: Vec<&Value> = out.iter().filter(|it| it["reason"] == "budget").collect();
    assert!(!unfit.is_empty(), "not all fits");
    let number = |it: &Value, name: &str| it[name].as_f64().unwrap();
    for out in unfit {
        assert!(
            number(out, "tokens") + 20.0 > left as f64,
            "with its frame it does not fit: {out}"
        );
        for weaker in kept["included"].as_array().unwrap() {
            let is_weaker = number(weaker, "score") < number(out, "score");
            let is_smaller = number(weaker, "tokens") < number(out, "tokens");
            assert!(!is_weaker || is_smaller, "{weaker} is in and {out} is not");
        }
    }
    let shown = fixture.run(["show", "--excluded"]);
    let line = format!("budget {}", out.iter().filter(|it| it["reason"] == "budget").count());
    assert!(shown.stdout.contains(&line), "{}", shown.stdout);
    assert!(shown.stdout.contains("does not fit in the remaining budget"), "{}", shown.stdout);
    let tokens = fixture.run(["show", "--tokens"]).stdout;
    for row in ["window", "reserved for the answer", "reserved for the system prompt"] {
        assert!(tokens.contains(row), "{row}: {tokens}");
    }
}

/// The same file is open in the editor, found by the search and shown by a tool.
#[test]
fn scenario_3_duplicates_from_several_sources_are_packed_once() {
    let fixture = repository();
    let path = "src/Services/UserService.cs";
    fixture.write("../diff.txt", "+    public async Task<Result> GetUser(int id)\n");
    let task = "why is GetUser method failing?";
    let inputs = ["--open", path, "--tool-result", "git diff=../diff.txt"];
    let pack = fixture.run(["pack", task].iter().chain(&inputs));
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    let method = "    public async Task<Result> GetUser(int id)\n";
    assert_eq!(pack.stdout.matches(method).count(), 2, "the file's, and the tool's own line");
    assert!(pack.stdout.contains(&format!("+{method}")), "{}", pack.stdout);
    let kept = record(&fixture);
    let included = kept["included"].as_array().unwrap();
    let own: Vec<&Value> = included.iter().filter(|it| it["path"] == path).collect();
    assert!(own.iter().all(|it| it["kind"] == "open_file"), "the best kind: {own:#?}");
    let out = kept["excluded"].as_array().unwrap().iter();
    let copies: Vec<&Value> = out.filter(|it| it["path"] == path).collect();
    assert!(!copies.is_empty(), "{kept:#}");
    for copy in copies {
        assert_eq!((&copy["reason"], &copy["provider"]), (&"duplicate".into(), &"search".into()));
    }
    let shown = fixture.run(["show", "--dedup"]).stdout;
    for row in
        ["exact duplicates removed", "overlaps removed", "unique chunks kept", "tokens saved"]
    {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    assert!(shown.contains("same content as src/Services/UserService.cs:"), "{shown}");
}

#[test]
fn scenario_4_an_exported_pack_is_the_pack_in_markdown() {
    let fixture = repository();
    let pack = fixture.run(["pack", "show me the UserService class", "--budget", "500"]);
    let export = fixture.run(["export", "-o", "packed.md"]);
    assert_eq!(export.code, Some(0), "{}", export.stderr);
    let packed = fixture.read("packed.md");
    assert_eq!(packed, pack.stdout, "byte for byte");
    assert!(packed.starts_with("### src/Services/UserService.cs (lines 1-"), "{packed}");
    assert!(packed.contains("\n```csharp\n"), "{packed}");
    assert_eq!(packed.matches("```").count() % 2, 0, "every fence is closed");
    export.stderr_contains(&["rendered ", "as packed"]);
}

// Shows: AC-147
#[test]
fn scenario_5_more_relevant_chunks_rank_higher() {
    let fixture = repository();
    let weights = "context:\n  ranking:\n    relevance_weight: 0.7\n    recency_weight: 0.2\n    \
                   source_weight: 0.1\n";
    fixture.write(".agent/config.yml", weights);
    fixture.run(["pack", "explain the OAuth callback flow of the AuthController"]);
    let kept = record(&fixture);
    assert_eq!(kept["settings"]["relevance_weight"], 0.7);
    let relevance: Vec<f64> = kept["included"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["factors"]["relevance"].as_f64().unwrap())
        .collect();
    assert!(relevance.is_sorted_by(|a, b| a >= b), "{relevance:?}");
    assert_eq!(scores(&kept)[0].0, "src/Auth/AuthController.cs");
    let shown = fixture.run(["show", "--ranking"]).stdout;
    assert!(shown.contains("score = relevance x 0.7 + recency x 0.2 + source x 0.1"), "{shown}");
    let first = shown.lines().find(|line| line.trim_start().starts_with("1.")).unwrap();
    assert!(first.contains("src/Auth/AuthController.cs"), "{first}");
}

#[test]
fn scenario_6_recent_changes_rank_higher() {
    let fixture = repository();
    let weights = "context:\n  ranking:\n    relevance_weight: 0.3\n    recency_weight: 0.6\n    \
                   source_weight: 0.1\n";
    fixture.write(".agent/config.yml", weights);
    let user = fixture.read("src/Services/UserService.cs");
    fixture.write("src/Services/UserService.cs", format!("{user}// Bug fix: check null.\n"));
    fixture.commit(29, "Fix the null check");
    fixture.run(["pack", "why is user service crashing on null input?"]);
    let kept = record(&fixture);
    assert_eq!(scores(&kept)[0].0, "src/Services/UserService.cs");
    assert!(kept["included"][0]["factors"]["recency"].as_f64().unwrap() > 0.98);
    // Results that are not close to the best match have no time, and a note stderr_contains so.
    let run = fixture.run(["explain", "src/OrderService.cs:1"]).stdout;
    assert!(run.contains("+0.000  no timestamp: not close to the best match"), "{run}");
    let run = fixture.run(["show", "--ranking"]).stdout;
    assert!(run.contains("only search results close to the best match have a time"), "{run}");
    let open = ["--open", "src/Services/UserService.cs", "--open", "src/OrderService.cs"];
    fixture.run(["pack", "why is the service crashing on null input?"].iter().chain(&open));
    let kept = record(&fixture);
    let recency = |path: &str| {
        let items = kept["included"].as_array().unwrap().iter();
        let own = items.filter(|it| it["path"] == path);
        own.map(|it| it["factors"]["recency"].as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(recency("src/Services/UserService.cs") > 0.98);
    assert!(recency("src/OrderService.cs") < 0.1, "four weeks old");
    assert_eq!(scores(&kept)[0].0, "src/Services/UserService.cs");
}

/// The search finds the open file too, which keeps its kind and wins by it.
#[test]
fn scenario_7_open_files_rank_above_search_results() {
    let fixture = repository();
    let task = "how does payment processing work?";
    let found = fixture.run(["search", task, "--files"]).stdout;
    assert!(found.contains("src/PaymentService.cs"), "{found}");
    fixture.run(["pack", task, "--open", "src/PaymentService.cs"]);
    let kept = record(&fixture);
    let included = kept["included"].as_array().unwrap();
    let payment: Vec<&Value> =
        included.iter().filter(|it| it["path"] == "src/PaymentService.cs").collect();
    assert_eq!((&included[0], payment.is_empty()), (payment[0], false));
    for item in &payment {
        assert_eq!((&item["kind"], &item["factors"]["source"]), (&"open_file".into(), &0.8.into()));
    }
    let others = included.iter().filter(|it| it["path"] != "src/PaymentService.cs");
    let others: Vec<&Value> = others.collect();
    assert!(!others.is_empty() && others.iter().all(|it| it["kind"] == "search_result"));
    let copies = kept["excluded"].as_array().unwrap().iter();
    let mut copies = copies.filter(|it| it["path"] == "src/PaymentService.cs");
    assert!(copies.all(|it| it["reason"] == "duplicate" && it["provider"] == "search"));
    let relevance = |it: &Value| it["factors"]["relevance"].as_f64().unwrap();
    let searched = fixture.json(["pack", task, "--json"]);
    let alone = searched["included"].as_array().unwrap().iter();
    let alone = alone.filter(|it| it["path"] == "src/PaymentService.cs").map(relevance);
    let best = alone.fold(0.0, f64::max).min(0.99);
    assert!((relevance(payment[0]) - best).abs() < 1e-9, "the relevance that the search measured");
    let shown = fixture.run(["show"]).stdout;
    assert!(shown.contains("src/PaymentService.cs"), "{shown}");
}

/// With equal relevance and recency, an open file scores a fifth of the source's weight more.
#[test]
fn scenario_7_the_kind_decides_between_equal_sources() {
    let fixture = repository();
    let source = |path: &str, kind: &str| {
        serde_json::json!({"path": path, "kind": kind, "relevance": 0.7}).to_string()
    };
    let lines = [
        source("src/InvoiceService.cs", "search_result"),
        source("src/PaymentService.cs", "open_file"),
    ];
    let task = "how does payment processing work?";
    let arguments =
        ["pack", task, "--profile", "chunks", "--no-provider", "search", "--sources", "-"];
    let pack = fixture.feed(arguments, lines.join("\n"));
    assert_eq!(pack.code, Some(0), "{}", pack.stderr);
    let kept = record(&fixture);
    let [first, second] = [&kept["included"][0], &kept["included"][1]];
    assert_eq!(
        (&first["path"], &first["kind"]),
        (&"src/PaymentService.cs".into(), &"open_file".into())
    );
    let gain = first["score"].as_f64().unwrap() - second["score"].as_f64().unwrap();
    assert!((gain - 0.2 * 0.2).abs() < 1e-9, "a fifth more, by the weight of the source: {gain}");
}

#[test]
fn scenario_8_nothing_found_is_an_empty_pack_with_a_reason() {
    let fixture = repository();
    let pack = fixture.run(["pack", "frobnicator"]);
    pack.is_empty_for("no word of the task occurs in");
    // The task of the design has no word of this repository, unlike the one above.
    let other =
        Fixture::with(&[("src/colour.rs", "pub fn mix(paint: u32) -> u32 {\n    paint\n}\n")]);
    let pack = other.run(["pack", "explain the FrobnicatorService implementation"]);
    pack.is_empty_for("no word of the task occurs in");
    let shown = fixture.run(["show"]);
    assert_eq!(shown.code, Some(0));
    for words in ["0 of 90,000 tokens", "0 chunks of 0 files in", "use words from the code"] {
        assert!(shown.stdout.contains(words), "{words}: {}", shown.stdout);
    }
}

#[test]
fn scenario_9_every_stage_of_a_large_pack_is_timed() {
    let fixture = repository();
    for number in 0..120 {
        let name = format!("Public{number}");
        fixture.write(&format!("src/Many/{name}.cs"), class(&name, &["Run"]));
    }
    fixture.run(["pack", "explain all the public classes"]);
    let shown = fixture.run(["show", "--timing"]).stdout;
    for stage in ["collect", "chunk", "rank", "deduplicate", "select", "format", "verify", "total"]
    {
        assert!(shown.lines().any(|line| line.starts_with(stage)), "{stage}: {shown}");
    }
    let run = fixture.run(["show", "--json"]);
    let kept: Value = serde_json::from_str(&run.stdout).unwrap();
    let ms = |it: &Value| it["ms"].as_f64().unwrap();
    let timings = kept["timings"].as_array().unwrap();
    let (total, stages) = timings.split_last().unwrap();
    assert!((ms(total) - stages.iter().map(ms).sum::<f64>()).abs() < 1e-6);
    assert!(kept["sources"].as_array().unwrap().len() > 100);
}

// Shows: AC-146
#[test]
fn scenario_10_a_changed_configuration_takes_effect_at_once() {
    let fixture = repository();
    let total = || fixture.run(["config", "show", "context.budget.total"]).stdout;
    assert!(total().contains("100000"), "{}", total());
    fixture.run(["pack", "GetUser"]);
    assert_eq!(record(&fixture)["budget"], 90_000);
    fixture.write(".agent/config.yml", "context:\n  budget:\n    total: 150000\n");
    assert_eq!(fixture.run(["trust"]).code, Some(0));
    assert!(total().contains("150000"), "{}", total());
    let json = fixture.json(["pack", "GetUser", "--json"]);
    assert!(!included(&json).is_empty());
    let kept = record(&fixture);
    assert_eq!((&kept["budget"], &kept["settings"]["window"]), (&140_000.into(), &150_000.into()));
    let changed = fixture.run(["diff"]).stdout;
    assert!(changed.contains("budget: 90000 -> 140000"), "{changed}");
}

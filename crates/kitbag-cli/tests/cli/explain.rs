//! `kitbag explain`.

use crate::fixture::Fixture;
use serde_json::Value;

#[test]
fn an_included_line_is_explained_by_factors() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let run = fixture.run(["explain", "src/auth.rs:3"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for words in ["src/auth.rs:3 is in the pack", "lines 1-10", "relevance", "x 0.9", "rank 1 of"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let json = fixture.json(["explain", "./src/auth.rs:3", "--json"]);
    assert_eq!((&json["verdict"], &json["path"]), (&"shown".into(), &"src/auth.rs".into()));
    let chunk = &json["chunks"][0];
    let adds = chunk["factors"].as_array().unwrap().iter();
    let adds: f64 = adds.map(|it| it["contribution"].as_f64().unwrap()).sum();
    assert!((adds - chunk["score"].as_f64().unwrap()).abs() < 1e-9, "the shares make the score");
}

/// Files of different sizes, some of which do not fit into a small pack.
fn shop() -> Fixture {
    let function = |file: u32, number: u32| {
        let body =
            "    let total = cart.total();\n".repeat(1 + ((file * 7 + number * 3) % 9) as usize);
        format!(
            "/// Step {number} of login {file}.\npub fn login_{file}_{number}(cart: &Cart) {{\n{body}}}\n\n"
        )
    };
    let fixture = Fixture::project();
    for file in 0..6 {
        let content: String = (0..4).map(|number| function(file, number)).collect();
        fixture.write(&format!("src/shop_{file}.rs"), content);
    }
    fixture
}

/// Path and lines of the chunks that are included in full.
fn whole(report: &Value) -> Vec<(String, u64, u64)> {
    let all = report["included"].as_array().unwrap().iter();
    let full = all.filter(|it| it["form"] == "full").map(place_of);
    full.collect()
}

fn place_of(it: &Value) -> (String, u64, u64) {
    let line = |name: &str| it[name].as_u64().unwrap();
    (it["path"].as_str().unwrap().to_owned(), line("start_line"), line("end_line"))
}

/// The value of a flag in the advice.
fn advised<'a>(advice: &'a str, flag: &str) -> Option<&'a str> {
    advice.split(flag).nth(1)?.trim().split(' ').next()
}

#[test]
fn the_suggested_budget_includes_the_whole_chunk() {
    let fixture = shop();
    let mut tried = 0;
    for (budget, format, overflow, contents) in [
        ("300", "markdown", "skip", "false"),
        ("420", "markdown", "outline", "false"),
        ("300", "xml", "outline", "false"),
        ("260", "plain", "truncate", "false"),
        ("420", "markdown", "skip", "true"),
        ("900", "markdown", "outline", "true"),
        ("850", "xml", "skip", "true"),
    ] {
        let contents = format!("context.formatting.contents={contents}");
        let asked = ["login cart", "--format", format, "--overflow", overflow, "--set", &contents];
        fixture.run(["pack", "--budget", budget].iter().chain(&asked));
        let kept = fixture.json(["show", "--json"]);
        let out = kept["excluded"].as_array().unwrap().iter();
        let out: Vec<&Value> = out.filter(|it| it["reason"] == "budget").collect();
        for out in [out[0], out[out.len() - 1]] {
            let (path, start, end) = place_of(out);
            let json = fixture.json(["explain", &format!("{path}:{start}"), "--json"]);
            let chunk = json["chunks"].as_array().unwrap().iter().find(|it| it["form"].is_null());
            for change in chunk.unwrap()["changes"].as_array().unwrap() {
                let advice = change.as_str().unwrap();
                assert!(!advice.contains("about"), "it was tried: {advice}");
                let budget = advised(advice, "--budget").unwrap_or(budget);
                let file = advised(advice, "--file").map(|file| vec!["--file", file]);
                let file = file.unwrap_or_default();
                if advice.starts_with("score above") {
                    continue;
                }
                let arguments = ["pack", "--json", "--no-record", "--budget", budget];
                let arguments = arguments.iter().chain(&asked).chain(&file);
                let again = fixture.json(arguments);
                let has = |it: &(String, u64, u64)| it.0 == path && it.1 <= start && end <= it.2;
                assert!(whole(&again).iter().any(has), "{path}:{start}-{end} {advice}: {again:#}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 21, "{tried}");
}

#[test]
fn a_partial_chunk_comes_with_advice() {
    let fixture = Fixture::project();
    let body = "    cart.pay(login);\n".repeat(60);
    fixture.write("src/cart.rs", format!("/// Pays the cart.\npub fn pay_cart() {{\n{body}}}\n"));
    fixture.run(["pack", "pay cart", "--budget", "300"]);
    let kept = fixture.json(["show", "--json"]);
    let included = kept["included"].as_array().unwrap();
    let part =
        included.iter().find(|it| it["form"] == "truncated").expect("only a part of one fits");
    let (path, start, end) = place_of(part);
    let json = fixture.json(["explain", &format!("{path}:{}", end - 1), "--json"]);
    assert_eq!(json["verdict"], "in");
    assert_eq!(json["chunks"][0]["detail"], "truncated to fit the budget");
    let changes = json["chunks"][0]["changes"].as_array().unwrap();
    let mut texts = changes.iter().filter_map(Value::as_str);
    let budget = texts.find_map(|it| advised(it, "--budget")).unwrap();
    let again = fixture.json(["pack", "pay cart", "--json", "--no-record", "--budget", budget]);
    assert!(whole(&again).contains(&(path, start, end)), "{changes:?}");
}

#[test]
fn untested_advice_is_marked_as_a_guess() {
    let fixture = shop();
    fixture.write("tool.txt", "login failed\n");
    fixture.run(["pack", "login cart", "--budget", "300", "--tool-result", "t=tool.txt"]);
    let kept = fixture.json(["show", "--json"]);
    let out = kept["excluded"].as_array().unwrap().iter().find(|it| it["reason"] == "budget");
    let (path, start, _) = place_of(out.unwrap());
    let run = fixture.run(["explain", &format!("{path}:{start}")]);
    assert!(run.stdout.contains(" tokens, to about "), "{}", run.stdout);
    assert!(run.stdout.contains("name it, if it fits: --file "), "{}", run.stdout);
    let tool = fixture.run(["explain", "t:1"]);
    assert!(tool.stdout.contains("t:1 is in the pack"), "{}", tool.stdout);
    assert_eq!(tool.stderr, "", "it never was a file");
}

#[test]
fn a_changed_file_is_explained_by_its_packed_lines() {
    let fixture = shop();
    fixture.run(["pack", "login cart", "--budget", "300", "--overflow", "skip"]);
    let kept = fixture.json(["show", "--json"]);
    let (path, start, end) = place_of(&kept["included"][0]);
    let out = kept["excluded"].as_array().unwrap().iter();
    let out = out.map(place_of).find(|it| it.0 != path).unwrap();
    for path in [&path, &out.0] {
        let content = fixture.read(path);
        fixture.write(path, format!("{}{content}", "// Above.\n".repeat(60)));
    }
    let now = format!("{path}:{}", start + 61);
    let run = fixture.run(["explain", &now]);
    assert!(run.stdout.contains(&format!("{path}:{} is in the pack", start + 1)), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("lines {start}-{end}")), "{}", run.stdout);
    let message = format!("its line {} was line {}", start + 61, start + 1);
    run.stderr_contains(&["has changed since the pack", &message]);
    let run = fixture.run(["explain", &format!("{}:{}", out.0, out.1 + 60)]);
    let chunk = format!("lines {}-{}", out.1, out.2);
    assert!(run.stdout.contains(&chunk), "by its symbol: {}", run.stdout);
    run.stderr_contains(&["has changed since the pack"]);
    assert!(run.stdout.contains(" tokens, to about "), "{}", run.stdout);
}

#[test]
fn a_denied_file_is_not_reported_as_deleted() {
    let fixture = shop();
    fixture.write(".env", "TOKEN=words\n");
    fixture.run(["pack", "total", "--file", ".env"]);
    let run = fixture.run(["explain", ".env:1"]);
    assert!(run.stdout.contains("denied") && !run.stderr.contains("there is no file"), "{run:?}");
    let unknown = fixture.run(["explain", "src/unknown.rs:1"]);
    assert_eq!(unknown.stderr, "", "it never existed");
    let verdict = "src/unknown.rs:1 was not a candidate: no such file\n";
    assert_eq!(unknown.stdout, verdict);
}

#[test]
fn advice_names_only_valid_files() {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.write(".gitignore", "made/\n");
    fixture.write("made/login.rs", "fn login() {}\n");
    fixture.run(["pack", "login", "--exclude", "*.md"]);
    for (place, why) in [
        ("src/nothere.rs:1", "no such file"),
        ("src/colour.rs:999", "the file has 4 lines"),
        ("README.md:1", "excluded by an exclude glob"),
        ("made/login.rs:1", "ignored by a file such as `.gitignore`"),
    ] {
        let run = fixture.run(["explain", place]);
        assert!(run.stdout.contains(why), "{place}: {}", run.stdout);
        let can_be_named = ["README.md:1", "made/login.rs:1"].contains(&place);
        assert_eq!(run.stdout.contains("--file"), can_be_named, "{place}: {}", run.stdout);
    }
    let run = fixture.run(["explain", "src/colour.rs:2", "--task", "login"]);
    assert!(!run.stdout.contains("--task"), "it was asked already: {}", run.stdout);
    assert!(run.stdout.contains("search does not find it"), "{}", run.stdout);
}

#[test]
fn a_line_without_candidate_can_be_searched() {
    let fixture = Fixture::project();
    fixture.run(["pack", "login"]);
    let run = fixture.run(["explain", "src/colour.rs:2"]);
    assert!(run.stdout.contains("src/colour.rs:2 was not a candidate"), "{}", run.stdout);
    assert!(run.stdout.contains("--file src/colour.rs:2"), "{}", run.stdout);
    let run = fixture.run(["explain", "src/auth.rs:2", "--task", "login"]);
    assert!(run.stdout.contains("Search\nlines 1-10, rank 1"), "{}", run.stdout);
    assert_eq!(run.stderr, "", "it is the task of the pack");
    let other = fixture.run(["explain", "src/auth.rs:2", "--task", "paint"]);
    other.stderr_contains(&["warning: the task differs from that of the pack"]);
    std::fs::remove_file(fixture.path("src/auth.rs")).unwrap();
    let gone = fixture.run(["explain", "src/auth.rs:2"]);
    gone.stderr_contains(&["warning: `src/auth.rs` no longer exists"]);
}

#[test]
fn a_place_needs_a_file_and_a_line() {
    let fixture = Fixture::project();
    for place in ["src/auth.rs", "src/auth.rs:0", "src/auth.rs:x", ":3", ""] {
        fixture.run(["explain", place]).fails(2, &["expected a file and a line such as"]);
    }
}

#[test]
fn a_deleted_file_is_not_taken_for_a_source_that_was_not_a_file() {
    let fixture = Fixture::project();
    fixture.run(["pack", "--file", "README.md", "--no-provider", "search"]);
    std::fs::remove_file(fixture.path("README.md")).unwrap();
    let run = fixture.run(["explain", "README.md:99"]);
    let reason = "no longer exists, and no candidate contained the line";
    assert!(run.stdout.contains(&format!("the file {reason}")), "{}", run.stdout);
    fixture.write("README.md", "# Shop\n");

    fixture.run(["pack", "login"]);
    std::fs::remove_file(fixture.path("src/auth.rs")).unwrap();
    let run = fixture.run(["explain", "src/auth.rs:99"]);
    let reason = "the file no longer exists; it had 10 lines";
    assert!(run.stdout.contains(reason), "{}", run.stdout);
    assert!(run.stderr.contains("`src/auth.rs` no longer exists"), "{}", run.stderr);
}

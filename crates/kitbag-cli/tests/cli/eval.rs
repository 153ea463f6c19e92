//! `kitbag eval`.

use crate::fixture::Fixture;

/// A repository in which two commits are tasks.
fn repository() -> Fixture {
    let fixture = Fixture::project();
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "Begin");
    fixture.write(
        "src/colour.rs",
        "/// Mixes paint.\npub fn mix(paint: u32) -> u32 {\n    paint + 2\n}\n",
    );
    fixture.commit(2, "Mix more paint");
    fixture.write(
        "src/auth.rs",
        "/// Logs a user in.\npub fn login(user: &str) -> bool {\n    !user.is_empty()\n}\n",
    );
    fixture.commit(3, "Make login need a user only");
    fixture
}

#[test]
fn commits_of_a_repository_become_tasks() {
    let fixture = repository();
    let run = fixture.run(["eval", "--from-git", "10"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let head: Vec<&str> = run.stdout.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head[..4], ["n", "A@1", "A@3", "A@5"]);
    let all = run.stdout.lines().find(|line| line.starts_with("all ")).unwrap();
    assert!(all.split_whitespace().nth(1) == Some("2"), "{all}");
    assert!(run.stdout.lines().any(|line| line.starts_with("work ")), "{}", run.stdout);
    let result = fixture.json(["eval", "--from-git", "10", "--json"]);
    let outcomes = result["outcomes"].as_array().unwrap();
    let first: Vec<&str> =
        outcomes.iter().map(|it| it["first_files"][0].as_str().unwrap()).collect();
    assert_eq!(first, ["src/auth.rs", "src/colour.rs"]);
    assert_eq!(
        fixture.json(["eval", "--from-git", "1", "--json"])["outcomes"].as_array().unwrap().len(),
        1
    );
    let inside = fixture.run(["eval", "--from-git", "10", "--repo", "src"]);
    assert_eq!(inside.code, Some(0), "{}", inside.stderr);
}

#[test]
fn doc_comments_become_questions_and_are_hidden() {
    let fixture = repository();
    let function = |comment: &str, name: &str, body: &str| {
        format!("/// {comment}\npub fn {name}(shelf: &mut Shelf) {{\n    {body}\n}}\n")
    };
    let expire = function(
        "Forgets the jars that were on the shelf for a year.",
        "expire",
        "shelf.jars.retain(|jar| jar.age < YEAR);",
    );
    let polish = function("Makes surfaces shine until guests arrive.", "wipe", "shelf.dust = 0;");
    fixture.write("src/expire.rs", expire);
    fixture.write("src/wipe.rs", polish);
    fixture.commit(4, "Add shelves");
    let result = fixture.json(["eval", "--from-git", "10", "--json"]);
    let outcomes = result["outcomes"].as_array().unwrap().iter();
    let mut questions: Vec<(&str, f64)> = outcomes
        .filter(|it| it["category"] == "comment")
        .map(|it| (it["instance_id"].as_str().unwrap(), it["ndcg"].as_f64().unwrap()))
        .collect();
    questions.sort_by_key(|it| it.0);
    // Only the comment has the words of the second question.
    assert_eq!(questions, [("src/expire.rs:2", 1.0), ("src/wipe.rs:2", 0.0)]);
    assert_eq!(result["by_category"]["comment"]["tasks"], 2);
    let table = fixture.run(["eval", "--from-git", "10"]).stdout;
    let row = table.lines().find(|line| line.starts_with("comment ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((cells[2], *cells.last().unwrap()), ("-", "50.0"), "{table}");
}

#[test]
fn tasks_are_read_from_a_file() {
    let fixture = repository();
    let task = "{\"instance_id\": \"one\", \"repo\": \"owner/work\", \"base_commit\": \"HEAD~1\", \
                \"query\": \"login\", \"gold\": [{\"path\": \"src/auth.rs\", \"hunks\": [[2, 4]]}]}\n";
    fixture.write("../tasks.jsonl", task);
    let arguments = ["eval", "../tasks.jsonl", "--repos", "..", "--json"];
    let result = fixture.json(arguments);
    assert_eq!(result["outcomes"][0]["instance_id"], "one");
    assert_eq!(result["outcomes"][0]["hunks"][0], 1.0);
    let run = fixture.run(["eval", "../tasks.jsonl", "--repos", "..", "--only", "two"]);
    run.fails(2, &["no tasks"]);
    fixture.write("../tasks.jsonl", task.replace("HEAD~1", "0123abcd"));
    fixture.run(arguments).fails(1, &["one: no such commit", "`0123abcd`"]);
    fixture.write("../tasks.jsonl", task.replace("owner/work", "owner/other"));
    fixture.run(arguments).fails(2, &["no repository `owner/other`"]);
}

#[test]
fn two_evaluations_can_be_compared() {
    let fixture = repository();
    for name in ["../before.json", "../after.json"] {
        fixture.write(name, fixture.run(["eval", "--from-git", "10", "--json"]).stdout);
    }
    let run = fixture.run(["eval", "--compare", "../before.json", "../after.json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("\n2 tasks in both\n"), "{}", run.stdout);
    let report = fixture.json(["eval", "--compare", "../before.json", "../after.json", "--json"]);
    assert_eq!((&report["tasks"], &report["unmatched"]), (&2.into(), &0.into()));
    fixture.write("../after.json", "{}");
    let run = fixture.run(["eval", "--compare", "../before.json", "../after.json"]);
    run.fails(
        2,
        &[
            "`../after.json` is not an evaluation: ",
            "hint: use a file written by `kitbag eval --json`",
        ],
    );
    fixture.run(["eval", "--compare", "../before.json"]).fails(2, &["2 values required"]);
}

#[test]
fn an_invalid_evaluation_is_not_compared() {
    let fixture = repository();
    let result = fixture.json(["eval", "--from-git", "10", "--json"]);
    fixture.write("../before.json", result.to_string());
    let compare = ["eval", "--compare", "../before.json", "../after.json"];
    for list in ["files", "hunks", "utilization"] {
        let mut short = result.clone();
        short["outcomes"][1][list] = serde_json::json!([1.0]);
        fixture.write("../after.json", short.to_string());
        let message = format!(" must have 3 values in `{list}`, not 1");
        fixture.run(compare).fails(2, &["`../after.json` is not an evaluation: task `", &message]);
    }
    let mut newer = result.clone();
    newer["version"] = 2.into();
    fixture.write("../after.json", newer.to_string());
    fixture.run(compare).fails(2, &["`../after.json` is not an evaluation: version 2, expected 1"]);
    let mut older = result;
    older.as_object_mut().unwrap().remove("warnings");
    fixture.write("../after.json", older.to_string());
    assert_eq!(fixture.run(compare).code, Some(0));
}

#[test]
fn an_unwritable_cache_does_not_lose_the_evaluation() {
    let fixture = repository();
    fixture.write("../file", "");
    let arguments = ["eval", "--from-git", "10", "--json", "--cache", "../file/cache"];
    let run = fixture.run(arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("warning: cannot cache the contents of `"), "{}", run.stderr);
    assert!(run.stderr.contains(" in `../file/cache/"), "{}", run.stderr);
    let result = fixture.json(arguments);
    assert_eq!(result["outcomes"].as_array().unwrap().len(), 2);
    assert_eq!(result["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_missing_repository_is_reported_before_any_task_runs() {
    let fixture = repository();
    let task = |id: &str, repo: &str| {
        format!(
            "{{\"instance_id\": \"{id}\", \"repo\": \"{repo}\", \"base_commit\": \"0123abcd\", \
             \"query\": \"q\", \"gold\": [{{\"path\": \"a\", \"hunks\": [[1, 1]]}}]}}\n"
        )
    };
    // If the first task ran, it would fail because its commit is missing.
    fixture.write("../tasks.jsonl", task("one", "a/work") + &task("two", "z/missing"));
    let arguments = ["eval", "../tasks.jsonl", "--repos", ".."];
    fixture.run(arguments).fails(2, &["no repository `z/missing`"]);
    fixture.write("../tasks.jsonl", task("one", "a/work") + &task("one", "a/work"));
    fixture.run(arguments).fails(2, &["../tasks.jsonl:2: duplicate task `one`"]);
}

#[test]
fn invalid_arguments_are_reported() {
    let fixture = repository();
    fixture.run(["eval"]).fails(2, &["--repos <DIR>", "<TASKS>"]);
    fixture.run(["eval", "nope.jsonl", "--repos", "."]).fails(2, &["cannot read `nope.jsonl`: "]);
    fixture.run(["eval", "--from-git", "0"]).fails(2, &["--from-git <N>"]);
    fixture
        .run(["eval", "--from-git", "5", "--repo", "nope"])
        .fails(2, &["no such folder: `nope`"]);
    fixture
        .run(["eval", "--from-git", "5", "--weights", "1,2"])
        .fails(2, &["`--weights` requires three numbers"]);
    fixture
        .run(["eval", "--from-git", "5", "--weights", "1,2,3"])
        .fails(2, &["sum to 1, not 1 + 2 + 3"]);
    fixture.write("../tasks.jsonl", "\n{\"repo\": \"a\"}\n");
    let run = fixture.run(["eval", "../tasks.jsonl", "--repos", "."]);
    run.fails(2, &["../tasks.jsonl:2: missing field `instance_id`"]);
    let plain = Fixture::project();
    plain.run(["eval", "--from-git", "5"]).fails(2, &["not a git repository"]);
    plain.git(&["init", "--quiet"]);
    plain.commit(1, "Begin");
    plain
        .run(["eval", "--from-git", "5"])
        .fails(2, &["no tasks", "hint: a commit becomes a task if"]);
}

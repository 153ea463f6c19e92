//! The overview: `kitbag map`, `kitbag pack` without a task, `--tree`; and files that git tracks although
//! they are hidden.

use crate::fixture::{Fixture, included};

fn project() -> Fixture {
    let fixture = Fixture::with(&[
        ("README.md", "# Shop\n\nSells things.\n\n## License\n\nMIT.\n"),
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\n\n[[bin]]\nname = \"shopd\"\npath = \"src/main.rs\"\n",
        ),
        (
            "src/main.rs",
            "fn main() {\n    run_server();\n}\n\nfn run_server() {\n    open_database();\n}\n",
        ),
        (
            "src/database.rs",
            "/// Opens the database.\npub fn open_database() -> Database {\n    Database {}\n}\n\n\
             pub struct Database {}\n",
        ),
        ("src/orders.rs", "fn list_orders() {\n    open_database();\n}\n"),
        ("src/users.rs", "fn list_users() {\n    open_database();\n}\n"),
        (".github/workflows/release.yml", "name: release\non: push\njobs: {}\n"),
    ]);
    fixture.git(&["init", "--quiet"]);
    fixture.commit(1, "shop");
    fixture
}

#[test]
fn an_overview_has_files_readme_entry_points_and_central_symbols() {
    let fixture = project();
    let run = fixture.run(["map"]);
    insta::assert_snapshot!(run.stdout, @r"
    ### Files
    ```text
    .github/
      workflows/
        release.yml
    src/
      database.rs
      main.rs
      orders.rs
      users.rs
    Cargo.toml
    README.md
    ```

    ### README.md (lines 1-7)
    ```markdown
    # Shop

    Sells things.

    ## License

    MIT.
    ```

    ### Entry points
    ```text
    Cargo.toml: package shop; bin shopd
    src/main.rs:1: fn main()
    ```

    ### Central symbols
    ```text
    src/database.rs
      2: pub fn open_database() -> Database
      6: pub struct Database {}
    src/main.rs
      1: fn main()
      5: fn run_server()
    src/orders.rs
      1: fn list_orders()
    src/users.rs
      1: fn list_users()
    ```
    ");
    assert_eq!(fixture.run(["pack"]).stdout, run.stdout, "no task: the overview");
    assert_eq!(fixture.run(["pack", "--profile", "overview"]).stdout, run.stdout);
}

#[test]
fn an_overview_stays_within_any_budget() {
    let fixture = project();
    for budget in ["1", "40", "120", "200"] {
        let report = fixture.json(["map", "--json", "--budget", budget]);
        assert!(report["total_tokens"].as_u64().unwrap() <= budget.parse().unwrap(), "{report:#}");
    }
    let empty = Fixture::empty().run(["map"]);
    assert_eq!((empty.code, empty.stdout.as_str()), (Some(0), ""));
    fixture.run(["map", "--budget", "many"]).fails(2, &["--budget"]);
    fixture.run(["map", "--repo", "nowhere"]).fails(2, &["nowhere"]);
}

#[test]
fn a_tree_can_be_put_on_top_of_any_pack() {
    let fixture = project();
    let report = fixture.json(["pack", "open the database", "--tree", "--json"]);
    assert_eq!(included(&report)[0], "Files");
    assert!(report["content"].as_str().unwrap().starts_with("### Files\n```text\n.github/\n"));
    let small = fixture.json(["pack", "open the database", "--tree", "--json", "--budget", "90"]);
    assert!(small["total_tokens"].as_u64().unwrap() <= 90);
    assert!(included(&small).contains(&"src/database.rs"), "{small:#}");
}

#[test]
fn tracked_hidden_files_are_found_and_untracked_ones_are_not() {
    let fixture = project();
    fixture.write(".github/draft.yml", "name: release draft\n");
    let report = fixture.json(["pack", "why does the release workflow fail?", "--json"]);
    let paths = included(&report);
    assert!(paths.contains(&".github/workflows/release.yml"), "{paths:?}");
    assert!(!paths.contains(&".github/draft.yml"), "{paths:?}");
    let named = fixture.json(["pack", "change release.yml", "--json"]);
    assert_eq!(included(&named)[0], ".github/workflows/release.yml");
}

#[test]
fn a_subfolder_uses_the_configuration_of_its_repository() {
    let fixture = project();
    fixture.write(
        ".agent/config.yml",
        "context:\n  budget:\n    total: 500\n    response_reserve: 0\n    system_reserve: 0\n",
    );
    let top = fixture.json(["pack", "open the database", "--json"]);
    assert_eq!(top["budget"], 500);
    let sub = fixture.json(["pack", "open the database", "--json", "--repo", "src"]);
    assert_eq!(sub["budget"], 500);
    fixture.write(
        "src/.agent/config.yml",
        "context:\n  budget:\n    total: 400\n    response_reserve: 0\n    system_reserve: 0\n",
    );
    let own = fixture.json(["pack", "open the database", "--json", "--repo", "src"]);
    assert_eq!(own["budget"], 400, "the nearest");
}

//! `--diff` and the profile `review`.

use crate::fixture::{Fixture, Run, excluded, included};
use serde_json::Value;

const CART: &str = "\
/// Adds up the prices of a cart.
pub fn cart_total(prices: &[u32]) -> u32 {
    let mut total = 0;
    for price in prices {
        total += price;
    }
    let shipping = shipping_cost(total);
    let discount = 0;
    total + shipping - discount
}

/// Returns the cost of sending a parcel.
pub fn shipping_cost(total: u32) -> u32 {
    if total > 100 { 0 } else { 5 }
}
";

/// A repository with a function, its caller, its test and an unrelated file.
fn shop() -> Fixture {
    let fixture = Fixture::with(&[
        ("src/cart.rs", CART),
        (
            "src/checkout.rs",
            "/// Charges a customer.\npub fn charge(prices: &[u32]) -> u32 {\n    cart_total(prices)\n}\n",
        ),
        ("src/paint.rs", "/// Mixes paint.\npub fn mix(paint: u32) -> u32 {\n    paint + 1\n}\n"),
        ("tests/cart.rs", "#[test]\nfn empty_cart() {\n    assert_eq!(cart_total(&[]), 5);\n}\n"),
        ("README.md", "# Shop\n\nSells things.\n"),
    ]);
    fixture.git(&["init", "--quiet", "--initial-branch", "main"]);
    fixture.commit(1, "shop");
    fixture
}

fn edit(fixture: &Fixture) {
    let edited = CART.replace("    let discount = 0;\n", "    let discount = total / 10;\n");
    fixture.write("src/cart.rs", edited);
}

fn review(fixture: &Fixture, arguments: &[&str]) -> Value {
    let arguments = [&["pack", "--json"], arguments].concat();
    fixture.json(arguments)
}

fn content(report: &Value) -> &str {
    report["content"].as_str().unwrap()
}

fn warnings(report: &Value) -> String {
    report["warnings"].to_string()
}

#[test]
fn the_change_comes_first_then_its_function_then_what_it_touches() {
    let fixture = shop();
    edit(&fixture);
    let run = fixture.run(["pack", "--diff"]);
    insta::assert_snapshot!(run.stdout, @r"
    ### src/cart.rs.diff
    ```diff
    @@ -5,7 +5,7 @@ cart_total
             total += price;
         }
         let shipping = shipping_cost(total);
    -    let discount = 0;
    +    let discount = total / 10;
         total + shipping - discount
     }
     
    ```

    ### src/cart.rs (lines 1-15)
    ```rust
    /// Adds up the prices of a cart.
    pub fn cart_total(prices: &[u32]) -> u32 {
        let mut total = 0;
        for price in prices {
            total += price;
        }
        let shipping = shipping_cost(total);
        let discount = total / 10;
        total + shipping - discount
    }

    /// Returns the cost of sending a parcel.
    pub fn shipping_cost(total: u32) -> u32 {
        if total > 100 { 0 } else { 5 }
    }
    ```

    ### src/checkout.rs (lines 1-4)
    ```rust
    /// Charges a customer.
    pub fn charge(prices: &[u32]) -> u32 {
        cart_total(prices)
    }
    ```

    ### tests/cart.rs (lines 1-4)
    ```rust
    #[test]
    fn empty_cart() {
        assert_eq!(cart_total(&[]), 5);
    }
    ```
    ");
    let same = fixture.run(["pack", "--profile", "review"]);
    assert_eq!(same.stdout, run.stdout);
}

#[test]
fn staged_untracked_deleted_and_renamed_files_are_shown() {
    let fixture = shop();
    edit(&fixture);
    fixture.git(&["add", "src/cart.rs"]);
    fixture.git(&["mv", "src/checkout.rs", "src/payment.rs"]);
    fixture.git(&["rm", "--quiet", "src/paint.rs"]);
    fixture.write("src/fresh.rs", "pub fn fresh() -> u32 {\n    7\n}\n");
    let all = review(&fixture, &["--diff"]);
    let text = content(&all);
    assert!(
        text.contains("### src/payment.rs.diff\n```diff\nrenamed from src/checkout.rs\n"),
        "{text}"
    );
    assert!(
        text.contains("### src/paint.rs.diff\n```diff\ndeleted file\n@@ -1,4 +0,0 @@\n-"),
        "{text}"
    );
    assert!(
        text.contains("### src/fresh.rs.diff\n```diff\nnew file\n@@ -0,0 +1,3 @@ fresh\n+"),
        "{text}"
    );
    assert!(!text.contains("### src/fresh.rs ("), "every line of it is in the diff: {text}");
    let staged = review(&fixture, &["--diff", "staged"]);
    assert!(content(&staged).contains("let discount = total / 10;"));
    assert!(!content(&staged).contains("fresh"), "not staged");
    fixture.git(&["reset", "--quiet"]);
    let none = fixture.run(["pack", "--diff", "staged"]);
    none.is_empty_for("the diff has nothing to show");
    none.stderr_contains(&["nothing is staged"]);
}

#[test]
fn ranges_of_commits_are_understood_as_by_git() {
    let fixture = shop();
    fixture.git(&["checkout", "--quiet", "-b", "topic"]);
    edit(&fixture);
    fixture.commit(2, "discount");
    fixture.git(&["checkout", "--quiet", "main"]);
    fixture.write("src/paint.rs", "pub fn mix(paint: u32) -> u32 {\n    paint + 2\n}\n");
    fixture.commit(3, "paint");
    let since = review(&fixture, &["--diff", "main...topic"]);
    assert_eq!(included(&since)[0], "src/cart.rs.diff");
    assert!(!content(&since).contains("paint.rs.diff"), "not of the branch");
    let between = review(&fixture, &["--diff", "main..topic"]);
    assert!(content(&between).contains("paint.rs.diff"));
    let one = review(&fixture, &["--diff", "topic^!"]);
    assert_eq!(content(&one), content(&since));
    let base = review(&fixture, &["--diff", "HEAD~1"]);
    assert!(content(&base).contains("+    paint + 2"), "the work tree against a commit");
    let root = review(&fixture, &["--diff", "HEAD~1^!"]);
    assert!(content(&root).contains("### src/cart.rs.diff\n```diff\nnew file\n"));
}

#[test]
fn a_task_after_the_flag_is_not_taken_for_a_revision() {
    let fixture = shop();
    edit(&fixture);
    let report = review(&fixture, &["--diff", "is the discount right?"]);
    assert_eq!(included(&report)[0], "src/cart.rs.diff");
    let words = review(&fixture, &["is", "the", "discount", "right?", "--diff"]);
    assert_eq!(content(&words), content(&report));
}

#[test]
fn a_wrong_base_is_an_error_that_names_the_nearest() {
    let fixture = shop();
    fixture
        .run(["pack", "--diff", "mian"])
        .fails(2, &["no such revision: `mian`", "did you mean `main`?"]);
    fixture
        .run(["pack", "--diff", "zzz..main"])
        .fails(2, &["no such revision: `zzz`", "`main...HEAD`"]);
    fixture.run(["pack", "--diff=--output=x"]).fails(2, &["no such revision: `--output=x`"]);
    Fixture::project().run(["pack", "--diff"]).fails(2, &["a diff needs a git repository"]);
}

#[test]
fn without_changes_the_pack_is_empty_and_says_why() {
    let run = shop().run(["pack", "--diff"]);
    run.is_empty_for("the diff has nothing to show");
    run.stderr_contains(&["the work tree has no changes; `--diff main...HEAD`"]);
}

#[test]
fn before_the_first_commit_every_file_is_new() {
    let fixture = Fixture::with(&[("src/cart.rs", CART)]);
    fixture.git(&["init", "--quiet"]);
    let run = fixture.run(["pack", "--diff"]);
    assert!(run.stdout.starts_with("### src/cart.rs.diff\n```diff\nnew file\n"), "{}", run.stdout);
    fixture.git(&["add", "--all"]);
    assert_eq!(fixture.run(["pack", "--diff", "staged"]).stdout, run.stdout);
}

fn key() -> String {
    let dashes = "-".repeat(5);
    let body: String = (0..12)
        .map(|line| format!("MIIEvQ{line:02}BADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDK\n"))
        .collect();
    format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{body}{dashes}END PRIVATE KEY{dashes}\n")
}

#[test]
fn secrets_stay_out_even_if_only_the_whole_file_shows_them() {
    let fixture = shop();
    fixture.write("src/keys.txt", key());
    fixture.write(".env", "TOKEN=one\n");
    fixture.commit(2, "keys");
    fixture.write("src/keys.txt", key().replace("MIIEvQ06BADAN", "MIIEvQ06CHANGED"));
    fixture.write(".env", "TOKEN=two\n");
    let edited = review(&fixture, &["--diff"]);
    assert!(content(&edited).contains("src/keys.txt.diff"), "{}", content(&edited));
    assert!(content(&edited).contains("[REDACTED:private-key]"));
    assert!(!content(&edited).contains("MIIEvQ"), "{}", content(&edited));
    fixture.commit(3, "other keys");
    let committed = review(&fixture, &["--diff", "HEAD^!"]);
    assert!(!content(&committed).contains("MIIEvQ") && !content(&committed).contains("TOKEN"));
    assert!(excluded(&committed).contains(&(".env", "denied")), "{:?}", excluded(&committed));
    assert!(warnings(&committed).contains("`.env` was left out"), "{}", warnings(&committed));
}

#[test]
fn what_is_not_text_is_described() {
    let fixture = shop();
    fixture.write("logo.png", b"\x89PNG\0\x01");
    fixture.commit(2, "logo");
    fixture.write("logo.png", b"\x89PNG\0\x02");
    let script = fixture.path("README.md");
    let report = review(&fixture, &["--diff"]);
    assert!(
        content(&report).contains("### logo.png.diff\n```diff\nbefore: binary\nafter: binary\n```")
    );
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fixture.commit(3, "mode");
    let report = review(&fixture, &["--diff", "HEAD^!"]);
    assert!(content(&report).contains("mode 100644 -> 100755"), "{}", content(&report));
}

#[test]
fn a_diff_that_does_not_fit_shows_its_best_parts_and_names_the_rest() {
    let fixture = shop();
    let function = |at: usize| format!("pub fn part_{at}(x: u32) -> u32 {{\n    x + {at}\n}}\n\n");
    for file in 0..6 {
        let text: String = (0..40).map(|at| function(file * 100 + at)).collect();
        fixture.write(&format!("src/part{file}.rs"), text);
    }
    fixture.write("package-lock.json", "{\n  \"a\": 1\n}\n".repeat(50));
    let report = review(&fixture, &["--diff", "--budget", "1500"]);
    assert!(report["total_tokens"].as_u64().unwrap() <= 1500);
    let paths = included(&report);
    assert!(
        paths.contains(&"src/part0.rs.diff") && paths.contains(&"src/part1.rs.diff"),
        "{paths:?}"
    );
    assert!(!paths.contains(&"package-lock.json.diff"), "{paths:?}");
    assert!(warnings(&report).contains("is not in the pack as a whole"), "{}", warnings(&report));
}

#[test]
fn a_subfolder_shows_its_own_changes() {
    let fixture = shop();
    edit(&fixture);
    fixture.write("README.md", "# Shop\n\nSells many things.\n");
    let report = review(&fixture, &["--diff", "--repo", "src"]);
    assert_eq!(included(&report)[0], "cart.rs.diff");
    assert!(!content(&report).contains("README"));
    let included_only = review(&fixture, &["--diff", "--include", "*.md"]);
    assert_eq!(included(&included_only), ["README.md.diff"]);
}

#[test]
fn a_diff_can_be_packed_in_every_format_and_profile() {
    let fixture = shop();
    edit(&fixture);
    for format in ["xml", "json", "plain"] {
        let run: Run = fixture.run(["pack", "--diff", "--format", format]);
        assert!(run.stdout.contains("let discount = total / 10;"), "{format}: {}", run.stdout);
    }
    let agent = review(&fixture, &["--diff", "--profile", "agent"]);
    assert_eq!(included(&agent)[0], "src/cart.rs.diff");
    let run = fixture.run(["pack", "charge", "--diff", "--profile", "orchestrate"]);
    run.stderr_contains(&["the provider `diff` is off; its input is ignored"]);
}

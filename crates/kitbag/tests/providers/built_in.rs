//! The providers that are built in.

use crate::custom::Own;
use crate::repository::{commit, engine, folder, git, outcome, paths, write};
use kitbag::{Cancel, Cursor, Document, Error, Report, Request, Selection, ToolResult};
use std::fs;
use std::path::Path;

const NOW: i64 = 1_700_000_000;

fn request(folder: &Path) -> Request {
    Request { repo: Some(folder.to_owned()), now: Some(NOW), ..Request::default() }
}

async fn pack(request: Request) -> Report {
    try_pack(request).await.expect("a pack")
}

async fn try_pack(request: Request) -> Result<Report, Error> {
    let none: [Own; 0] = [];
    engine(none).pack(request, &Cancel::default()).await
}

fn document(path: &str) -> Option<Document> {
    Some(Document { path: path.into(), content: None })
}

/// A Python file with many functions.
fn functions(count: usize) -> String {
    (0..count)
        .map(|at| {
            format!("def function_{at}(value):\n    total = value + {at}\n    return total\n\n\n")
        })
        .collect()
}

#[tokio::test]
async fn the_document_is_shown_around_the_cursor_first() {
    let folder = folder(&[("long.py", &functions(200))]);
    let request = Request {
        document: document("long.py"),
        cursor: Some(Cursor { line: 501, column: None }),
        profile: Some("orchestrate".into()),
        budget: Some(600),
        ..request(folder.path())
    };
    let report = pack(request).await;
    let text = report.content.expect("a text");
    assert!(text.contains("## Document\n") && text.contains("def function_100(value):"), "{text}");
    assert!(!text.contains("def function_0(value):") && report.total_tokens <= 600);
    assert_eq!(report.variables["CurrentHeading"], "function_100");
}

#[tokio::test]
async fn an_unsaved_buffer_replaces_its_file() {
    let folder = folder(&[("a.py", "def old():\n    return 'login'\n")]);
    let content = Some("def new():\n    return 'login'\n".to_owned());
    let request = Request {
        task: "login".into(),
        document: Some(Document { path: "a.py".into(), content: content.clone() }),
        ..request(folder.path())
    };
    let text = pack(request.clone()).await.content.expect("a text");
    assert!(text.contains("def new()") && !text.contains("def old()"), "{text}");
    let open_files = vec![Document { path: "new/b.py".into(), content }];
    let text = pack(Request { open_files, document: None, ..request }).await.content;
    assert!(text.expect("a text").contains("### new/b.py"));
}

#[tokio::test]
async fn selection_cursor_and_heading_are_sources_of_their_own() {
    let folder = folder(&[("a.py", "class A:\n    def one(self):\n        return 1\n")]);
    let request = Request {
        document: document("a.py"),
        cursor: Some(Cursor { line: 3, column: Some(2) }),
        selection: Some(Selection { start_line: 2, end_line: 3, text: None }),
        no_providers: vec!["document".into()],
        ..request(folder.path())
    };
    let report = pack(request).await;
    let kinds: Vec<&str> = report.included.iter().map(|item| item.kind.name()).collect();
    assert_eq!(kinds, ["selection", "heading"], "the lines around the cursor are in already");
    assert_eq!(report.excluded[0].reason.as_str(), "overlap");
    assert_eq!(
        report.part_of("heading").as_deref(),
        Some("Lines 2-3 of `a.py` are selected, in `A.one` (lines 2-3).\n")
    );
}

#[tokio::test]
async fn a_position_out_of_the_document_is_said_and_used_as_far_as_it_goes() {
    let folder = folder(&[("a.py", "one\ntwo\n")]);
    let far = Request {
        document: document("a.py"),
        cursor: Some(Cursor { line: 99, column: None }),
        selection: Some(Selection { start_line: 1, end_line: 1, text: Some("gone\n".into()) }),
        ..request(folder.path())
    };
    let report = pack(far).await;
    let said = |words: &str| report.warnings.iter().any(|warning| warning.contains(words));
    assert!(said("the cursor is past the end of `a.py`: line 99 of 2"), "{:?}", report.warnings);
    assert!(said("the selection is no longer in `a.py`"), "{:?}", report.warnings);
    let cursor = Some(Cursor { line: 1, column: None });
    let error = try_pack(Request { cursor, task: "x".into(), ..request(folder.path()) }).await;
    assert!(matches!(error, Err(Error::NoDocument)));
    let missing = Request { document: document("gone.py"), ..request(folder.path()) };
    assert!(try_pack(missing).await.expect_err("it is gone").is_usage());
}

#[tokio::test]
async fn an_open_file_that_was_deleted_is_reported() {
    let folder = folder(&[("a.py", "one\n")]);
    let open_files = ["a.py", "gone.py"].map(|path| Document { path: path.into(), content: None });
    let report = pack(Request { open_files: open_files.into(), ..request(folder.path()) }).await;
    assert_eq!(paths(&report), ["a.py"]);
    assert_eq!(
        (report.excluded[0].path.as_str(), report.excluded[0].reason.as_str()),
        ("gone.py", "unreadable")
    );
    assert!(report.warnings.iter().any(|it| it.contains("gone.py")), "{:?}", report.warnings);
}

#[tokio::test]
async fn results_of_tools_are_in_under_their_labels() {
    let folder = folder(&[("a.py", "def login():\n    pass\n")]);
    let result =
        ToolResult { label: "cargo test".into(), content: "test login ... FAILED\n".into() };
    let request =
        Request { task: "login".into(), tool_results: vec![result], ..request(folder.path()) };
    let report = pack(request).await;
    let result = report.included.iter().find(|item| item.path == "cargo test").expect("it is in");
    assert_eq!(
        (result.kind.name(), result.provider.as_deref()),
        ("tool_result", Some("tool_results"))
    );
    assert_eq!(result.factors.source, 1.0);
}

#[tokio::test]
async fn tool_result_labels_are_not_paths() {
    let folder = folder(&[("a.py", "pass\n")]);
    let labels = ["/usr/bin/make test", "ssh-keygen a.pem", "../run.sh", ".env", "a\n### b.py"];
    let result = |(at, label): (usize, &&str)| {
        let content = format!("output number {at}: alpha{at} beta{at}\n");
        ToolResult { label: (*label).into(), content }
    };
    let tool_results: Vec<ToolResult> = labels.iter().enumerate().map(result).collect();
    let report = pack(Request { tool_results, ..request(folder.path()) }).await;
    for label in labels {
        assert!(paths(&report).contains(&label), "{label}: {:?}", report.warnings);
    }
    assert!(report.warnings.is_empty() && report.excluded.is_empty(), "{:?}", report.warnings);
    let text = report.content.expect("a text");
    assert!(text.contains("### /usr/bin/make test (line 1)\n"), "{text}");
    assert!(!text.contains("\n### b.py"), "a label cannot imitate a header: {text}");
}

#[tokio::test]
async fn a_source_that_is_a_tool_result_still_has_a_path() {
    let folder = folder(&[("a.py", "pass\n")]);
    let line = |path: &str| kitbag::SourceLine {
        path: path.into(),
        content: Some(format!("said {path}\n")),
        kind: Some(kitbag::Kind::ToolResult),
        ..kitbag::SourceLine::default()
    };
    let sources = vec![line("../out.txt"), line("key.pem"), line("log.txt")];
    let report = pack(Request { sources, ..request(folder.path()) }).await;
    assert_eq!(paths(&report), ["log.txt"]);
    let reasons: Vec<&str> = report.excluded.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(reasons, ["outside_root", "denied"]);
}

#[tokio::test]
async fn an_empty_pack_explains_the_search() {
    let folder = folder(&[("a.py", "def login():\n    pass\n")]);
    let why = async |request: Request| {
        let report = pack(Request { task: "login".into(), ..request }).await;
        assert!(report.included.is_empty());
        let why = report.warnings.iter().find_map(|it| it.strip_prefix("the pack is empty: "));
        why.expect("it says why").to_owned()
    };
    let none = request(folder.path());
    let off = Request { no_providers: vec!["search".into()], ..none.clone() };
    assert!(why(off).await.starts_with("the provider `search` is off"));
    let option = |key: &str, value: u32| Request {
        options: vec![(format!("context.providers.search.{key}"), value.into())],
        ..none.clone()
    };
    assert_eq!(why(option("max_items", 0)).await, "`context.providers.search.max_items` is 0");
    assert_eq!(
        why(option("max_tokens", 1)).await,
        "every search result was left out, such as `a.py`: exceeds `context.providers.search.max_tokens`"
    );
    let profile = Some("agent".to_owned());
    let unknown = Request { task: String::new(), profile, ..none };
    assert!(matches!(try_pack(unknown).await, Err(Error::NothingToPack)));
}

#[tokio::test]
async fn an_excluded_line_range_leaves_out_its_chunks_only() {
    let lines: Vec<String> = (1..=60).map(|at| format!("    total += {at} * amount")).collect();
    let body = lines.join("\n");
    let function =
        |name: &str| format!("def {name}_voucher(amount):\n{body}\n    return total\n\n\n");
    let code = function("apply") + &function("expire");
    let folder = folder(&[("src/voucher.py", &code), ("src/other.py", &function("other"))]);
    let search = |exclude: &[&str]| Request {
        task: "voucher".into(),
        fill: true,
        budget: Some(20_000),
        exclude: exclude.iter().copied().map(String::from).collect(),
        ..request(folder.path())
    };
    let places = |report: &Report| -> Vec<(String, u32)> {
        report.included.iter().map(|it| (it.path.clone(), it.start_line)).collect()
    };
    let all = places(&pack(search(&[])).await);
    let second = all.iter().find(|(path, line)| path == "src/voucher.py" && *line > 60);
    let (_, line) = second.expect("the second function is a chunk");
    let range = format!("/src/voucher.py:{line}-{}", line + 3);
    let kept = places(&pack(search(&[&range])).await);
    let expected = all.iter().filter(|(path, start)| path != "src/voucher.py" || start != line);
    let (mut kept, mut expected): (Vec<_>, Vec<_>) = (kept, expected.cloned().collect());
    kept.sort();
    expected.sort();
    assert_eq!(kept, expected);
    assert_eq!(kept.len(), all.len() - 1);
}

#[tokio::test]
async fn a_trace_in_the_task_brings_the_code_around_its_frames() {
    let folder = folder(&[("src/cart.py", &functions(60)), ("src/other.py", &functions(3))]);
    let task = "It fails:\n\nTraceback (most recent call last):\n  File \"/app/src/cart.py\", line 152, \
                in function_30\n    total = value + 30\nTypeError: unsupported operand\n";
    let request = Request { task: task.into(), budget: Some(2_000), ..request(folder.path()) };
    let report = pack(request).await;
    let has = |start: u32, end: u32| start <= 152 && 152 <= end;
    let is_in =
        |it: &&kitbag::IncludedItem| it.path == "src/cart.py" && has(it.start_line, it.end_line);
    assert!(report.included.iter().any(|it| is_in(&it)), "the frame's code is in");
    let given = report.providers.iter().find(|it| it.id == "diagnostics").expect("it was asked");
    assert_eq!((given.outcome.as_str(), given.sources), ("ok", 1));
}

#[tokio::test]
async fn a_line_that_the_task_names_is_in_the_pack() {
    let folder = folder(&[("src/cart.py", &functions(60)), ("src/other.py", &functions(3))]);
    for task in [
        "what is src/cart.py:152 for?",
        "cart.py line 152 is odd",
        "https://github.com/o/shop/blob/main/src/cart.py#L152",
    ] {
        let request = Request { task: task.into(), budget: Some(400), ..request(folder.path()) };
        let report = pack(request).await;
        let is_in = |it: &kitbag::IncludedItem| {
            it.path == "src/cart.py" && it.start_line <= 152 && 152 <= it.end_line
        };
        assert!(report.included.iter().any(is_in), "{task}");
    }
}

#[tokio::test]
async fn history_shows_edits_and_commits_and_follows_renames() {
    let folder =
        folder(&[("old.py", "def cart():\n    return 1\n"), ("test_cart.py", "import old\n")]);
    let root = folder.path();
    commit(root, NOW - 3 * 86_400, "Add the cart");
    write(root, "test_cart.py", "import old\nold.cart()\n");
    write(root, "old.py", "def cart():\n    return 2\n");
    commit(root, NOW - 2 * 86_400, "Count the cart from two");
    git(root, NOW - 86_400, &["mv", "old.py", "cart.py"]);
    git(root, NOW - 86_400, &["commit", "--quiet", "--message", "Call it cart"]);
    write(root, "cart.py", "def cart():\n    return 3\n");
    let edited = root.join("cart.py");
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(NOW as u64 - 120);
    fs::File::options().write(true).open(edited).expect("there").set_modified(time).expect("set");
    let request = Request {
        document: document("cart.py"),
        providers: vec!["history".into()],
        no_providers: vec!["document".into()],
        ..request(root)
    };
    let report = pack(request).await;
    let text = report.part_of("history").expect("it has a history");
    assert!(
        text.starts_with("**File**: `cart.py` (2 minutes ago)\n**Change**: Not committed\n"),
        "{text}"
    );
    assert!(text.contains("-    return 2\n+    return 3\n"), "{text}");
    assert!(
        text.contains("**File**: `old.py` (2 days ago)\n**Change**: Count the cart from two ("),
        "{text}"
    );
    assert!(text.contains("**File**: `old.py` (3 days ago)"), "{text}");
    let task = Request {
        task: "count the cart from three".into(),
        providers: vec!["history".into()],
        no_providers: vec!["search".into()],
        ..self::request(root)
    };
    let text = pack(task).await.part_of("history").expect("a commit is about it");
    assert!(
        text.contains("**File**: `test_cart.py` (2 days ago)\n**Change**: Count the cart"),
        "{text}"
    );
}

#[tokio::test]
async fn staged_edits_are_marked_and_there_is_no_history_without_git() {
    let folder = folder(&[("a.py", "one\n")]);
    let root = folder.path();
    let request = |root: &Path| Request {
        document: document("a.py"),
        profile: Some("situation".into()),
        ..request(root)
    };
    assert_eq!(outcome(&pack(request(root)).await, "history").0, "empty");
    commit(root, NOW - 100, "Begin");
    write(root, "a.py", "two\n");
    git(root, NOW, &["add", "a.py"]);
    let text = pack(request(root)).await.part_of("history").expect("an edit");
    assert!(text.contains("**Change**: Staged, not committed\n"), "{text}");
}

/// What the history of a request's document says.
async fn history_of(root: &Path, document_path: Option<&str>) -> String {
    let request = Request {
        task: "zebra crossing".into(),
        document: document_path.and_then(document),
        providers: vec!["history".into()],
        no_providers: vec!["document".into()],
        options: vec![("context.providers.history.max_items".into(), 20.into())],
        ..request(root)
    };
    pack(request).await.part_of("history").unwrap_or_default()
}

#[tokio::test]
async fn history_shows_deletions_and_renames() {
    let code = functions(3);
    let folder = folder(&[
        ("NOTICE", "All rights.\n"),
        ("HISTORY.md", "One.\n"),
        ("cart.py", &code),
        ("moved.py", &functions(9)),
        ("token.pem", "secret\n"),
        ("ignored.md", "Not for agents.\n"),
        (".agentignore", "ignored.md\n"),
        ("a/sparse.py", "unchanged\n"),
    ]);
    let root = folder.path();
    git(root, NOW, &["init", "--quiet"]);
    git(root, NOW, &["add", "--all", "--force"]);
    git(root, NOW - 86_400, &["commit", "--quiet", "--message", "Begin with a cart"]);
    git(root, NOW, &["update-index", "--skip-worktree", "a/sparse.py"]);
    git(root, NOW, &["rm", "--quiet", "NOTICE"]);
    git(root, NOW, &["mv", "cart.py", "basket.py"]);
    write(root, "basket.py", &code.replace("value + 1", "value + 11"));
    fs::rename(root.join("moved.py"), root.join("elsewhere.py")).expect("renamed");
    for gone in ["HISTORY.md", "token.pem", "ignored.md", "a/sparse.py"] {
        fs::remove_file(root.join(gone)).expect("removed");
    }
    let text = history_of(root, Some("basket.py")).await;
    let says = |words: &str| assert!(text.contains(words), "{words} is not in {text}");
    says(
        "**File**: `NOTICE`\n**Change**: Deleted, staged\n```diff\n@@ -1,1 +0,0 @@\n-All rights.\n",
    );
    says("**File**: `HISTORY.md`\n**Change**: Deleted, not staged\n");
    says("**Change**: Renamed from `cart.py`, staged\n```diff\n@@ -5,5 +5,5 @@\n");
    says("-    total = value + 1\n+    total = value + 11\n");
    says("**Change**: Renamed from `moved.py`, not staged\n");
    says("**File**: `cart.py` (1 day ago)\n**Change**: Begin with a cart (");
    for kept_out in ["secret", "Not for agents", "sparse", "`moved.py` ("] {
        assert!(!text.contains(kept_out), "{kept_out} is in {text}");
    }
}

#[tokio::test]
async fn history_of_a_subfolder_has_its_paths_and_stays_in_it() {
    let folder = folder(&[("pkg/src/cart.py", &functions(9)), ("other.py", "import cart\n")]);
    let root = folder.path();
    let secret = "key = 1\none = 2\ntwo = 3\nthree = 4\nfour = 5\n";
    write(root, "pkg/src/secret/a.py", secret);
    commit(root, NOW - 9 * 86_400, "Begin");
    git(root, NOW, &["mv", "pkg/src/cart.py", "away.py"]);
    write(root, "away.py", &functions(9).replace("value + 1\n", "value + 100\n"));
    commit(root, NOW - 8 * 86_400, "Take it out");
    git(root, NOW, &["mv", "away.py", "pkg/src/cart.py"]);
    write(root, "pkg/src/cart.py", &functions(9).replace("value + 2\n", "value + 200\n"));
    commit(root, NOW - 7 * 86_400, "Take it in");
    git(root, NOW, &["mv", "pkg/src/secret/a.py", "pkg/src/b.py"]);
    write(root, "pkg/src/b.py", &secret.replace("key = 1", "key = 9"));
    write(root, "other.py", "import cart\nimport b\n");
    commit(root, NOW - 6 * 86_400, "A zebra crossing");
    let pkg = root.join("pkg");
    let text = history_of(&pkg, Some("src/cart.py")).await;
    assert!(
        text.contains("**File**: `src/cart.py` (7 days ago)\n**Change**: Take it in ("),
        "{text}"
    );
    assert!(
        text.contains("**File**: `src/b.py` (6 days ago)\n**Change**: A zebra crossing ("),
        "{text}"
    );
    assert!(!text.contains("pkg/") && !text.contains("away.py"), "{text}");
    assert!(!text.contains("other.py") && text.contains("-key = 1\n+key = 9\n"), "{text}");
    let denied = Request {
        document: document("src/b.py"),
        deny: vec!["src/secret/**".into()],
        providers: vec!["history".into()],
        no_providers: vec!["document".into()],
        ..request(&pkg)
    };
    let text = pack(denied).await.part_of("history").unwrap_or_default();
    assert!(!text.contains("secret") && !text.contains("key = 1"), "{text}");
}

#[tokio::test]
async fn old_commits_are_not_recent_changes() {
    let folder = folder(&[("a.py", "zebra = 1\n")]);
    let root = folder.path();
    commit(root, NOW - 900 * 86_400, "A zebra crossing of old");
    write(root, "a.py", "zebra = 2\n");
    commit(root, NOW - 600 * 86_400, "A zebra crossing again");
    let text = history_of(root, Some("a.py")).await;
    assert!(
        text.contains("A zebra crossing again") && !text.contains("A zebra crossing of old"),
        "{text}"
    );
}

#[tokio::test]
async fn a_change_is_not_called_like_a_file() {
    let change = "history/cart.py";
    let folder = folder(&[("cart.py", "def total():\n    return 1\n"), (change, "old = 1\n")]);
    let root = folder.path();
    commit(root, NOW - 86_400, "Begin");
    write(root, "cart.py", "def total():\n    return 2\n");
    let request = Request {
        document: document("cart.py"),
        references: vec![change.into()],
        providers: vec!["history".into()],
        ..request(root)
    };
    let text = pack(request).await.content.expect("a text");
    assert!(text.contains("### history/cart.py (line 1)\n```python\nold = 1\n"), "{text}");
    assert!(
        text.contains("### cart.py: not committed (lines 1-8)\n````text\n**File**: `cart.py`"),
        "{text}"
    );
    assert!(text.contains("### cart.py: commit "), "{text}");
}

#[tokio::test]
async fn only_limits_on_named_inputs_are_warned_about() {
    let folder = folder(&[("a.py", "one = 1\n"), ("b.py", "two = 2\n")]);
    let root = folder.path();
    commit(root, NOW - 86_400, "Begin");
    write(root, "a.py", &functions(90));
    let limited = |id: &str| Request {
        document: document("a.py"),
        providers: vec!["history".into()],
        open_files: vec![Document { path: "b.py".into(), content: None }],
        options: vec![(format!("context.providers.{id}.max_tokens"), 3.into())],
        ..request(root)
    };
    let report = pack(limited("history")).await;
    assert!(
        report.excluded.iter().any(|it| it.reason.as_str() == "provider_limit"),
        "it is reported"
    );
    assert_eq!(report.warnings, [""; 0]);
    let report = pack(limited("open_files")).await;
    let said = "`b.py` was left out: exceeds `context.providers.open_files.max_tokens`";
    assert_eq!(report.warnings, [said]);
}

#[tokio::test]
async fn selected_lines_are_named_where_the_document_is_shown() {
    let folder = folder(&[("a.py", &functions(3)), ("notes.txt", "one\ntwo\nthree\n")]);
    let selected = |path: &str, start_line: u32, end_line: u32| Request {
        document: document(path),
        selection: Some(Selection { start_line, end_line, text: None }),
        profile: Some("orchestrate".into()),
        ..request(folder.path())
    };
    let text = pack(selected("a.py", 6, 7)).await.content.expect("a text");
    assert!(text.contains("## Document\n"), "{text}");
    let sentence = "Lines 6-7 of `a.py` are selected, in `function_1` (lines 6-8).\n";
    assert!(text.contains(sentence), "{text}");
    let report = pack(selected("notes.txt", 2, 2)).await;
    assert_eq!(report.part_of("heading").as_deref(), Some("Line 2 of `notes.txt` is selected.\n"));
}

#[tokio::test]
async fn style_shows_the_conventions_of_the_project() {
    let folder = folder(&[
        ("AGENTS.md", "# Agents\n\nRun the tests.\n"),
        (".editorconfig", "indent_style = tab\n"),
        ("docs/names.md", "# Names\n\nUse whole words.\n"),
        ("a.py", "pass\n"),
    ]);
    let request = Request {
        task: "x".into(),
        providers: vec!["style".into()],
        options: vec![(
            "context.style.guides".into(),
            serde_json::json!(["docs/names.md", "docs/gone.md"]),
        )],
        ..request(folder.path())
    };
    let report = pack(request).await;
    let styles: Vec<&str> = report
        .included
        .iter()
        .filter(|it| it.kind.name() == "style")
        .map(|it| it.path.as_str())
        .collect();
    assert_eq!(styles, ["docs/names.md", "AGENTS.md", ".editorconfig"]);
    assert!(report.warnings.iter().any(|it| it.contains("docs/gone.md")), "{:?}", report.warnings);
}

#[tokio::test]
async fn secrets_in_what_providers_give_are_replaced() {
    let secret = format!("key = \"ghp_{}\"\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let folder = folder(&[("a.py", "x = 1\n")]);
    commit(folder.path(), NOW - 100, "Begin");
    write(folder.path(), "a.py", &format!("x = 1\n{secret}"));
    let request = Request {
        document: document("a.py"),
        selection: Some(Selection { start_line: 2, end_line: 2, text: None }),
        providers: vec!["history".into()],
        ..request(folder.path())
    };
    let report = pack(request).await;
    let text = report.content.expect("a text");
    assert!(text.contains("[REDACTED:") && !text.contains("ghp_a1B2"), "{text}");
}

#[tokio::test]
async fn what_is_given_for_a_provider_that_is_off_is_said() {
    let folder = folder(&[("a.py", "one\n")]);
    let request = Request {
        document: document("a.py"),
        open_files: vec![Document { path: "a.py".into(), content: None }],
        profile: Some("orchestrate".into()),
        ..request(folder.path())
    };
    let report = pack(request).await;
    let said = "the provider `open_files` is off; its input is ignored";
    assert!(report.warnings.iter().any(|it| it == said), "{:?}", report.warnings);
}

#[tokio::test]
async fn the_profile_chunks_packs_only_what_the_caller_brings() {
    let folder = folder(&[("a.py", "def login():\n    pass\n"), ("b.py", "login()\n")]);
    let request = Request {
        task: "login".into(),
        references: vec!["a.py".into()],
        profile: Some("chunks".into()),
        ..request(folder.path())
    };
    let report = pack(request).await;
    assert_eq!(paths(&report), ["a.py"]);
    assert_eq!(outcome(&report, "search").0, "off");
}

//! The aggregator design: diagnostics, history and search for an edit in place.

use crate::custom::Own;
use crate::repository::{commit, engine, folder, outcome, write};
use insta::assert_snapshot;
use kitbag::{Cancel, Cursor, Document, Report, Request, Selection, ToolOutput};
use std::path::Path;
use tempfile::TempDir;

const LOGIN: &str = "\
import { apiRequest } from '../api/client';

export function login(user) {
  return apiRequest('/login', user);
}
";

const CLIENT: &str = "\
export async function apiRequest(endpoint: string): Promise<any> {
  const response = await fetch(endpoint);
  return response.json();
}
";

/// When the last commit was made.
const THEN: i64 = 1_700_000_000;

/// A repository with a history, and an edit that is not committed.
fn project() -> TempDir {
    let folder = folder(&[("src/auth/login.ts", LOGIN), ("src/api/client.ts", CLIENT)]);
    commit(folder.path(), THEN - 86_400, "Begin");
    let handled =
        LOGIN.replace("  return apiRequest", "  // An error is the caller's.\n  return apiRequest");
    write(folder.path(), "src/auth/login.ts", &handled);
    commit(folder.path(), THEN, "Say who handles errors");
    folder
}

fn request(folder: &Path) -> Request {
    Request {
        task: "handle the error of apiRequest in login".into(),
        repo: Some(folder.to_owned()),
        profile: Some("inline-edit".into()),
        document: Some(Document { path: "src/auth/login.ts".into(), content: None }),
        cursor: Some(Cursor { line: 4, column: None }),
        diagnostics: vec![ToolOutput {
            name: "tsc.txt".into(),
            content: "src/auth/login.ts(3,23): error TS7006: Parameter 'user' implicitly has an \
                      'any' type.\n"
                .into(),
        }],
        now: Some(THEN + 120),
        // The tests are about what is in, on a machine that may be busy.
        deadline_ms: Some(60_000),
        ..Request::default()
    }
}

async fn pack(request: Request) -> Report {
    let none: [Own; 0] = [];
    engine(none).pack(request, &Cancel::default()).await.expect("a pack")
}

// Shows: AGG-01, AGG-03
#[tokio::test]
async fn errors_then_changes_then_code_each_under_its_title() {
    let folder = project();
    let report = pack(request(folder.path())).await;
    let text = report.content.clone().expect("a text");
    let normal = text.lines().map(|line| match line.split_once(" (") {
        Some((subject, id)) if line.starts_with("**Change**") => {
            format!("{subject} ({})", if id.len() > 9 { "ID)" } else { id }).replace("))", ")")
        }
        _ => line.to_owned(),
    });
    let normal: Vec<String> = normal.collect();
    assert_snapshot!(normal.join("\n"), @r"
    ## Diagnostics

    **ERROR** [tsc TS7006] (line 3): Parameter 'user' implicitly has an 'any' type.

    **File**: `src/auth/login.ts` (lines 1-6) - function: `login`
    ```typescript
    import { apiRequest } from '../api/client';

    export function login(user) {
      // An error is the caller's.
      return apiRequest('/login', user);
    }
    ```

    ---

    ## Recent Changes

    **File**: `src/auth/login.ts` (2 minutes ago)
    **Change**: Say who handles errors (ID)
    ```diff
    @@ -2,4 +2,5 @@ import { apiRequest } from '../api/client';
     
     export function login(user) {
    +  // An error is the caller's.
       return apiRequest('/login', user);
     }
    ```

    **File**: `src/auth/login.ts` (1 day ago)
    **Change**: Begin (ID)
    ```diff
    @@ -0,0 +1,5 @@
    +import { apiRequest } from '../api/client';
    +
    +export function login(user) {
    +  return apiRequest('/login', user);
    +}
    ```

    ---

    ## Relevant Code from Workspace

    **File**: `src/api/client.ts` (lines 1-4) - function: `apiRequest`
    ```typescript
    export async function apiRequest(endpoint: string): Promise<any> {
      const response = await fetch(endpoint);
      return response.json();
    }
    ```
    ");
    for id in ["diagnostics", "history", "search"] {
        assert_eq!(outcome(&report, id).0, "ok", "{id}");
    }
}

// Shows: AGG-02, AGG-15
#[tokio::test]
async fn the_budget_is_what_instruction_and_selection_leave() {
    let folder = project();
    let whole = pack(request(folder.path())).await;
    assert!(whole.budget < 2_000 && whole.budget > 1_980, "{}", whole.budget);
    let selection = Some(Selection { start_line: 3, end_line: 5, text: None });
    let selected = pack(Request { selection, ..request(folder.path()) }).await;
    assert!(selected.budget < whole.budget - 10, "{} {}", selected.budget, whole.budget);
    let given = pack(Request { budget: Some(100), ..request(folder.path()) }).await;
    assert_eq!(given.budget, 100, "a given budget is not reduced");
    assert!(given.total_tokens <= 100);
    let total = vec![("context.budget.total".to_owned(), 300.into())];
    let less = pack(Request { options: total, ..request(folder.path()) }).await;
    assert!(less.budget < 300 && less.total_tokens <= less.budget);
}

// Shows: AGG-04, AGG-11
#[tokio::test]
async fn what_does_not_fit_is_cut_in_proportion() {
    let long: String = (0..400).map(|line| format!("  step({line});\n")).collect();
    let code = format!("export function login(user) {{\n{long}}}\n");
    let folder = folder(&[("src/auth/login.ts", &code)]);
    commit(folder.path(), THEN, "Begin");
    let total = |tokens: u64| vec![("context.budget.total".to_owned(), tokens.into())];
    let mut request = request(folder.path());
    request.diagnostics.clear();
    request.no_providers = vec!["diagnostics".into(), "history".into()];
    let whole = pack(Request { options: total(9_000), ..request.clone() }).await;
    let half = whole.total_tokens / 2;
    let cut = pack(Request { options: total(half as u64), ..request }).await;
    assert!(cut.total_tokens <= half, "{} of {half}", cut.total_tokens);
    assert!(cut.total_tokens * 10 > half * 8, "{} of {half}", cut.total_tokens);
    assert!(cut.content.expect("a text").contains("... (truncated)"));
}

#[tokio::test]
async fn the_limits_of_the_design_hold() {
    let folder = project();
    for number in 0..12 {
        let path = format!("src/api/request{number}.ts");
        write(folder.path(), &path, &CLIENT.replace("apiRequest", &format!("apiRequest{number}")));
    }
    let errors: String = (1..=9)
        .map(|line| format!("src/auth/login.ts({line},1): error TS1: Wrong number {line}.\n"))
        .collect();
    let mut request = request(folder.path());
    request.diagnostics[0].content = errors;
    let report = pack(request).await;
    let of = |id: &'static str| {
        report.included.iter().filter(move |it| it.provider.as_deref() == Some(id))
    };
    let messages = of("diagnostics").find(|it| it.path == "diagnostics").expect("messages");
    assert_eq!(messages.text.lines().count(), 5);
    assert!(messages.text.starts_with("**ERROR** [tsc TS1] (line 4)"), "{}", messages.text);
    assert!(of("search").count() <= 3);
    assert!(of("history").filter(|it| it.path != "history: changed together").count() <= 3);
}

#[tokio::test]
async fn diagnostics_that_cannot_be_read_are_an_error_with_its_place() {
    let folder = project();
    let none: [Own; 0] = [];
    let engine = engine(none);
    let wrong = [
        ("d.sarif", "{\"version\": \"2.1.0\",\n \"runs\": [}\n", "d.sarif:2:"),
        ("t.xml", "<testsuites>\n<testsuite>\n</oops>", "t.xml:3:"),
        ("x.txt", "nothing that any tool would say", "x.txt: unknown format"),
    ];
    for (name, content, place) in wrong {
        let mut request = request(folder.path());
        request.diagnostics = vec![ToolOutput { name: name.into(), content: content.into() }];
        let error = engine.pack(request, &Cancel::default()).await.expect_err(name);
        assert!(error.is_usage() && error.hint().is_some());
        assert!(error.to_string().starts_with(place), "{error}");
    }
}

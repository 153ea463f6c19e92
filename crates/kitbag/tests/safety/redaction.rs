//! Secrets inside files do not leave.

use crate::*;
use kitbag::{SearchRequest, SourceLine};

fn login(token: &str) -> String {
    format!(
        "/// Logs in.\nfn login() {{\n    let client = Client::new(\"{token}\");\n    client.login();\n}}\n"
    )
}

#[tokio::test]
async fn a_secret_is_replaced_and_counted_whatever_brings_it() {
    let token = github_token(1);
    let folder = folder(&[("src/login.rs", &login(&token)), ("other.rs", "fn other() {}\n")]);
    let brought = SourceLine {
        path: "buffer.rs".into(),
        content: Some(format!("fn buffer() {{\n    send(\"{}\");\n}}\n", github_token(2))),
        kind: Some(kitbag::Kind::OpenFile),
        ..SourceLine::default()
    };
    let by_search = request(&folder, "login client", 2_000);
    let by_name =
        Request { references: vec!["src/login.rs".into()], ..request(&folder, "", 2_000) };
    let by_lines =
        Request { references: vec!["src/login.rs:2-4".into()], ..request(&folder, "", 2_000) };
    let by_all = Request { references: by_lines.references.clone(), ..by_search.clone() };
    let by_caller = Request { sources: vec![brought], ..request(&folder, "", 2_000) };
    for (request, path, line) in [
        (by_search, "src/login.rs", 3),
        (by_name, "src/login.rs", 3),
        (by_lines, "src/login.rs", 3),
        (by_all, "src/login.rs", 3),
        (by_caller, "buffer.rs", 2),
    ] {
        let report = pack(request).await;
        assert!(text(&report).contains("(\"[REDACTED:github-token]\");"), "{}", text(&report));
        assert!(!mentions(&report, &token) && !mentions(&report, &github_token(2)));
        let found: Vec<_> =
            report.redactions.iter().map(|it| (it.path.as_str(), it.line, it.rule)).collect();
        assert_eq!(found, [(path, line, "github-token")]);
        assert_eq!(report.stats.redactions["github-token"], 1);
        assert_eq!(report.total_tokens, count(text(&report)));
    }
}

#[tokio::test]
async fn redaction_can_be_switched_off_and_changes_nothing_where_there_is_no_secret() {
    let token = github_token(1);
    let folder = folder(&[("login.rs", &login(&token))]);
    let plain = Request { redact: Some(false), ..request(&folder, "login", 2_000) };
    let report = pack(plain).await;
    assert!(text(&report).contains(&token) && report.redactions.is_empty());
    assert!(report.stats.redactions.is_empty());
    write(&folder, "login.rs", login("name"));
    let on = pack(request(&folder, "login", 2_000)).await;
    let off = pack(Request { redact: Some(false), ..request(&folder, "login", 2_000) }).await;
    assert_eq!(text(&on), text(&off));
}

#[tokio::test]
async fn a_repository_does_not_switch_redaction_off() {
    let token = github_token(1);
    let folder = folder(&[("login.rs", "fn login() {}\n")]);
    write(&folder, ".agent/config.yml", "security:\n  redact: false\n");
    let result = kitbag::ToolResult { label: "run".into(), content: format!("login {token}\n") };
    let report =
        pack(Request { tool_results: vec![result], ..request(&folder, "login", 2_000) }).await;
    assert!(text(&report).contains("[REDACTED:github-token]"), "{}", text(&report));
    assert!(!mentions(&report, &token));
    let warned = "config.yml:2:11: `security.redact` is ignored";
    assert!(report.warnings.iter().any(|it| it.contains(warned)), "{:?}", report.warnings);
}

#[tokio::test]
async fn lines_from_the_middle_of_a_key_are_replaced_too() {
    let key = private_key();
    let folder = folder(&[("notes.txt", &format!("notes\n{key}more notes\n"))]);
    let lines = Request { references: vec!["notes.txt:4-6".into()], ..request(&folder, "", 500) };
    let report = pack(lines).await;
    assert_eq!(text(&report).matches("[REDACTED:private-key]").count(), 3);
    assert_eq!((report.redactions.len(), report.stats.redactions["private-key"]), (3, 1));
    assert!(key.lines().skip(1).take(6).all(|line| !mentions(&report, line)));
}

#[tokio::test]
async fn a_secret_in_a_heading_is_not_reported_as_a_symbol() {
    let token = github_token(3);
    let section = "Words about logging in, and more of them.\n".repeat(30);
    let folder = folder(&[("guide.md", &format!("# Guide\n\n## login {token}\n\n{section}"))]);
    let report = pack(request(&folder, "login", 2_000)).await;
    assert!(!report.included.is_empty() && !mentions(&report, &token));
    let engine = Engine::new().unwrap();
    let repo = Some(folder.path().to_owned());
    let search = SearchRequest { task: "login".into(), repo, ..SearchRequest::default() };
    let found = engine.search(search, &Cancel::default()).await.unwrap();
    assert!(!found.results.is_empty());
    assert!(!serde_json::to_string(&found).unwrap().contains(&token));
}

// Shows: NFR-016-23, NFR-016-30
#[tokio::test]
async fn a_pack_with_secrets_is_exact_at_every_budget_and_the_same_again() {
    let files: Vec<(String, String)> = (0..12)
        .map(|at| {
            let padding: String =
                (0..at * 3).map(|n| format!("    let login_{n} = {n};\n")).collect();
            (
                format!("src/login_{at}.rs"),
                login(&github_token(at))
                    .replace("    client.login", &format!("{padding}    client.login")),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = folder(&files);
    let cache = tempfile::tempdir().unwrap();
    for budget in (0..1_200).step_by(83) {
        let cold = pack(request(&folder, "login client", budget)).await;
        assert_eq!(cold.total_tokens, count(text(&cold)));
        assert!(cold.total_tokens <= budget);
        assert_eq!(cold.redactions.len(), text(&cold).matches("[REDACTED:").count());
        let engine = Engine::new().unwrap().with_cache(cache.path());
        let warm = engine.pack(request(&folder, "login client", budget), &Cancel::default()).await;
        assert_eq!(text(&warm.unwrap()), text(&cold));
        let preview =
            engine.preview(request(&folder, "login client", budget), &Cancel::default()).await;
        assert_eq!(preview.unwrap().redactions, cold.redactions);
    }
}

#[tokio::test]
async fn what_is_shown_in_place_of_a_content_is_redacted_too() {
    let folder = folder(&[("a.rs", "fn a() {}\n")]);
    let brought = SourceLine {
        path: "buffer.rs".into(),
        content: Some("fn buffer() {}\n".into()),
        expanded_context: Some(format!("fn buffer() {{ send(\"{}\") }}\n", github_token(3))),
        ..SourceLine::default()
    };
    let report = pack(Request { sources: vec![brought], ..request(&folder, "", 2_000) }).await;
    assert!(text(&report).contains("[REDACTED:github-token]"), "{}", text(&report));
    assert!(!mentions(&report, &github_token(3)));
}

/// The user may name a template, and may be wrong about what is in it.
#[tokio::test]
async fn secrets_in_a_template_and_around_the_pack_are_replaced() {
    let (token, other) = (github_token(4), github_token(5));
    let folder =
        folder(&[("login.rs", &login("name")), ("keys.py", &format!("TOKEN = \"{token}\"\n"))]);
    let options = vec![("context.formatting.template".to_owned(), "keys.py".into())];
    let templated = Request { options, ..request(&folder, "login", 2_000) };
    let report = pack(templated.clone()).await;
    assert_eq!(text(&report), "TOKEN = \"[REDACTED:github-token]\"\n");
    assert!(!mentions(&report, &token));
    assert!(report.warnings.iter().any(|it| it.starts_with("secrets in the template")));
    let options = vec![("context.formatting.header".to_owned(), format!("use {other}").into())];
    let headed = pack(Request { options, ..request(&folder, "login", 2_000) }).await;
    assert!(text(&headed).starts_with("use [REDACTED:github-token]"), "{}", text(&headed));
    assert!(!mentions(&headed, &other));
    let plain = pack(Request { redact: Some(false), ..templated }).await;
    assert!(text(&plain).contains(&token), "the user may want it so");
}

#[tokio::test]
async fn a_remote_request_keeps_its_secrets_replaced_and_reads_no_tokenizer() {
    let folder = folder(&[("login.rs", &login("name"))]);
    let remote = Request { is_remote: true, ..request(&folder, "login", 500) };
    let path = folder.path().join("tokenizer.json");
    let refused = [
        Request { redact: Some(false), ..remote.clone() },
        Request { tokenizer: Some(kitbag::TokenizerChoice::File(path)), ..remote.clone() },
    ];
    let engine = Engine::new().unwrap();
    for request in refused {
        let error = engine.pack(request.clone(), &Cancel::default()).await.unwrap_err();
        assert_eq!((error.code(), error.is_usage()), ("not_for_requests", true), "{error}");
        assert!(error.hint().unwrap().starts_with("only the user can set it, with `"));
        let local = Request { is_remote: false, ..request };
        let own = engine.pack(local, &Cancel::default()).await;
        assert_ne!(own.err().map(|error| error.code()), Some("not_for_requests"));
    }
    assert!(engine.pack(remote, &Cancel::default()).await.is_ok());
}

#[tokio::test]
async fn names_labels_and_the_task_are_redacted() {
    let token = github_token(3);
    let folder = folder(&[(&format!("notes-{token}.md"), "# Notes\n\nremember the milk\n")]);
    write(&folder, "task.j2", "{{ task }}\n");
    let result = kitbag::ToolResult {
        label: "curl -u anna:raven9197 https://host/".into(),
        content: "remember the milk\n".into(),
    };
    let named = Request {
        references: vec![format!("notes-{token}.md")],
        tool_results: vec![result],
        ..request(&folder, &format!("milk for {token}"), 2_000)
    };
    let options = vec![("context.formatting.template".to_owned(), "task.j2".into())];
    let templated = Request { options, ..named.clone() };
    let report = pack(templated).await;
    assert!(text(&report).starts_with("milk for [REDACTED:github-token]"), "{}", text(&report));
    assert!(!mentions(&report, &token));
    let report = pack(named).await;
    let packed = text(&report);
    assert!(packed.contains("notes-[REDACTED:github-token].md"), "{packed}");
    assert!(packed.contains("curl -u anna:[REDACTED:command-password] https://host/"), "{packed}");
    assert!(!mentions(&report, &token) && !mentions(&report, "raven9197"));
}

#[tokio::test]
async fn tool_result_from_the_middle_of_a_key_is_redacted() {
    let key = private_key();
    let lines: Vec<&str> = key.lines().collect();
    let folder = folder(&[("other.rs", "fn other() {}\n")]);
    for cut in [&lines[2..], &lines[..5], &lines[2..6]] {
        let content = format!("{}\n", cut.join("\n"));
        let result = kitbag::ToolResult { label: "cat key".into(), content };
        let report =
            pack(Request { tool_results: vec![result], ..request(&folder, "", 2_000) }).await;
        assert!(text(&report).contains("[REDACTED:private-key]"), "{}", text(&report));
        assert!(!mentions(&report, lines[3]), "{}", text(&report));
    }
}

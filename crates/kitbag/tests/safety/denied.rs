//! What the denylist has is rejected, reported and never read.

use crate::*;
use kitbag::{SearchRequest, SourceLine};

// Shows: AC-020, AC-023, AC-024, AC-025, AC-026, AC-145
#[tokio::test]
async fn denied_files_are_reported_and_never_in() {
    let denied = [
        ".env",
        ".env.local",
        ".git/config",
        "keys/id_rsa",
        "conf/credentials.json",
        "tls/server.pem",
    ];
    let folder = folder(&[("a.rs", "fn a() {}\n"), (".environment.md", "# Environment\n")]);
    for path in denied {
        write(&folder, path, "hidden words\n");
    }
    let references =
        denied.iter().chain(&["a.rs", ".environment.md"]).map(|path| (*path).to_owned());
    let named = Request { references: references.collect(), ..request(&folder, "", 2_000) };
    let report = pack(named).await;
    assert_eq!(paths(&report), [".environment.md", "a.rs"]);
    assert!(!mentions(&report, "hidden words"));
    for path in denied {
        assert_eq!(reasons(&report, path), ["denied"], "{path}");
    }
    let brought = |path: &str| SourceLine {
        path: path.into(),
        content: Some("hidden words".into()),
        ..SourceLine::default()
    };
    let report =
        pack(Request { sources: denied.map(brought).into(), ..request(&folder, "", 2_000) }).await;
    assert!(report.included.is_empty() && !mentions(&report, "hidden words"));
}

#[tokio::test]
async fn a_request_may_deny_more() {
    let folder =
        folder(&[("login.rs", "fn login() {}\n"), ("private/login.rs", "fn login_too() {}\n")]);
    let engine = Engine::new().unwrap();
    // An earlier scan with another denylist does not count.
    engine.watch(folder.path()).unwrap();
    let open = engine.pack(request(&folder, "login", 500), &Cancel::default()).await.unwrap();
    assert_eq!(paths(&open), ["login.rs", "private/login.rs"]);
    let deny = vec!["private".to_owned()];
    for _ in 0..2 {
        let denying = Request { deny: deny.clone(), ..request(&folder, "login", 500) };
        let report = engine.pack(denying, &Cancel::default()).await.unwrap();
        assert_eq!(paths(&report), ["login.rs"]);
        assert_eq!(reasons(&report, "private"), ["denied"]);
    }
    let named = Request {
        deny: deny.clone(),
        references: vec!["private/login.rs".into()],
        ..request(&folder, "", 500)
    };
    assert_eq!(reasons(&pack(named).await, "private/login.rs"), ["denied"]);
    let repo = Some(folder.path().to_owned());
    let search = SearchRequest { task: "login".into(), repo, deny, ..SearchRequest::default() };
    let found = engine.search(search, &Cancel::default()).await.unwrap();
    let found: Vec<&str> = found.results.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(found, ["login.rs"]);
}

#[tokio::test]
async fn patterns_deny_as_in_a_gitignore_and_what_is_none_is_an_error() {
    let folder = folder(&[
        ("login.rs", "fn login() {}\n"),
        ("src/deep/login.txt", "login by text\n"),
        ("s1.txt", "login by number\n"),
        ("vault/login.txt", "login by vault\n"),
    ]);
    for (deny, denied) in [
        ("src/**/*.txt", "src/deep/login.txt"),
        ("s[0-9].txt", "s1.txt"),
        ("{s1,sX}.txt", "s1.txt"),
        ("./src/**", "src/deep/login.txt"),
        ("/vault/**", "vault/login.txt"),
    ] {
        let filled = || Request { fill: true, ..request(&folder, "login", 500) };
        let by_request = Request { deny: vec![deny.into()], ..filled() };
        let report = pack(by_request).await;
        assert_eq!(report.included.len(), 3, "{deny}");
        assert!(!paths(&report).contains(&denied), "{deny}");
        write(&folder, ".agent/config.yml", format!("security: {{deny: ['{deny}']}}\n"));
        let report = pack(filled()).await;
        assert!(!paths(&report).contains(&denied) && report.included.len() == 3, "{deny}");
        write(&folder, ".agent/config.yml", "");
    }
    for deny in ["[", "", "!x"] {
        let wrong = Request { deny: vec![deny.into()], ..request(&folder, "login", 500) };
        let error = Engine::new().unwrap().pack(wrong, &Cancel::default()).await.unwrap_err();
        assert_eq!((error.code(), error.is_usage()), ("glob", true), "{error}");
    }
}

//! Tests for locating files and ordering diagnostics.

use super::super::{Diagnostic, KnownFiles, Severity, in_repository, limit, locate, order, read};
use super::{fixture, name, shown};

fn files(paths: &[&str]) -> KnownFiles {
    KnownFiles::new(paths.iter().map(|path| (*path).to_owned()))
}

fn repository() -> KnownFiles {
    files(&[
        "main.py",
        "ast.py",
        "src/auth/login.ts",
        "src/auth/logout.ts",
        "packages/a/src/index.ts",
        "packages/b/src/index.ts",
        "backend/src/main/java/com/acme/Shop.java",
        "backend/src/test/java/com/acme/ShopTest.java",
        "backend/src/main/kotlin/com/acme/Till.kt",
        "tests/test_cart.py",
        "Web/Controllers/HomeController.cs",
        "a b/ü.c",
        "src/lib.rs",
        "crates/x/src/lib.rs",
    ])
}

#[test]
fn paths_of_other_machines_match_by_suffix() {
    let cases = [
        ("src/auth/login.ts", Some("src/auth/login.ts")),
        ("./src/auth/login.ts", Some("src/auth/login.ts")),
        ("../shop/src/auth/login.ts", Some("src/auth/login.ts")),
        ("/builds/42/shop/src/auth/login.ts", Some("src/auth/login.ts")),
        ("/builds/src/auth/../auth/login.ts:3:5", Some("src/auth/login.ts")),
        ("file:///builds/shop/src/auth/login.ts", Some("src/auth/login.ts")),
        ("file:///builds/a%20b/%C3%BC.c", Some("a b/ü.c")),
        ("webpack:///./src/auth/login.ts?1f3c", Some("src/auth/login.ts")),
        ("webpack://shop/src/auth/login.ts", Some("src/auth/login.ts")),
        ("webpack-internal:///(rsc)/./src/auth/login.ts", Some("src/auth/login.ts")),
        ("http://localhost:3000/src/auth/login.ts?t=1", Some("src/auth/login.ts")),
        ("C:\\builds\\shop\\src\\auth\\login.ts", Some("src/auth/login.ts")),
        (
            "c:\\builds\\web\\controllers\\homecontroller.cs",
            Some("Web/Controllers/HomeController.cs"),
        ),
        ("file:///C:/builds/shop/src/auth/login.ts", Some("src/auth/login.ts")),
        ("\\\\?\\C:\\builds\\src\\auth\\login.ts", Some("src/auth/login.ts")),
        ("auth/login.ts", Some("src/auth/login.ts")),
        ("login.ts", Some("src/auth/login.ts")),
        ("/app/auth/login.ts", Some("src/auth/login.ts")),
        ("/builds/main.py", Some("main.py")),
        ("com/acme/Shop.java", Some("backend/src/main/java/com/acme/Shop.java")),
        ("com.acme.Shop.java:12", Some("backend/src/main/java/com/acme/Shop.java")),
        ("com.acme.Shop", Some("backend/src/main/java/com/acme/Shop.java")),
        ("com.acme.Shop$Till", Some("backend/src/main/java/com/acme/Shop.java")),
        ("com.acme.Till", Some("backend/src/main/kotlin/com/acme/Till.kt")),
        ("tests.test_cart", Some("tests/test_cart.py")),
        ("tests.test_cart.TestTotal", Some("tests/test_cart.py")),
        ("/builds/packages/b/src/index.ts", Some("packages/b/src/index.ts")),
        ("src/lib.rs", Some("src/lib.rs")),
        ("/builds/x/src/lib.rs", Some("crates/x/src/lib.rs")),
        ("/builds/y/src/lib.rs", Some("src/lib.rs")),
    ];
    for (path, expected) in cases {
        assert_eq!(locate(path, &repository()).as_deref(), expected, "{path}");
    }
}

#[test]
fn ambiguous_and_foreign_paths_do_not_match() {
    for path in [
        "src/index.ts",
        "index.ts",
        "/builds/src/index.ts",
        "/builds/other/login.ts",
        "/usr/lib/python3.11/ast.py",
        "/opt/pyenv/versions/3.11.4/lib/python3.11/ast.py",
        "/srv/venv/lib/python3.11/site-packages/x/tests/test_cart.py",
        "/app/node_modules/shop/src/auth/login.ts",
        "/rustc/5980/library/x/src/lib.rs",
        "/srv/.cargo/registry/src/x/src/lib.rs",
        "SRC/AUTH/LOGIN.TS",
        "../../etc/passwd",
        "/etc/passwd",
        "com.other.Shop.java",
        "com.acme.Nothing",
        "login",
        "..",
        "/",
        "",
        "file://",
        "%",
        "C:",
    ] {
        assert_eq!(locate(path, &repository()), None, "{path}");
    }
}

#[test]
fn installed_copy_maps_to_the_files_of_the_repository() {
    let paths = [
        "src/requests/sessions.py",
        "src/requests/__init__.py",
        "tests/sessions.py",
        "setup.py",
        "docs/a/conf.py",
        "docs/b/a/conf.py",
        "src/requests/_vendor/six/moves.py",
    ];
    let files = KnownFiles::new(paths.map(str::to_owned)).with_root("/u/requests");
    let cases = [
        ("/u/venv/lib/python3.11/site-packages/requests/sessions.py", Some(0)),
        ("/usr/lib/python3/dist-packages/requests/sessions.py", Some(0)),
        ("C:\\py\\Lib\\site-packages\\requests\\__init__.py", Some(1)),
        ("/u/requests/.venv/lib/python3.11/site-packages/requests/sessions.py", Some(0)),
        ("/u/site-packages/urllib3/sessions.py", None),
        ("/u/site-packages/urllib3/requests/sessions.py", None),
        ("/u/site-packages/setup.py", None),
        ("/u/site-packages/a/conf.py", None),
        ("/u/site-packages/six/moves.py", None),
        ("/u/site-packages", None),
    ];
    for (path, place) in cases {
        let expected = place.map(|place: usize| paths[place]);
        assert_eq!(locate(path, &files).as_deref(), expected, "{path}");
    }
}

#[test]
fn path_below_the_root_matches_exactly_or_not_at_all() {
    let files = repository().with_root("/srv/shop/");
    assert_eq!(locate("/srv/shop/src/lib.rs", &files).as_deref(), Some("src/lib.rs"));
    assert_eq!(locate("/srv/shop/dist/src/auth/login.ts", &files), None);
    assert_eq!(locate("/srv/shop/../shop/main.py", &files).as_deref(), Some("main.py"));
    assert_eq!(locate("/builds/src/auth/login.ts", &files).as_deref(), Some("src/auth/login.ts"));
    let windows = repository().with_root("C:\\shop");
    assert_eq!(locate("C:\\shop\\src\\lib.rs", &windows).as_deref(), Some("src/lib.rs"));
}

fn diagnostic(path: &str, line: u32, severity: Severity, depth: u32) -> Diagnostic {
    Diagnostic {
        path: path.into(),
        line,
        column: None,
        end_line: None,
        severity,
        code: None,
        message: "m".into(),
        tool: "t".into(),
        depth,
    }
}

#[test]
fn innermost_frame_in_the_repository_takes_over_the_severity() {
    use Severity::{Error, Note};
    let placed = in_repository(
        vec![
            diagnostic("org/junit/Assert.java", 89, Error, 0),
            diagnostic("com/acme/ShopTest.java", 12, Note, 1),
            diagnostic("com/acme/Shop.java", 3, Note, 2),
            diagnostic("/x/node_modules/a.js", 1, Error, 0),
            diagnostic("main.py", 5, Error, 0),
            diagnostic("main.py", 6, Note, 1),
        ],
        &repository(),
    );
    let found: Vec<(&str, u32, Severity)> =
        placed.diagnostics.iter().map(|it| (it.path.as_str(), it.line, it.severity)).collect();
    let expected = [
        ("backend/src/test/java/com/acme/ShopTest.java", 12, Error),
        ("backend/src/main/java/com/acme/Shop.java", 3, Note),
        ("main.py", 5, Error),
        ("main.py", 6, Note),
    ];
    assert_eq!(found, expected);
    assert_eq!(placed.elsewhere, 2);
}

#[test]
fn frames_of_the_test_runner_are_omitted() {
    let reading = read("junit", fixture!("junit-pytest-native.xml")).expect("JUnit");
    let files = files(&["python/shop/cart.py", "python/tests/test_cart.py", "python/runner.py"]);
    let placed = in_repository(reading.diagnostics, &files);
    let found: Vec<String> = placed.diagnostics.iter().map(shown).collect();
    let places: Vec<&str> = found.iter().filter_map(|line| line.split(" - ").next()).collect();
    let expected = [
        "python/shop/cart.py:5 error",
        "python/tests/test_cart.py:5 note",
        "python/shop/cart.py:9 error",
        "python/tests/test_cart.py:9 note",
        "python/tests/test_cart.py:14 error",
    ];
    assert_eq!(places, expected);
    assert_eq!(placed.elsewhere, 39);
}

fn ordered(diagnostics: Vec<Diagnostic>, position: Option<(&str, u32)>) -> Vec<String> {
    let ordered = order(diagnostics, position);
    ordered.iter().map(|it| format!("{}:{} {}", it.path, it.line, name(it.severity))).collect()
}

#[test]
fn nearest_in_the_file_are_first_then_errors_then_warnings() {
    use Severity::{Error, Note, Warning};
    let long = Diagnostic { end_line: Some(19), ..diagnostic("a.rs", 2, Warning, 0) };
    let all = vec![
        diagnostic("b.rs", 20, Warning, 0),
        diagnostic("b.rs", 1, Error, 0),
        diagnostic("a.rs", 90, Error, 0),
        diagnostic("a.rs", 22, Note, 0),
        diagnostic("a.rs", 18, Error, 0),
        diagnostic("a.rs", 22, Error, 0),
        long,
        diagnostic("c.rs", 1, Error, 1),
        diagnostic("a.rs", 18, Error, 0),
    ];
    let near = [
        "a.rs:2 warning",
        "a.rs:18 error",
        "a.rs:22 error",
        "a.rs:22 note",
        "a.rs:90 error",
        "b.rs:1 error",
        "c.rs:1 error",
        "b.rs:20 warning",
    ];
    assert_eq!(ordered(all.clone(), Some(("a.rs", 20))), near);
    let anywhere = [
        "b.rs:1 error",
        "a.rs:90 error",
        "a.rs:18 error",
        "a.rs:22 error",
        "c.rs:1 error",
        "b.rs:20 warning",
        "a.rs:2 warning",
        "a.rs:22 note",
    ];
    assert_eq!(ordered(all.clone(), None), anywhere);
    let (kept, left_out) = limit(order(all, None), 5);
    assert_eq!((kept.len(), left_out), (5, 3));
}

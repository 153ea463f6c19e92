//! `--repo` with a URL, and with several repositories.

use crate::fixture::{Fixture, included};
use serde_json::Value;

/// A project with two repositories in folders, `shop` and `mail`.
fn projects() -> Fixture {
    let fixture = Fixture::with(&[
        ("shop/src/orders.py", "def send_receipt(order):\n    return mail_customer(order.email)\n"),
        ("shop/README.md", "# Shop\n"),
        ("mail/src/mail.py", "def mail_customer(address):\n    return connect(address)\n"),
        ("mail/.env", "TOKEN=x\n"),
    ]);
    for folder in ["shop", "mail"] {
        fixture.git(&["-C", folder, "init", "--quiet"]);
        fixture.git(&["-C", folder, "add", "--all"]);
        fixture.git(&["-C", folder, "commit", "--quiet", "--message", "begin"]);
    }
    fixture
}

fn url(fixture: &Fixture, folder: &str) -> String {
    format!("file://{}", fixture.path(folder).display())
}

#[test]
fn a_url_is_packed_from_a_copy_that_is_brought_up_to_date() {
    let fixture = projects();
    let url = url(&fixture, "shop");
    let run = fixture.run(["pack", "send_receipt", "--repo", &url]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with("### src/orders.py (lines 1-2)\n"), "{}", run.stdout);
    run.stderr_contains(&[&format!("fetching {url}\n")]);

    fixture.write("shop/src/orders.py", "def send_receipt(order):\n    return None\n");
    fixture.write("shop/src/refunds.py", "def send_refund(order):\n    return None\n");
    fixture.git(&["-C", "shop", "add", "--all"]);
    fixture.git(&["-C", "shop", "commit", "--quiet", "--message", "refund"]);
    let run = fixture.run(["pack", "send_receipt", "--repo", &url]);
    assert!(run.stdout.contains("return None"), "{}", run.stdout);
    let report = fixture.json(["search", "send_refund", "--repo", &url, "--json"]);
    assert_eq!(report["results"][0]["path"], "src/refunds.py");
    let run = fixture.run(["map", "--repo", &url]);
    assert!(run.stdout.contains("refunds.py"), "{}", run.stdout);
}

#[test]
fn an_older_copy_is_used_with_a_warning_if_the_repository_is_gone() {
    let fixture = projects();
    let url = url(&fixture, "shop");
    let before = fixture.run(["pack", "send_receipt", "--repo", &url]);
    std::fs::rename(fixture.path("shop"), fixture.path("moved")).unwrap();
    let after = fixture.run(["pack", "send_receipt", "--repo", &url]);
    assert_eq!((after.code, after.stdout), (Some(0), before.stdout));
    assert!(after.stderr.contains("warning: cannot fetch"), "{}", after.stderr);
    assert!(after.stderr.contains("an older copy is used"), "{}", after.stderr);
}

#[test]
fn urls_that_cannot_be_fetched_are_errors() {
    let fixture = Fixture::project();
    let run = fixture.run(["pack", "login", "--repo", "file:///nonexistent/x.git"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    run.stderr_contains(&[
        "error: cannot fetch `file:///nonexistent/x.git`: ",
        "hint: check the URL",
    ]);
    let hint = "hint: use an https, ssh or file URL, or a folder";
    let run = fixture.run(["pack", "login", "--repo", "ftp://example.org/a"]);
    run.fails(2, &["`ftp://example.org/a`: the protocol `ftp` is not supported", hint]);
    for url in ["https://", "ssh://-oProxyCommand=id/a"] {
        fixture.run(["pack", "login", "--repo", url]).fails(2, &["names no host", hint]);
    }
    fixture.run(["pack", "login", "--repo", "ext::sh"]).fails(2, &["no such folder: `ext::sh`"]);
    fixture.run(["pack", "login", "--repo", ""]).fails(2, &[]);
}

#[test]
fn several_repositories_are_one_pack_with_names_before_the_paths() {
    let fixture = projects();
    let arguments = |budget: &'static str| {
        [
            "pack",
            "send_receipt mail_customer",
            "--repo",
            "shop",
            "--repo",
            "mail",
            "--budget",
            budget,
        ]
    };
    let report = fixture.json(arguments("8k").into_iter().chain(["--json"]));
    let mut paths = included(&report);
    paths.sort_unstable();
    assert_eq!(paths, ["mail/src/mail.py", "shop/src/orders.py"]);
    let denied = report["excluded"].as_array().unwrap().iter();
    let denied: Vec<&Value> = denied.filter(|it| it["reason"] == "denied").collect();
    assert_eq!(denied[0]["path"], "mail/.env");
    for budget in ["20", "45", "60", "100"] {
        let report = fixture.json(arguments(budget).into_iter().chain(["--json"]));
        assert!(report["total_tokens"].as_u64().unwrap() <= budget.parse().unwrap());
    }
    assert_eq!(fixture.run(arguments("8k")), fixture.run(arguments("8k")));
    let url = url(&fixture, "mail");
    let run = fixture.run(["pack", "mail_customer", "--repo", "shop", "--repo", &url]);
    assert!(run.stdout.contains("### mail/src/mail.py"), "{}", run.stdout);
}

#[test]
fn repositories_with_the_same_name_get_longer_names() {
    let fixture = Fixture::with(&[
        ("a/app/login.py", "def login_a():\n    return 1\n"),
        ("b/app/login.py", "def login_b():\n    return 2\n"),
    ]);
    let report =
        fixture.json(["pack", "login_a login_b", "--repo", "a/app", "--repo", "b/app", "--json"]);
    let mut paths = included(&report);
    paths.sort_unstable();
    assert_eq!(paths, ["a/app/login.py", "b/app/login.py"]);
}

#[test]
fn files_of_one_repository_cannot_be_named_with_several() {
    let fixture = projects();
    let both = ["--repo", "shop", "--repo", "mail"];
    for flag in
        [["--file", "src/mail.py"], ["--document", "a"], ["--expect", "a"], ["--diff", "HEAD"]]
    {
        let run = fixture.run(["pack", "mail"].into_iter().chain(flag).chain(both));
        run.fails(2, &[&format!("`{}` cannot be used with several repositories", flag[0])]);
    }
    let run = fixture.run(["pack", "mail", "--repo", "shop", "--repo", "./shop"]);
    run.fails(2, &["`./shop` is named twice"]);
    let run = fixture.run(["pack", "mail", "--repo", "shop", "--repo", "nope"]);
    run.fails(2, &["no such folder: `nope`"]);
}

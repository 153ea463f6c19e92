//! The history provider and secrets: a diff shows lines of which only the whole file shows what they
//! are.

use crate::custom::Own;
use crate::repository::{commit, engine, folder, pack, write};
use kitbag::{Report, Request};
use std::path::Path;

const NOW: i64 = 1_700_000_000;

/// A key of twenty lines, of which one is replaced by another of its kind; it is not in this file as one.
fn key(changed: usize) -> String {
    let line = |number: usize| -> String {
        let seed = if number == changed { 77 } else { number };
        let letter =
            |at: usize| char::from(b"MIIEvQxBADrNBgkqhkiG9w0Baz7"[(at * 11 + seed * 13) % 27]);
        (0..60).map(letter).chain(format!("{seed:04}").chars()).collect()
    };
    let body: Vec<String> = (0..20).map(line).collect();
    let dashes = "-".repeat(5);
    let body = body.join("\n");
    format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{body}\n{dashes}END PRIVATE KEY{dashes}\n")
}

async fn history(root: &Path, redact: Option<bool>) -> Report {
    let request = Request {
        task: "zebra crossing".into(),
        providers: vec!["history".into()],
        no_providers: vec!["search".into(), "document".into()],
        redact,
        repo: Some(root.to_owned()),
        now: Some(NOW),
        ..Request::default()
    };
    let none: [Own; 0] = [];
    pack(&engine(none), request).await
}

#[tokio::test]
async fn a_change_in_the_middle_of_a_key_shows_nothing_of_it() {
    let folder = folder(&[("notes.txt", &key(0))]);
    let root = folder.path();
    commit(root, NOW - 2 * 86_400, "Begin");
    write(root, "notes.txt", &key(10));
    commit(root, NOW - 86_400, "A zebra crossing");
    write(root, "notes.txt", &key(14));
    let report = history(root, None).await;
    let text = report.content.as_deref().expect("a text");
    assert!(text.contains("-[REDACTED:private-key]\n+[REDACTED:private-key]\n"), "{text}");
    assert!(text.contains("not committed") && text.contains("A zebra crossing"), "{text}");
    let whole = serde_json::to_string(&report).expect("JSON");
    let keys = [key(0), key(10), key(14)].concat();
    for line in keys.lines().filter(|line| !line.starts_with('-')) {
        assert!(!whole.contains(&line[..20]), "{line} is in {text}");
    }
    let markers = text.matches("[REDACTED:private-key]").count();
    assert_eq!(report.redactions.len(), markers);
    let plain = history(root, Some(false)).await;
    let plain = plain.content.as_deref().expect("a text");
    assert!(plain.contains(&key(10).lines().nth(11).expect("a line")[..20]), "{plain}");
}

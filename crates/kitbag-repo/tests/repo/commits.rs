//! Tasks from a repository's commits.

use crate::fixture::{Folder, START};
use kitbag_repo::{CommitTask, recent_commits};
use std::fmt::Write;

fn numbered(skip: &[u32], extra: &[(u32, &str)]) -> String {
    let mut text = String::new();
    for line in 1..=20 {
        if !skip.contains(&line) {
            writeln!(text, "line {line}").unwrap();
        }
        for (_, added) in extra.iter().filter(|(after, _)| *after == line) {
            writeln!(text, "{added}").unwrap();
        }
    }
    text
}

fn spans(task: &CommitTask) -> Vec<(&str, Vec<(u32, u32)>)> {
    let pairs = |spans: &[kitbag_text::Span]| spans.iter().map(|&span| span.into()).collect();
    task.files.iter().map(|file| (file.path.as_str(), pairs(&file.spans))).collect()
}

#[test]
fn spans_are_changed_and_removed_lines_and_those_before_insertions() {
    let folder = Folder::repository();
    folder.write("a.rs", numbered(&[], &[]));
    folder.write("dir/b \"q\".rs", numbered(&[], &[]));
    folder.write("gone.rs", "x\n");
    folder.write("notes.md", "x\n");
    let first = folder.commit("all", START);
    // Line 3 is changed, lines 7 to 9 are removed, and two lines are added after 15.
    let extra = [(3, "@@ -1,1 +1,1 @@"), (15, "diff --git a/x b/x"), (15, "--- a/x")];
    folder.write("a.rs", numbered(&[3, 7, 8, 9], &extra));
    folder.write("dir/b \"q\".rs", format!("new first\n{}", numbered(&[20], &[])));
    folder.write("added.rs", "x\n");
    folder.write("notes.md", "y\n");
    std::fs::remove_file(folder.path.join("gone.rs")).unwrap();
    let second = folder.commit("Fix it\n\nA longer ü reason:\n:100644 not a change", START + 5);
    folder.write("notes.md", "z\n");
    folder.commit("docs only", START + 6);

    let tasks = recent_commits(&folder.path, 10, |path| path.ends_with(".rs")).unwrap();
    assert_eq!(tasks.len(), 1);
    let task = &tasks[0];
    assert_eq!((&task.commit, &task.parent, task.time), (&second, &first, START + 5));
    assert_eq!(task.message, "Fix it\n\nA longer ü reason:\n:100644 not a change");
    let expected =
        [("a.rs", vec![(3, 3), (7, 9), (15, 15)]), ("dir/b \"q\".rs", vec![(1, 1), (20, 20)])];
    assert_eq!(spans(task), expected);
    // In a subfolder, paths are relative to it.
    let within = recent_commits(&folder.path.join("dir"), 10, |_| true).unwrap();
    assert_eq!(spans(&within[0]), [("b \"q\".rs", vec![(1, 1), (20, 20)])]);
}

#[test]
fn merges_renames_binaries_and_mode_changes_are_skipped() {
    let folder = Folder::repository();
    folder.write("a.rs", numbered(&[], &[]));
    folder.write("b.rs", numbered(&[], &[]));
    folder.write("image", b"\0\x01");
    folder.commit("all", START);
    folder.git(&["checkout", "-q", "-b", "side"], START);
    folder.write("a.rs", numbered(&[2], &[]));
    folder.commit("side", START + 1);
    folder.git(&["checkout", "-q", "main"], START);
    folder.write("b.rs", numbered(&[3], &[]));
    folder.commit("main", START + 2);
    folder.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"], START + 3);
    folder.git(&["mv", "a.rs", "c.rs"], START);
    folder.commit("rename", START + 4);
    folder.git(&["update-index", "--chmod=+x", "b.rs"], START);
    folder.git(&["commit", "-q", "-m", "mode"], START + 5);
    folder.git(&["checkout", "-q", "."], START);
    folder.write("image", b"\0\x02");
    folder.commit("image", START + 6);
    let messages = |count| -> Vec<String> {
        let tasks = recent_commits(&folder.path, count, |_| true).unwrap();
        tasks.into_iter().map(|task| task.message).collect()
    };
    assert_eq!(messages(9), ["main", "side"]);
    assert_eq!(messages(1), ["main"]);
    assert_eq!(messages(0), [""; 0]);
}

#[test]
fn repository_without_commits_is_an_error() {
    assert!(recent_commits(&Folder::repository().path, 3, |_| true).is_err());
    assert!(recent_commits(&Folder::new().path, 3, |_| true).is_err());
}

#[test]
fn tasks_are_found_behind_many_other_commits() {
    let folder = Folder::repository();
    folder.write("a.rs", "1\n");
    folder.commit("first", START);
    folder.write("a.rs", "2\n");
    folder.commit("modified", START + 1);
    let mut stream = String::new();
    for number in 2..250 {
        let time = START + number;
        writeln!(stream, "commit refs/heads/main\ncommitter A <a@b> {time} +0000").unwrap();
        let from = if number == 2 { "from refs/heads/main^0\n" } else { "" };
        writeln!(stream, "data 1\nx\n{from}M 644 inline f{number}\ndata 1\ny").unwrap();
    }
    let path = folder.write("stream", stream);
    let import =
        format!("git -C '{}' fast-import --quiet < '{}'", folder.path.display(), path.display());
    assert!(std::process::Command::new("sh").args(["-c", &import]).status().unwrap().success());
    let tasks = recent_commits(&folder.path, 1, |_| true).unwrap();
    assert_eq!(tasks[0].message, "modified");
}

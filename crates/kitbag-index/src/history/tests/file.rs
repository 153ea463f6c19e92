//! Files of commit logs: complete, damaged, of another version, and with two writers.

use super::fixture::{TestFolder, commit, id, touched};
use crate::CommitLog;
use kitbag_repo::Commit;
use std::fs;
use std::path::PathBuf;

/// Three commits that share words and paths, newest first.
fn commits() -> Vec<Commit> {
    vec![
        commit(3, &[2, 1], "Merge the sides", &[]),
        commit(2, &[1], "Fix the parser\n\nThe lexer too", &["src/lexer.rs", "src/parser.rs"]),
        commit(1, &[], "Add the parser", &["src/parser.rs"]),
    ]
}

fn log(commits: Vec<Commit>) -> CommitLog {
    let mut log = CommitLog::new();
    log.extend(commits);
    log
}

/// Writes the oldest `count` of the commits to a file.
fn file(folder: &TestFolder, count: usize) -> PathBuf {
    let file = folder.path.join("history");
    log(commits().split_off(3 - count)).save(&file).unwrap();
    file
}

#[test]
fn logs_round_trip_at_once_and_in_parts() {
    let folder = TestFolder::new();
    let whole = fs::read(file(&folder, 3)).unwrap();
    fs::remove_file(folder.path.join("history")).unwrap();
    let mut expected = log(commits());
    let file = folder.path.join("history");
    for commit in commits().into_iter().rev() {
        let (mut log, problem) = CommitLog::open(&file);
        assert_eq!(problem, None);
        log.extend(vec![commit]);
        log.save(&file).unwrap();
    }
    assert_eq!(fs::read(&file).unwrap(), whole);
    let (read, _) = CommitLog::open(&file);
    assert_eq!(read.ancestors(&id(3), 9), expected.ancestors(&id(3), 9));
    assert_eq!(read.ancestors(&id(3), 9).commits().len(), 3);
    expected.save(&file).unwrap();
    assert_eq!(fs::read(&file).unwrap(), whole, "nothing was new");
}

#[test]
fn a_failed_replacement_leaves_no_file_behind() {
    let folder = TestFolder::new();
    let file = folder.path.join("history");
    // A folder cannot be replaced by a file.
    fs::create_dir_all(file.join("within")).unwrap();
    log(commits()).save(&file).unwrap_err();
    let left = fs::read_dir(&folder.path).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["history"]);
}

#[test]
fn unusual_commits_round_trip() {
    let mut commits = vec![
        commit(5, &[7, 9, 6], "größe", &["a/ä", "a/ö", "a/\n\"x"]),
        commit(6, &[5], "a circle", &["a/ö"]),
        commit(7, &[], "early", &[""]),
        Commit { is_shallow: true, ..commit(8, &[], "cut", &[]) },
    ];
    commits[0].time = i64::MAX;
    commits[2].time = i64::MIN;
    let long = Commit { id: "ab".repeat(32).parse().unwrap(), ..commit(9, &[], "long", &["b"]) };
    commits.push(Commit { parents: vec![long.id], ..commit(10, &[], "x", &["b"]) });
    let folder = TestFolder::new();
    let file = folder.path.join("history");
    let mut written = log(commits);
    written.save(&file).unwrap();
    let (read, problem) = CommitLog::open(&file);
    assert_eq!((read.len(), problem), (5, None));
    for head in [id(5), id(8), long.id, id(10)] {
        assert_eq!(read.ancestors(&head, 9), written.ancestors(&head, 9));
    }
    assert_eq!(touched(&read.ancestors(&id(5), 2))[0], ["a/ä", "a/ö", "a/\n\"x"]);
}

/// Checks that a file with these bytes is reported, counts as empty and is replaced.
fn check_damaged(bytes: &[u8], reason: &str) {
    let folder = TestFolder::new();
    let file = folder.path.join("history");
    fs::write(&file, bytes).unwrap();
    let (mut read, problem) = CommitLog::open(&file);
    assert!(read.is_empty());
    assert!(problem.as_ref().is_some_and(|it| it.contains(reason)), "{problem:?}");
    read.save(&file).unwrap();
    assert_eq!(fs::read(&file).unwrap(), bytes, "nothing new, so the file stays");
    read.extend(commits());
    read.save(&file).unwrap();
    let (read, problem) = CommitLog::open(&file);
    assert_eq!((read.len(), problem), (3, None));
    assert_eq!(read.ancestors(&id(2), 9), log(commits()).ancestors(&id(2), 9));
}

#[test]
fn damaged_files_are_replaced() {
    let whole = fs::read(file(&TestFolder::new(), 3)).unwrap();
    for length in 0..whole.len() {
        check_damaged(&whole[..length], "cannot be used");
    }
    for place in 0..whole.len() {
        for bit in [1, 0x80] {
            let mut damaged = whole.clone();
            damaged[place] ^= bit;
            check_damaged(&damaged, "cannot be used");
        }
    }
}

#[test]
fn a_file_of_another_version_is_replaced() {
    let mut other = fs::read(file(&TestFolder::new(), 2)).unwrap();
    other[8] += 1;
    check_damaged(&other, "format version");
}

#[test]
fn a_missing_file_is_empty_and_a_folder_is_a_problem() {
    let folder = TestFolder::new();
    let (read, problem) = CommitLog::open(&folder.path.join("none"));
    assert!(read.is_empty() && problem.is_none());
    let (read, problem) = CommitLog::open(&folder.path);
    assert!(read.is_empty() && problem.is_some());
}

#[test]
fn records_of_another_writer_are_kept() {
    let folder = TestFolder::new();
    let file = file(&folder, 1);
    let [mut left, mut right] = [(); 2].map(|()| CommitLog::open(&file).0);
    let mut late = CommitLog::new();
    left.extend(vec![commit(20, &[1], "left", &["left", "both"])]);
    right.extend(vec![commit(30, &[1], "right", &["both", "right"])]);
    late.extend(vec![commit(40, &[30], "late", &["both"])]);
    for log in [&mut left, &mut right, &mut late] {
        log.save(&file).unwrap();
    }
    let (read, problem) = CommitLog::open(&file);
    assert_eq!((read.len(), problem), (4, None));
    assert_eq!(touched(&read.ancestors(&id(20), 1)), [["left", "both"]]);
    assert_eq!(touched(&read.ancestors(&id(40), 2)), [vec!["both"], vec!["both", "right"]]);
    assert_eq!(late.len(), 4, "it knows them too");
    // After the file was removed, everything is written again.
    fs::remove_file(&file).unwrap();
    late.extend(vec![commit(50, &[40], "last", &["last"])]);
    late.save(&file).unwrap();
    assert_eq!(CommitLog::open(&file).0.len(), 5);
}

//! Files of histories: whole, cut, damaged, of another version, and written by two.

use super::fixture::{Folder, commit, id, touched};
use crate::History;
use crate::history::codec::HEADER_BYTES;
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

fn history(commits: Vec<Commit>) -> History {
    let mut history = History::new();
    history.extend(commits);
    history
}

/// A file of the oldest `count` of the commits.
fn file(folder: &Folder, count: usize) -> PathBuf {
    let file = folder.path.join("history");
    history(commits().split_off(3 - count)).append_to(&file).unwrap();
    file
}

#[test]
fn what_is_written_is_read_also_in_parts() {
    let folder = Folder::new();
    let whole = fs::read(file(&folder, 3)).unwrap();
    fs::remove_file(folder.path.join("history")).unwrap();
    let mut expected = history(commits());
    let file = folder.path.join("history");
    for commit in commits().into_iter().rev() {
        let (mut history, wrong) = History::open(&file);
        assert_eq!(wrong, None);
        history.extend(vec![commit]);
        history.append_to(&file).unwrap();
    }
    assert_eq!(fs::read(&file).unwrap(), whole);
    let (read, _) = History::open(&file);
    assert_eq!(read.past(&id(3), 9), expected.past(&id(3), 9));
    assert_eq!(read.past(&id(3), 9).commits().len(), 3);
    expected.append_to(&file).unwrap();
    assert_eq!(fs::read(&file).unwrap(), whole, "nothing was new");
}

#[test]
fn a_file_that_cannot_be_put_in_place_leaves_nothing_behind() {
    let folder = Folder::new();
    let file = folder.path.join("history");
    // A folder cannot be replaced by a file.
    fs::create_dir_all(file.join("within")).unwrap();
    history(commits()).append_to(&file).unwrap_err();
    let left = fs::read_dir(&folder.path).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["history"]);
}

#[test]
fn odd_commits_survive() {
    let mut commits = vec![
        commit(5, &[7, 9, 6], "größe", &["a/ä", "a/ö", "a/\n\"x"]),
        commit(6, &[5], "a circle", &["a/ö"]),
        commit(7, &[], "early", &[""]),
        Commit { is_cut: true, ..commit(8, &[], "cut", &[]) },
    ];
    commits[0].time = i64::MAX;
    commits[2].time = i64::MIN;
    let long = Commit { id: "ab".repeat(32).parse().unwrap(), ..commit(9, &[], "long", &["b"]) };
    commits.push(Commit { parents: vec![long.id], ..commit(10, &[], "x", &["b"]) });
    let folder = Folder::new();
    let file = folder.path.join("history");
    let mut written = history(commits);
    written.append_to(&file).unwrap();
    let (read, wrong) = History::open(&file);
    assert_eq!((read.len(), wrong), (5, None));
    for head in [id(5), id(8), long.id, id(10)] {
        assert_eq!(read.past(&head, 9), written.past(&head, 9));
    }
    assert_eq!(touched(&read.past(&id(5), 2))[0], ["a/ä", "a/ö", "a/\n\"x"]);
}

#[test]
fn a_file_cut_anywhere_is_read_as_far_as_it_is_whole_and_mended() {
    let folder = Folder::new();
    let whole = fs::read(file(&folder, 3)).unwrap();
    let ends = [1, 2].map(|count| fs::read(file(&Folder::new(), count)).unwrap().len());
    let file = folder.path.join("history");
    let mut counts = Vec::new();
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).unwrap();
        let (mut read, wrong) = History::open(&file);
        counts.push(read.len());
        assert_eq!(read.past(&id(1), 9).commits().len(), read.len().min(1));
        let is_whole = ends.contains(&length) || length == HEADER_BYTES;
        assert_eq!(wrong.is_none(), is_whole, "{length}: {wrong:?}");
        read.extend(commits());
        read.append_to(&file).unwrap();
        assert_eq!(fs::read(&file).unwrap(), whole, "{length}");
    }
    counts.dedup();
    assert_eq!(counts, [0, 1, 2]);
}

#[test]
fn a_flipped_byte_ends_what_is_read() {
    let folder = Folder::new();
    let file = file(&folder, 3);
    let whole = fs::read(&file).unwrap();
    let expected = history(commits()).past(&id(2), 9);
    for place in 0..whole.len() {
        for bit in [1, 0x80] {
            let mut damaged = whole.clone();
            damaged[place] ^= bit;
            fs::write(&file, &damaged).unwrap();
            let (mut read, wrong) = History::open(&file);
            assert!(read.len() < 3 && wrong.is_some(), "{place}");
            read.extend(commits());
            read.append_to(&file).unwrap();
            let (read, wrong) = History::open(&file);
            assert_eq!((read.len(), wrong), (3, None), "{place}");
            assert_eq!(read.past(&id(2), 9), expected);
        }
    }
}

#[test]
fn a_file_of_another_version_is_replaced() {
    let folder = Folder::new();
    let file = file(&folder, 2);
    let mut other = fs::read(&file).unwrap();
    other[6] += 1;
    fs::write(&file, &other).unwrap();
    let (mut read, wrong) = History::open(&file);
    assert!(read.is_empty());
    assert!(wrong.unwrap().ends_with("is of another version, or no history"));
    read.append_to(&file).unwrap();
    assert_eq!(fs::read(&file).unwrap(), other, "nothing is new, nothing is lost");
    read.extend(commits());
    read.append_to(&file).unwrap();
    assert_eq!(History::open(&file).0.len(), 3);
}

#[test]
fn a_missing_file_is_empty_and_a_folder_is_wrong() {
    let folder = Folder::new();
    let (read, wrong) = History::open(&folder.path.join("none"));
    assert!(read.is_empty() && wrong.is_none());
    let (read, wrong) = History::open(&folder.path);
    assert!(read.is_empty() && wrong.is_some());
}

#[test]
fn what_another_has_written_meanwhile_is_kept() {
    let folder = Folder::new();
    let file = file(&folder, 1);
    let [mut left, mut right] = [(); 2].map(|()| History::open(&file).0);
    let mut late = History::new();
    left.extend(vec![commit(20, &[1], "left", &["left", "both"])]);
    right.extend(vec![commit(30, &[1], "right", &["both", "right"])]);
    late.extend(vec![commit(40, &[30], "late", &["both"])]);
    for history in [&mut left, &mut right, &mut late] {
        history.append_to(&file).unwrap();
    }
    let (read, wrong) = History::open(&file);
    assert_eq!((read.len(), wrong), (4, None));
    assert_eq!(touched(&read.past(&id(20), 1)), [["left", "both"]]);
    assert_eq!(touched(&read.past(&id(40), 2)), [vec!["both"], vec!["both", "right"]]);
    assert_eq!(late.len(), 4, "it knows them too");
    // The file is gone: everything is written again.
    fs::remove_file(&file).unwrap();
    late.extend(vec![commit(50, &[40], "last", &["last"])]);
    late.append_to(&file).unwrap();
    assert_eq!(History::open(&file).0.len(), 5);
}

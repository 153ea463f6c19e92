//! Summaries of small trees, and the choice among them.

use super::*;
use crate::content_index::{ContentIndex, DocAddress};
use crate::content_key::ContentKey;
use crate::record::tests::record;
use crate::task::ParsedTask;
use crate::terms::word_id;
use crate::view::IndexView;
use kitbag_text::ChunkLimits;
use kitbag_tokens::CachedCounter;
use std::collections::BTreeMap;

type Files<'a> = &'a [(&'a str, &'a str)];

/// Summarizes files, which are sorted by path, with `per_segment` files in each segment.
fn summary_in(files: Files<'_>, per_segment: usize) -> RepositorySummary {
    let counting = CachedCounter::named("words").expect("built in");
    let mut index = ContentIndex::default();
    let mut addresses = Vec::new();
    for (group, segment) in files.chunks(per_segment).zip(0..) {
        let mut records = BTreeMap::new();
        for ((path, content), doc) in group.iter().zip(0..) {
            let record = record(path, content, ChunkLimits::default(), &counting);
            records.insert(ContentKey([addresses.len() as u8; 32]), Some(record));
            addresses.push(((*path).to_owned(), DocAddress { segment, doc }));
        }
        index.add(records);
    }
    RepositorySummary::new(&IndexView::new(index, addresses))
}

fn summary(files: Files<'_>) -> RepositorySummary {
    summary_in(files, 100)
}

const BIRDS: Files<'_> = &[
    ("README.md", "# Aviary\n\nCounts herons in wetlands.\n"),
    ("birds.json", "{\"species\": \"pelican\"}\n"),
    ("src/heron.py", "def count_herons(marsh):\n    return census(marsh)\n"),
    ("src/marsh.py", "class Marsh:\n    def drain(self):\n        return self.water\n"),
];

const PAINTS: Files<'_> = &[
    ("README.md", "# Palette\n\nMixes pigments.\n"),
    ("src/mixer.py", "def mix_pigments(ochre, umber):\n    return ochre + umber\n"),
];

/// Returns the names of the repositories that are chosen for a task.
fn chosen(task: &str, repositories: &[(&str, Files<'_>)], max: usize) -> Vec<String> {
    let summaries: Vec<RepositorySummary> = repositories.iter().map(|it| summary(it.1)).collect();
    let named = repositories.iter().zip(&summaries);
    let named: Vec<NamedSummary<'_>> =
        named.map(|((name, _), summary)| NamedSummary { name, summary }).collect();
    let chosen = choose_repositories(&ParsedTask::new(task), &named, max);
    chosen.iter().map(|it| named[it.index].name.to_owned()).collect()
}

#[test]
fn a_summary_has_the_words_that_distinguish_the_repository_and_their_places() {
    let summary = summary(BIRDS);
    let mark = |word: &str| summary.mark(word_id(word));
    let heron = mark("heron").expect("rare");
    assert!(heron.has(DEFINED) && heron.has(IN_PATH) && heron.has(IN_README));
    assert!(heron.share() == 0.5, "{heron:?}");
    assert!(mark("census").is_some_and(|it| !it.has(DEFINED)));
    assert!(mark("count_herons").is_some_and(|it| it.has(DEFINED)));
    assert!(mark("in").is_none() && mark("class").is_none(), "as common as in code in general");
    assert!(mark("pelican").is_none() && mark("bird").is_some(), "data counts by its path only");
    assert_eq!(summary.contents(), 3);
}

#[test]
fn a_summary_does_not_depend_on_how_the_index_was_built() {
    assert_eq!(summary_in(BIRDS, 1), summary_in(BIRDS, 3));
    assert_eq!(summary_in(BIRDS, 1).to_bytes(), summary(BIRDS).to_bytes());
}

#[test]
fn the_size_of_a_summary_is_bounded_and_its_most_telling_words_stay() {
    let names: String = (0..9_000).map(|n| format!("x{n} = {n}\n")).collect();
    let often: String = (0..40).map(|n| format!("call(zyzzyva, {n})\n")).collect();
    let files = [("a.py", names.as_str()), ("b.py", &often), ("c.py", "zyzzyva = 1\n")];
    let summary = summary(&files);
    assert_eq!(summary.len(), MAX_SUMMARY_WORDS);
    assert!(summary.mark(word_id("zyzzyva")).is_some());
    assert!(summary.to_bytes().len() <= 31_000, "{}", summary.to_bytes().len());
}

#[test]
fn encoded_summaries_are_read_back_and_damage_is_detected() {
    let summary = summary(BIRDS);
    let bytes = summary.to_bytes();
    assert_eq!(RepositorySummary::from_bytes(&bytes).expect("intact"), summary);
    let name = RepositorySummary::file_name(&bytes);
    assert!(name.starts_with("summary-") && name.len() == "summary-.kb".len() + 32, "{name}");
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(RepositorySummary::from_bytes(&damaged).is_err(), "byte {at}");
        assert!(RepositorySummary::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
    }
}

#[test]
fn a_layout_that_does_not_fit_its_header_is_refused() {
    let file = |words: u32, tail: &[u8]| {
        envelope::encode(FileType::Summary, &SummaryHeader { contents: 1, words }, tail)
    };
    let is_refused =
        |bytes: &[u8]| matches!(RepositorySummary::from_bytes(bytes), Err(FormatError::Layout));
    assert!(RepositorySummary::from_bytes(&file(1, &[1, 0, 0, 0, 9])).is_ok());
    assert!(is_refused(&file(2, &[1, 0, 0, 0, 9])));
    assert!(is_refused(&file(2, &[2, 0, 0, 0, 1, 0, 0, 0, 9, 9])), "not ascending");
    assert!(is_refused(&file(u32::MAX, &[])));
}

#[test]
fn the_repository_that_defines_the_words_of_a_task_is_first() {
    let user: Files<'_> = &[("src/report.py", "def report():\n    return count_herons(1)\n")];
    let all = [("a/report", user), ("b/birds", BIRDS), ("c/paints", PAINTS)];
    assert_eq!(chosen("why does count_herons fail?", &all, 10), ["b/birds", "a/report"]);
    assert_eq!(chosen("how are pigments mixed?", &all, 10), ["c/paints"]);
    assert_eq!(chosen("how are pigments mixed in the census?", &all, 1).len(), 1);
    assert!(chosen("frobnicate the quux", &all, 10).is_empty());
}

#[test]
fn repositories_that_the_task_names_come_first() {
    let all = [("b/birds", BIRDS), ("c/palette-kit", PAINTS)];
    let first = |task: &str| chosen(task, &all, 10)[0].clone();
    assert_eq!(first("heron census is wrong"), "b/birds");
    assert_eq!(first("heron census is wrong in palette-kit"), "c/palette-kit");
    assert_eq!(first("see https://host/c/palette-kit.git: the heron census"), "c/palette-kit");
    let common = [("b/birds", BIRDS), ("c/test", PAINTS)];
    assert_eq!(chosen("test the heron census", &common, 10)[0], "b/birds", "a common word");
    assert_eq!(chosen("test the heron census in c/test", &common, 10)[0], "c/test");
}

#[test]
fn of_several_copies_one_is_chosen_unless_others_are_named() {
    let all = [("x1/birds", BIRDS), ("x2/birds", BIRDS), ("x3/paints", PAINTS)];
    assert_eq!(chosen("census of herons", &all, 10), ["x1/birds"]);
    let named = chosen("census of herons in x1/birds and x2/birds", &all, 10);
    assert_eq!(named, ["x1/birds", "x2/birds"]);
}

#[test]
fn a_ranking_depends_on_the_given_repositories_alone() {
    let task = ParsedTask::new("count herons and mix pigments");
    let (birds, paints) = (summary(BIRDS), summary(PAINTS));
    let two = [("b/birds", &birds), ("c/paints", &paints)];
    let named = |all: &[(&'static str, &RepositorySummary)]| -> Vec<f32> {
        let all: Vec<NamedSummary<'_>> =
            all.iter().map(|&(name, summary)| NamedSummary { name, summary }).collect();
        rank_repositories(&task, &all).iter().map(|it| it.score).collect()
    };
    assert_eq!(named(&two), named(&two));
    assert_ne!(named(&two[..1])[0], named(&two)[0], "rarity depends on what is given");
}

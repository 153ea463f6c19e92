//! Rankings of small trees.

use super::{RankModels, SearchContext, SearchRanking, rank};
use crate::content_index::{ContentIndex, DocAddress};
use crate::content_key::ContentKey;
use crate::history::CommitHistory;
use crate::record::tests::record;
use crate::task::ParsedTask;
use crate::view::IndexView;
use kitbag_text::{ChunkLimits, Text};
use kitbag_tokens::CachedCounter;
use std::collections::BTreeMap;

type Files<'a> = &'a [(&'a str, &'a str)];

/// Creates a view of files, which are sorted by path, with `per_segment` files in each segment.
fn view(files: Files<'_>, per_segment: usize) -> IndexView {
    let counting = CachedCounter::named("o200k_base").expect("built in");
    let limits =
        ChunkLimits { min_chunk_tokens: 1, max_class_tokens: 40, ..ChunkLimits::default() };
    let mut index = ContentIndex::default();
    let mut addresses = Vec::new();
    for (group, segment) in files.chunks(per_segment).zip(0..) {
        let mut records = BTreeMap::new();
        for ((path, content), doc) in group.iter().zip(0..) {
            let record = record(path, content, limits.clone(), &counting);
            records.insert(ContentKey([addresses.len() as u8; 32]), Some(record));
            addresses.push(((*path).to_owned(), DocAddress { segment, doc }));
        }
        index.add(records);
    }
    IndexView::new(index, addresses)
}

fn with_ranking<T>(
    files: Files<'_>,
    task: &str,
    look: impl Fn(&IndexView, &SearchRanking<'_>) -> T,
) -> T {
    let task = ParsedTask::new(task);
    let view = view(files, 100);
    let read = |file: usize| Some(Text::new(files[file].1));
    let context =
        SearchContext { history: &CommitHistory::default(), now: 0, folder: None, read: &read };
    look(&view, &rank(&task, &view, &context, RankModels::learned()))
}

fn first_file(files: Files<'_>, task: &str) -> String {
    with_ranking(files, task, |view, found| view.files()[found.files[0].file].path.clone())
}

/// Returns the first and last line of the best chunk.
fn first_lines(files: Files<'_>, task: &str) -> (u32, u32) {
    with_ranking(files, task, |_, found| {
        let chunk = found.chunk(&found.chunks[0]).expect("ranked");
        (chunk.span.start, chunk.span.end)
    })
}

#[test]
fn a_further_chunk_of_a_file_is_listed_after_other_files() {
    let two = "def login(user):\n    return check(user)\n\n\ndef login_again(user):\n    return check(user)\n";
    let files =
        &[("src/a.py", two), ("src/b.py", "def check_login(user):\n    return login(user)\n")];
    with_ranking(files, "login check user", |_, found| {
        let listed: Vec<usize> = found.listing().iter().map(|&at| found.chunks[at].file).collect();
        assert_eq!(listed, [0, 1, 0]);
        assert_eq!(found.listing().len(), found.chunks.len());
    });
}

#[test]
fn relevance_falls_along_the_ranking_and_is_tiny_for_a_foreign_task() {
    let other = "def render(page):\n    return layout(page)\n";
    let files = &[("src/login.py", LOGIN), ("src/other.py", other), ("src/third.py", "x = user\n")];
    with_ranking(files, "login rejects the token of a user", |_, found| {
        assert!(found.chunks.windows(2).all(|pair| pair[0].relevance > pair[1].relevance));
        assert!(found.chunks.iter().all(|it| (0.0..1.0).contains(&it.relevance)));
    });
    let best = |task| with_ranking(files, task, |_, found| found.chunks[0].relevance);
    let foreign = best("FrobnicatorService drops the page when the gizmo overheats");
    assert!(foreign < best("login rejects the token") / 3.0, "{foreign}");
}

#[test]
fn a_task_about_a_missing_name_is_not_about_the_words_of_the_name() {
    let service = |name: &str| format!("class {name}Service:\n    def run(self):\n        pass\n");
    let files: Vec<(String, String)> = ["User", "Order", "Mail"]
        .map(|name| (format!("src/{}_service.py", name.to_lowercase()), service(name)))
        .into();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let best = |task| with_ranking(&files, task, |_, found| found.chunks[0].relevance);
    assert!(best("explain the FrobnicatorService implementation") < 0.001);
    assert!(best("explain the FrobnicatorService beside UserService") > 0.001);
}

#[test]
fn names_that_occur_nowhere_are_reported() {
    let files = &[("src/login.py", LOGIN)];
    let missing = |task| {
        with_ranking(files, task, |_, found| {
            found.missing_names().into_iter().map(str::to_owned).collect::<Vec<_>>()
        })
    };
    assert_eq!(missing("explain FrobnicatorService and check_token"), ["FrobnicatorService"]);
    assert_eq!(missing("look at src/logout.py and src/login.py"), ["src/logout.py"]);
    assert!(missing("why does login fail?").is_empty());
}

const LOGIN: &str = "def login(user):\n    return check_token(user.token)\n";

#[test]
fn code_ranks_above_tests_and_documentation_with_the_same_words() {
    let files = &[
        ("docs/login.md", "login token user"),
        ("src/login.py", LOGIN),
        ("tests/test_x.py", LOGIN),
    ];
    assert_eq!(first_file(files, "login rejects a valid token"), "src/login.py");
}

#[test]
fn documentation_is_found_when_the_task_is_about_it() {
    let text = "# Tokens\n\nA token expires after a day. Renew the token by hand.\n";
    let files = &[("docs/tokens.md", text), ("src/other.py", "def other():\n    return 1\n")];
    assert_eq!(first_file(files, "docs: how long a token lives, expires, renew"), "docs/tokens.md");
}

#[test]
fn a_file_that_the_task_mentions_comes_first() {
    let other = "def login(user):\n    return check(user)\n";
    let files = &[("src/a.py", LOGIN), ("src/b.py", other), ("src/c.py", LOGIN)];
    assert_eq!(first_file(files, "login fails\n\nsomewhere in src/b.py"), "src/b.py");
}

#[test]
fn the_function_in_a_stack_trace_comes_first() {
    let text = "def first():\n    return load(1)\n\n\ndef second():\n    return load(2)\n\n\n\
        def third():\n    return load(3)\n";
    let trace =
        "crash\n\n```\nTraceback\n  File \"src/run.py\", line 6, in second\nKeyError: 2\n```\n";
    let lines = first_lines(&[("src/other.py", LOGIN), ("src/run.py", text)], trace);
    assert!(lines.0 <= 6 && 6 <= lines.1, "{lines:?}");
}

#[test]
fn scores_do_not_depend_on_segments() {
    let files = &[("a.py", LOGIN), ("b.py", "x = token\n"), ("c.py", "def token():\n    pass\n")];
    let task = ParsedTask::new("token of the login user");
    let read = |file: usize| Some(Text::new(files[file].1));
    let context =
        SearchContext { history: &CommitHistory::default(), now: 0, folder: None, read: &read };
    let scores = |per_segment: usize| {
        let view = view(files, per_segment);
        let found = rank(&task, &view, &context, RankModels::learned());
        found.chunks.iter().map(|it| (it.file, it.chunk, it.score.to_bits())).collect::<Vec<_>>()
    };
    assert_eq!(scores(1), scores(3));
    assert_eq!(scores(2), scores(3));
}

#[test]
fn factors_sum_to_the_score() {
    let files = &[("src/login.py", LOGIN), ("src/other.py", "def other():\n    return token\n")];
    with_ranking(files, "login rejects a token", |_, found| {
        let scores: Vec<f32> = found.files.iter().map(|file| file.score).collect();
        let sums: Vec<f32> = found
            .files
            .iter()
            .map(|file| found.explain_file(file).iter().map(|factor| factor.amount).sum())
            .collect();
        // The difference is the same for all files: the mean of the trees.
        assert!((scores[0] - sums[0] - (scores[1] - sums[1])).abs() < 1e-3, "{scores:?} {sums:?}");
    });
}

#[test]
fn a_chunks_factors_sum_to_its_score() {
    let other = "def other():\n    return token\n\n\ndef login_later():\n    return login\n";
    let files = &[("src/login.py", LOGIN), ("src/other.py", other)];
    with_ranking(files, "login rejects a token", |_, found| {
        assert!(found.chunks.len() > 2, "chunks with each kind of bonus and without");
        for chunk in &found.chunks {
            let factors = found.explain_chunk(chunk);
            let sum: f32 = factors.iter().map(|factor| factor.amount).sum();
            assert!((sum - chunk.score).abs() < 1e-3, "{} is not {sum}: {factors:?}", chunk.score);
            let adds =
                |name: &str| factors.iter().find(|it| it.feature == name).map(|it| it.amount);
            assert!(adds("file_probability").is_some_and(|adds| adds < 0.0), "{factors:?}");
            assert!(adds("size").is_some_and(|adds| adds < 0.0), "{factors:?}");
        }
        let of = |name: &str| {
            let has = |it: &&super::RankedChunk| {
                found.explain_chunk(it).iter().any(|factor| factor.feature == name)
            };
            found.chunks.iter().filter(has).count()
        };
        assert_eq!(
            (of("best_in_best_file"), of("best_in_file")),
            (1, 2),
            "one overall, one per file"
        );
    });
}

#[test]
fn nothing_is_found_in_an_empty_tree_or_for_an_empty_task() {
    with_ranking(&[], "login", |_, found| assert!(found.chunks.is_empty()));
    with_ranking(&[("a.py", LOGIN)], "", |_, found| assert!(found.chunks.is_empty()));
    with_ranking(&[("a.py", LOGIN)], "zebra", |_, found| assert!(found.chunks.is_empty()));
}

#[test]
fn every_factor_is_documented() {
    let page = include_str!("../../../../docs/factors.md");
    let (files, chunks) = page.split_once("## Chunks").expect("four tables");
    let (chunks, kinds) = chunks.split_once("## Kinds of tasks").expect("four tables");
    let (kinds, task) = kinds.split_once("## Tasks").expect("four tables");
    let lists = [
        (kinds, crate::task::KIND_FEATURES),
        (task, super::TASK_FEATURES),
        (files, super::FILE_FEATURES),
        (chunks, super::CHUNK_FEATURES),
        (chunks, super::CHUNK_SCORE_FACTORS),
    ];
    for (text, features) in lists {
        let missing: Vec<_> =
            features.iter().filter(|name| !text.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

#[test]
fn the_best_file_leads_whatever_the_size_of_its_chunks() {
    let long = format!(
        "def login(user):\n    token = user.token\n{}    return check(token)\n",
        "    value = renew(user)\n".repeat(150)
    );
    let files =
        &[("src/a_user.py", long.as_str()), ("src/b.py", "def login(user):\n    token()\n")];
    with_ranking(files, "login of a user with a token", |_, found| {
        assert_eq!((found.files[0].file, found.chunks[0].file), (0, 0));
    });
}

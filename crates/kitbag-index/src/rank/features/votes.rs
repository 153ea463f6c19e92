//! Votes of the best candidates for others: references, folders, and tests.

use super::first_pass::ScoredFile;
use crate::file_kind::FileKind;
use crate::rank::paths::{file_stem, parent};
use crate::rank::references::NameReference;
use crate::view::IndexView;
use rustc_hash::FxHashMap;

/// Maximum number of voting code files, and of voting tests.
const MAX_SEEDS: usize = 10;

/// The voting candidates by their index, with their weights.
pub(super) struct Seeds {
    pub code: Vec<(usize, f32)>,
    tests: Vec<(usize, f32)>,
}

pub(super) fn seeds(view: &IndexView, candidates: &[ScoredFile]) -> Seeds {
    let of_kind = |is_kind: fn(FileKind) -> bool| {
        let found = candidates.iter().enumerate();
        let mut found = found.filter(|(_, it)| is_kind(view.files()[it.file].kind)).peekable();
        let best = found.peek().map_or(1.0, |(_, it)| it.score);
        found.take(MAX_SEEDS).map(|(at, it)| (at, it.score / best)).collect()
    };
    Seeds {
        code: of_kind(|kind| kind == FileKind::Code),
        tests: of_kind(|kind| {
            matches!(kind, FileKind::Test | FileKind::Documentation | FileKind::Changelog)
        }),
    }
}

/// Votes for a candidate by references.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReferenceVotes {
    /// Seeds use the candidate.
    pub used: f32,
    /// The candidate uses seeds.
    pub uses: f32,
    /// Tests and documentation use the candidate.
    pub used_by_tests: f32,
}

/// Sums the votes for each candidate.
pub(super) fn reference_votes(
    references: &[NameReference],
    seeds: &Seeds,
    candidates: usize,
) -> Vec<ReferenceVotes> {
    let weights = |seeds: &[(usize, f32)]| seeds.iter().copied().collect::<FxHashMap<usize, f32>>();
    let (code, tests) = (weights(&seeds.code), weights(&seeds.tests));
    let mut votes = vec![ReferenceVotes::default(); candidates];
    for it in references {
        let (user, definer) = (it.user.0 as usize, it.definer.0 as usize);
        if let Some(weight) = code.get(&user) {
            votes[definer].used += weight * it.weight;
        }
        if let Some(weight) = code.get(&definer) {
            votes[user].uses += weight * it.weight;
        }
        if let Some(weight) = tests.get(&user) {
            votes[definer].used_by_tests += weight * it.weight;
        }
    }
    votes
}

/// Returns for each candidate the summed scores of the other candidates in its folder.
pub(super) fn folder_sibling_scores(view: &IndexView, candidates: &[ScoredFile]) -> Vec<f32> {
    let folder = |it: &ScoredFile| parent(&view.files()[it.file].path);
    let mut sums: FxHashMap<&str, f32> = FxHashMap::default();
    for it in candidates {
        *sums.entry(folder(it)).or_default() += it.score;
    }
    candidates.iter().map(|it| sums[folder(it)] - it.score).collect()
}

/// Returns for each candidate the score of the test that is named after it.
pub(super) fn matching_test_scores(view: &IndexView, candidates: &[ScoredFile]) -> Vec<f32> {
    let mut tests: FxHashMap<String, f32> = FxHashMap::default();
    for it in candidates {
        let file = &view.files()[it.file];
        if file.kind == FileKind::Test {
            let best = tests.entry(test_subject(&file.path)).or_default();
            *best = best.max(it.score);
        }
    }
    let matching_test = |it: &ScoredFile| {
        let file = &view.files()[it.file];
        let stem = file_stem(&file.path).trim_matches('_').to_lowercase();
        let test = tests.get(&stem).filter(|_| file.kind != FileKind::Test);
        test.copied().unwrap_or(0.0)
    };
    candidates.iter().map(matching_test).collect()
}

/// Returns the name of the file that a test is named after.
fn test_subject(path: &str) -> String {
    let stem = file_stem(path).to_lowercase();
    let stem = stem.strip_prefix("test_").or_else(|| stem.strip_prefix("test")).unwrap_or(&stem);
    let suffixes = ["_test", "_tests", "_spec", "tests", "test", "spec"];
    let subject = suffixes.iter().find_map(|suffix| stem.strip_suffix(suffix)).unwrap_or(stem);
    subject.trim_matches('_').to_owned()
}

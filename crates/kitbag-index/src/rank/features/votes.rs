//! Which files are worth describing, and which of them vote for others.

use crate::file_kind::FileKind;
use crate::rank::evidence::Evidence;
use crate::rank::graph::Use;
use crate::rank::history::HistoryEvidence;
use crate::task::Task;
use crate::view::View;
use rustc_hash::FxHashMap;

/// How many files are described.
const MOST_FILES: usize = 300;
/// How many files, and how many tests, vote for others.
const SEEDS: usize = 10;

/// The files worth describing, best first, by a first guess.
pub(super) fn first_guess(
    task: &Task,
    view: &View,
    evidence: &Evidence,
    history: &HistoryEvidence,
) -> Vec<(usize, f32)> {
    let best = |values: &mut dyn Iterator<Item = f32>| values.fold(0.0, f32::max).max(1e-6);
    let files = &evidence.files;
    let best_fused = best(&mut files.iter().map(|it| it.fused));
    let best_title = best(&mut files.iter().map(|it| it.title));
    let best_chunk = best(&mut evidence.chunks.iter().map(|it| it.fused));
    let best_symbol = best(&mut files.iter().map(|it| it.symbol));
    let best_path = best(&mut files.iter().map(|it| it.path));
    let best_history = best(&mut history.files.iter().map(|it| it.all));
    let score = |(file, it): (usize, &crate::view::File)| {
        let words = &files[file];
        let first = it.first_chunk as usize;
        let chunks = &evidence.chunks[first..first + view.doc(it).chunks as usize];
        let chunk = chunks.iter().map(|chunk| chunk.fused).fold(0.0, f32::max);
        let sum = words.fused / best_fused
            + chunk / best_chunk
            + 0.3 * words.title / best_title
            + 0.3 * words.symbol / best_symbol
            + 0.3 * words.path / best_path
            + 0.3 * history.files[file].all / best_history;
        let named = names(task, &it.path);
        (file, (sum + if named { 1.0 } else { 0.0 }) * it.kind.worth(&task.about))
    };
    let mut all: Vec<(usize, f32)> = view.files().iter().enumerate().map(score).collect();
    all.retain(|it| it.1 > 0.0);
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(MOST_FILES);
    all
}

fn names(task: &Task, path: &str) -> bool {
    if task.mentions.is_empty() {
        return false;
    }
    let lower = path.to_lowercase();
    let components: Vec<&str> = lower.split(['/', '.']).collect();
    task.mentions.iter().any(|mention| mention.matches(&components) > 0)
}

/// The candidates that vote for others, by their place, with their weights.
pub(super) struct Seeds {
    pub code: Vec<(usize, f32)>,
    pub tests: Vec<(usize, f32)>,
}

pub(super) fn seeds(view: &View, firsts: &[(usize, f32)]) -> Seeds {
    let of_kind = |is_kind: &dyn Fn(FileKind) -> bool| {
        let mut found =
            firsts.iter().enumerate().filter(|(_, it)| is_kind(view.files()[it.0].kind));
        let best = found.clone().next().map_or(1.0, |(_, it)| it.1);
        let mut seeds = Vec::new();
        for (place, it) in found.by_ref().take(SEEDS) {
            seeds.push((place, it.1 / best));
        }
        seeds
    };
    Seeds {
        code: of_kind(&|kind| kind == FileKind::Code),
        tests: of_kind(&|kind| matches!(kind, FileKind::Test | FileKind::Documentation)),
    }
}

/// For each candidate: how much seeds use of it, how much it uses of seeds, how much tests use of it.
pub(super) fn links(uses: &[Use], seeds: &Seeds, candidates: usize) -> Vec<(f32, f32, f32)> {
    let weights = |seeds: &[(usize, f32)]| seeds.iter().copied().collect::<FxHashMap<usize, f32>>();
    let (code, tests) = (weights(&seeds.code), weights(&seeds.tests));
    let mut links = vec![(0.0, 0.0, 0.0); candidates];
    for it in uses {
        let (user, definer) = (it.user.0 as usize, it.definer.0 as usize);
        if let Some(weight) = code.get(&user) {
            links[definer].0 += weight * it.weight;
        }
        if let Some(weight) = code.get(&definer) {
            links[user].1 += weight * it.weight;
        }
        if let Some(weight) = tests.get(&user) {
            links[definer].2 += weight * it.weight;
        }
    }
    links
}

/// How well the other candidates of a file's folder did.
pub(super) fn siblings(view: &View, firsts: &[(usize, f32)]) -> Vec<f32> {
    let folder = |file: usize| {
        let path = view.files()[file].path.as_str();
        path.rsplit_once('/').map_or("", |(folder, _)| folder)
    };
    let mut sums: FxHashMap<&str, f32> = FxHashMap::default();
    for &(file, score) in firsts {
        *sums.entry(folder(file)).or_default() += score;
    }
    firsts.iter().map(|&(file, score)| sums[folder(file)] - score).collect()
}

/// How well the test that is called after a file did.
pub(super) fn twins(view: &View, firsts: &[(usize, f32)]) -> Vec<f32> {
    let mut tests: FxHashMap<String, f32> = FxHashMap::default();
    for &(file, score) in firsts {
        let it = &view.files()[file];
        if it.kind == FileKind::Test {
            let best = tests.entry(test_subject(&it.path)).or_default();
            *best = best.max(score);
        }
    }
    let twin = |&(file, _): &(usize, f32)| {
        let it = &view.files()[file];
        let name = it.path.rsplit('/').next().unwrap_or(&it.path);
        let stem = name.split('.').next().unwrap_or(name).trim_matches('_').to_lowercase();
        if it.kind == FileKind::Test { 0.0 } else { tests.get(&stem).copied().unwrap_or(0.0) }
    };
    firsts.iter().map(twin).collect()
}

/// What a test is called after: its name without what makes it a test's.
fn test_subject(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let stem = stem.strip_prefix("test_").or_else(|| stem.strip_prefix("test")).unwrap_or(&stem);
    let ends = ["_test", "_tests", "_spec", "tests", "test", "spec"];
    let cut = ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    cut.trim_matches('_').to_owned()
}

//! What the history says about files: the messages of the commits that touched them, how often and
//! how lately they changed, and what changed together with them.

use super::evidence::rarity;
use crate::history::Past;
use crate::task::Task;
use crate::view::View;
use rustc_hash::FxHashMap;

/// What the history says about one file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FileHistory {
    /// The messages of its commits, by the whole task and by its title.
    pub all: f32,
    pub title: f32,
    /// The commit that is most like the task.
    pub best: f32,
    /// All commits that are much like the task, those of few files most.
    pub near: f32,
    /// How many commits touched it.
    pub commits: f32,
    /// How lately it changed: 1 now, falling by half in a month and in a year.
    pub month: f32,
    pub year: f32,
    /// How much of the last commits touched it: some ten, some fifty, some hundreds.
    pub last_ten: f32,
    pub last_fifty: f32,
    pub last_hundreds: f32,
}

/// What the history says about all files of a tree.
pub(crate) struct HistoryEvidence {
    pub files: Vec<FileHistory>,
    /// For each file, its number in the history.
    path_ids: Vec<Option<u32>>,
}

const K1: f32 = 1.2;

impl HistoryEvidence {
    pub fn gather(task: &Task, view: &View, past: &Past, now: i64) -> Self {
        let path_ids: Vec<Option<u32>> =
            view.files().iter().map(|file| past.path_id(&file.path)).collect();
        let commits = matching_commits(task, past);
        let mut files = vec![FileHistory::default(); path_ids.len()];
        let mut counts: FxHashMap<u32, f32> = FxHashMap::default();
        for (file, id) in files.iter_mut().zip(&path_ids) {
            let Some(id) = id else { continue };
            let touching = past.touching(*id);
            file.commits = touching.len() as f32;
            if let Some(&newest) = touching.first() {
                let days = (now - past.commits()[newest as usize].time).max(0) as f32 / 86_400.0;
                file.month = (-days / 43.0).exp();
                file.year = (-days / 527.0).exp();
            }
            counts.clear();
            for &commit in touching {
                let age = commit as f32;
                file.last_ten += (-age / 10.0).exp();
                file.last_fifty += (-age / 50.0).exp();
                file.last_hundreds += (-age / 300.0).exp();
                let matching = &commits.matching[commit as usize];
                file.best = file.best.max(matching.score);
                file.near += matching.near;
                for &term in &matching.terms {
                    *counts.entry(term).or_default() += 1.0;
                }
            }
            let norm = K1 * (0.5 + 0.5 * file.commits / commits.mean_commits);
            // The sum does not depend on the order of the terms.
            let mut found: Vec<(u32, f32)> =
                counts.iter().map(|(&term, &count)| (term, count)).collect();
            found.sort_unstable_by_key(|it| it.0);
            for (at, count) in found {
                let part = commits.rarity[at as usize] * count / (count + norm);
                let term = &task.terms[at as usize];
                file.all += part * term.all;
                file.title += part * term.title;
            }
        }
        Self { files, path_ids }
    }

    /// How often files changed together with the seeds, each of which has a weight.
    pub fn together(&self, past: &Past, seeds: &[(usize, f32)]) -> FxHashMap<usize, f32> {
        let mut by_path: FxHashMap<u32, f32> = FxHashMap::default();
        for &(seed, weight) in seeds {
            let Some(id) = self.path_ids[seed] else { continue };
            let touching = past.touching(id);
            for &commit in touching {
                let paths = &past.commits()[commit as usize].paths;
                if paths.len() > 30 {
                    continue;
                }
                let share = weight / (touching.len() as f32 + 2.0);
                paths.iter().filter(|&&path| path != id).for_each(|&path| {
                    *by_path.entry(path).or_default() += share;
                });
            }
        }
        let files = self.path_ids.iter().enumerate();
        files.filter_map(|(file, id)| Some((file, *by_path.get(&(*id)?)?))).collect()
    }
}

/// What each commit's message has of the task.
struct Commits {
    matching: Vec<Matching>,
    rarity: Vec<f32>,
    mean_commits: f32,
}

#[derive(Default)]
struct Matching {
    terms: Vec<u32>,
    score: f32,
    near: f32,
}

/// A commit is like a task if it scores at least this share of the best, and has so many words of it.
const LIKE: f32 = 0.6;
const LEAST_WORDS: usize = 2;

/// The commits whose messages are most like a task, by their places in the past, the most alike
/// first.
pub fn commits_like(task: &Task, past: &Past, most: usize) -> Vec<usize> {
    let matching = matching_commits(task, past).matching;
    let best = matching.iter().map(|it| it.score).fold(0.0, f32::max);
    let is_like = |it: &Matching| it.terms.len() >= LEAST_WORDS && it.score >= best * LIKE;
    let mut like: Vec<usize> = (0..matching.len()).filter(|&at| is_like(&matching[at])).collect();
    // Equal ones stay in their order: the newest first.
    like.sort_by(|&a, &b| matching[b].score.total_cmp(&matching[a].score));
    like.truncate(most);
    like
}

fn matching_commits(task: &Task, past: &Past) -> Commits {
    let terms: FxHashMap<u32, u32> =
        task.terms.iter().enumerate().map(|(at, term)| (term.id, at as u32)).collect();
    let mut with = vec![0usize; task.terms.len()];
    let mut touched = 0usize;
    let mut matching: Vec<Matching> = Vec::with_capacity(past.commits().len());
    for commit in past.commits() {
        touched += commit.paths.len();
        let found: Vec<u32> =
            commit.words.iter().filter_map(|word| terms.get(word).copied()).collect();
        found.iter().for_each(|&term| with[term as usize] += 1);
        matching.push(Matching { terms: found, ..Matching::default() });
    }
    let all = past.commits().len();
    let rarity: Vec<f32> = with.iter().map(|&with| rarity(all, with)).collect();
    for (it, commit) in matching.iter_mut().zip(past.commits()) {
        let sum: f32 = it
            .terms
            .iter()
            .map(|&term| rarity[term as usize] * task.terms[term as usize].all)
            .sum();
        it.score = sum / (8.0 + commit.words.len() as f32).sqrt();
    }
    let best = matching.iter().map(|it| it.score).fold(1e-6, f32::max);
    for (it, commit) in matching.iter_mut().zip(past.commits()) {
        it.near = (it.score / best).powi(3) / (commit.paths.len().max(1) as f32).sqrt();
    }
    let paths = past.path_count().max(1);
    Commits { matching, rarity, mean_commits: (touched as f32 / paths as f32).max(1.0) }
}

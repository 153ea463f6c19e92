//! How well the commit history of files matches a task: messages of the commits that touched them,
//! how often and how recently they changed, and what changed together with them.

use super::evidence::idf;
use crate::history::CommitHistory;
use crate::task::ParsedTask;
use crate::view::IndexView;
use rustc_hash::FxHashMap;

/// BM25 saturation of words that several commits of a file have. Set by hand.
const COMMIT_BM25_K1: f32 = 1.2;

/// Commits that touch more files than this say nothing about which files belong together.
const MAX_CO_CHANGED_FILES: usize = 30;

/// Days after which the recency features have decayed to 1/e: by half in a month and in a year.
const MONTH_DECAY_DAYS: f32 = 43.0;
const YEAR_DECAY_DAYS: f32 = 527.0;

/// History scores of a file; see docs/factors.md.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FileHistory {
    /// Messages of its commits, by all words of the task and by those of the title.
    pub messages: f32,
    pub messages_title: f32,
    pub best_commit: f32,
    pub similar_commits: f32,
    /// Number of commits.
    pub commits: f32,
    pub recency_month: f32,
    pub recency_year: f32,
    pub last_10_commits: f32,
    pub last_50_commits: f32,
    pub last_300_commits: f32,
}

/// History scores of all files of a tree.
pub(super) struct HistoryEvidence {
    pub files: Vec<FileHistory>,
    /// Path id of each file in the history.
    path_ids: Vec<Option<u32>>,
}

impl HistoryEvidence {
    pub fn gather(task: &ParsedTask, view: &IndexView, history: &CommitHistory, now: i64) -> Self {
        let path_ids: Vec<Option<u32>> =
            view.files().iter().map(|file| history.path_id(&file.path)).collect();
        let matches = CommitMatches::of(task, history);
        let file = |id: &Option<u32>| match id {
            Some(id) => file_history(task, history, *id, &matches, now),
            None => FileHistory::default(),
        };
        Self { files: path_ids.iter().map(file).collect(), path_ids }
    }

    /// Returns how often files changed together with the seeds, which are files with weights.
    pub fn co_changed(
        &self,
        history: &CommitHistory,
        seeds: &[(usize, f32)],
    ) -> FxHashMap<usize, f32> {
        let mut by_path: FxHashMap<u32, f32> = FxHashMap::default();
        for &(seed, weight) in seeds {
            let Some(id) = self.path_ids[seed] else { continue };
            let touching = history.touching(id);
            for &commit in touching {
                let paths = &history.commits()[commit as usize].paths;
                if paths.len() > MAX_CO_CHANGED_FILES {
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

fn file_history(
    task: &ParsedTask,
    history: &CommitHistory,
    path: u32,
    matches: &CommitMatches,
    now: i64,
) -> FileHistory {
    let touching = history.touching(path);
    let mut file = FileHistory { commits: touching.len() as f32, ..FileHistory::default() };
    if let Some(&newest) = touching.first() {
        let days = (now - history.commits()[newest as usize].time).max(0) as f32 / 86_400.0;
        file.recency_month = (-days / MONTH_DECAY_DAYS).exp();
        file.recency_year = (-days / YEAR_DECAY_DAYS).exp();
    }
    let mut counts: FxHashMap<u32, f32> = FxHashMap::default();
    for &commit in touching {
        let age = commit as f32;
        file.last_10_commits += (-age / 10.0).exp();
        file.last_50_commits += (-age / 50.0).exp();
        file.last_300_commits += (-age / 300.0).exp();
        let commit = &matches.commits[commit as usize];
        file.best_commit = file.best_commit.max(commit.score);
        file.similar_commits += commit.similarity;
        for &term in &commit.terms {
            *counts.entry(term).or_default() += 1.0;
        }
    }
    let norm = COMMIT_BM25_K1 * (0.5 + 0.5 * file.commits / matches.mean_commits_per_file);
    // Sorted, because the order of a hash map would change the sums.
    let mut counts: Vec<(u32, f32)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|it| it.0);
    for (at, count) in counts {
        let score = matches.idf[at as usize] * count / (count + norm);
        let term = &task.terms[at as usize];
        file.messages += score * term.weight;
        file.messages_title += score * term.title;
    }
    file
}

/// How well each commit's message matches a task.
struct CommitMatches {
    commits: Vec<CommitMatch>,
    /// Inverse document frequency of each term, over commits.
    idf: Vec<f32>,
    mean_commits_per_file: f32,
}

#[derive(Default)]
struct CommitMatch {
    /// Indexes of the task's terms that the message has.
    terms: Vec<u32>,
    score: f32,
    /// The score relative to the best, sharpened, and lower for commits of many files.
    similarity: f32,
}

/// Minimum score of a similar commit, as a share of the best commit's. Chosen by hand.
const MIN_SIMILAR_SCORE: f32 = 0.6;
/// Minimum number of the task's words in the message of a similar commit.
const MIN_SIMILAR_WORDS: usize = 2;

/// Returns the indexes of the commits whose messages are most similar to a task, best first.
pub fn similar_commits(task: &ParsedTask, history: &CommitHistory, max: usize) -> Vec<usize> {
    let commits = CommitMatches::of(task, history).commits;
    let best = commits.iter().map(|it| it.score).fold(0.0, f32::max);
    let is_similar = |it: &CommitMatch| {
        it.terms.len() >= MIN_SIMILAR_WORDS && it.score >= best * MIN_SIMILAR_SCORE
    };
    let mut similar: Vec<usize> =
        (0..commits.len()).filter(|&at| is_similar(&commits[at])).collect();
    // The sort is stable: of equal commits the newest comes first.
    similar.sort_by(|&a, &b| commits[b].score.total_cmp(&commits[a].score));
    similar.truncate(max);
    similar
}

impl CommitMatches {
    fn of(task: &ParsedTask, history: &CommitHistory) -> Self {
        let terms: FxHashMap<u32, u32> =
            task.terms.iter().enumerate().map(|(at, term)| (term.id, at as u32)).collect();
        let mut frequencies = vec![0usize; task.terms.len()];
        let mut touched = 0usize;
        let mut commits: Vec<CommitMatch> = Vec::with_capacity(history.commits().len());
        for commit in history.commits() {
            touched += commit.paths.len();
            let terms: Vec<u32> =
                commit.words.iter().filter_map(|word| terms.get(word).copied()).collect();
            terms.iter().for_each(|&term| frequencies[term as usize] += 1);
            commits.push(CommitMatch { terms, ..CommitMatch::default() });
        }
        let all = history.commits().len();
        let idf: Vec<f32> = frequencies.iter().map(|&with| idf(all, with)).collect();
        let term_score = |&term: &u32| idf[term as usize] * task.terms[term as usize].weight;
        for (it, commit) in commits.iter_mut().zip(history.commits()) {
            let sum: f32 = it.terms.iter().map(term_score).sum();
            it.score = sum / (8.0 + commit.words.len() as f32).sqrt();
        }
        let best = commits.iter().map(|it| it.score).fold(1e-6, f32::max);
        for (it, commit) in commits.iter_mut().zip(history.commits()) {
            it.similarity = (it.score / best).powi(3) / (commit.paths.len().max(1) as f32).sqrt();
        }
        let files = history.path_count().max(1) as f32;
        Self { commits, idf, mean_commits_per_file: (touched as f32 / files).max(1.0) }
    }
}

//! Ranks repositories for a task by their summaries.
//!
//! The score is that of BM25 with repositories as documents, where the share of the contents takes the place
//! of the number of occurrences, and a word that a repository defines counts more than one that it uses.
//! Document frequencies are counted over the given summaries alone, so a caller who may see only some of the
//! repositories gets a ranking that does not depend on the others.

use super::mentions::MentionedNames;
use super::{DEFINED, IN_PATH, IN_README, RepositorySummary, WordMark};
use crate::common_words::{RARE_SHARE, common_share};
use crate::task::{ParsedTask, TaskTerm};
use crate::terms::for_each_id;
use rustc_hash::FxHashSet;

/// Share of the contents at which a word reaches half of its possible weight.
const HALF_SHARE: f32 = 0.02;

/// Weight of a word for being in a summary at all, and of its share at most.
const PRESENCE_WEIGHT: f32 = 0.3;
const SHARE_WEIGHT: f32 = 0.7;

/// Weights of a word's places.
const DEFINED_WEIGHT: f32 = 0.7;
const PATH_WEIGHT: f32 = 0.3;
const README_WEIGHT: f32 = 0.5;
const NAME_WEIGHT: f32 = 2.0;

/// Weight of identifiers, and of names that several words of the task may form.
const IDENTIFIER_WEIGHT: f32 = 2.0;
const COMPOUND_WEIGHT: f32 = 0.5;

/// Effect of the number of words: large repositories have more of all words. BM25's `b`.
const LENGTH_EFFECT: f32 = 0.3;

/// Share of common words from which two repositories count as copies of each other.
const COPY_SIMILARITY: f32 = 0.8;

/// Sharpness of the softmax over scores, relative to the best one, that gives the chance of each repository.
/// Of seven values, the log loss of 75 development tasks over 1,000 repositories is about the lowest with this one
/// (`scripts/measure-fleet`).
const LIKELIHOOD_SHARPNESS: f64 = 12.0;

/// Number of words that explain a rank.
const EXPLAINED_WORDS: usize = 5;

/// The summary of a repository, and its name.
#[derive(Debug, Clone, Copy)]
pub struct NamedSummary<'a> {
    /// Name, such as `owner/name`.
    pub name: &'a str,
    /// Summary of one of its commits.
    pub summary: &'a RepositorySummary,
}

/// A repository with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedRepository {
    /// Position among the given repositories.
    pub index: usize,
    /// Score; only comparable within one ranking.
    pub score: f32,
    /// Chance that the task is about this repository rather than about another one of the ranking; 1 if it names
    /// the repository.
    pub likelihood: f64,
    /// Whether the task names it.
    pub is_named: bool,
    /// Words of the task that contribute most to the score, best first.
    pub words: Vec<String>,
    /// Positions of repositories that are nearly the same and were left out in its favor.
    pub copies: Vec<usize>,
}

/// A word of the task with its weight in this ranking.
struct QueryWord<'a> {
    term: &'a TaskTerm,
    weight: f32,
}

/// Ranks the repositories that have anything to do with a task, best first: those that it names before all
/// others.
pub fn rank_repositories(
    task: &ParsedTask,
    repositories: &[NamedSummary<'_>],
) -> Vec<RankedRepository> {
    let words = query_words(task, repositories);
    let names = MentionedNames::of(task);
    let total: usize = repositories.iter().map(|it| it.summary.len()).sum();
    let mean_length = (total as f32 / repositories.len().max(1) as f32).max(1.0);
    let score = |(index, it): (usize, &NamedSummary<'_>)| {
        let length = it.summary.len() as f32 / mean_length;
        let norm = 1.0 / (1.0 - LENGTH_EFFECT + LENGTH_EFFECT * length);
        let mut parts = scores(&words, it);
        let score = norm * parts.iter().map(|(_, part)| part).sum::<f32>();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let words = parts.iter().take(EXPLAINED_WORDS).map(|(term, _)| term.word.clone());
        let (words, copies, likelihood) = (words.collect(), Vec::new(), 0.0);
        RankedRepository {
            index,
            score,
            likelihood,
            is_named: names.contain(it.name),
            words,
            copies,
        }
    };
    let ranked = repositories.iter().enumerate().map(score);
    let mut ranked: Vec<RankedRepository> =
        ranked.filter(|it| it.is_named || it.score > 0.0).collect();
    let name = |it: &RankedRepository| repositories[it.index].name;
    ranked.sort_by(|a, b| {
        let by_score = b.is_named.cmp(&a.is_named).then(b.score.total_cmp(&a.score));
        by_score.then_with(|| name(a).cmp(name(b)))
    });
    ranked
}

/// Returns the best repositories for a task, at most `max`. Of several copies, such as forks, it takes the
/// best one and those that the task names.
pub fn choose_repositories(
    task: &ParsedTask,
    repositories: &[NamedSummary<'_>],
    max: usize,
) -> Vec<RankedRepository> {
    let mut chosen: Vec<RankedRepository> = Vec::new();
    for ranked in rank_repositories(task, repositories) {
        let summary = repositories[ranked.index].summary;
        let is_copy = |it: &RankedRepository| {
            repositories[it.index].summary.similarity(summary) >= COPY_SIMILARITY
        };
        match chosen.iter().position(is_copy).filter(|_| !ranked.is_named) {
            Some(original) => chosen[original].copies.push(ranked.index),
            None if chosen.len() == max => break,
            None => chosen.push(ranked),
        }
    }
    set_likelihoods(&mut chosen);
    chosen
}

/// Sets the chance of each repository. Those that are named share it; without one, it follows from the
/// distance to the best score. Copies count once.
fn set_likelihoods(chosen: &mut [RankedRepository]) {
    let best = chosen.iter().map(|it| it.score).fold(0.0, f32::max).max(f32::MIN_POSITIVE);
    let weight = |it: &RankedRepository| (LIKELIHOOD_SHARPNESS * f64::from(it.score / best)).exp();
    let sum: f64 = chosen.iter().map(weight).sum();
    for it in chosen {
        it.likelihood = if it.is_named { 1.0 } else { weight(it) / sum };
    }
}

/// Returns the words of a task that any of the repositories has, weighted by their rarity.
fn query_words<'a>(task: &'a ParsedTask, repositories: &[NamedSummary<'_>]) -> Vec<QueryWord<'a>> {
    let names: Vec<FxHashSet<u32>> = repositories.iter().map(|it| name_words(it.name)).collect();
    let with = |word: u32| {
        let has = |(it, name): &(&NamedSummary<'_>, &FxHashSet<u32>)| {
            it.summary.mark(word).is_some() || name.contains(&word)
        };
        repositories.iter().zip(&names).filter(has).count()
    };
    let count = repositories.len() as f32;
    let word = |(term, weight): (&'a TaskTerm, f32)| {
        let with = with(term.id) as f32;
        let rarity = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
        let general = common_share(term.id).ln() / RARE_SHARE.ln();
        (with > 0.0).then_some(QueryWord { term, weight: weight * rarity * general })
    };
    let plain = task
        .terms
        .iter()
        .map(|term| (term, term.weight * if term.is_name { IDENTIFIER_WEIGHT } else { 1.0 }));
    let compounds = task.compound_names.iter().map(|term| (term, term.weight * COMPOUND_WEIGHT));
    plain.chain(compounds).filter_map(word).collect()
}

/// Returns the contributions of the words of a task that a repository has.
fn scores<'a>(words: &[QueryWord<'a>], repository: &NamedSummary<'_>) -> Vec<(&'a TaskTerm, f32)> {
    let name = name_words(repository.name);
    let score = |word: &QueryWord<'a>| {
        let mark = repository.summary.mark(word.term.id);
        let in_name = if name.contains(&word.term.id) { NAME_WEIGHT } else { 0.0 };
        let strength = mark.map_or(0.0, strength) + in_name;
        (strength > 0.0).then_some((word.term, word.weight * strength))
    };
    words.iter().filter_map(score).collect()
}

fn strength(mark: WordMark) -> f32 {
    let share = mark.share();
    let place = |place: u8, weight: f32| if mark.has(place) { weight } else { 0.0 };
    PRESENCE_WEIGHT
        + SHARE_WEIGHT * share / (share + HALF_SHARE)
        + place(DEFINED, DEFINED_WEIGHT)
        + place(IN_PATH, PATH_WEIGHT)
        + place(IN_README, README_WEIGHT)
}

/// Returns the words of a name without its owner, who may have thousands of repositories.
fn name_words(name: &str) -> FxHashSet<u32> {
    let mut words = FxHashSet::default();
    for_each_id(name.rsplit('/').next().unwrap_or(name), |word| {
        words.insert(word);
    });
    words
}

//! The choice of repositories by their summaries.

use super::{ChosenRepository, MAX_CHOSEN_REPOSITORIES, StoreWarnings};
use crate::redaction::without_secrets;
use crate::request::NamedRepo;
use kitbag_index::{
    NamedSummary, ParsedTask, RankedRepository, RepositorySummary, choose_repositories,
};
use kitbag_text::plural;
use std::sync::Arc;

/// Maximum number of repositories that cannot be read and are named in warnings.
const MAX_NAMED_FAILURES: usize = 3;

/// What is known about a repository of a fleet.
pub(crate) enum Known {
    Summary(Arc<RepositorySummary>),
    /// Its summary has to be made.
    Missing,
    /// Its summary cannot be made.
    Failed(String),
}

/// The repositories that a task is about.
#[derive(Debug, Default)]
pub(crate) struct FleetChoice {
    /// The chosen repositories, the most promising first.
    pub repos: Vec<NamedRepo>,
    /// Why each was chosen.
    pub chosen: Vec<ChosenRepository>,
    pub warnings: Vec<String>,
    /// Whether some repositories could not be considered in time.
    pub is_partial: bool,
}

impl FleetChoice {
    /// Chooses from `repos`, of which `known` is known in the same order.
    pub fn new(
        task: &ParsedTask,
        repos: &[NamedRepo],
        known: &[Known],
        warnings: StoreWarnings,
    ) -> Self {
        let summarized: Vec<NamedSummary<'_>> = repos
            .iter()
            .zip(known)
            .filter_map(|(repo, known)| match known {
                Known::Summary(summary) => Some(NamedSummary { name: &repo.name, summary }),
                _ => None,
            })
            .collect();
        let mut choice = Self { warnings: warnings.into_vec(), ..Self::default() };
        for ranked in choose_repositories(task, &summarized, MAX_CHOSEN_REPOSITORIES) {
            let name = summarized[ranked.index].name;
            choice.repos.extend(repos.iter().find(|repo| repo.name == name).cloned());
            choice.chosen.push(chosen(&ranked, &summarized));
        }
        choice.warn_about_failures(repos, known);
        choice.warn_about_missing(known);
        choice.warn_about_copies();
        choice
    }

    fn warn_about_failures(&mut self, repos: &[NamedRepo], known: &[Known]) {
        let failed = repos.iter().zip(known).filter_map(|(repo, known)| match known {
            Known::Failed(reason) => Some((&repo.name, reason)),
            _ => None,
        });
        let failed: Vec<(&String, &String)> = failed.collect();
        for (name, reason) in failed.iter().take(MAX_NAMED_FAILURES) {
            self.warnings.push(format!("`{name}` was not considered: {reason}"));
        }
        if failed.len() > MAX_NAMED_FAILURES {
            let more = plural(failed.len() - MAX_NAMED_FAILURES, "other repository");
            self.warnings.push(format!("{more} could not be read either"));
        }
    }

    fn warn_about_missing(&mut self, known: &[Known]) {
        let missing = known.iter().filter(|it| matches!(it, Known::Missing)).count();
        if missing > 0 {
            self.is_partial = true;
            let all = plural(known.len(), "repository");
            self.warnings.push(format!(
                "{missing} of {all} were not considered because they are not indexed yet; the same \
                 request later finds more"
            ));
        }
    }

    fn warn_about_copies(&mut self) {
        let with_copies = self.chosen.iter().filter(|it| !it.copies.is_empty());
        let warnings = with_copies.map(|it| {
            let name = &it.name;
            match it.copies.as_slice() {
                [copy] => format!("`{copy}` is nearly the same as `{name}`, and was not searched"),
                copies => {
                    let count = copies.len();
                    format!("{count} repositories nearly the same as `{name}` were not searched")
                }
            }
        });
        self.warnings.extend(warnings);
    }

    /// Explains why no repository was chosen.
    pub fn why_nothing() -> &'static str {
        "no word of the task distinguishes the repositories; name one of them, or use words from the code"
    }
}

fn chosen(ranked: &RankedRepository, all: &[NamedSummary<'_>]) -> ChosenRepository {
    let name = |index: usize| all[index].name.to_owned();
    ChosenRepository {
        name: name(ranked.index),
        score: ranked.score,
        likelihood: ranked.likelihood,
        named: ranked.is_named,
        words: ranked.words.iter().map(|word| without_secrets(word).into_owned()).collect(),
        copies: ranked.copies.iter().map(|index| name(*index)).collect(),
    }
}

//! The results of several repositories as one list.

use super::{SEARCH_VERSION, SearchReport, SearchResult};
use crate::fleet::ChosenRepository;
use std::iter::Peekable;
use std::vec::IntoIter;

/// Results below this relevance say more about the words that repositories share than about the task: of fifty,
/// one matters. A repository in which nothing is likelier contributes nothing.
const MIN_RELEVANCE: f64 = 0.02;

/// What was found in one of several repositories.
pub(crate) struct FoundIn {
    pub name: String,
    /// Chance that the task is about the repository.
    pub likelihood: f64,
    pub report: SearchReport,
}

/// Merges what was found in several repositories, whose order breaks ties. The order of the results of one
/// repository stays.
pub(crate) fn merge_searches(
    found: Vec<FoundIn>,
    repositories: Vec<ChosenRepository>,
    mut warnings: Vec<String>,
    limit: usize,
) -> SearchReport {
    let files_searched = found.iter().map(|it| it.report.files_searched).sum();
    add_warnings(&mut warnings, &found);
    let has_results = found.iter().any(|it| !it.report.results.is_empty());
    let mut lists: Vec<Peekable<IntoIter<SearchResult>>> =
        found.into_iter().map(|it| likely(it).into_iter().peekable()).collect();
    let mut results = Vec::new();
    while results.len() < limit {
        let heads = lists.iter_mut().enumerate();
        let heads = heads.filter_map(|(at, list)| Some((at, list.peek()?.relevance)));
        // Of equal ones, the first is taken.
        let best = heads.reduce(|best, it| if it.1 > best.1 { it } else { best });
        let Some(next) = best.and_then(|(at, _)| lists[at].next()) else { break };
        results.push(next);
    }
    if results.is_empty() && has_results {
        warnings.push("nothing is likely to matter for the task in any repository".to_owned());
    }
    SearchReport { version: SEARCH_VERSION, results, repositories, files_searched, warnings }
}

/// Returns the results that are likely enough, with the name of the repository before their paths.
fn likely(found: FoundIn) -> Vec<SearchResult> {
    let FoundIn { name, likelihood, report } = found;
    let with_name = |it: SearchResult| SearchResult {
        path: format!("{name}/{}", it.path),
        relevance: it.relevance * likelihood,
        ..it
    };
    let results = report.results.into_iter().map(with_name);
    results.filter(|it| it.relevance >= MIN_RELEVANCE).collect()
}

/// Adds the warnings about each repository, and those about all of them once.
fn add_warnings(warnings: &mut Vec<String>, found: &[FoundIn]) {
    let Some((first, others)) = found.split_first() else { return };
    let is_common = |warning: &String| {
        !others.is_empty() && others.iter().all(|it| it.report.warnings.contains(warning))
    };
    warnings.extend(first.report.warnings.iter().filter(|it| is_common(it)).cloned());
    for FoundIn { name, report, .. } in found {
        let own = report.warnings.iter().filter(|it| !is_common(it));
        // That one of many has nothing is no news.
        let own = own.filter(|it| !it.starts_with("nothing was found"));
        warnings.extend(own.map(|warning| format!("{name}: {warning}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, relevances: &[f64], warnings: &[&str]) -> FoundIn {
        let result = |relevance: &f64| SearchResult {
            path: format!("{relevance}.rs"),
            start_line: 1,
            end_line: 2,
            symbol: None,
            kind: "function",
            tokens: 1,
            relevance: *relevance,
            score: 0.0,
            factors: Vec::new(),
            file_score: 0.0,
            file_factors: Vec::new(),
            why: Vec::new(),
            lines: Vec::new(),
        };
        let results = relevances.iter().map(result).collect();
        let warnings = warnings.iter().map(|it| (*it).to_owned()).collect();
        let report = SearchReport { results, warnings, files_searched: 2, ..Default::default() };
        FoundIn { name: name.to_owned(), likelihood: 1.0, report }
    }

    #[test]
    fn results_are_merged_by_relevance_and_keep_their_order_within_a_repository() {
        let all = vec![found("a", &[0.5, 0.6, 0.01], &[]), found("b", &[0.55, 0.5], &[])];
        let merged = merge_searches(all, Vec::new(), Vec::new(), 10);
        let paths: Vec<&str> = merged.results.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["b/0.55.rs", "a/0.5.rs", "a/0.6.rs", "b/0.5.rs"]);
        assert_eq!(merged.files_searched, 4);
        let all = vec![found("a", &[0.5], &[]), found("b", &[0.5], &[])];
        assert_eq!(merge_searches(all, Vec::new(), Vec::new(), 1).results[0].path, "a/0.5.rs");
        let unlikely = FoundIn { likelihood: 0.5, ..found("a", &[0.9], &[]) };
        let merged =
            merge_searches(vec![unlikely, found("b", &[0.5], &[])], Vec::new(), Vec::new(), 2);
        let relevances: Vec<f64> = merged.results.iter().map(|it| it.relevance).collect();
        assert_eq!(relevances, [0.5, 0.45]);
    }

    #[test]
    fn warnings_about_all_repositories_are_given_once() {
        let none = "nothing was found: no word";
        let all = vec![found("a", &[], &["cut", "old", none]), found("b", &[0.001], &["cut"])];
        let merged = merge_searches(all, Vec::new(), vec!["first".to_owned()], 10);
        let likely = "nothing is likely to matter for the task in any repository";
        assert_eq!(merged.warnings, ["first", "cut", "a: old", likely]);
    }
}

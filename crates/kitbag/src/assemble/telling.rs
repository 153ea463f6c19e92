//! What a report tells in words: what was left out, and why a pack is empty.

use crate::finding::why_nothing;
use crate::request::Request;
use kitbag_core::{Decision, Excluded, Reason, Settings};
use kitbag_text::Kind;

/// What a person who named something should know of it. Searching passes over files in silence.
pub(super) fn left_out(named: &[Excluded], gathered: &[Excluded]) -> Vec<String> {
    const MOST: usize = 10;
    let by_search = |it: &&Excluded| it.kind == Kind::SearchResult;
    let gathered = gathered.iter().filter(|it| !by_search(it));
    let rejected: Vec<&Excluded> = named.iter().chain(gathered).collect();
    let told = rejected.iter().take(MOST).map(|it| {
        let named = it.detail.contains(&format!("`{}`", it.path));
        let path = if named { String::new() } else { format!(": `{}`", it.path) };
        format!("left out: {}{path}", it.detail)
    });
    let more = rejected.len().saturating_sub(MOST);
    told.chain((more > 0).then(|| format!("{more} more sources were left out"))).collect()
}

/// What the format could not carry.
pub(super) fn replaced(characters: usize) -> Option<String> {
    match characters {
        0 => None,
        1 => Some("1 character that XML cannot carry was replaced".to_owned()),
        _ => Some(format!("{characters} characters that XML cannot carry were replaced")),
    }
}

/// What is told of a pack in which nothing is. `late` is the deadline that came first, in
/// milliseconds.
pub(super) fn emptiness(
    request: &Request,
    settings: &Settings,
    searched: (usize, usize),
    decision: &Decision,
    (late, is_partial): (Option<u128>, bool),
) -> Option<String> {
    if let Some(limit) = late {
        return Some(format!("the deadline of {limit} ms came before anything could be packed"));
    }
    let is_empty = decision.included.is_empty();
    is_empty.then(|| match is_partial && decision.stats.chunks == 0 {
        true => "the pack is empty: nothing arrived before the deadline".to_owned(),
        false => {
            let why = why_empty(request, settings, searched, decision);
            format!("the pack is empty: {why}")
        }
    })
}

/// Why nothing is in the pack, and what to do about it.
fn why_empty(
    request: &Request,
    settings: &Settings,
    (budget, files): (usize, usize),
    decision: &Decision,
) -> String {
    let counted =
        |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let chunks = decision.stats.chunks;
    if chunks > 0 && decision.excluded.iter().any(|out| out.reason == Reason::Budget) {
        let (chunks, budget) = (counted(chunks, "chunk"), counted(budget, "token"));
        format!("none of {chunks} fits the budget of {budget}; give it more")
    } else if let Some(best) = decision.excluded.iter().find(|out| out.reason == Reason::Score) {
        let least = settings.min_score.unwrap_or_default();
        let (path, score) = (&best.path, best.score.unwrap_or_default());
        format!("nothing reaches the least score of {least}; the best is `{path}` with {score:.3}")
    } else if let Some(first) = decision.excluded.first() {
        format!("nothing that was found can go in; `{}`: {}", first.path, first.detail)
    } else if request.task.trim().is_empty() {
        "nothing that was named can go in".to_owned()
    } else {
        let has_globs = !(request.include.is_empty() && request.exclude.is_empty());
        why_nothing(&request.task, files, has_globs)
    }
}

//! The generator reaches the difficult cases often enough.

use super::case::{Case, Limit, Outcome};
use super::frame::{Block, parse};
use super::generate::case;
use kitbag_core::stages::SourceFile;
use kitbag_core::{ChunkForm, Decision, Included, Reason};
use kitbag_text::Provenance;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::sync::Arc;

const CASES: usize = 1_000;

/// Difficult cases, and the minimum percentage of requests that have each.
const MIN_PERCENT: &[(&str, usize)] = &[
    ("a file with a gap", 15),
    ("over the budget", 50),
    ("no budget at all", 1),
    ("a budget of one token", 1),
    ("an exactly fitting budget", 5),
    ("one token less than all", 5),
    ("nothing fits", 5),
    ("Unicode", 30),
    ("CRLF", 15),
    ("no final newline", 15),
    ("an empty source", 10),
    ("a part of an item", 5),
    ("an outline", 2),
    ("an outline in parts", 1),
    ("one file from several sources", 30),
    ("sources that disagree", 20),
    ("a line too long", 10),
    ("a duplicate", 30),
    ("a copy of the same lines", 5),
    ("a pinned chunk", 5),
    ("a search result below the stop", 2),
    ("an overlap", 20),
    ("chunks in the pack that share lines", 10),
    ("a longer fence", 15),
    ("a slash first in a fence of text", 1),
    ("an escaped path", 10),
    ("several files", 12),
    ("a truncated chunk", 3),
    ("a near-duplicate", 2),
    ("merged chunks", 2),
    ("merged sources", 5),
    ("a limit of a kind", 10),
    ("fewer chunks than asked for", 3),
    ("95 % of the budget used when over it", 10),
];

#[test]
fn the_generator_reaches_the_difficult_cases() {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    for _ in 0..CASES {
        let case = case().new_tree(&mut runner).expect("nothing is rejected").current();
        let outcome = case.run().expect("every request can be packed");
        for name in traits(&case, &outcome) {
            *found.entry(name).or_default() += 1;
        }
    }
    let share =
        |name: &str| found.get(name).copied().unwrap_or_default() as f64 * 100.0 / CASES as f64;
    let shares: Vec<String> =
        MIN_PERCENT.iter().map(|(name, _)| format!("{:5.1} %  {name}", share(name))).collect();
    let rare = MIN_PERCENT.iter().filter(|(name, least)| share(name) < *least as f64);
    let rare: Vec<&str> = rare.map(|(name, _)| *name).collect();
    assert!(rare.is_empty(), "too rare: {rare:?}\n{}", shares.join("\n"));
    assert!(
        found.keys().all(|name| MIN_PERCENT.iter().any(|(known, _)| known == name)),
        "{found:?}"
    );
}

fn traits(case: &Case, outcome: &Outcome) -> Vec<&'static str> {
    let all = [budget_traits(case, outcome), source_traits(case), pack_traits(outcome)];
    all.into_iter().flatten().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

type Traits = Vec<(&'static str, bool)>;

fn budget_traits(case: &Case, outcome: &Outcome) -> Traits {
    let Outcome { budget, packed } = outcome;
    let decision = &packed.decision;
    let total = decision.total_tokens;
    let over = decision.excluded.iter().any(|out| out.reason == Reason::Budget);
    let limited = total > 0 && over;
    let overlaps = decision.excluded.iter().filter(|out| out.reason == Reason::Overlap).count();
    vec![
        ("over the budget", over),
        ("no budget at all", *budget == 0 && over),
        ("a budget of one token", *budget == 1 && over),
        ("an exactly fitting budget", matches!(case.limit, Limit::Total) && total > 0),
        ("one token less than all", matches!(case.limit, Limit::TotalLessOne) && over),
        ("nothing fits", over && total == 0),
        ("95 % of the budget used when over it", limited && total as f64 >= *budget as f64 * 0.95),
        ("merged sources", decision.stats.merged_sources > 0),
        ("merged chunks", decision.stats.overlaps > overlaps && total > 0),
        ("a limit of a kind", over && case.settings.budget.categories.iter().any(Option::is_some)),
        (
            "fewer chunks than asked for",
            decision.included.len() < case.settings.selection.min_chunks && over,
        ),
    ]
}

fn source_traits(case: &Case) -> Traits {
    let sources = &case.sources;
    let any = |has: &dyn Fn(&str) -> bool| sources.iter().any(|s| has(s.text.content()));
    let (_, indices) = SourceFile::gather(sources);
    let mut pairs = Vec::new();
    for (one, index) in indices.iter().enumerate() {
        for (other, other_place) in indices.iter().enumerate().skip(one + 1) {
            if sources[one].path == sources[other].path {
                pairs.push((index == other_place, sources[one].text == sources[other].text));
            }
        }
    }
    vec![
        ("Unicode", any(&|content| !content.is_ascii())),
        ("CRLF", any(&|content| content.contains("\r\n"))),
        ("no final newline", any(&|content| !content.is_empty() && !content.ends_with('\n'))),
        ("one file from several sources", pairs.contains(&(true, false))),
        ("sources that disagree", pairs.contains(&(false, false))),
    ]
}

/// Whether lines of one provider repeat those of another.
fn copies(decision: &Decision) -> bool {
    let provider = |from: &Option<Arc<Provenance>>| from.as_ref().map(|it| it.provider.clone());
    decision.excluded.iter().filter(|out| out.reason == Reason::Duplicate).any(|out| {
        let mut same = decision.included.iter().filter(|item| Some(item.span) == out.span);
        same.any(|item| item.path == out.path && provider(&item.from) != provider(&out.from))
    })
}

fn pack_traits(outcome: &Outcome) -> Traits {
    let text = outcome.packed.text.as_str();
    let decision = &outcome.packed.decision;
    let reason = |reason| decision.excluded.iter().any(|out| out.reason == reason);
    let included = &decision.included;
    let blocks = parse(text).expect("a pack can be read");
    let shares_lines = |(index, item): (usize, &Included)| {
        let others = included[index + 1..].iter().filter(|other| other.path == item.path);
        others.into_iter().any(|other| other.span.shared_lines(item.span) > 0)
    };
    let has_slash = |block: &Block| {
        block.runs.iter().any(|run| run.info == "text" && run.lines[0].starts_with('/'))
    };
    let outline = |item: &Included| item.form == ChunkForm::Outline;
    vec![
        ("a file with a gap", blocks.iter().any(|block| block.runs.len() > 1)),
        ("an empty source", reason(Reason::Empty)),
        ("a part of an item", blocks.iter().any(|b| b.runs.iter().any(|r| !r.parts.is_empty()))),
        ("an outline", included.iter().any(outline)),
        ("an outline in parts", included.iter().any(|i| outline(i) && i.shown.len() > 1)),
        ("a truncated chunk", included.iter().any(|item| item.form == ChunkForm::Truncated)),
        ("a near-duplicate", reason(Reason::NearDuplicate)),
        ("a line too long", reason(Reason::LineTooLong)),
        ("a duplicate", reason(Reason::Duplicate)),
        ("a copy of the same lines", copies(decision)),
        ("a pinned chunk", included.iter().any(|item| item.is_pinned)),
        ("a search result below the stop", reason(Reason::BelowStop)),
        ("an overlap", reason(Reason::Overlap)),
        ("chunks in the pack that share lines", included.iter().enumerate().any(shares_lines)),
        ("a longer fence", text.contains("\n````")),
        ("a slash first in a fence of text", blocks.iter().any(has_slash)),
        (
            "an escaped path",
            blocks.iter().any(|block| {
                text.contains('\\') && block.path.contains(['\\', '\n', '\u{202e}', '\u{200b}'])
            }),
        ),
        ("several files", blocks.len() > 2),
    ]
}

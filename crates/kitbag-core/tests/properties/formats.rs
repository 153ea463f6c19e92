//! Properties of every format.

use super::case::{Case, Limit, Outcome};
use super::generate::case;
use super::readers::{self, Pack};
use super::{ONE_THREAD, TWO_THREADS, accounts, report, run, text};
use kitbag_core::stages::SourceFile;
use kitbag_core::{ChunkForm, Format, Formatting, Included, Overflow, SelectionSettings, Template};
use kitbag_text::{ChunkLimits, Text};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Texts for headers and footers: some look like the frame, some do not end where they should.
const AROUND: &[&str] = &[
    "# Context",
    "/ slash\n",
    "\n  \nspaces  ",
    "<context>&\"</header>",
    "```\n### a.rs (lines 1-3)",
    "----------------------------------------",
    "\r\nreturns\r\n",
    "\u{1}\u{202e}é\n\n",
];

const SEPARATORS: &[&str] = &["---", "/", "\n\n", " \n", "x\n"];

const TEMPLATES: &[&str] = &[
    "{{ header }}{% for file in files %}== {{ file.path }} {{ file.ranges }}\n{% for run in file.runs %}{{ run.content }}{% endfor %}{% endfor %}{{ footer }}",
    "{% for c in chunks %}{{ c.path }}:{{ c.start_line }}\n{{ c.fence }}{{ c.language }}\n{{ c.content }}{{ c.fence }}\n{{ separator }}{% endfor %}",
    "{{ TotalTokens }} of {{ budget }} for {{ task }}: {% for file in files %}{{ file.path }}/{% endfor %}\n",
    "{% for c in chunks %} {{ c.content | trim }} {% endfor %}",
    "{% for c in chunks %}{{ c.lines }}\n{{ c.content }}{% if c.truncated %}{{ c.truncated }} more\n{% endif %}{% endfor %}",
];

/// A request with any formatting, some of its sources expanded.
fn formatted() -> impl Strategy<Value = Case> {
    let expanded =
        prop::collection::vec(prop_oneof![9 => Just(None), 1 => select(AROUND).prop_map(Some)], 9);
    (cut_or_not(), formatting(), expanded).prop_map(|(mut case, formatting, expanded)| {
        let least = case.settings.selection.min_chunks;
        let max_chunks = formatting.max_chunks.map(|most| most.max(least));
        case.settings.formatting = Formatting { max_chunks, ..formatting };
        for (source, expanded) in case.sources.iter_mut().zip(expanded) {
            source.expanded_context = expanded.map(|text| Arc::new(Text::new(text.repeat(3))));
        }
        case
    })
}

/// A request that can be read back: its lines are numbered and its sources as they are.
fn readable() -> impl Strategy<Value = Case> {
    let format = select(vec![Format::Xml, Format::Json, Format::Plain]);
    (cut_or_not(), format, around(), around(), prop::bool::weighted(0.8)).prop_map(
        |(mut case, format, header, footer, group_by_file)| {
            let formatting =
                Formatting { format, header, footer, group_by_file, ..Formatting::default() };
            case.settings.formatting = formatting;
            case
        },
    )
}

/// Any request, or one whose chunks are whole files, and cut.
fn cut_or_not() -> impl Strategy<Value = Case> {
    let overflow = prop_oneof![3 => Just(Overflow::Truncate), 1 => Just(Overflow::Proportional)];
    let cuts = prop_oneof![1 => Just(None), 1 => (overflow, 0.1..0.9f64).prop_map(Some)];
    (case(), cuts).prop_map(|(mut case, cuts)| {
        if let Some((overflow, share)) = cuts {
            case.limit = Limit::Fraction(share);
            case.settings.selection =
                SelectionSettings { min_chunks: 1, overflow, ..SelectionSettings::default() };
            let ChunkLimits { max_chunk_tokens, min_chunk_tokens, .. } =
                &mut case.settings.chunking;
            (*max_chunk_tokens, *min_chunk_tokens) = (2_000, 2_000);
            case.sources.iter_mut().for_each(|source| source.pieces = None);
        }
        case
    })
}

fn around() -> impl Strategy<Value = Option<String>> {
    prop_oneof![3 => Just(None), 2 => select(AROUND).prop_map(|text| Some(text.to_owned()))]
}

fn formatting() -> impl Strategy<Value = Formatting> {
    let separator =
        prop_oneof![3 => Just(None), 1 => select(SEPARATORS).prop_map(|it| Some(it.to_owned()))];
    let template = prop_oneof![5 => Just(None), 1 => select(TEMPLATES).prop_map(Some)];
    let most = prop_oneof![6 => Just(None), 1 => (1..6usize).prop_map(Some)];
    let switches = (
        prop::bool::weighted(0.75),
        prop::bool::weighted(0.85),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.25),
        prop::bool::weighted(0.2),
    );
    let texts = (around(), around(), separator);
    (select(Format::ALL.to_vec()), template, texts, switches, most).prop_map(
        |(format, template, (header, footer, separator), switches, max_chunks)| {
            let (group_by_file, line_numbers, scores, detailed, sections) = switches;
            let template =
                template.map(|source| Template { name: "t".into(), source: source.to_owned() });
            Formatting {
                format,
                template,
                header,
                footer,
                group_by_file,
                line_numbers,
                scores,
                max_chunks,
                separator,
                detailed,
                sections,
                ..Formatting::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// In every format the text, counted independently, has the reported tokens and stays within the
    /// budget; a preview or other threads give the same result.
    #[test]
    fn every_format_is_exact_and_deterministic(case in formatted()) {
        let Outcome { budget, packed } = run(&case)?;
        let recounted = case.recount(&packed.text);
        prop_assert_eq!(recounted, packed.decision.total_tokens, "\n{}", packed.text);
        prop_assert!(recounted <= budget, "{} of {}", recounted, budget);
        let decided = case.decide(budget).expect("it succeeded before");
        let first = report(&packed.decision);
        prop_assert_eq!(report(&decided), first.as_str(), "a preview is the same decision");
        for pool in [&*ONE_THREAD, &*TWO_THREADS] {
            let again = pool.install(|| case.pack(budget)).expect("it succeeded before");
            prop_assert_eq!(&again.text, &packed.text);
            prop_assert_eq!(report(&again.decision), first.as_str());
        }
        let most = case.settings.formatting.max_chunks.unwrap_or(usize::MAX);
        prop_assert!(packed.decision.included.len() <= most);
    }

    /// XML, JSON and plain text can be parsed and match the report: every reported line is shown with
    /// the text of its source, and nothing else. No path or content can imitate the markup.
    #[test]
    fn every_parsed_format_matches_the_report(case in readable()) {
        let outcome = run(&case)?;
        let formatting = &case.settings.formatting;
        let pack = match read(&outcome.packed.text, formatting).map_err(TestCaseError::fail)? {
            Some(pack) => pack,
            None => return Ok(()),
        };
        let around = |text: &Option<String>| {
            let text = text.as_deref().map(|text| text.trim_end_matches(['\r', '\n']).to_owned());
            let text = text.filter(|text| !text.is_empty());
            if formatting.format == Format::Xml { text.map(|it| text::as_in_xml(&it)) } else { text }
        };
        prop_assert_eq!(&pack.header, &around(&formatting.header));
        prop_assert_eq!(&pack.footer, &around(&formatting.footer));
        check_read(&case, &outcome, &pack)?;
    }

    /// In every built-in format, nothing excluded for the budget would fit.
    #[test]
    fn no_format_excludes_chunks_that_would_fit(mut case in formatted()) {
        case.settings.formatting.template = None;
        accounts::check_full(&case, &run(&case)?)?;
    }

    /// Every chunk is reported once, and excluded ones with a reason.
    #[test]
    fn every_format_accounts_for_every_chunk(mut case in formatted()) {
        for source in &mut case.sources {
            source.expanded_context = None;
        }
        let outcome = run(&case)?;
        accounts::check_complete(&case, &outcome)?;
        accounts::check_reasons(&case, &outcome)?;
    }
}

/// Parses a pack; `None` if it is empty.
fn read(text: &str, formatting: &Formatting) -> Result<Option<Pack>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    Ok(match formatting.format {
        Format::Json => Some(readers::json(text)?),
        Format::Xml => Some(readers::xml(text)?),
        Format::Plain if text.contains("File: ") => Some(readers::plain(text)?),
        _ => None,
    })
}

fn check_read(case: &Case, outcome: &Outcome, pack: &Pack) -> Result<(), TestCaseError> {
    text::check_blocks(case, outcome, &pack.blocks)?;
    let included = &outcome.packed.decision.included;
    let formatting = &case.settings.formatting;
    if !formatting.group_by_file {
        let best_first =
            included.iter().flat_map(|item| item.shown.iter().map(move |_| &item.path));
        let mut shown: Vec<&String> = best_first.collect();
        let mut read: Vec<&String> = pack
            .blocks
            .iter()
            .flat_map(|block| block.runs.iter().map(move |_| &block.path))
            .collect();
        shown.dedup();
        read.dedup();
        prop_assert_eq!(read, shown, "chunks come best first");
        return check_cuts(included, pack);
    }
    let (files, _) = SourceFile::gather(&case.sources);
    let mut paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    if paths.windows(2).all(|pair| pair[0] != pair[1]) {
        text::check_order(&pack.blocks, included)?;
        text::check_forms(outcome, &pack.blocks)?;
    }
    Ok(())
}

/// Without grouping, the truncated chunk states the number of missing lines.
fn check_cuts(included: &[Included], pack: &Pack) -> Result<(), TestCaseError> {
    for item in included.iter().filter(|item| item.form == ChunkForm::Truncated) {
        let missing = item.span.end - item.shown[0].end;
        let mut runs = pack.blocks.iter().flat_map(|block| {
            let same = block.path == item.path;
            block.runs.iter().filter(move |run| same && run.span == item.shown[0])
        });
        prop_assert!(runs.any(|run| run.cut == Some(missing)), "{} lacks {missing}", item.span);
    }
    Ok(())
}

#[test]
fn the_generator_reaches_truncation_in_every_format() {
    const CASES: usize = 600;
    let mut cut = BTreeMap::new();
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    for _ in 0..CASES {
        let case = readable().new_tree(&mut runner).expect("nothing is rejected").current();
        let outcome = case.run().expect("every request can be packed");
        let Formatting { format, group_by_file, .. } = case.settings.formatting;
        let has = outcome.packed.decision.included.iter().any(|it| it.form == ChunkForm::Truncated);
        *cut.entry((format.name(), group_by_file)).or_insert(0) += usize::from(has);
    }
    assert_eq!(cut.len(), 6, "{cut:?}");
    assert!(
        cut.iter().all(|((_, grouped), count)| *count >= if *grouped { 10 } else { 3 }),
        "{cut:?}"
    );
}

//! The text matches the report.

use super::case::{Case, Outcome};
use super::frame::{Block, Run, parse};
use kitbag_core::{ChunkForm, Included};
use kitbag_text::{ChunkPart, Source, Span};
use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

/// Checks a Markdown text against the report.
pub fn check(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let blocks = parse(&outcome.packed.text).map_err(TestCaseError::fail)?;
    check_blocks(case, outcome, &blocks)?;
    check_order(&blocks, &outcome.packed.decision.included)
}

/// Checks parsed blocks of any format against the report.
pub fn check_blocks(case: &Case, outcome: &Outcome, blocks: &[Block]) -> Result<(), TestCaseError> {
    let text = &outcome.packed.text;
    let included = &outcome.packed.decision.included;
    for item in included {
        let shown = blocks.iter().any(|block| shows(case, block, item));
        prop_assert!(shown, "{}:{} is reported but not shown\n{text}", item.path, item.span);
    }
    for block in blocks {
        let items: Vec<&Included> =
            included.iter().filter(|item| item.path == block.path).collect();
        for run in &block.runs {
            check_lines(case, block, run, &items)?;
            check_labels(run, &items)?;
        }
    }
    Ok(())
}

/// Whether `block` has every line that `item` shows, with the text of one of its sources. Blank lines
/// after its own may be known from other sources only.
fn shows(case: &Case, block: &Block, item: &Included) -> bool {
    let right = |source: &Source| {
        is_from(item, source)
            && item.shown.iter().all(|&span| {
                block.run_with(span).is_some_and(|run| {
                    (span.start..=span.end).all(|line| {
                        let shown = run.line(line);
                        let is_after = line > item.span.end || item.form == ChunkForm::Outline;
                        same(shown, source.text.line(line)) || is_after && shown.trim().is_empty()
                    })
                })
            })
    };
    block.path == item.path && (case.sources.iter().any(right) || merged_from(case, block, item))
}

/// Whether `block` has every line of a chunk that others were merged into, with the text of any
/// source of the file.
fn merged_from(case: &Case, block: &Block, item: &Included) -> bool {
    let known = |run: &Run, line: u32| {
        let mut sources = case.sources.iter().filter(|source| source.path == item.path);
        sources.any(|source| same(run.line(line), source.text.line(line)))
    };
    let merged = case.settings.deduplication.merge_overlaps && !item.merged_from.is_empty();
    merged
        && item.shown.iter().all(|&span| {
            let run = block.run_with(span);
            run.is_some_and(|run| (span.start..=span.end).all(|line| known(run, line)))
        })
}

fn is_from(item: &Included, source: &Source) -> bool {
    // Copies of the same lines have the best kind of all.
    let is_merged = item.from.is_some() && source.from.is_some();
    let all = source.text.span();
    source.path == item.path
        && (source.kind == item.kind || is_merged)
        && all.is_some_and(|a| a.contains(item.span))
}

/// Whether a shown line equals a source line, which may lack its line ending. XML may replace
/// characters.
fn same(shown: &str, line: &str) -> bool {
    let line = if shown.contains('\u{fffd}') { &as_in_xml(line) } else { line };
    let bare = |line: &str| line.trim_end_matches(['\r', '\n']).to_owned();
    shown == line || !line.ends_with('\n') && bare(shown) == bare(line)
}

/// Replaces the characters that XML cannot represent.
pub fn as_in_xml(text: &str) -> String {
    let odd = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}');
    text.replace(|c| odd(c) || matches!(c, '\u{fffe}' | '\u{ffff}'), "\u{fffd}")
}

/// Every line is in a reported range.
fn check_lines(
    case: &Case,
    block: &Block,
    run: &Run,
    items: &[&Included],
) -> Result<(), TestCaseError> {
    let reported = |line: u32| {
        let line = Span::new(line, line);
        items.iter().any(|item| item.shown.iter().any(|span| span.contains(line)))
    };
    for number in run.span.start..=run.span.end {
        let line = run.line(number);
        prop_assert!(
            reported(number),
            "line {number} of {:?} is shown but not reported: {line:?}",
            block.path
        );
        let known =
            |source: &&Source| source.path == block.path && same(line, source.text.line(number));
        prop_assert!(
            case.sources.iter().any(|s| known(&s)),
            "no source has line {number}: {line:?}"
        );
    }
    Ok(())
}

/// The labels of a run match its chunks.
fn check_labels(run: &Run, items: &[&Included]) -> Result<(), TestCaseError> {
    let within = |item: &&&Included| item.shown.iter().any(|&span| run.span.contains(span));
    let here: Vec<&&Included> = items.iter().filter(within).collect();
    if run.outline {
        let outlined = here.iter().any(|item| item.form == ChunkForm::Outline);
        prop_assert!(outlined, "{} is labeled as an outline", run.span);
    }
    if run.cut.is_some() {
        let cut = here.iter().any(|item| item.form == ChunkForm::Truncated);
        prop_assert!(cut, "{} has a truncation marker", run.span);
    }
    let parts: Vec<ChunkPart> = here.iter().filter_map(|item| item.part).collect();
    for part in &run.parts {
        prop_assert!(parts.contains(part), "{} has no {part:?}", run.span);
    }
    for (index, part) in run.parts.iter().enumerate() {
        let named = run.parts[..index].iter().filter(|other| *other == part).count();
        let there = parts.iter().filter(|other| *other == part).count();
        prop_assert!(named < there, "{} names {part:?} too often", run.span);
    }
    Ok(())
}

/// Outlines, truncated chunks and incomplete items are labeled. Only files with a single block are
/// checked, because otherwise the block of a chunk is ambiguous.
pub fn check_forms(outcome: &Outcome, blocks: &[Block]) -> Result<(), TestCaseError> {
    let included = &outcome.packed.decision.included;
    for item in included {
        let mut own = blocks.iter().filter(|block| block.path == item.path);
        let (Some(block), None) = (own.next(), own.next()) else { continue };
        for &span in &item.shown {
            let run = block.run_with(span).expect("reported lines are shown");
            if item.form == ChunkForm::Outline {
                prop_assert!(run.outline, "{} is not labeled as an outline", run.span);
            }
            if item.form == ChunkForm::Truncated {
                check_marker(block, run, item)?;
            }
            let Some(part) = item.part.filter(|part| !run.parts.contains(part)) else { continue };
            let has = |number: u32| {
                let expected = Some(ChunkPart { number, of: part.of });
                included.iter().any(|other| {
                    other.path == item.path
                        && other.part == expected
                        && other.shown.iter().any(|&span| run.span.contains(span))
                })
            };
            prop_assert!((1..=part.of).all(has), "{} hides {part:?}", run.span);
        }
    }
    Ok(())
}

/// A truncated chunk is followed by a marker with the number of missing lines up to the next run.
fn check_marker(block: &Block, run: &Run, item: &Included) -> Result<(), TestCaseError> {
    prop_assert_eq!(item.shown.len(), 1);
    prop_assert!(item.shown[0].start == item.span.start && item.shown[0].end < item.span.end);
    let after = block.runs.iter().map(|run| run.span.start).find(|&start| start > run.span.end);
    let last = after.map_or(item.span.end, |after| item.span.end.min(after - 1));
    let missing = last.saturating_sub(run.span.end);
    prop_assert_eq!(run.cut.unwrap_or(0), missing, "{} of {}", run.span, item.span);
    Ok(())
}

/// Files are ordered by their best chunk. Paths with several blocks are skipped, because the block of
/// a chunk is ambiguous.
pub fn check_order(blocks: &[Block], included: &[Included]) -> Result<(), TestCaseError> {
    let alone = |block: &&Block| blocks.iter().filter(|b| b.path == block.path).count() == 1;
    let best = |block: &Block| included.iter().position(|item| item.path == block.path);
    let ranks: Vec<Option<usize>> = blocks.iter().filter(alone).map(best).collect();
    prop_assert!(ranks.is_sorted(), "files are out of order: {ranks:?}");
    Ok(())
}

/// A Markdown parser sees the same code blocks, and no other headings.
pub fn check_markdown(outcome: &Outcome) -> Result<(), TestCaseError> {
    let text = &outcome.packed.text;
    let blocks = parse(text).map_err(TestCaseError::fail)?;
    let runs = blocks.iter().flat_map(|block| &block.runs);
    let ours: Vec<(String, String)> =
        runs.map(|run| (run.info.clone(), plain(&run.lines.concat()))).collect();
    let (mut theirs, mut headings, mut inside) = (Vec::new(), 0, false);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                inside = true;
                theirs.push((info.to_string(), String::new()));
            }
            Event::Text(text) if inside => {
                let last = theirs.last_mut().expect("a block is open");
                last.1.push_str(&plain(&text));
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Start(Tag::Heading { level, .. }) => {
                prop_assert_eq!(level, HeadingLevel::H3);
                headings += 1;
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                return Err(TestCaseError::fail(format!("an indented block in\n{text}")));
            }
            _ => {}
        }
    }
    prop_assert_eq!(headings, blocks.len());
    prop_assert_eq!(theirs, ours);
    Ok(())
}

/// Removes what Markdown parsers normalize: line endings and NUL.
fn plain(text: &str) -> String {
    text.replace(['\r', '\n'], "").replace('\0', "\u{fffd}")
}

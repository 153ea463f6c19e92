//! The change to review: its hunks first, then the functions around them as they are now.

use super::BuiltIn;
use crate::gather::change_state::{Change, ChangedFile};
use crate::gather::inputs::{Inputs, reason_of};
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use kitbag_core::Excluded;
use kitbag_index::FileKind;
use kitbag_repo::{Comparison, FileDiff};
use kitbag_text::{
    Chunk, ChunkKind, ChunkPart, Kind, Piece, Redaction, Source, Span, Text, plural,
};
use kitbag_tokens::CachedCounter;
use std::sync::Arc;

pub(super) const DIFF: BuiltIn = BuiltIn {
    id: "diff",
    title: "Change",
    description: "The changed lines of a diff, and the functions around them.",
    needs: Needs::History,
    applies: |request| request.diff.is_some(),
    has_input: |request| request.diff.is_some(),
    starts_early: |_| false,
    gather,
};

/// Tokens of a hunk above which it is split where a definition starts.
const MAX_PART_TOKENS: usize = 600;

/// Relevance of hunks by kind of file. All but those of derived and deleted files come before the
/// functions around them.
const CODE: f64 = 1.0;
const TEST: f64 = 0.98;
const DOCUMENTATION: f64 = 0.96;
const DATA: f64 = 0.95;
const DELETED: f64 = 0.6;
const DERIVED: f64 = 0.2;
/// Relevance of the functions around hunks.
const SURROUNDINGS: f64 = 0.85;
/// Relevance that each further hunk of a file loses, so that a large diff shows something of every file.
const PER_HUNK: f64 = 0.001;
const MAX_HUNK_LOSS: f64 = 0.04;

fn gather(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let Some(change) = gathering.change()? else { return Ok(Gathered::default()) };
    let mut inputs = Inputs::default();
    for file in &change.files {
        gathering.cancel.check()?;
        let diff = &change.changes.files[file.at];
        let (source, redactions) = diff_source(diff, file, &gathering.counting);
        inputs.redactions.push((source.path.clone(), redactions));
        inputs.sources.push(source);
    }
    let surroundings = change.files.iter().filter_map(|file| surroundings(&change, file));
    inputs.sources.extend(surroundings);
    let skipped = change.changes.skipped.iter();
    inputs.rejected.extend(skipped.map(|skipped| {
        let reason = reason_of(skipped.code);
        Excluded::unranked(&skipped.path, Kind::Diff, reason, &skipped.detail)
    }));
    let warnings = warnings(gathering, &change);
    Ok(Gathered { inputs, warnings, is_undated: true, ..Gathered::default() })
}

fn warnings(gathering: &Gathering, change: &Change) -> Vec<String> {
    let mut warnings = Vec::new();
    let left = change.changes.not_compared;
    if left > 0 {
        let files = plural(left, "changed file");
        warnings
            .push(format!("{files} not compared: the diff is too large; narrow it with --include"));
    }
    if change.files.is_empty() && change.changes.skipped.is_empty() {
        let requested = gathering.change.as_ref().map(|it| &it.comparison);
        let what = match requested {
            Some(Comparison::Index { .. }) => {
                "nothing is staged; `--diff` alone includes what is not"
            }
            Some(Comparison::Commits { .. }) => "the two commits have the same files",
            _ => "the work tree has no changes; `--diff main...HEAD` shows those of a branch",
        };
        warnings.push(format!("the diff is empty: {what}"));
    }
    warnings
}

/// Returns the hunks of a file as one source, with a piece for each hunk.
fn diff_source(
    diff: &FileDiff,
    file: &ChangedFile,
    counting: &CachedCounter,
) -> (Source, Vec<Redaction>) {
    let mut writer = DiffWriter { text: String::new(), rows: 0, redactions: Vec::new() };
    let mut pieces: Vec<(Span, Option<ChunkPart>)> = Vec::new();
    diff.headers.iter().for_each(|header| writer.line(header));
    for hunk in &diff.hunks {
        let first = if pieces.is_empty() { 1 } else { writer.rows + 1 };
        let symbol = symbol_at(file, hunk.new_start, &hunk.lines);
        writer.line([hunk.header.as_str(), symbol].join(" ").trim_end());
        let offset = writer.rows;
        let shifted = hunk.redactions.iter().map(|it| Redaction { line: it.line + offset, ..*it });
        writer.redactions.extend(shifted);
        let cuts = split_points(file, hunk.new_start, &hunk.lines, counting);
        hunk.lines.lines().for_each(|line| writer.line(line));
        let starts: Vec<u32> =
            std::iter::once(first).chain(cuts.iter().map(|cut| offset + cut + 1)).collect();
        let ends = starts.iter().skip(1).map(|start| start - 1).chain([writer.rows]);
        let of = starts.len() as u32;
        pieces.extend(starts.iter().zip(ends).zip(1..).map(|((&start, end), number)| {
            (Span::new(start, end), (of > 1).then_some(ChunkPart { number, of }))
        }));
    }
    if pieces.is_empty() {
        pieces.push((Span::new(1, writer.rows.max(1)), None));
    }
    let text = Text::new(writer.text);
    let base = relevance(diff, file.kind);
    let piece = |(at, (span, part)): (usize, (Span, Option<ChunkPart>))| {
        let tokens = counting.count(text.slice(span)).try_into().unwrap_or(u32::MAX);
        let chunk = Chunk { part, kind: ChunkKind::Code, ..Chunk::lines(span, tokens) };
        let loss = (at as f64 * PER_HUNK).min(MAX_HUNK_LOSS);
        Piece { chunk, relevance: Some((base - loss).max(0.0)) }
    };
    let pieces = pieces.into_iter().enumerate().map(piece).collect();
    let path = format!("{}.diff", diff.path);
    let source = Source::new(path, Kind::Diff, Arc::new(text));
    (Source { pieces: Some(pieces), is_given: true, ..source }, writer.redactions)
}

/// Writes the lines of a diff and counts them.
struct DiffWriter {
    text: String,
    rows: u32,
    redactions: Vec<Redaction>,
}

impl DiffWriter {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.rows += 1;
    }
}

fn relevance(diff: &FileDiff, kind: FileKind) -> f64 {
    match kind {
        FileKind::Derived => DERIVED,
        _ if diff.after.is_none() && !diff.hunks.is_empty() => DELETED,
        FileKind::Code => CODE,
        FileKind::Test => TEST,
        FileKind::Documentation | FileKind::Changelog => DOCUMENTATION,
        FileKind::Data => DATA,
    }
}

/// Returns the symbol path of the first changed line of a hunk.
fn symbol_at<'a>(file: &'a ChangedFile, new_start: u32, lines: &str) -> &'a str {
    let unchanged = lines.lines().take_while(|line| line.starts_with(' ')).count();
    let line = new_start + u32::try_from(unchanged).unwrap_or(0);
    let mut chunks =
        file.chunks.iter().filter(|chunk| (chunk.span.start..=chunk.span.end).contains(&line));
    chunks.next().and_then(|chunk| chunk.symbol.as_deref()).unwrap_or_default()
}

/// Returns the rows of a hunk, counted from 0, at which it is split because it is too large: where a
/// definition starts.
fn split_points(
    file: &ChangedFile,
    new_start: u32,
    lines: &str,
    counting: &CachedCounter,
) -> Vec<u32> {
    if counting.count(lines) <= MAX_PART_TOKENS {
        return Vec::new();
    }
    let starts: Vec<u32> = file.chunks.iter().map(|chunk| chunk.span.start).collect();
    let (mut cuts, mut new, mut tokens) = (Vec::new(), new_start, 0);
    for (line, row) in lines.lines().zip(0..) {
        let is_new = !line.starts_with(['-', '\\']);
        let is_start = is_new && starts.binary_search(&new).is_ok();
        let is_too_large = tokens > 2 * MAX_PART_TOKENS;
        if row > 0 && tokens > MAX_PART_TOKENS / 2 && (is_start || is_too_large) {
            cuts.push(row);
            tokens = 0;
        }
        // Counts do not add up exactly, which does not matter here.
        tokens += counting.count(line) + 1;
        new += u32::from(is_new);
    }
    cuts
}

/// Returns the functions around the hunks of a file.
fn surroundings(change: &Change, file: &ChangedFile) -> Option<Source> {
    let relevance = match file.kind {
        FileKind::Code => SURROUNDINGS,
        FileKind::Test => SURROUNDINGS - 0.05,
        _ => return None,
    };
    let piece = |chunk: &Chunk| Piece { chunk: chunk.clone(), relevance: Some(relevance) };
    let pieces: Vec<Piece> = file.surroundings().map(piece).collect();
    let path = &change.changes.files[file.at].path;
    (!pieces.is_empty()).then(|| Source {
        pieces: Some(pieces),
        is_given: true,
        ..Source::new(path, Kind::Reference, Arc::clone(&file.text))
    })
}

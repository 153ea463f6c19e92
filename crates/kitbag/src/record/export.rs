//! The text of a recorded pack, rendered again from the files.
//!
//! Every run of lines is read from its file and compared with its hash first, and the whole text at
//! the end: what leaves here is what was packed, or another format or part of it where that was asked
//! for, or nothing. Headers, footers and separators are not in the record; `frame` finds them.

use super::again::settings_of;
use super::cutting::Cutting;
use super::error::RecordError;
use super::frame::{Given, formatting};
use super::hash;
use super::reading::Reading;
use super::shape::{RECORD_VERSION, Record, RecordedChunk};
use super::verify::{Drift, drift};
use crate::config::Settled;
use crate::error::Error;
use crate::orchestrate::ProviderInfo;
use kitbag_core::stages::{Press, Sheet, View, render_views};
use kitbag_core::{Cancel, Candidate, Factors, Format, Formatting, PackError, Scored};
use kitbag_repo::Root;
use kitbag_text::{Chunk, Kind, Part, Source, Span};
use kitbag_tokens::Counting;
use serde::Serialize;
use std::path::PathBuf;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct ExportRequest {
    /// The repository's folder; the current one if not given.
    pub repo: Option<PathBuf>,
    /// The record; the last if not given.
    pub record: Option<String>,
    /// Another format than that of the pack.
    pub format: Option<Format>,
    /// The header and the footer, where the pack had one: a record has none.
    pub header: Option<String>,
    /// The same.
    pub footer: Option<String>,
    /// What cannot be rendered again is left out, and not an error.
    pub partial: bool,
}

/// A pack, rendered again.
#[derive(Debug, Clone, Serialize)]
pub struct Exported {
    /// The version of this shape.
    pub version: u32,
    /// The record.
    pub id: String,
    /// The text.
    pub content: String,
    /// Its tokens.
    pub total_tokens: usize,
    /// The format.
    pub format: String,
    /// Whether the text is the same as that of the pack, byte for byte.
    pub is_same: bool,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// What an export is made with.
pub(super) struct Exporting<'a> {
    pub record: &'a Record,
    pub root: &'a Root,
    pub reading: &'a Reading<'a>,
    pub settled: &'a Settled,
    pub counting: &'a Counting,
    pub providers: &'a [ProviderInfo],
    pub cancel: &'a Cancel,
}

impl Exporting<'_> {
    /// Renders the record again.
    pub fn export(
        &self,
        request: &ExportRequest,
        mut warnings: Vec<String>,
    ) -> Result<Exported, Error> {
        let mut wrong = Vec::new();
        let mut chunks: Vec<&RecordedChunk> = Vec::new();
        for item in &self.record.included {
            match self.trouble(item) {
                Some(trouble) => wrong.push(trouble),
                None => chunks.push(item),
            }
        }
        if !wrong.is_empty() && !request.partial {
            return Err(RecordError::Drifted { what: wrong }.into());
        }
        warnings.extend(wrong.into_iter().map(|trouble| format!("left out: {trouble}")));
        let formatting = self.formatting(request, &mut warnings)?;
        let content = self.render(&chunks, &formatting)?;
        let total_tokens = self.counting.counter().count(&content);
        let is_same = hash(content.as_bytes()) == self.record.text.sha256;
        let is_asked = request.partial || request.format.is_some();
        if !is_same && !is_asked {
            return Err(RecordError::NotTheSame.into());
        }
        if total_tokens > self.record.budget {
            let budget = self.record.budget;
            warnings.push(format!("{total_tokens} tokens are more than the budget of {budget}"));
        }
        Ok(Exported {
            version: RECORD_VERSION,
            id: self.record.id.clone(),
            content,
            total_tokens,
            format: formatting.name().to_owned(),
            is_same,
            warnings,
        })
    }

    /// Why a chunk cannot be rendered again; `None` where it can.
    fn trouble(&self, item: &RecordedChunk) -> Option<String> {
        item.runs.iter().find_map(|run| {
            let place = format!("{}:{}-{}", item.path, run.start_line, run.end_line);
            let it = drift(item, run, self.reading);
            match it.state {
                Drift::Same => None,
                Drift::Changed => Some(format!("{place} has changed")),
                Drift::Moved => {
                    let (start, end) = it.now.unwrap_or_default();
                    Some(format!("{place} has moved to {start}-{end}"))
                }
                Drift::Gone => Some(format!("{place} is gone")),
                Drift::NotAFile => Some(format!("{place} was not a file's lines")),
            }
        })
    }

    /// How the text looked. What is not known of it any more is an error, or a warning where a part of
    /// the pack or another format is asked for.
    fn formatting(
        &self,
        request: &ExportRequest,
        warnings: &mut Vec<String>,
    ) -> Result<Formatting, RecordError> {
        let (header, footer) = (request.header.as_ref(), request.footer.as_ref());
        let given = Given { format: request.format, header, footer };
        let (formatting, missing) = formatting(self.record, given, self.settled, self.root)?;
        if !missing.is_empty() && !request.partial && request.format.is_none() {
            return Err(RecordError::FrameIsGone { what: missing });
        }
        let without = |it| format!("the {it} of the pack is not in the record; the text has none");
        warnings.extend(missing.into_iter().map(without));
        Ok(formatting)
    }

    fn render(&self, chunks: &[&RecordedChunk], formatting: &Formatting) -> Result<String, Error> {
        let mut paths: Vec<&str> = chunks.iter().map(|item| item.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let sources: Vec<Source> = paths
            .iter()
            .filter_map(|path| Some(Source::new(*path, Kind::Other, self.reading.shown(path)?)))
            .collect();
        let (sheets, places) = Sheet::gather(&sources);
        let sheet = |path: &str| {
            let source = sources.iter().position(|source| source.path == path)?;
            Some(places[source])
        };
        let settings = settings_of(self.record).unwrap_or_default();
        let cutting = Cutting::new(self.reading, self.counting, &settings, self.providers);
        let again = |item: &&RecordedChunk| Some(scored(item, sheet(&item.path)?, &cutting));
        let scored = chunks.iter().filter_map(again);
        let scored: Vec<Scored> = scored.collect();
        let views: Vec<Option<View>> = chunks.iter().map(|item| Some(view(item))).collect();
        let press = Press {
            sheets: &sheets,
            counting: self.counting,
            formatting,
            task: "",
            budget: usize::MAX,
            cancel: self.cancel,
        };
        if scored.is_empty() && self.record.total_tokens == 0 {
            return Ok(String::new());
        }
        render_views(&scored, &views, &press).map_err(|error| PackError::from(error).into())
    }
}

fn view(item: &RecordedChunk) -> View {
    match &*item.form {
        "outline" => View::Outline,
        "truncated" => {
            let lines = item.runs.iter().map(|run| run.end_line - run.start_line + 1);
            View::First(lines.sum::<u32>() as usize)
        }
        _ => View::Full,
    }
}

/// A candidate as it was when it was packed.
fn scored(item: &RecordedChunk, sheet: usize, cutting: &Cutting<'_>) -> Scored {
    let part = item.part.as_deref().and_then(|part| {
        let (number, of) = part.split_once(" of ")?;
        Some(Part { number: number.parse().ok()?, of: of.parse().ok()? })
    });
    let runs = item.runs.iter().map(|run| Span::new(run.start_line, run.end_line));
    let span = Span::new(item.start_line, item.end_line);
    let again = cutting.chunk(&item.path, span, item.kind == "search_result");
    let chunk = Chunk {
        symbol: item.symbol.clone().or(again.symbol),
        outline: if item.form == "outline" { runs.collect() } else { Vec::new() },
        part,
        tokens: u32::try_from(item.tokens).unwrap_or(u32::MAX),
        ..again
    };
    let candidate = Candidate {
        chunk,
        sheet,
        source: 0,
        kind: item.kind.parse().unwrap_or(Kind::Other),
        relevance: Some(item.factors.relevance),
        timestamp: None,
        from: cutting.from(item.provider.as_deref()),
    };
    let factors = Factors {
        relevance: item.factors.relevance,
        recency: item.factors.recency,
        source: item.factors.source,
    };
    Scored { candidate, score: item.score, factors }
}

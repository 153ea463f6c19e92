//! Renders the text of a recorded pack again from the files.
//!
//! Each run of lines is checked against its hash before rendering, and the finished text is checked
//! at the end. An export is therefore identical to the pack unless another format or a partial
//! export was requested. Headers, footers and separators are not stored in the record; `frame`
//! restores them.

use super::again::settings_of;
use super::cutting::Cutting;
use super::frame::{Given, formatting};
use crate::error::Error;
use crate::gather::orchestrate::ProviderInfo;
use kitbag_config::EngineSettings;
use kitbag_core::stages::{ChunkView, RenderContext, SourceFile, render_views};
use kitbag_core::{Cancel, Candidate, Factors, Format, Formatting, PackError, Scored};
use kitbag_record::Reading;
use kitbag_record::RecordError;
use kitbag_record::hash;
use kitbag_record::{Drift, drift};
use kitbag_record::{RECORD_VERSION, Record, RecordedChunk};
use kitbag_repo::Root;
use kitbag_text::{Chunk, ChunkPart, Kind, Source, Span};
use kitbag_tokens::CachedCounter;
use serde::Serialize;
use std::path::PathBuf;

/// The record to export, and how to render it.
#[derive(Debug, Clone, Default)]
pub struct ExportRequest {
    /// The repository's folder; defaults to the current directory.
    pub repo: Option<PathBuf>,
    /// Name of the record; defaults to the latest.
    pub record: Option<String>,
    /// The output format; defaults to that of the pack.
    pub format: Option<Format>,
    /// The header of the pack, if it had one. A record stores only its hash.
    pub header: Option<String>,
    /// The footer of the pack, if it had one. A record stores only its hash.
    pub footer: Option<String>,
    /// Whether to omit chunks that cannot be rendered again instead of failing.
    pub partial: bool,
}

/// The rendered text of a recorded pack.
#[derive(Debug, Clone, Serialize)]
pub struct Exported {
    /// The schema version.
    pub version: u32,
    /// The id of the record.
    pub id: String,
    /// The rendered text.
    pub content: String,
    /// Number of tokens in `content`.
    pub total_tokens: usize,
    /// The name of the output format.
    pub format: String,
    /// Whether `content` is byte-for-byte identical to the text of the pack.
    pub is_same: bool,
    /// Problems that did not prevent the export.
    pub warnings: Vec<String>,
}

/// Inputs of an export.
pub(crate) struct Exporting<'a> {
    pub record: &'a Record,
    pub root: &'a Root,
    pub reading: &'a Reading<'a>,
    pub settled: &'a EngineSettings,
    pub counting: &'a CachedCounter,
    pub providers: &'a [ProviderInfo],
    pub cancel: &'a Cancel,
}

impl Exporting<'_> {
    /// Renders the record and verifies the result.
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

    /// Returns the reason why a chunk cannot be rendered again, or `None` if it can.
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

    /// Restores the formatting of the pack. Missing texts are an error, or a warning if a partial
    /// export or another format was requested.
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
        let (files, indices) = SourceFile::gather(&sources);
        let file = |path: &str| {
            let source = sources.iter().position(|source| source.path == path)?;
            Some(indices[source])
        };
        let settings = settings_of(self.record).unwrap_or_default();
        let cutting = Cutting::new(self.reading, self.counting, &settings, self.providers);
        let again = |item: &&RecordedChunk| Some(scored(item, file(&item.path)?, &cutting));
        let scored = chunks.iter().filter_map(again);
        let scored: Vec<Scored> = scored.collect();
        let views: Vec<Option<ChunkView>> = chunks.iter().map(|item| Some(view(item))).collect();
        let context = RenderContext {
            files: &files,
            counting: self.counting,
            formatting,
            task: "",
            budget: usize::MAX,
            cancel: self.cancel,
        };
        if scored.is_empty() && self.record.total_tokens == 0 {
            return Ok(String::new());
        }
        render_views(&scored, &views, &context).map_err(|error| PackError::from(error).into())
    }
}

fn view(item: &RecordedChunk) -> ChunkView {
    match &*item.form {
        "outline" => ChunkView::Outline,
        "truncated" => {
            let lines = item.runs.iter().map(|run| run.end_line - run.start_line + 1);
            ChunkView::First(lines.sum::<u32>() as usize)
        }
        _ => ChunkView::Full,
    }
}

/// Rebuilds the scored candidate of a recorded chunk.
fn scored(item: &RecordedChunk, file: usize, cutting: &Cutting<'_>) -> Scored {
    let part = item.part.as_deref().and_then(|part| {
        let (number, of) = part.split_once(" of ")?;
        Some(ChunkPart { number: number.parse().ok()?, of: of.parse().ok()? })
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
        file,
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

//! Renders the text of a recorded pack again from the files.
//!
//! Each run of lines is checked against its hash before rendering, and the finished text is checked
//! at the end. An export is therefore identical to the pack unless another format or a partial
//! export was requested. Headers, footers and separators are not stored in the record; `frame`
//! restores them.

use super::Inspection;
use super::rechunk::Rechunker;
use crate::error::Error;
use kitbag_core::stages::{ChunkView, RenderContext, SourceFile, render_views};
use kitbag_core::{Candidate, ChunkForm, Format, Formatting, PackError, Scored};
use kitbag_record::{Drift, RECORD_VERSION, RecordError, RecordedChunk, drift, hash};
use kitbag_text::{Chunk, ChunkPart, Kind, Source};
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

impl Inspection<'_> {
    /// Renders the record and verifies the result.
    pub fn export(
        &self,
        request: &ExportRequest,
        mut warnings: Vec<String>,
    ) -> Result<Exported, Error> {
        let (mut chunks, mut drifted): (Vec<&RecordedChunk>, _) = (Vec::new(), Vec::new());
        for item in &self.record.included {
            match self.describe_drift(item) {
                Some(description) => drifted.push(description),
                None => chunks.push(item),
            }
        }
        if !drifted.is_empty() && !request.partial {
            return Err(RecordError::Drifted { what: drifted }.into());
        }
        warnings.extend(drifted.into_iter().map(|it| format!("left out: {it}")));
        let restored = self.formatting(request)?;
        let is_exact = !request.partial && request.format.is_none();
        if !restored.missing.is_empty() && is_exact {
            return Err(RecordError::MissingFrameText { what: restored.missing }.into());
        }
        let without = |it| format!("the {it} of the pack is not in the record; the text has none");
        warnings.extend(restored.missing.into_iter().map(without));
        let content = self.render(&chunks, &restored.formatting)?;
        let total_tokens = self.counting.counter().count(&content);
        let is_same = hash(content.as_bytes()) == self.record.text.sha256;
        if !is_same && is_exact {
            return Err(RecordError::TextDiffers.into());
        }
        let budget = self.record.budget;
        if total_tokens > budget {
            warnings.push(format!("{total_tokens} tokens exceed the budget of {budget}"));
        }
        Ok(Exported {
            version: RECORD_VERSION,
            id: self.record.id.clone(),
            content,
            total_tokens,
            format: restored.formatting.name().to_owned(),
            is_same,
            warnings,
        })
    }

    /// Returns the reason why a chunk cannot be rendered again, or `None` if it can.
    fn describe_drift(&self, item: &RecordedChunk) -> Option<String> {
        item.runs.iter().find_map(|run| {
            let it = drift(item, run, self.reading);
            let what = match it.state {
                Drift::Unchanged => return None,
                Drift::Changed => "has changed".to_owned(),
                Drift::Moved => {
                    let (start, end) = it.now.unwrap_or_default();
                    format!("has moved to {start}-{end}")
                }
                Drift::Missing => "no longer exists".to_owned(),
                Drift::NotAFile => "is not from a file".to_owned(),
            };
            Some(format!("{}:{} {what}", item.path, run.span()))
        })
    }

    fn render(&self, chunks: &[&RecordedChunk], formatting: &Formatting) -> Result<String, Error> {
        let mut paths: Vec<&str> = chunks.iter().map(|item| item.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let source = |path| Some(Source::new(path, Kind::Other, self.reading.shown(path)?));
        let sources: Vec<Source> = paths.into_iter().filter_map(source).collect();
        let (files, indices) = SourceFile::gather(&sources);
        let rechunker = Rechunker::new(self);
        let scored = chunks.iter().filter_map(|item| {
            let source = sources.iter().position(|source| source.path == item.path)?;
            Some(scored(item, indices[source], &rechunker))
        });
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
    match item.form {
        ChunkForm::Full => ChunkView::Full,
        ChunkForm::Outline => ChunkView::Outline,
        ChunkForm::Truncated => {
            let lines = item.runs.iter().map(|run| run.span().lines() as usize);
            ChunkView::First(lines.sum())
        }
    }
}

/// Rebuilds the scored candidate of a recorded chunk.
fn scored(item: &RecordedChunk, file: usize, rechunker: &Rechunker<'_>) -> Scored {
    let part = item.part.as_deref().and_then(|part| {
        let (number, of) = part.split_once(" of ")?;
        Some(ChunkPart { number: number.parse().ok()?, of: of.parse().ok()? })
    });
    let outline = item.runs.iter().filter(|_| item.form == ChunkForm::Outline);
    let chunk = rechunker.chunk(&item.path, item.span(), item.kind);
    let chunk = Chunk {
        symbol: item.symbol.clone().or(chunk.symbol),
        outline: outline.map(|run| run.span()).collect(),
        part,
        tokens: u32::try_from(item.tokens).unwrap_or(u32::MAX),
        ..chunk
    };
    let candidate = Candidate {
        chunk,
        file,
        source: 0,
        kind: item.kind,
        relevance: Some(item.factors.relevance),
        timestamp: None,
        from: rechunker.provenance(item.provider.as_deref()),
        max_relevance: None,
        id: 0,
        copy_of: None,
        is_found: false,
        is_pinned: item.pinned,
    };
    Scored { candidate, score: item.score, factors: item.factors.into() }
}

//! The core of the README: its beginning, without badges, licenses and the like.

use super::{README, Repository};
use crate::gather::provider::{Gathering, ProviderError};
use kitbag_text::{Chunk, Kind, Piece, Source};
use std::sync::Arc;

/// Words in the headings of sections that say nothing about the code.
const SKIPPED: [&str; 14] = [
    "license",
    "licence",
    "contribut",
    "sponsor",
    "backers",
    "acknowledg",
    "thanks",
    "changelog",
    "release",
    "community",
    "support",
    "table of contents",
    "badges",
    "security",
];

/// Relevance that each further section loses, so that the first come first.
const PER_SECTION: f64 = 0.001;

/// Returns the first sections of the README, in at most `limit` tokens or at least the first.
pub(super) fn source(
    repository: &Repository<'_>,
    gathering: &Gathering,
    limit: usize,
) -> Result<Option<Source>, ProviderError> {
    let files = repository.tree.files().iter();
    let readmes = files.filter(|file| is_readme(&file.path));
    let Some(path) = readmes.map(|file| file.path.as_str()).min_by_key(|path| rank(path)) else {
        return Ok(None);
    };
    let Some(text) = repository.read(path).map(Arc::new) else { return Ok(None) };
    let chunks = gathering.chunker().chunks(path, &text, &gathering.chunking)?;
    let mut used = 0;
    let mut pieces: Vec<Piece> = Vec::new();
    for chunk in chunks.iter().filter(|chunk| !is_skipped(chunk)) {
        used += chunk.tokens as usize;
        if used > limit && !pieces.is_empty() {
            break;
        }
        let relevance = Some(README - PER_SECTION * pieces.len() as f64);
        pieces.push(Piece { chunk: chunk.clone(), relevance });
    }
    let source = Source::new(path, Kind::Reference, text);
    Ok((!pieces.is_empty()).then_some(Source { pieces: Some(pieces), ..source }))
}

fn is_readme(path: &str) -> bool {
    let name = path.strip_prefix(".github/").or(path.strip_prefix("docs/")).unwrap_or(path);
    let stem = name.split('.').next().unwrap_or_default();
    !name.contains('/') && stem.eq_ignore_ascii_case("readme")
}

/// Orders READMEs: those of the root first, and Markdown before other formats.
fn rank(path: &str) -> (usize, bool, &str) {
    (path.matches('/').count(), !path.to_ascii_lowercase().ends_with(".md"), path)
}

fn is_skipped(chunk: &Chunk) -> bool {
    let heading = chunk.symbol.as_deref().unwrap_or_default().to_lowercase();
    let last = heading.rsplit(" > ").next().unwrap_or_default();
    SKIPPED.iter().any(|word| last.contains(word))
}

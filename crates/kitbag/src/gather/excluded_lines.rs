//! Line ranges in `exclude`: `src/a.rs:10-40` leaves out the chunks that overlap these lines.

use super::inputs::split_reference;
use kitbag_repo::{GlobError, Globs};
use kitbag_text::{Piece, Source, Span};

/// Removes the chunks of search results that overlap an excluded line range. The path of a range is a
/// glob, like every entry of `exclude`.
pub(crate) fn remove_excluded_lines(
    sources: &mut Vec<Source>,
    exclude: &[String],
) -> Result<(), GlobError> {
    let ranges: Vec<(Globs, Span)> = exclude
        .iter()
        .filter_map(|entry| {
            let (glob, span) = split_reference(entry).ok()?;
            Some((glob, span?))
        })
        .map(|(glob, span)| Ok((Globs::new(&[glob], &[])?, span)))
        .collect::<Result<_, GlobError>>()?;
    if ranges.is_empty() {
        return Ok(());
    }
    for source in sources.iter_mut() {
        let spans = ranges.iter().filter(|(glob, _)| glob.accepts(&source.path));
        let spans: Vec<Span> = spans.map(|(_, span)| *span).collect();
        let is_kept = |piece: &Piece| {
            let chunk = piece.chunk.span;
            spans.iter().all(|span| span.end < chunk.start || chunk.end < span.start)
        };
        source.pieces.iter_mut().for_each(|pieces| pieces.retain(is_kept));
    }
    sources.retain(|source| source.pieces.as_ref().is_none_or(|pieces| !pieces.is_empty()));
    Ok(())
}

//! Sources that the caller names or supplies.

use crate::error::Error;
use crate::redaction::without_secrets;
use crate::request::{LAST_LINE, SourceLine};
use kitbag_core::{Excluded, Reason};
use kitbag_repo::{PathError, Root, SkipCode};
use kitbag_text::{
    Cancel, Chunk, ChunkKind, ChunkLimits, ChunkPart, ChunkStrategy, Kind, NotText, Piece,
    Redaction, Source, Span, Text, chunk, decode, plural, redact, redact_key_fragment,
};
use kitbag_tokens::CachedCounter;
use std::path::Path;
use std::sync::Arc;

/// Maximum size of a file that is read, in bytes.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Sources made from the inputs of a request, and the inputs that were rejected.
#[derive(Default)]
pub(crate) struct Inputs {
    pub sources: Vec<Source>,
    pub rejected: Vec<Excluded>,
    /// Redactions in files of which only some lines are used, with the path of each file.
    pub redactions: Vec<(String, Vec<Redaction>)>,
}

impl Inputs {
    /// Keeps the first `max` sources and rejects the rest.
    pub fn limit(&mut self, max: usize) {
        for source in self.sources.split_off(max.min(self.sources.len())) {
            let detail = format!("exceeds `context.max_sources` ({max})");
            self.reject(&source.path, source.kind, Reason::TooManySources, detail);
        }
    }

    pub fn reject(&mut self, path: &str, kind: Kind, reason: Reason, detail: impl ToString) {
        self.rejected.push(Excluded::unranked(path, kind, reason, detail));
    }

    pub fn append(&mut self, mut other: Self) {
        self.sources.append(&mut other.sources);
        self.rejected.append(&mut other.rejected);
        self.redactions.append(&mut other.redactions);
    }
}

/// Turns the paths and contents in a request into sources.
pub(crate) struct Gatherer<'a> {
    pub root: &'a Root,
    pub limits: &'a ChunkLimits,
    pub counting: &'a CachedCounter,
    /// Whether secrets are replaced by markers.
    pub redact: bool,
}

impl Gatherer<'_> {
    /// Adds a path that the caller names. Its parts are ranked by the task; if there is none, all are
    /// relevant. A missing file is an error; a file that may not be read is rejected and reported.
    pub fn reference(
        &self,
        reference: &str,
        has_task: bool,
        inputs: &mut Inputs,
    ) -> Result<(), Error> {
        let (path, span) = split_reference(reference)?;
        match read_input(self.root, path, None) {
            Ok((path, bytes)) => {
                let line = SourceLine {
                    path,
                    kind: Some(Kind::Reference),
                    start_line: span.map(|span| span.start),
                    end_line: span.map(|span| span.end),
                    relevance: (!has_task).then_some(1.0),
                    ..SourceLine::default()
                };
                self.finish(line, bytes, inputs);
            }
            Err(error) if is_missing(&error) => return Err(error.into()),
            Err(error) => {
                inputs.reject(path, Kind::Reference, reason_of(error.code()), error.reason())
            }
        }
        Ok(())
    }

    /// Adds a source that the caller supplies.
    pub fn line(&self, line: SourceLine, inputs: &mut Inputs) {
        match read_input(self.root, &line.path, line.content.as_ref()) {
            Ok((path, bytes)) => self.finish(SourceLine { path, ..line }, bytes, inputs),
            Err(error) => {
                inputs.reject(&line.path, kind(&line), reason_of(error.code()), error.reason())
            }
        }
    }

    /// Adds content that the caller supplies under a label, such as a command. The label is not a
    /// path and no file is read, so any text is allowed.
    ///
    /// A command may contain a password.
    pub fn labeled(&self, mut line: SourceLine, inputs: &mut Inputs) {
        if self.redact {
            line.path = without_secrets(&line.path).into_owned();
        }
        let bytes = line.content.clone().unwrap_or_default().into_bytes();
        self.finish(line, bytes, inputs);
    }

    fn finish(&self, line: SourceLine, bytes: Vec<u8>, inputs: &mut Inputs) {
        let kind = kind(&line);
        let content = match decode(bytes) {
            Ok(content) => content,
            Err(error @ NotText::Binary) => {
                return inputs.reject(&line.path, kind, Reason::Binary, error);
            }
        };
        let first = line.start_line.unwrap_or(1);
        let text = match (&line.content, line.start_line.or(line.end_line)) {
            (None, Some(_)) => {
                let whole = self.whole(&line.path, content, inputs);
                if first > whole.line_count() {
                    let lines = plural(whole.line_count() as usize, "line");
                    let detail =
                        format!("line {first} is past the end of the file, which has {lines}");
                    return inputs.reject(&line.path, kind, Reason::Empty, detail);
                }
                let last = line.end_line.unwrap_or(LAST_LINE).min(LAST_LINE);
                Text::with_first_line(whole.slice(Span::new(first, last)), first)
            }
            (Some(_), _) => self.excerpt(&line.path, Text::with_first_line(content, first), inputs),
            (None, None) => Text::with_first_line(content, first),
        };
        let expanded = line.expanded_context.map(|text| Text::with_first_line(text, first));
        inputs.sources.push(Source {
            relevance: line.relevance,
            timestamp: line.timestamp,
            expanded_context: expanded.map(Arc::new),
            pieces: line.symbol.as_deref().map(|symbol| self.pieces(&text, symbol)),
            ..Source::new(line.path, kind, Arc::new(text))
        });
    }

    /// Returns content that the caller supplies. It may begin in the middle of a key, unlike a file.
    fn excerpt(&self, path: &str, text: Text, inputs: &mut Inputs) -> Text {
        match redact_key_fragment(&text).filter(|_| self.redact) {
            None => text,
            Some((redacted, redactions)) => {
                inputs.redactions.push((path.to_owned(), redactions));
                redacted
            }
        }
    }

    /// Returns the text of a file of which only some lines are used. Secrets are replaced before
    /// the lines are extracted, because the lines of a key are recognized by the lines before them.
    fn whole(&self, path: &str, content: String, inputs: &mut Inputs) -> Text {
        let whole = Text::new(content);
        match redact(&whole).filter(|_| self.redact) {
            None => whole,
            Some((redacted, redactions)) => {
                inputs.redactions.push((path.to_owned(), redactions));
                redacted
            }
        }
    }

    /// Returns content that was cut by the caller as one chunk of `symbol`, or as several parts if
    /// it is too large.
    fn pieces(&self, text: &Text, symbol: &str) -> Vec<Piece> {
        let tally = self.counting.tally(text.content(), text.row_starts());
        let by_size = ChunkLimits {
            strategy: ChunkStrategy::Tokens,
            min_chunk_tokens: 0,
            ..self.limits.clone()
        };
        let chunked = chunk(text, None, &by_size, self.counting, &tally, &Cancel::default());
        let chunks = chunked.map(|chunked| chunked.chunks).unwrap_or_default();
        let of = chunks.len() as u32;
        let named = chunks.into_iter().zip(1..).map(|(chunk, number)| Chunk {
            symbol: Some(symbol.to_owned()),
            defines: if number == 1 { vec![symbol.to_owned()] } else { Vec::new() },
            kind: if chunk.kind == ChunkKind::LongLine { chunk.kind } else { ChunkKind::Function },
            part: (of > 1).then_some(ChunkPart { number, of }),
            ..chunk
        });
        named.map(|chunk| Piece { chunk, relevance: None }).collect()
    }
}

fn kind(line: &SourceLine) -> Kind {
    line.kind.unwrap_or(Kind::Other)
}

/// Splits `src/a.rs:10-40` into its path and its lines. A file whose name ends in a colon and
/// numbers cannot be referenced this way and is reported as missing.
pub(crate) fn split_reference(reference: &str) -> Result<(&str, Option<Span>), Error> {
    let Some((path, lines)) = reference.rsplit_once(':') else { return Ok((reference, None)) };
    if lines.is_empty() || !lines.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return Ok((reference, None));
    }
    let wrong = || Error::Reference { reference: reference.to_owned() };
    let (start, end) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|&line| line > 0);
    let (start, end) = number(start).zip(number(end)).ok_or_else(wrong)?;
    if path.is_empty() {
        return Err(wrong());
    }
    if start > end {
        return Err(Error::ReversedRange { reference: reference.to_owned() });
    }
    Ok((path, Some(Span::new(start.min(LAST_LINE), end.min(LAST_LINE)))))
}

/// Reads a file, or takes the content that the caller supplies for it. Returns the checked path and
/// the bytes.
pub(crate) fn read_input(
    root: &Root,
    path: &str,
    content: Option<&String>,
) -> Result<(String, Vec<u8>), PathError> {
    if let Some(content) = content {
        return Ok((root.normalize(path)?, content.clone().into_bytes()));
    }
    let path = root.resolve(Path::new(path))?;
    let bytes = root.read(&path, MAX_BYTES)?;
    Ok((path, bytes))
}

/// Whether a path that the caller names does not lead to a file.
pub(crate) fn is_missing(error: &PathError) -> bool {
    matches!(
        error,
        PathError::NotFound { .. } | PathError::NotAFile { .. } | PathError::Invalid { .. }
    )
}

/// Maps the repository's skip code to an exclusion reason.
pub(crate) fn reason_of(code: SkipCode) -> Reason {
    match code {
        SkipCode::Denied => Reason::Denied,
        SkipCode::OutsideRoot => Reason::OutsideRoot,
        SkipCode::TooLarge => Reason::TooLarge,
        _ => Reason::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_have_optional_ranges() {
        let split = |reference| split_reference(reference).ok();
        assert_eq!(split("src/a.rs"), Some(("src/a.rs", None)));
        assert_eq!(split("src/a.rs:10-40"), Some(("src/a.rs", Some(Span::new(10, 40)))));
        assert_eq!(split("src/a.rs:7"), Some(("src/a.rs", Some(Span::new(7, 7)))));
        assert_eq!(split("a:5-4294967295"), Some(("a", Some(Span::new(5, LAST_LINE)))));
        assert_eq!(split("c:/x"), Some(("c:/x", None)));
        for wrong in ["a:0-3", "a:9-3", "a:-", "a:1-2-3", ":1-2", "a:99999999999"] {
            assert!(split_reference(wrong).is_err(), "{wrong}");
        }
    }
}

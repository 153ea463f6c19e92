//! Sources that the caller names or brings.

use crate::error::Error;
use crate::request::{LAST_LINE, SourceLine};
use kitbag_core::{Excluded, Reason};
use kitbag_repo::{Denylist, PathError, Root};
use kitbag_text::{
    Chunk, ChunkKind, ChunkLimits, Cut, Kind, NotText, Part, Piece, Redaction, Source, Span, Text,
    chunk, decode, redact,
};
use kitbag_tokens::Counting;
use std::path::Path;
use std::sync::Arc;

/// The largest file that is read.
pub(crate) const MOST_BYTES: u64 = 64 << 20;

/// What the inputs of a request came to.
#[derive(Default)]
pub(crate) struct Inputs {
    /// What may go in.
    pub sources: Vec<Source>,
    /// What was rejected, and why.
    pub rejected: Vec<Excluded>,
    /// What was replaced in files of which only some lines are wanted, with their paths.
    pub redactions: Vec<(String, Vec<Redaction>)>,
}

/// Opens the folder of a request, in which also `deny` is denied.
pub(crate) fn open_root(repo: Option<&Path>, deny: &[String]) -> Result<Root, Error> {
    let root = Root::open(repo.unwrap_or(Path::new(".")))?;
    Ok(root.with_denylist(Denylist::default().with(deny)?))
}

impl Inputs {
    /// Keeps so many sources at most, and reports the others.
    pub fn keep(&mut self, most: usize) {
        let over = self.sources.split_off(most.min(self.sources.len()));
        let detail = format!("more than the {most} sources of `context.max_sources`");
        let reject = |it: Source| reject(&it.path, it.kind, Reason::TooManySources, &detail);
        self.rejected.extend(over.into_iter().map(reject));
    }
}

/// Turns what the caller named and brought into sources.
pub(crate) struct Gatherer<'a> {
    pub root: &'a Root,
    pub limits: &'a ChunkLimits,
    pub counting: &'a Counting,
    /// Whether secrets are to be replaced.
    pub redact: bool,
}

impl Gatherer<'_> {
    /// A path that the caller names: a file that is not there is an error, one that may not be
    /// read is reported.
    pub fn reference(&self, reference: &str, inputs: &mut Inputs) -> Result<(), Error> {
        let (path, span) = split_reference(reference)?;
        let outcome = self.root.resolve(Path::new(path)).and_then(|path| {
            let bytes = self.root.read(&path, MOST_BYTES)?;
            Ok((path, bytes))
        });
        match outcome {
            Ok((path, bytes)) => {
                let line = SourceLine {
                    path,
                    kind: Some(Kind::Reference.name().into()),
                    start_line: span.map(|span| span.start),
                    end_line: span.map(|span| span.end),
                    relevance: Some(1.0),
                    ..SourceLine::default()
                };
                self.finish(line, bytes, inputs);
                Ok(())
            }
            Err(
                error @ (PathError::NotFound { .. }
                | PathError::NotAFile { .. }
                | PathError::Invalid { .. }),
            ) => Err(error.into()),
            Err(error) => {
                inputs.rejected.push(reject(path, Kind::Reference, reason(&error), &error));
                Ok(())
            }
        }
    }

    /// A source that the caller brings.
    pub fn line(&self, line: SourceLine, inputs: &mut Inputs) {
        let kind = kind(&line);
        let read = match &line.content {
            Some(content) => {
                self.root.normalise(&line.path).map(|path| (path, content.clone().into_bytes()))
            }
            None => self
                .root
                .resolve(Path::new(&line.path))
                .and_then(|path| self.root.read(&path, MOST_BYTES).map(|bytes| (path, bytes))),
        };
        match read {
            Ok((path, bytes)) => self.finish(SourceLine { path, ..line }, bytes, inputs),
            Err(error) => inputs.rejected.push(reject(&line.path, kind, reason(&error), &error)),
        }
    }

    /// Content that the caller brings under a label, such as a command: it is not a path, and no file
    /// is read, so it may say anything.
    pub fn labelled(&self, line: SourceLine, inputs: &mut Inputs) {
        let bytes = line.content.clone().unwrap_or_default().into_bytes();
        self.finish(line, bytes, inputs);
    }

    fn finish(&self, line: SourceLine, bytes: Vec<u8>, inputs: &mut Inputs) {
        let kind = kind(&line);
        let content = match decode(bytes) {
            Ok(decoded) => decoded.content,
            Err(error @ NotText::Binary) => {
                inputs.rejected.push(reject(&line.path, kind, Reason::Binary, &error));
                return;
            }
        };
        let first = line.start_line.unwrap_or(1);
        let text = match (&line.content, line.start_line.or(line.end_line)) {
            (None, Some(_)) => {
                let whole = self.whole(&line.path, content, inputs);
                if first > whole.line_count() {
                    let detail = past_the_end(first, whole.line_count());
                    inputs.rejected.push(reject(&line.path, kind, Reason::Empty, &detail));
                    return;
                }
                let last = line.end_line.unwrap_or(LAST_LINE).min(LAST_LINE);
                Text::part(whole.slice(Span::new(first, last)), first)
            }
            _ => Text::part(content, first),
        };
        let relevance = line.relevance;
        let timestamp = line.timestamp.as_ref().and_then(|time| time.seconds().ok());
        let pieces = line.symbol.as_deref().map(|symbol| self.pieces(&text, symbol));
        let expanded = line.expanded_context.map(|expanded| Arc::new(Text::part(expanded, first)));
        let source = Source {
            path: line.path,
            kind,
            text: Arc::new(text),
            relevance,
            timestamp,
            expanded_context: expanded,
            pieces,
            tally: None,
            from: None,
        };
        inputs.sources.push(source);
    }

    /// The text of a file of which only some lines are wanted. Its secrets are replaced before it
    /// is cut: the lines of a key are told by those that are before them.
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

    /// Content that came cut is one chunk of its symbol, or parts of it where it is too large.
    fn pieces(&self, text: &Text, symbol: &str) -> Vec<Piece> {
        let tally = self.counting.tally(text.content(), text.starts());
        let by_size = ChunkLimits { cut: Cut::Tokens, min_chunk_tokens: 0, ..self.limits.clone() };
        let chunks = chunk(text, None, &by_size, self.counting, &tally).chunks;
        let of = chunks.len() as u32;
        let named = chunks.into_iter().zip(1..).map(|(chunk, number)| Chunk {
            symbol: Some(symbol.to_owned()),
            defines: if number == 1 { vec![symbol.to_owned()] } else { Vec::new() },
            kind: if chunk.kind == ChunkKind::LongLine { chunk.kind } else { ChunkKind::Function },
            part: (of > 1).then_some(Part { number, of }),
            ..chunk
        });
        named.map(|chunk| Piece { chunk, relevance: None }).collect()
    }
}

fn past_the_end(line: u32, lines: u32) -> String {
    let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
    format!("line {line} is past the end of {lines}")
}

fn kind(line: &SourceLine) -> Kind {
    line.kind.as_deref().and_then(|kind| kind.parse().ok()).unwrap_or(Kind::Other)
}

/// Splits `src/a.rs:10-40` into its path and its lines. A name that really has a colon and numbers
/// at its end is out of luck, and is told so by the missing file.
pub(crate) fn split_reference(reference: &str) -> Result<(&str, Option<Span>), Error> {
    let Some((path, lines)) = reference.rsplit_once(':') else { return Ok((reference, None)) };
    if lines.is_empty() || !lines.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return Ok((reference, None));
    }
    let wrong = || Error::Reference { reference: reference.to_owned() };
    let (start, end) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|&line| line > 0);
    let (start, end) = number(start).zip(number(end)).ok_or_else(wrong)?;
    if path.is_empty() || start > end {
        return Err(wrong());
    }
    Ok((path, Some(Span::new(start.min(LAST_LINE), end.min(LAST_LINE)))))
}

/// The report's reason for a path that was not taken.
fn reason(error: &PathError) -> Reason {
    reason_of(error.code())
}

/// The report's reason for a code of the repository's.
pub(crate) fn reason_of(code: &str) -> Reason {
    match code {
        "denied" => Reason::Denied,
        "outside_root" => Reason::OutsideRoot,
        "too_large" => Reason::TooLarge,
        _ => Reason::Unreadable,
    }
}

pub(crate) fn reject(
    path: &str,
    kind: Kind,
    reason: Reason,
    detail: &dyn std::fmt::Display,
) -> Excluded {
    Excluded {
        path: path.to_owned(),
        span: None,
        symbol: None,
        kind,
        tokens: 0,
        score: None,
        factors: None,
        reason,
        detail: detail.to_string(),
        also: Vec::new(),
        from: None,
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

//! Sources that the caller names or brings.

use crate::error::Error;
use crate::request::SourceLine;
use kitbag_core::{Excluded, Reason};
use kitbag_repo::{PathError, Root};
use kitbag_text::{
    Chunk, ChunkKind, ChunkLimits, Cut, Kind, NotText, Part, Piece, Source, Span, Text, chunk,
    decode,
};
use kitbag_tokens::Counting;
use std::path::Path;
use std::sync::Arc;

/// The largest file that is read.
pub(crate) const MOST_BYTES: u64 = 64 << 20;

/// A line of a source file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}: {message}")]
pub struct SourceLineError {
    /// The file that the lines are from.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
    /// The known field whose name is nearest to an unknown one.
    pub nearest: Option<&'static str>,
}

impl SourceLineError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self.nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "each line is a JSON object such as {\"path\": \"src/a.rs\", \"kind\": \"open_file\"}".into(),
        })
    }
}

/// Reads sources, a JSON object on each line; `name` is what errors call the file.
pub fn parse_source_lines(name: &str, text: &str) -> Result<Vec<SourceLine>, SourceLineError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| parse_source_line(name, at + 1, line)).collect()
}

fn parse_source_line(name: &str, line: usize, json: &str) -> Result<SourceLine, SourceLineError> {
    let error = |message: String, nearest| SourceLineError {
        name: name.to_owned(),
        line,
        message,
        nearest,
    };
    let plain = |e: serde_json::Error| error(without_place(&e), None);
    let fields: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(json).map_err(plain)?;
    if let Some(unknown) = fields.keys().find(|key| !SourceLine::FIELDS.contains(&key.as_str())) {
        let distance = |known: &&&str| strsim::damerau_levenshtein(unknown, known);
        let nearest = SourceLine::FIELDS.iter().min_by_key(distance).copied();
        return Err(error(format!("unknown field `{unknown}`"), nearest));
    }
    let source: SourceLine = serde_json::from_value(fields.into()).map_err(plain)?;
    let wrong = |message: String| Err(error(message, None));
    if source.path.trim().is_empty() {
        return wrong("`path` is empty".into());
    }
    if let Some(kind) = source.kind.as_deref().filter(|kind| kind.parse::<Kind>().is_err()) {
        let distance = |known: &&(Kind, &str, u32)| strsim::damerau_levenshtein(kind, known.1);
        let nearest = Kind::ALL.iter().min_by_key(distance).map(|known| known.1);
        return Err(error(format!("unknown kind `{kind}`"), nearest));
    }
    if source.relevance.is_some_and(|relevance| !(0.0..=1.0).contains(&relevance)) {
        return wrong("`relevance` must lie within 0 and 1".into());
    }
    if source.start_line == Some(0) || source.end_line == Some(0) {
        return wrong("lines are counted from 1".into());
    }
    if source.end_line.is_some_and(|end| end < source.start_line.unwrap_or(1)) {
        return wrong("`end_line` comes before `start_line`".into());
    }
    if let Some(Err(bad)) = source.timestamp.as_ref().map(|time| time.seconds()) {
        return wrong(bad.to_string());
    }
    Ok(source)
}

/// The message of a JSON error without its line, which is always 1 here.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(at) if error.column() > 0 => format!("{} at column {}", &message[..at], error.column()),
        Some(at) => message[..at].to_owned(),
        None => message,
    }
}

/// What the inputs of a request came to.
#[derive(Default)]
pub(crate) struct Inputs {
    /// What may go in.
    pub sources: Vec<Source>,
    /// What was rejected, and why.
    pub rejected: Vec<Excluded>,
}

/// Turns what the caller named and brought into sources.
pub(crate) struct Gatherer<'a> {
    pub root: &'a Root,
    pub limits: &'a ChunkLimits,
    pub counting: &'a Counting,
    /// When a file last changed.
    pub changed: &'a dyn Fn(&str) -> Option<i64>,
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
            Err(error @ (PathError::NotFound { .. } | PathError::NotAFile { .. })) => {
                Err(error.into())
            }
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
                let whole = Text::new(content);
                let span = Span::new(first, line.end_line.unwrap_or(u32::MAX - 1));
                Text::part(whole.slice(span), first)
            }
            _ => Text::part(content, first),
        };
        let relevance = line.relevance;
        let known = line.timestamp.as_ref().and_then(|time| time.seconds().ok());
        let timestamp = known.or_else(|| (self.changed)(&line.path));
        let pieces = line.symbol.as_deref().map(|symbol| self.pieces(&text, symbol));
        let text = Arc::new(text);
        inputs.sources.push(Source { path: line.path, kind, text, relevance, timestamp, pieces });
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

fn kind(line: &SourceLine) -> Kind {
    line.kind.as_deref().and_then(|kind| kind.parse().ok()).unwrap_or(Kind::Other)
}

/// Splits `src/a.rs:10-40` into its path and its lines. A name that really has a colon and numbers
/// at its end is out of luck, and is told so by the missing file.
fn split_reference(reference: &str) -> Result<(&str, Option<Span>), Error> {
    let Some((path, lines)) = reference.rsplit_once(':') else { return Ok((reference, None)) };
    if lines.is_empty() || !lines.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return Ok((reference, None));
    }
    let wrong = || Error::Reference { reference: reference.to_owned() };
    let (start, end) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|&line| line > 0);
    let (start, end) = number(start).zip(number(end)).ok_or_else(wrong)?;
    if path.is_empty() || start > end || end == u32::MAX {
        return Err(wrong());
    }
    Ok((path, Some(Span::new(start, end))))
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
        assert_eq!(split("c:/x"), Some(("c:/x", None)));
        for wrong in ["a:0-3", "a:9-3", "a:-", "a:1-2-3", ":1-2", "a:99999999999"] {
            assert!(split_reference(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_wrong_line_is_named_with_its_place() {
        let error = |json: &str| parse_source_lines("in.jsonl", json).expect_err("wrong").to_string();
        check_start(&error("{\"path\": \"a\"}\n{\"kind\": \"open_file\"}"), "in.jsonl:2: missing field `path`");
        check_start(&error("{\"pth\": \"a\"}"), "in.jsonl:1: unknown field `pth`");
        check_start(&error("[1]"), "in.jsonl:1: invalid type: sequence, expected a map at column 0");
        check_start(&error("{\"path\": 5}"), "in.jsonl:1: invalid type: integer `5`, expected a string");
        check_start(&error("{\"path\": \"a\", \"kind\": \"openfile\"}"), "in.jsonl:1: unknown kind `openfile`");
        check_start(&error("{\"path\": \"a\", \"relevance\": 2}"), "in.jsonl:1: `relevance` must lie within 0 and 1");
        check_start(&error("{\"path\": \"a\", \"start_line\": 5, \"end_line\": 2}"), "in.jsonl:1: `end_line` comes before `start_line`");
        check_start(&error("{\"path\": \" \"}"), "in.jsonl:1: `path` is empty");
    }

    /// Compares the beginning of a message: how JSON errors end is their crate's affair.
    fn check_start(message: &str, expected: &str) {
        let expected = expected.split(" at column").next().unwrap_or(expected);
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn an_unknown_field_names_the_nearest() {
        let error = parse_source_lines("in", "{\"path\":\"a\",\"start\":1}").expect_err("unknown");
        assert_eq!(error.nearest, Some("start_line"));
    }
}

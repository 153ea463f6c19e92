//! Diagnostics of tools, and the code around them.
//!
//! The messages of the supplied diagnostics become one text, in order. The code around each of
//! them, and around the frames of stack traces in the task, becomes a separate source.

use super::{BuiltIn, prose};
use crate::chunk_cache::CachedChunker;
use crate::gather::inputs::MAX_BYTES;
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use crate::index::search_chunk_limits;
use crate::request::Request;
use kitbag_core::{Cancelled, escape_path};
use kitbag_diagnostics::{
    Diagnostic, KnownFiles, Severity, in_repository, limit, order, read, read_task,
};
use kitbag_repo::{Root, Tree};
use kitbag_text::{Chunk, ChunkKind, ChunkLimits, Kind, Piece, Source, Span, Text, decode, plural};
use kitbag_tokens::CachedCounter;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Default maximum number of diagnostics.
const DEFAULT_MAX_ITEMS: usize = 50;
/// Maximum number of stack frames taken from the task. The search considers them too.
const MAX_FRAMES: usize = 5;
/// Size in tokens above which a chunk is cut to the lines around the diagnostic.
const LARGE_CHUNK_TOKENS: u32 = 400;
/// Number of lines kept before and after the diagnostic in such a chunk.
const LINES_AROUND: u32 = 12;
/// Maximum number of diagnostics whose files are looked up one by one.
const MAX_NAMED: usize = 200;
/// Maximum length of a message, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

pub(super) const DIAGNOSTICS: BuiltIn = BuiltIn {
    id: "diagnostics",
    title: "Diagnostics",
    description: "Errors and warnings of compilers, linters and tests, and stack traces in the task, \
                  with the code around them.",
    needs: Needs::Files,
    applies: |request| {
        !request.diagnostics.is_empty() || !read_task(&request.task).diagnostics.is_empty()
    },
    has_input: |request| !request.diagnostics.is_empty(),
    starts_early: names_known_files,
    gather,
};

fn gather(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let (given, mut warnings) = given(&gathering.request)?;
    let traced = read_task(&gathering.request.task).diagnostics;
    if given.is_empty() && traced.is_empty() {
        return Ok(Gathered { warnings, ..Gathered::default() });
    }
    let paths = match &gathering.tree {
        Some(tree) => tree.files().iter().map(|file| file.path.clone()).collect(),
        None => named(given.iter().chain(&traced), &gathering.root),
    };
    let root = gathering.root.path().to_string_lossy();
    let files = KnownFiles::new(paths).with_root(&root);
    let placed = in_repository(given, &files);
    if placed.elsewhere > 0 {
        let count = plural(placed.elsewhere, "diagnostic");
        warnings.push(format!("ignored {count} of files outside the repository"));
    }
    let editor = gathering.editor.as_deref();
    let document = editor.map(|editor| editor.path.as_str());
    let position = editor.map(|it| (it.path.as_str(), it.position().map_or(1, |span| span.start)));
    let max_items = gathering.limits.max_items.unwrap_or(DEFAULT_MAX_ITEMS);
    let (shown, left_out) = limit(order(placed.diagnostics, position), max_items);
    if left_out > 0 {
        let count = plural(left_out, "diagnostic");
        warnings.push(format!("left out {count} in excess of `max_items`"));
    }
    let frames = in_traces(traced, &files, max_items.saturating_sub(shown.len()));
    let mut sources = Vec::new();
    if !shown.is_empty() {
        sources.push(prose("diagnostics", Kind::Diagnostics, messages(&shown, document), 1.0));
    }
    let reading = Reading {
        text: &|path| text_of(gathering, path),
        chunking: &gathering.chunking,
        chunker: gathering.chunker(),
    };
    sources.extend(around(relevant(&shown, &frames), &reading)?);
    Ok(Gathered { warnings, is_limited: true, is_undated: true, ..Gathered::from(sources) })
}

/// Whether all diagnostics are of files that exist under the path they name, so that the list of files is
/// not needed to find them.
fn names_known_files(gathering: &Gathering) -> bool {
    let Ok((given, _)) = given(&gathering.request) else { return true };
    let traced = read_task(&gathering.request.task).diagnostics;
    let mut all = given.iter().chain(&traced).take(MAX_NAMED + 1).enumerate();
    all.all(|(at, it)| at < MAX_NAMED && gathering.root.resolve(Path::new(&it.path)).is_ok())
}

/// Returns the files named by diagnostics that exist in the repository, without duplicates. Used if
/// there is no time to walk the repository.
fn named<'a>(diagnostics: impl Iterator<Item = &'a Diagnostic>, root: &Root) -> Vec<String> {
    let path = |diagnostic: &Diagnostic| root.resolve(Path::new(&diagnostic.path)).ok();
    let mut paths: Vec<String> = diagnostics.take(MAX_NAMED).filter_map(path).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Parses the diagnostics in the request. Output that cannot be parsed is an error of the request.
fn given(request: &Request) -> Result<(Vec<Diagnostic>, Vec<String>), ProviderError> {
    let (mut all, mut warnings) = (Vec::new(), Vec::new());
    for output in &request.diagnostics {
        let reading = read(&output.name, &output.content).map_err(ProviderError::request)?;
        let name = &output.name;
        if reading.left_out > 0 {
            let count = plural(reading.left_out, "diagnostic");
            warnings.push(format!("{name}: did not read {count} beyond the limit"));
        }
        if reading.without_place > 0 {
            let count = plural(reading.without_place, "diagnostic");
            warnings.push(format!("{name}: ignored {count} without a file"));
        }
        all.extend(reading.diagnostics);
    }
    Ok((all, warnings))
}

/// Formats each diagnostic on a line. The path is omitted for those of the document.
fn messages(diagnostics: &[Diagnostic], document: Option<&str>) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Note => "NOTE",
        };
        let code = diagnostic.code.as_deref().map(|code| format!(" {}", one_line(code)));
        let tool = one_line(&diagnostic.tool);
        let _ = write!(text, "**{severity}** [{tool}{}]", code.unwrap_or_default());
        if document != Some(diagnostic.path.as_str()) {
            let _ = write!(text, " `{}`", escape_path(&diagnostic.path));
        }
        let _ = writeln!(text, " (line {}): {}", diagnostic.line, one_line(&diagnostic.message));
    }
    text
}

/// Collapses a text to one line of bounded length, so that it cannot imitate the text around it.
fn one_line(text: &str) -> String {
    let plain = |it: char| if it.is_control() { ' ' } else { it };
    let mut line: String = text.chars().map(plain).take(MAX_MESSAGE_CHARS).collect();
    if text.chars().nth(MAX_MESSAGE_CHARS).is_some() {
        line.push_str("...");
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the frames of stack traces that are in the repository, the innermost first.
fn in_traces(traced: Vec<Diagnostic>, files: &KnownFiles, max: usize) -> Vec<Diagnostic> {
    let frames = order(in_repository(traced, files).diagnostics, None);
    limit(frames, max.min(MAX_FRAMES)).0
}

/// Returns the code around the frames of stack traces in a task, as the provider does.
pub fn around_frames(
    task: &str,
    paths: impl IntoIterator<Item = String>,
    reading: &Reading<'_>,
) -> Result<Vec<Source>, Cancelled> {
    let traced = read_task(task).diagnostics;
    if traced.is_empty() {
        return Ok(Vec::new());
    }
    let frames = in_traces(traced, &KnownFiles::new(paths), MAX_FRAMES);
    around(relevant(&[], &frames), reading)
}

/// Pairs diagnostics and frames with the relevance of the code around them. Supplied diagnostics
/// have nearly the highest relevance; frames in the task are only one of several signals that the
/// search considers.
fn relevant<'a>(
    shown: &'a [Diagnostic],
    frames: &'a [Diagnostic],
) -> impl Iterator<Item = (&'a Diagnostic, f64)> {
    let fading = |first: f64| (0..).map(move |rank: u32| first / (1.0 + f64::from(rank) / 20.0));
    shown.iter().zip(fading(0.99)).chain(frames.iter().zip(fading(0.4)))
}

/// Access to the texts and chunks of files.
pub struct Reading<'a> {
    /// Returns the text of a file by its path.
    pub text: &'a (dyn Fn(&str) -> Option<Arc<Text>> + Sync),
    /// Limits on the sizes of chunks.
    pub chunking: &'a ChunkLimits,
    /// Chunker that reuses the chunks of earlier requests.
    pub chunker: CachedChunker<'a>,
}

/// Returns the code around diagnostics as one source per file.
fn around<'a>(
    diagnostics: impl Iterator<Item = (&'a Diagnostic, f64)>,
    reading: &Reading<'_>,
) -> Result<Vec<Source>, Cancelled> {
    let mut files: Vec<(&str, Vec<(u32, f64)>)> = Vec::new();
    for (diagnostic, relevance) in diagnostics {
        let place = (diagnostic.line, relevance);
        match files.iter_mut().find(|(path, _)| *path == diagnostic.path) {
            Some((_, places)) => places.push(place),
            None => files.push((&diagnostic.path, vec![place])),
        }
    }
    let mut sources = Vec::new();
    for (path, lines) in files {
        reading.chunker.cancel.check()?;
        let Some(text) = (reading.text)(path) else { continue };
        // Chunked with the limits of the search, so that a chunk found by both is the same.
        let chunks = reading.chunker.chunks(path, &text, &search_chunk_limits(reading.chunking))?;
        let mut pieces: Vec<Piece> = Vec::new();
        for (line, relevance) in lines {
            let Some(chunk) = piece_at(&chunks, &text, line, reading.chunker.counting) else {
                continue;
            };
            if !pieces.iter().any(|piece| piece.chunk.span.contains(chunk.span)) {
                pieces.push(Piece { chunk, relevance: Some(relevance) });
            }
        }
        if !pieces.is_empty() {
            let source = Source::new(path, Kind::Diagnostics, text);
            sources.push(Source { pieces: Some(pieces), ..source });
        }
    }
    Ok(sources)
}

/// Returns the text of a file. For the open document this is the caller's version.
fn text_of(gathering: &Gathering, path: &str) -> Option<Arc<Text>> {
    if let Some(editor) = gathering.editor.as_ref().filter(|editor| editor.path == path) {
        return Some(Arc::clone(&editor.text));
    }
    let bytes = gathering.root.read(path, MAX_BYTES).ok()?;
    decode(bytes).ok().map(|content| Arc::new(Text::new(content)))
}

/// Returns the chunk that contains a line, or the lines around it if the chunk is large.
fn piece_at(chunks: &[Chunk], text: &Text, line: u32, counting: &CachedCounter) -> Option<Chunk> {
    let all = text.span()?;
    let line = line.clamp(all.start, all.end);
    let found = chunks.iter().find(|chunk| chunk.span.contains_line(line));
    if let Some(chunk) = found.filter(|chunk| chunk.tokens <= LARGE_CHUNK_TOKENS) {
        return Some(chunk.clone());
    }
    let within = found.map_or(all, |chunk| chunk.span);
    let first = line.saturating_sub(LINES_AROUND).max(within.start);
    let span = Span::new(first, line.saturating_add(LINES_AROUND).min(within.end));
    let tokens = counting.count(text.slice(span));
    Some(Chunk {
        span,
        kind: ChunkKind::Lines,
        symbol: found.and_then(|chunk| chunk.symbol.clone()),
        defines: Vec::new(),
        outline: Vec::new(),
        part: None,
        tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_their_place_and_stay_on_their_lines() {
        let diagnostic = |path: &str, message: &str| Diagnostic {
            path: path.into(),
            line: 3,
            column: None,
            end_line: None,
            severity: Severity::Error,
            code: Some("E1".into()),
            message: message.into(),
            tool: "rustc".into(),
            depth: 0,
        };
        let all = [diagnostic("a.rs", "one\n## two"), diagnostic("b.rs", &"x".repeat(600))];
        let text = messages(&all, Some("a.rs"));
        assert!(text.starts_with("**ERROR** [rustc E1] (line 3): one ## two\n"), "{text}");
        assert!(text.contains("\n**ERROR** [rustc E1] `b.rs` (line 3): xxx"), "{text}");
        assert!(text.ends_with("x...\n") && text.lines().count() == 2, "{text}");
    }

    #[test]
    fn named_files_are_found_without_a_walk() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.rs"), "fn f() {}\n").expect("written");
        let root = Root::open(folder.path()).expect("a root");
        let at = |path: &str| Diagnostic {
            path: path.into(),
            line: 1,
            column: None,
            end_line: None,
            severity: Severity::Error,
            code: None,
            message: String::new(),
            tool: "rustc".into(),
            depth: 0,
        };
        let whole = root.path().join("a.rs").to_string_lossy().into_owned();
        let all = [at("a.rs"), at("gone.rs"), at("../out.rs"), at(&whole), at("a.rs")];
        assert_eq!(named(all.iter(), &root), ["a.rs"]);
    }
}

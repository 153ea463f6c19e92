//! A parser for Markdown packs, independent of the code that writes them.

use kitbag_core::escape_path;
use kitbag_text::{ChunkPart, Span};

/// A file in a pack.
#[derive(Debug)]
pub struct Block {
    pub path: String,
    pub runs: Vec<Run>,
}

/// A fenced block with its label in the header.
#[derive(Debug)]
pub struct Run {
    pub span: Span,
    pub outline: bool,
    pub parts: Vec<ChunkPart>,
    pub info: String,
    /// Lines with their line endings.
    pub lines: Vec<String>,
    /// Number of truncated lines that follow.
    pub cut: Option<u32>,
}

impl Run {
    pub fn line(&self, number: u32) -> &str {
        &self.lines[(number - self.span.start) as usize]
    }
}

impl Block {
    /// Returns the run that shows all of `span`.
    pub fn run_with(&self, span: Span) -> Option<&Run> {
        self.runs.iter().find(|run| run.span.contains(span))
    }
}

/// Parses a pack; an error names the unexpected line.
pub fn parse(text: &str) -> Result<Vec<Block>, String> {
    let mut lines = text.split_inclusive('\n').peekable();
    let mut blocks = Vec::new();
    while let Some(header) = lines.next() {
        let (path, ranges) = parse_header(header).ok_or(format!("no header: {header:?}"))?;
        let mut runs: Vec<Run> = Vec::new();
        for (span, outline, parts) in ranges {
            if let Some(last) = runs.last() {
                expect(lines.next(), &gap(last.span.end, span.start)?)?;
            }
            let opening = lines.next().ok_or("no fence")?;
            let ticks = opening.len() - opening.trim_start_matches('`').len();
            let fence = format!("{}\n", &opening[..ticks]);
            let info = opening[ticks..].trim_end_matches('\n').to_owned();
            let mut content = Vec::new();
            loop {
                let line = lines.next().ok_or("the fence is not closed")?;
                if line == fence {
                    break;
                }
                if longest_run_of_ticks(line) >= ticks {
                    return Err(format!("a fence of {ticks} around {line:?}"));
                }
                content.push(line.to_owned());
            }
            if ticks < 3 || content.len() != span.lines() as usize {
                return Err(format!("{} lines of {path:?} in the fence of {span}", content.len()));
            }
            let cut = lines.peek().and_then(|line| parse_marker(line));
            if cut.is_some() {
                lines.next();
            }
            runs.push(Run { span, outline, parts, info, lines: content, cut });
        }
        blocks.push(Block { path, runs });
        if lines.peek().is_some() {
            expect(lines.next(), "\n")?;
            lines.peek().ok_or("a separator at the end")?;
        }
    }
    Ok(blocks)
}

fn expect(line: Option<&str>, expected: &str) -> Result<(), String> {
    if line == Some(expected) { Ok(()) } else { Err(format!("{line:?}, not {expected:?}")) }
}

pub fn gap(shown_to: u32, next: u32) -> Result<String, String> {
    match (shown_to + 1, next.saturating_sub(1)) {
        (first, last) if first > last => Err(format!("no gap between {shown_to} and {next}")),
        (first, last) if first == last => Ok(format!("... line {first} not shown ...\n")),
        (first, last) => Ok(format!("... lines {first}-{last} not shown ...\n")),
    }
}

/// Parses `... 3 more lines not shown (truncated) ...`.
pub fn parse_marker(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("... ")?.strip_suffix(" not shown (truncated) ...\n")?;
    let (count, noun) = rest.split_once(" more ")?;
    let count: u32 = count.parse().ok()?;
    (noun == if count == 1 { "line" } else { "lines" } && count > 0).then_some(count)
}

fn longest_run_of_ticks(line: &str) -> usize {
    line.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

pub type Range = (Span, bool, Vec<ChunkPart>);

/// Parses `### path (lines 1-2 outline, 5-9 part 1 of 2)`.
fn parse_header(line: &str) -> Option<(String, Vec<Range>)> {
    parse_title(line.strip_prefix("### ")?.strip_suffix('\n')?)
}

/// Parses `path (lines 1-2 outline, 5-9 part 1 of 2)`.
pub fn parse_title(title: &str) -> Option<(String, Vec<Range>)> {
    let (path, ranges) = title.strip_suffix(')')?.rsplit_once(" (")?;
    if path.contains(|c: char| c.is_control() || matches!(c, '\u{200b}' | '\u{202e}')) {
        return None;
    }
    let several = ranges.strip_prefix("lines ");
    let ranges = several.or_else(|| ranges.strip_prefix("line "))?;
    let ranges = ranges.split(", ").map(parse_range).collect::<Option<Vec<Range>>>()?;
    let is_one_line = ranges.len() == 1 && ranges[0].0.lines() == 1;
    (is_one_line == several.is_none()).then_some(())?;
    Some((unescape_path(path)?, ranges))
}

/// Reverses `escape_path`; `None` if `escaped` is not one of its results.
fn unescape_path(escaped: &str) -> Option<String> {
    let mut path = String::new();
    let mut rest = escaped;
    while let Some((before, after)) = rest.split_once('\\') {
        path.push_str(before);
        (rest, path) = match after.strip_prefix('\\') {
            Some(after) => (after, path + "\\"),
            None => {
                let (code, after) = after.strip_prefix("u{")?.split_once('}')?;
                path.push(u32::from_str_radix(code, 16).ok().and_then(char::from_u32)?);
                (after, path)
            }
        };
    }
    path.push_str(rest);
    (escape_path(&path) == escaped).then_some(path)
}

fn parse_range(range: &str) -> Option<Range> {
    let mut words = range.split(' ');
    let span = words.next()?;
    let (start, end) = span.split_once('-').unwrap_or((span, span));
    let span = Span { start: start.parse().ok()?, end: end.parse().ok()? };
    let (mut outline, mut parts) = (false, Vec::new());
    while let Some(word) = words.next() {
        match word {
            "outline" if !outline && parts.is_empty() => outline = true,
            "part" => {
                let number = words.next()?.parse().ok()?;
                (words.next()? == "of").then_some(())?;
                parts.push(ChunkPart { number, of: words.next()?.parse().ok()? });
            }
            _ => return None,
        }
    }
    (span.start <= span.end).then_some((span, outline, parts))
}

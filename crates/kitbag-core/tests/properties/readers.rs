//! Parsers for XML, JSON and plain text, independent of the code that writes them.

use super::frame::{Block, Run, gap, parse_marker, parse_title};
use kitbag_text::{ChunkPart, Span};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

/// A parsed pack.
#[derive(Debug, Default)]
pub struct Pack {
    pub header: Option<String>,
    pub footer: Option<String>,
    pub blocks: Vec<Block>,
}

impl Pack {
    /// Adds a run to the last block if it continues that file, or to a new block.
    fn add(&mut self, path: String, run: Run) {
        match self.blocks.last_mut() {
            Some(block) if block.path == path && block.ends_before(&run) => {
                block.runs.push(run);
            }
            _ => self.blocks.push(Block { path, runs: vec![run] }),
        }
    }
}

impl Block {
    fn ends_before(&self, run: &Run) -> bool {
        self.runs.last().is_some_and(|last| last.span.end + 1 < run.span.start)
    }
}

fn run(span: Span, outline: bool, parts: Vec<ChunkPart>, info: &str, content: &str) -> Run {
    let lines = content.split_inclusive('\n').map(str::to_owned).collect();
    Run { span, outline, parts, info: info.to_owned(), lines, cut: None }
}

/// Checks the number of truncated lines, which is never zero.
fn truncated(count: Option<u64>) -> Result<Option<u32>, String> {
    match count {
        Some(0) => Err("zero truncated lines".to_owned()),
        count => Ok(count.map(|count| count as u32)),
    }
}

/// Parses `1 of 2, 2 of 3`.
fn parts(parts: &str) -> Option<Vec<ChunkPart>> {
    let part = |part: &str| {
        let (number, of) = part.split_once(" of ")?;
        Some(ChunkPart { number: number.parse().ok()?, of: of.parse().ok()? })
    };
    parts.split(", ").filter(|it| !it.is_empty()).map(part).collect()
}

pub fn json(text: &str) -> Result<Pack, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let string = |value: &Value| value.as_str().map(str::to_owned);
    let mut pack = Pack {
        header: value.get("header").and_then(string),
        footer: value.get("footer").and_then(string),
        ..Pack::default()
    };
    for chunk in value["chunks"].as_array().ok_or("no chunks")? {
        let number = |name: &str| chunk[name].as_u64().map(|it| it as u32).ok_or("no number");
        let words = |name: &str| chunk[name].as_str().unwrap_or_default();
        let span = Span { start: number("startLine")?, end: number("endLine")? };
        let relevance = chunk["relevance"].as_f64().ok_or("no relevance")?;
        if !(0.0..=1.0).contains(&relevance) {
            return Err(format!("a relevance of {relevance}"));
        }
        let outline = chunk["outline"] == true;
        let parts = parts(words("part")).ok_or("no parts")?;
        let cut = truncated(chunk.get("truncatedLines").and_then(Value::as_u64))?;
        let run = Run { cut, ..run(span, outline, parts, words("language"), words("content")) };
        pack.add(words("file").to_owned(), run);
    }
    Ok(pack)
}

pub fn xml(text: &str) -> Result<Pack, String> {
    let mut reader = quick_xml::Reader::from_str(text);
    let (mut pack, mut inside, mut depth) = (Pack::default(), String::new(), 0);
    let mut open: Option<BytesStart<'_>> = None;
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) => {
                depth += 1;
                inside.clear();
                open = Some(tag);
            }
            Event::Text(text) => inside.push_str(&text.xml10_content()),
            Event::GeneralRef(name) => inside.push(character(&name)?),
            Event::End(_) => {
                depth -= 1;
                if let Some(tag) = open.take() {
                    add_element(&mut pack, &tag, &inside)?;
                }
            }
            Event::Eof if depth == 0 => return Ok(pack),
            other => return Err(format!("{other:?}")),
        }
    }
}

fn character(name: &quick_xml::events::BytesRef<'_>) -> Result<char, String> {
    if let Some(c) = name.resolve_char_ref().map_err(|error| error.to_string())? {
        return Ok(c);
    }
    match name.as_ref() {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        other => Err(format!("&{other};")),
    }
}

fn add_element(pack: &mut Pack, tag: &BytesStart<'_>, inside: &str) -> Result<(), String> {
    match tag.name().as_ref() {
        "context" => return Ok(()),
        "header" => pack.header = Some(inside.to_owned()),
        "footer" => pack.footer = Some(inside.to_owned()),
        "code-context" => {
            let attribute = |name: &str| {
                let attribute = tag.try_get_attribute(name).map_err(|error| error.to_string())?;
                let value = attribute.map(|it| it.normalized_value(XmlVersion::Implicit1_0));
                let value = value.transpose().map_err(|error| error.to_string())?;
                Ok::<_, String>(value.map(|value| value.into_owned()).unwrap_or_default())
            };
            let lines = attribute("lines")?;
            let (start, end) = lines.split_once('-').ok_or("no lines")?;
            let line = |number: &str| number.parse().map_err(|_| "no line");
            let span = Span { start: line(start)?, end: line(end)? };
            let outline = attribute("outline")? == "true";
            let parts = parts(&attribute("part")?).ok_or("no parts")?;
            let content = inside.strip_prefix('\n').ok_or("no line end")?;
            let count = Some(attribute("truncated")?).filter(|count| !count.is_empty());
            let count = count.map(|count| count.parse().map_err(|_| "no count")).transpose()?;
            let run = run(span, outline, parts, &attribute("language")?, content);
            let run = Run { cut: truncated(count)?, ..run };
            pack.add(attribute("file")?, run);
        }
        other => return Err(format!("{other:?}")),
    }
    Ok(())
}

/// Parses plain text. The longest line of hyphens is the boundary, and the line before it a title.
pub fn plain(text: &str) -> Result<Pack, String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let hyphens =
        |line: &&str| line.strip_suffix('\n').is_some_and(|it| it.bytes().all(|b| b == b'-'));
    let boundary = lines.iter().copied().filter(hyphens).max_by_key(|line| line.len());
    let boundary = boundary.filter(|line| line.len() > 40).ok_or("no boundary")?;
    let indices: Vec<usize> = (0..lines.len()).filter(|&at| lines[at] == boundary).collect();
    let mut pack = Pack::default();
    let header = lines[..indices[0] - 1].concat();
    pack.header = (!header.is_empty()).then(|| header.trim_end_matches('\n').to_owned());
    let mut ranges = Vec::new().into_iter();
    let is_file = |at: usize| lines[at - 1].starts_with("File: ");
    for (number, &at) in indices.iter().enumerate() {
        let end = match indices.get(number + 1) {
            Some(&next) => next - 1 - usize::from(is_file(next)),
            None => lines.len(),
        };
        let content = lines[at + 1..end].concat();
        let title = lines[at - 1].trim_end_matches('\n');
        if title.is_empty() {
            pack.footer = Some(content.trim_end_matches('\n').to_owned());
            continue;
        }
        if let Some(count) = parse_marker(lines[at - 1]) {
            let run = pack.blocks.last_mut().and_then(|block| block.runs.last_mut());
            let run = run.filter(|run| run.cut.is_none()).ok_or("a marker without a run")?;
            run.cut = Some(count);
            if !content.trim().is_empty() {
                return Err(format!("{content:?} after a marker"));
            }
            continue;
        }
        if let Some(title) = title.strip_prefix("File: ") {
            let (path, read) = parse_title(title).ok_or(format!("no title: {title:?}"))?;
            pack.blocks.push(Block { path, runs: Vec::new() });
            ranges = read.into_iter();
        }
        let block = pack.blocks.last_mut().ok_or("no file")?;
        let (span, outline, parts) = ranges.next().ok_or("no range")?;
        if let Some(last) = block.runs.last() {
            let expected = gap(last.span.end, span.start)?;
            if lines[at - 1] != expected {
                return Err(format!("{title:?}, not {expected:?}"));
            }
        }
        block.runs.push(run(span, outline, parts, "", &content));
    }
    Ok(pack)
}

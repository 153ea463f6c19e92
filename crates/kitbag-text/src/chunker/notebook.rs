//! Cells of Jupyter notebooks. A notebook is JSON with one line of a cell per line, so the lines of a cell
//! are those of the file.

use super::embedded_code::{EmbeddedCode, EmbeddedPart};
use crate::chunk::ChunkKind;
use crate::language::Language;
use crate::text::Text;
use std::borrow::Cow;

/// Outputs of fewer rows and bytes stay with their cell.
const MIN_OUTPUT_ROWS: u32 = 8;
const MIN_OUTPUT_BYTES: usize = 1_000;
/// Characters of a heading after which it is cut.
const MAX_HEADING_CHARS: usize = 80;
/// Magic commands whose cells are code of the notebook's language.
const PLAIN_MAGICS: [&str; 4] = ["%%time", "%%timeit", "%%capture", "%%prun"];

/// Rows of a value, the first and the last.
type ValueRows = (u32, u32);

#[derive(Debug, Default)]
struct Cell {
    rows: ValueRows,
    kind: String,
    source: Option<ValueRows>,
    outputs: Option<ValueRows>,
    output_bytes: usize,
    /// Lines of the source, with their rows.
    lines: Vec<(u32, String)>,
}

/// Finds the cells of a notebook. `None` if it has none.
pub(super) fn find(text: &Text) -> Option<EmbeddedCode> {
    let mut reader = NotebookReader::default();
    reader.read(text.content());
    let last = text.line_count().checked_sub(1)?;
    let cells = reader.cells;
    // Without a line of its own for each cell, there is nothing to split.
    if cells.is_empty() || cells.windows(2).any(|pair| pair[0].rows.1 >= pair[1].rows.1) {
        return None;
    }
    let language = reader.language.as_deref().map(str::to_lowercase);
    let language = language.as_deref().and_then(Language::named).filter(|it| it.has_grammar());
    let language = language.or_else(|| Language::named("python"))?;
    let mut rows = vec![""; text.line_count() as usize];
    for cell in cells.iter().filter(|cell| cell.kind == "code" && is_plain(cell)) {
        for (row, line) in &cell.lines {
            let is_magic = line.trim_start().starts_with(['%', '!', '?']);
            if let Some(code) = rows.get_mut(*row as usize).filter(|_| !is_magic) {
                *code = line.trim_end_matches(['\n', '\r']);
            }
        }
    }
    let content = rows.join("\n") + "\n";
    let mut parts = Vec::new();
    for (number, cell) in (1..).zip(&cells) {
        let free = parts.last().map_or(0, |part: &EmbeddedPart| part.rows.1 + 1);
        parts.extend(cell_parts(number, cell, free));
    }
    let free = parts.last().map_or(0, |part| part.rows.1 + 1);
    if free <= last {
        parts.push(output((free, last)));
    }
    Some(EmbeddedCode { language, content, parts })
}

/// Whether the lines of a cell are in the rows of the file, and in the language of the notebook.
fn is_plain(cell: &Cell) -> bool {
    let is_row = |(_, line): &(u32, String)| !line.trim_end_matches('\n').contains('\n');
    let magic = cell.lines.first().map_or("", |(_, line)| line.trim());
    let is_foreign =
        magic.starts_with("%%") && !PLAIN_MAGICS.iter().any(|it| magic.starts_with(it));
    cell.lines.iter().all(is_row) && !is_foreign
}

/// Returns the parts of a cell that begin at row `free` or later: its source, and its outputs if they are
/// long.
fn cell_parts(number: usize, cell: &Cell, free: u32) -> Vec<EmbeddedPart> {
    let (first, last) = (cell.rows.0.max(free), cell.rows.1);
    let heading = cell.lines.iter().filter(|_| cell.kind == "markdown").find_map(heading);
    let source = |first: u32, last: u32| EmbeddedPart {
        rows: (first, last),
        kind: ChunkKind::Section,
        is_heading: heading.is_some(),
        name: Some(heading.clone().unwrap_or_else(|| format!("cell {number}"))),
    };
    let long_outputs = cell
        .outputs
        .filter(|rows| rows.1 - rows.0 >= MIN_OUTPUT_ROWS || cell.output_bytes >= MIN_OUTPUT_BYTES);
    match (cell.source, long_outputs) {
        (Some(code), Some(outputs)) if first <= outputs.1 && outputs.1 < code.0 => {
            vec![output((first, outputs.1)), source(outputs.1 + 1, last)]
        }
        (Some(code), Some(outputs)) if first <= code.1 && code.1 < outputs.0 => {
            vec![source(first, outputs.0 - 1), output((outputs.0, last))]
        }
        _ if first <= last => vec![source(first, last)],
        _ => Vec::new(),
    }
}

fn output(rows: ValueRows) -> EmbeddedPart {
    EmbeddedPart { rows, kind: ChunkKind::Output, name: None, is_heading: false }
}

fn heading((_, line): &(u32, String)) -> Option<String> {
    let title = line.trim().strip_prefix('#')?.trim_start_matches('#').trim();
    (!title.is_empty()).then(|| title.chars().take(MAX_HEADING_CHARS).collect())
}

/// Reads the JSON of a notebook without recursion, and takes only what it needs. What is not valid is
/// skipped.
#[derive(Debug, Default)]
struct NotebookReader {
    cells: Vec<Cell>,
    language: Option<String>,
    /// Open objects and arrays.
    open: Vec<Container>,
    row: u32,
}

#[derive(Debug)]
struct Container {
    is_object: bool,
    row: u32,
    /// Byte at which it begins.
    start: usize,
    /// The key whose value is read, if it is an object.
    key: Option<String>,
}

impl NotebookReader {
    fn read(&mut self, content: &str) {
        let bytes = content.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'\n' => self.row += 1,
                b'{' | b'[' => self.begin(bytes[at] == b'{', at),
                b'}' | b']' => self.end(at),
                b',' => {
                    if let Some(object) = self.open.last_mut().filter(|it| it.is_object) {
                        object.key = None;
                    }
                }
                b'"' => {
                    let end = end_of_string(bytes, at + 1);
                    self.string(&content[at + 1..end]);
                    at = end;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Whether the innermost container is a cell.
    fn is_in_cell(&self) -> bool {
        matches!(self.open.as_slice(), [top, list, cell] if
            top.key.as_deref() == Some("cells") && !list.is_object && cell.is_object)
    }

    fn begin(&mut self, is_object: bool, start: usize) {
        self.open.push(Container { is_object, row: self.row, start, key: None });
        if self.is_in_cell() {
            self.cells.push(Cell { rows: (self.row, self.row), ..Cell::default() });
        }
    }

    fn end(&mut self, at: usize) {
        let was_cell = self.is_in_cell();
        let Some(ended) = self.open.pop() else { return };
        let row = self.row;
        if was_cell {
            if let Some(cell) = self.cells.last_mut() {
                cell.rows.1 = row;
            }
        } else if self.is_in_cell() {
            self.value((ended.row, row), at - ended.start);
        }
    }

    /// Notes the rows of a value of a cell.
    fn value(&mut self, rows: ValueRows, bytes: usize) {
        let key = self.open.last().and_then(|object| object.key.as_deref());
        let Some(cell) = self.cells.last_mut() else { return };
        match key {
            Some("source") => cell.source = Some(rows),
            Some("outputs") => (cell.outputs, cell.output_bytes) = (Some(rows), bytes),
            _ => {}
        }
    }

    fn string(&mut self, escaped: &str) {
        let row = self.row;
        let is_in_cell = self.is_in_cell();
        let Some(container) = self.open.last_mut() else { return };
        if container.is_object && container.key.is_none() {
            container.key = Some(decoded(escaped).into_owned());
            return;
        }
        let key = container.key.clone();
        match self.open.as_slice() {
            [_, _, _] if is_in_cell => {
                let Some(cell) = self.cells.last_mut() else { return };
                match key.as_deref() {
                    Some("cell_type") => cell.kind = decoded(escaped).into_owned(),
                    Some("source") => cell.lines.push((row, decoded(escaped).into_owned())),
                    _ => {}
                }
                self.value((row, row), escaped.len());
            }
            [top, list, cell, lines]
                if !lines.is_object
                    && !list.is_object
                    && top.key.as_deref() == Some("cells")
                    && cell.key.as_deref() == Some("source") =>
            {
                if let Some(cell) = self.cells.last_mut() {
                    cell.lines.push((row, decoded(escaped).into_owned()));
                }
            }
            [top, outer, _] if top.key.as_deref() == Some("metadata") => {
                let is_language = matches!(
                    (outer.key.as_deref(), key.as_deref()),
                    (Some("kernelspec"), Some("language")) | (Some("language_info"), Some("name"))
                );
                if is_language && self.language.is_none() {
                    self.language = Some(decoded(escaped).into_owned());
                }
            }
            _ => {}
        }
    }
}

/// Returns the position of the quote that ends a string, or the end of the text.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// Replaces the escapes of a JSON string. Those that are not valid stay as they are.
fn decoded(escaped: &str) -> Cow<'_, str> {
    if !escaped.contains('\\') {
        return Cow::Borrowed(escaped);
    }
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b' | 'f') => text.push(' '),
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                text.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => text.push(other),
            None => text.push(c),
        }
    }
    Cow::Owned(text)
}

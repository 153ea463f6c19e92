//! Texts with code of another language in them: single-file components and notebooks.
//!
//! The parser gets the code alone, on the rows that it has in the text: what is around it is blank. So
//! units and definitions have the rows of the text, and no grammar of the outer language is needed.

use super::context::ChunkContext;
use super::embedded_code::{EmbeddedCode, EmbeddedPart};
use super::{assemble, components, notebook};
use crate::chunk::{Chunk, ChunkLimits, Fallback};
use crate::language::EmbeddingStyle;
use crate::syntax::{
    Definition, ParseFailure, ParseRequest, SplitPoints, SyntaxUnit, TextStructure, parser,
};

/// Splits a text along its parts, and large parts along the items in their code. `None` if it has no parts.
pub(super) fn chunk_embedded(
    context: &ChunkContext<'_>,
    style: EmbeddingStyle,
    limits: &ChunkLimits,
) -> Result<Option<Vec<Chunk>>, ParseFailure> {
    if context.text.content().len() > limits.max_file_bytes {
        return Err(Fallback::FileTooLarge.into());
    }
    let found = match style {
        EmbeddingStyle::Sections | EmbeddingStyle::Markup => components::find(context.text, style),
        EmbeddingStyle::Cells => notebook::find(context.text),
    };
    let Some(EmbeddedCode { language, content, parts }) = found else { return Ok(None) };
    let mut chunks = None;
    if !content.trim_ascii().is_empty() {
        let (content, cancel) = (content.as_str(), context.cancel);
        let request = ParseRequest { language, content, limits: limits.into(), cancel };
        let parsed = parser().parse(&request, &mut |code, find_split_points| {
            let structure = combine(code, &parts);
            chunks = Some(assemble(context, &structure, limits, false, find_split_points));
        });
        match parsed {
            Ok(()) => {}
            Err(ParseFailure::Fallback(_)) => chunks = None,
            Err(cancelled) => return Err(cancelled),
        }
    }
    let without_code = || {
        let structure = combine(TextStructure::default(), &parts);
        assemble(context, &structure, limits, false, &mut SplitPoints::none)
    };
    Ok(Some(chunks.unwrap_or_else(without_code)))
}

/// Puts the units of the code into the parts that they belong to.
fn combine(code: TextStructure, parts: &[EmbeddedPart]) -> TextStructure {
    let mut rest = code.units.into_iter().peekable();
    let unit = |part: &EmbeddedPart| {
        let (first, last) = part.rows;
        let mut members: Vec<SyntaxUnit> = Vec::new();
        while let Some(unit) = rest.next_if(|unit| unit.first <= last) {
            // Code that is not closed goes on in the next part.
            members.push(SyntaxUnit { last: unit.last.min(last), ..unit });
        }
        SyntaxUnit { first, last, kind: part.kind, symbol: part.name.clone(), members }
    };
    let units = parts.iter().map(unit).collect();
    let headings = parts.iter().filter(|part| part.is_heading).map(|part| Definition {
        first: part.rows.0,
        row: part.rows.0,
        signature_end: part.rows.0,
        symbol: part.name.clone(),
        is_outlined: false,
    });
    let mut definitions = code.definitions;
    definitions.extend(headings);
    definitions.sort_by_key(|definition| definition.row);
    TextStructure { units, definitions }
}

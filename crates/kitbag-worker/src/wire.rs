//! The structure of a text as a flat list, so that no reply can nest deeper than the reader's stack.

use kitbag_text::ChunkKind;
use kitbag_text::syntax::{Definition, SyntaxUnit, TextStructure};
use serde::{Deserialize, Serialize};

/// Units in pre-order and definitions.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FlatStructure {
    units: Vec<FlatUnit>,
    definitions: Vec<FlatDefinition>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FlatUnit {
    depth: u8,
    first: u32,
    last: u32,
    kind: ChunkKind,
    symbol: Option<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FlatDefinition {
    first: u32,
    row: u32,
    signature_end: u32,
    symbol: Option<String>,
    is_outlined: bool,
}

impl FlatStructure {
    pub fn flatten(structure: TextStructure) -> Self {
        let mut units = Vec::new();
        flatten_into(structure.units, 0, &mut units);
        let flat = |Definition { first, row, signature_end, symbol, is_outlined }| FlatDefinition {
            first,
            row,
            signature_end,
            symbol,
            is_outlined,
        };
        Self { units, definitions: structure.definitions.into_iter().map(flat).collect() }
    }

    /// Rebuilds the structure of a text with `rows` rows. Returns `None` if it refers to others, or if the
    /// units of a level or the definitions are not in order.
    pub fn build(self, rows: u32) -> Option<TextStructure> {
        let definition = |it: FlatDefinition| {
            let FlatDefinition { first, row, signature_end, symbol, is_outlined } = it;
            let is_inside = first <= row && row <= signature_end && signature_end < rows;
            is_inside.then_some(Definition { first, row, signature_end, symbol, is_outlined })
        };
        let definitions: Vec<Definition> =
            self.definitions.into_iter().map(definition).collect::<Option<_>>()?;
        if !definitions.is_sorted_by_key(|definition| definition.row) {
            return None;
        }
        Some(TextStructure { units: build_units(self.units, rows)?, definitions })
    }
}

fn flatten_into(units: Vec<SyntaxUnit>, depth: u8, flat: &mut Vec<FlatUnit>) {
    for SyntaxUnit { first, last, kind, symbol, members } in units {
        flat.push(FlatUnit { depth, first, last, kind, symbol });
        flatten_into(members, depth.saturating_add(1), flat);
    }
}

fn build_units(flat: Vec<FlatUnit>, rows: u32) -> Option<Vec<SyntaxUnit>> {
    // The units of each open level; a unit becomes a member of the one before it on the level above.
    let mut levels: Vec<Vec<SyntaxUnit>> = vec![Vec::new()];
    for FlatUnit { depth, first, last, kind, symbol } in flat {
        if first > last || last >= rows {
            return None;
        }
        let depth = usize::from(depth);
        close_levels(&mut levels, depth + 1);
        if depth == levels.len() && levels.last().is_some_and(|level| !level.is_empty()) {
            levels.push(Vec::new());
        }
        let unit = SyntaxUnit { first, last, kind, symbol, members: Vec::new() };
        let level = levels.get_mut(depth)?;
        if level.last().is_some_and(|previous| previous.last >= unit.first) {
            return None;
        }
        level.push(unit);
    }
    close_levels(&mut levels, 1);
    levels.pop()
}

fn close_levels(levels: &mut Vec<Vec<SyntaxUnit>>, open: usize) {
    while levels.len() > open {
        let members = levels.pop().unwrap_or_default();
        if let Some(parent) = levels.last_mut().and_then(|level| level.last_mut()) {
            parent.members = members;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(first: u32, last: u32, members: Vec<SyntaxUnit>) -> SyntaxUnit {
        let symbol = Some(format!("s{first}"));
        SyntaxUnit { first, last, kind: ChunkKind::Class, symbol, members }
    }

    fn definition(row: u32) -> Definition {
        Definition { first: row, row, signature_end: row, symbol: None, is_outlined: true }
    }

    #[test]
    fn flat_structures_are_rebuilt() {
        let inner = unit(2, 3, vec![unit(3, 3, vec![])]);
        let units = vec![unit(0, 0, vec![]), unit(1, 5, vec![inner, unit(4, 4, vec![])])];
        let structure = || TextStructure {
            units: units.clone(),
            definitions: vec![definition(1), definition(4)],
        };
        let flat = FlatStructure::flatten(structure());
        assert_eq!(flat.build(6), Some(structure()));
    }

    #[test]
    fn rows_outside_the_text_and_missing_parents_are_refused() {
        let flat =
            |units, definitions| FlatStructure::flatten(TextStructure { units, definitions });
        assert_eq!(flat(vec![unit(0, 6, vec![])], vec![]).build(6), None);
        assert_eq!(flat(vec![unit(3, 2, vec![])], vec![]).build(6), None);
        assert_eq!(flat(vec![], vec![definition(6)]).build(6), None);
        assert_eq!(flat(vec![], vec![definition(2), definition(1)]).build(6), None);
        let mut orphan = flat(vec![unit(0, 1, vec![])], vec![]);
        orphan.units[0].depth = 9;
        assert_eq!(orphan.build(6), None);
    }
}

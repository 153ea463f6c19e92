//! Property tests for texts in any language.

use super::super::assemble;
use super::super::context::ChunkContext;
use super::COUNTER;
use crate::syntax::{Definition, SplitPoints, SyntaxUnit, TextStructure};
use crate::{
    Cancel, ChunkKind, ChunkLimits, ChunkStrategy, Text, check_invariants, chunk, languages,
};
use proptest::prelude::*;

/// Fragments of code in many languages, complete and incomplete.
const FRAGMENTS: &[&str] = &[
    "\n",
    "\n\n",
    "  ",
    "\t",
    "\r\n",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "\"",
    "'",
    "`",
    "# Title\n",
    "## Deeper\n",
    "```\n",
    "---\n",
    "===\n",
    "def f(a):\n",
    "    return 1\n",
    "class A:\n",
    "class B {\n",
    "fn f() {\n",
    "impl A {\n",
    "/// Doc.\n",
    "// c\n",
    "/* c */",
    "# c\n",
    "#[a]\n",
    "@dec\n",
    "function f() {\n",
    "const a = () => {\n",
    "export default ",
    "end\n",
    "module M\n",
    "do |x|\n",
    "<<~EOS\n",
    "EOS\n",
    "#if A\n",
    "#endif\n",
    "namespace n {\n",
    "template <T>\n",
    "public:\n",
    "<?php\n",
    "func (s *S) F() {\n",
    "type T struct {\n",
    "defmodule M do\n",
    "@doc \"\"\"\n",
    "def f(a), do: a\n",
    "f :: Int\n",
    "f x = 1\n",
    "class C a where\n",
    "{-# INLINE f #-}\n",
    "const S = struct {\n",
    "return struct {\n",
    "test \"t\" {\n",
    "a: 1\n",
    "- b\n",
    "[t]\n",
    "k = 1\n",
    "<p>",
    "</p>\n",
    "é",
    "\u{feff}",
    "word word word ",
    "x = 1\n",
    "\u{2028}",
    "\u{b}",
    "/",
    "//\n",
    "\u{0}",
];

fn fragments() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60)
        .prop_map(|fragments| fragments.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => fragments(), 1 => "(?s).{0,200}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    // Shows: FR-016-31 to FR-016-33, FR-016-44, FR-016-47, FR-016-48, NFR-016-25
    #[test]
    fn invariants_hold_for_any_text(
        content in any_text(),
        language in prop::option::of(0..languages().len()),
        max in 1u32..80,
        min in 0u32..40,
        first_line in 1u32..100,
        strategy in prop_oneof![
            2 => Just(ChunkStrategy::Structure),
            1 => Just(ChunkStrategy::Lines),
            1 => Just(ChunkStrategy::Tokens),
        ],
    ) {
        let text = Text::with_first_line(content, first_line);
        let language = language.map(|index| &languages()[index]);
        let limits = ChunkLimits {
            max_chunk_tokens: max,
            min_chunk_tokens: min,
            lines_per_chunk: 4,
            strategy,
            ..ChunkLimits::default()
        };
        let tally = COUNTER.tally(text.content(), text.row_starts());
        let chunked = chunk(&text, language, &limits, &COUNTER, &tally, &Cancel::default())
            .expect("it is not cancelled");
        check_invariants(&text, &chunked).map_err(TestCaseError::fail)?;
        for chunk in &chunked.chunks {
            prop_assert!(chunk.tokens <= max || chunk.kind == ChunkKind::LongLine, "{}", chunk.span);
        }
    }

    /// The structure of a text comes from another process, which its grammar may have corrupted.
    #[test]
    fn any_structure_within_the_text_is_handled(
        content in any_text(),
        units in prop::collection::vec(any_unit(), 0..8),
        rows in prop::collection::vec((0u32..40, 0u32..3, 0u32..3), 0..8),
        max in 1u32..80,
    ) {
        let text = Text::new(content);
        let end = text.line_count();
        let mut definitions: Vec<Definition> = rows
            .into_iter()
            .map(|(first, to_row, to_end)| definition(first, first + to_row, first + to_row + to_end))
            .filter(|it| it.signature_end < end)
            .collect();
        definitions.sort_by_key(|it| it.row);
        let units = units.into_iter().filter(|unit| is_inside(unit, end)).collect();
        let tally = COUNTER.tally(text.content(), text.row_starts());
        let cancel = &Cancel::default();
        let (counter, tally) = (&*COUNTER, &tally);
        let context =
            ChunkContext { text: &text, counter, tally, max_tokens: max, min_tokens: 5, cancel };
        let structure = TextStructure { units, definitions };
        let limits = ChunkLimits { max_class_tokens: max, ..ChunkLimits::default() };
        assemble(&context, &structure, &limits, false, &mut |rows| SplitPoints::none(rows));
    }
}

fn definition(first: u32, row: u32, signature_end: u32) -> Definition {
    Definition { first, row, signature_end, symbol: Some("f".into()), is_outlined: true }
}

fn any_unit() -> impl Strategy<Value = SyntaxUnit> {
    let kind =
        prop_oneof![Just(ChunkKind::Class), Just(ChunkKind::Function), Just(ChunkKind::Code)];
    let leaf = (0u32..40, 0u32..10, kind).prop_map(|(first, length, kind)| SyntaxUnit {
        first,
        last: first + length,
        kind,
        symbol: None,
        members: Vec::new(),
    });
    leaf.prop_recursive(3, 12, 4, |unit| {
        (unit.clone(), prop::collection::vec(unit, 0..4))
            .prop_map(|(unit, members)| SyntaxUnit { members, ..unit })
    })
}

fn is_inside(unit: &SyntaxUnit, end: u32) -> bool {
    unit.last < end && unit.members.iter().all(|member| is_inside(member, end))
}

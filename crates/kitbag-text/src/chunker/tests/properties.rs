//! Property tests for texts in any language.

use super::COUNTER;
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
}

//! Chunks of any text: each non-blank line is in exactly one of them.
//!
//! The first byte is the index of the language. If there is no such language, the first line is a path.

#![no_main]

use kitbag_fuzz::{Bytes, counting, parse_in_workers, strategy};
use kitbag_text::{Cancel, ChunkLimits, Language, Text, check_invariants, chunk, languages, redact};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    parse_in_workers();
    let mut bytes = Bytes(input);
    let named = languages().get(usize::from(bytes.byte()));
    let limits = ChunkLimits {
        max_chunk_tokens: 1 + 8 * u32::from(bytes.byte()),
        max_class_tokens: 1 + 8 * u32::from(bytes.byte()),
        min_chunk_tokens: u32::from(bytes.byte()),
        lines_per_chunk: u32::from(bytes.byte()),
        strategy: strategy(&mut bytes),
        ..ChunkLimits::default()
    };
    let path = if named.is_none() { bytes.text_until(b'\n') } else { String::new() };
    let text = Text::new(bytes.text());
    let language = named.or_else(|| Language::for_text(&path, &text));
    check(&text, language, &limits);
    if let Some((redacted, _)) = redact(&text) {
        assert_eq!(redacted.line_count(), text.line_count(), "redaction keeps the lines");
        check(&redacted, language, &limits);
    }
});

fn check(text: &Text, language: Option<&Language>, limits: &ChunkLimits) {
    let counting = counting(0);
    let tally = counting.tally(text.content(), text.row_starts());
    let split = || chunk(text, language, limits, counting, &tally, &Cancel::default()).expect("it is not cancelled");
    let chunked = split();
    check_invariants(text, &chunked).unwrap_or_else(|violation| panic!("{violation}"));
    assert_eq!(split(), chunked, "not deterministic");
}

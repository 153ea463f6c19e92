//! Recognizes catalogs: translations, descriptions and labels, whose entries are named after what they describe.

use std::ops::Range;

/// Number of lines on each side that are considered, and their length.
const LINES_AROUND: usize = 5;
const MAX_LINES_BYTES: usize = 800;

/// Fewest texts around an entry of a catalog.
const MIN_TEXTS: usize = 3;

/// Whether most entries around a name are texts for people: several words, the first of which begins with a capital.
pub(super) fn is_in_catalog(content: &str, name: &Range<usize>) -> bool {
    let bytes = content.as_bytes();
    let from = name.start.saturating_sub(MAX_LINES_BYTES);
    let to = (name.end + MAX_LINES_BYTES).min(bytes.len());
    let before = bytes[from..name.start].rsplit(|it| *it == b'\n').skip(1).take(LINES_AROUND);
    let after = bytes[name.end..to].split(|it| *it == b'\n').skip(1).take(LINES_AROUND);
    let (mut entries, mut texts) = (0, 0);
    for value in before.chain(after).filter_map(entry_value) {
        entries += 1;
        texts += usize::from(is_text(value));
    }
    texts >= MIN_TEXTS && texts * 2 >= entries
}

/// Returns the value of an entry such as `"key": "value",`, `key = value` and `'key' => 'value',`.
fn entry_value(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let is_key = |it: &u8| it.is_ascii_alphanumeric() || b"_-.$ /'?!,".contains(it);
    let quoted = line.strip_prefix(b"\"").and_then(|rest| {
        let end = memchr::memchr(b'"', rest)?;
        Some(&rest[end + 1..])
    });
    let key = line.iter().take_while(|it| is_key(it)).count();
    let rest = quoted.unwrap_or(&line[key..]).trim_ascii_start();
    let rest = [&b"=>"[..], b":", b"="].iter().find_map(|it| rest.strip_prefix(*it))?;
    let is_trimmed = |it: &u8| b"\"'`,; \t".contains(it);
    let start = rest.iter().take_while(|it| is_trimmed(it)).count();
    let value = &rest[start..];
    let end = value.iter().rev().take_while(|it| is_trimmed(it)).count();
    Some(&value[..value.len() - end])
}

fn is_text(value: &[u8]) -> bool {
    let is_capital = value.first().is_some_and(|it| it.is_ascii_uppercase() || !it.is_ascii());
    let is_letter = |it: u8| it.is_ascii_alphabetic() || !it.is_ascii();
    let has_words =
        value.windows(3).any(|it| is_letter(it[0]) && it[1] == b' ' && is_letter(it[2]));
    // Scripts without spaces are not used for anything else.
    let is_other_script = value.iter().filter(|it| !it.is_ascii()).count() * 2 > value.len();
    is_capital && has_words || is_other_script
}

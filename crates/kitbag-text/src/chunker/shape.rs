//! What a text looks like before it is parsed: texts that parsers are known to take very long
//! over, or to give up the whole process for, are not parsed at all.
//!
//! The parser's steps are counted, but a single step can be too much: recovery from an error at
//! the end of a text costs memory for everything that is still open, and some scanners abort the
//! process when their buffer of open indents is full.

use crate::Fallback;

/// Brackets, angles and indents that open this many times deeper than they may are nested too
/// deeply even if some stand in strings.
const BEYOND_DOUBT: u32 = 20;
/// Indents within indents. Scanners keep them in a small buffer, and abort when it is full.
const DEEPEST_INDENT: usize = 200;

/// Why `content` had better not be parsed, if it had not.
pub(super) fn unfit(content: &str, max_depth: u32) -> Option<Fallback> {
    let mut indents: Vec<usize> = Vec::new();
    for line in content.as_bytes().split_inclusive(|&byte| byte == b'\n') {
        indent(line, &mut indents);
        if indents.len() > DEEPEST_INDENT {
            return Some(Fallback::NestedTooDeeply);
        }
    }
    nests_beyond_doubt(content, max_depth).then_some(Fallback::NestedTooDeeply)
}

/// Keeps the stack of indents up to date with one more line. A `- ` that opens an item of a YAML
/// list indents what follows it.
fn indent(line: &[u8], indents: &mut Vec<usize>) {
    let mut column = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if line[column..].iter().all(u8::is_ascii_whitespace) {
        return;
    }
    while indents.last().is_some_and(|&open| open >= column) {
        indents.pop();
    }
    indents.push(column);
    while let [b'-' | b'?' | b':', b' ', ..] = line[column..]
        && indents.len() <= DEEPEST_INDENT
    {
        column += 2;
        indents.push(column);
    }
}

/// Whether brackets or angles, wherever they stand, open so deeply that strings and comparisons
/// cannot explain it. Angles count anew after every statement and block.
fn nests_beyond_doubt(content: &str, max_depth: u32) -> bool {
    let depth = max_depth.saturating_mul(BEYOND_DOUBT);
    let (mut brackets, mut angles) = (0u32, 0u32);
    content.bytes().any(|byte| {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets = brackets.saturating_sub(1),
            b'{' => (brackets, angles) = (brackets + 1, 0),
            b'}' => (brackets, angles) = (brackets.saturating_sub(1), 0),
            b'<' => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            b';' => angles = 0,
            _ => return false,
        }
        brackets > depth || angles > depth
    })
}

//! Detection of deeply nested texts, which must not be parsed.
//!
//! Parser steps are limited, but a single step can be too expensive: error recovery at the end of a text
//! needs memory for everything that is still open, and some scanners abort the process when their
//! buffer of open indents is full.

use crate::chunk::Fallback;

/// Factor over the depth limit beyond which a text counts as nested too deeply even though some of its
/// brackets may be in strings.
const UNPARSED_DEPTH_FACTOR: u32 = 20;
/// Maximum number of nested indents. Scanners abort when their small buffer of indents is full.
const MAX_INDENTS: usize = 200;

/// Maximum nesting depth of brackets, including those in strings and comments.
#[derive(Clone, Copy, Default)]
pub(super) struct Nesting {
    /// Depth of `(`, `[` and `{`.
    pub brackets: u32,
    /// Depth of `<`, which restarts after every statement and block.
    pub angles: u32,
}

impl Nesting {
    pub fn of(content: &str) -> Self {
        let (mut brackets, mut angles, mut deepest) = (0u32, 0u32, Self::default());
        for byte in content.bytes() {
            match byte {
                b'(' | b'[' | b'{' => brackets += 1,
                b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
                b'<' => angles += 1,
                b'>' => angles = angles.saturating_sub(1),
                b';' => {}
                _ => continue,
            }
            if matches!(byte, b'{' | b'}' | b';') {
                angles = 0;
            }
            deepest.brackets = deepest.brackets.max(brackets);
            deepest.angles = deepest.angles.max(angles);
        }
        deepest
    }
}

/// Checks that `content` is safe to parse.
pub(super) fn check_parseable(
    content: &str,
    nesting: Nesting,
    max_depth: u32,
) -> Result<(), Fallback> {
    let depth = max_depth.saturating_mul(UNPARSED_DEPTH_FACTOR);
    if nesting.brackets > depth || nesting.angles > depth || has_too_many_indents(content) {
        return Err(Fallback::NestedTooDeeply);
    }
    Ok(())
}

fn has_too_many_indents(content: &str) -> bool {
    let mut indents: Vec<usize> = Vec::new();
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', content.as_bytes()).chain([content.len()]);
    ends.map(|end| std::mem::replace(&mut start, end + 1)..end).any(|line| {
        update_indents(&content.as_bytes()[line], &mut indents);
        indents.len() > MAX_INDENTS
    })
}

/// Updates the stack of indents with a line. The `- ` of a YAML list item indents the text after it.
fn update_indents(line: &[u8], indents: &mut Vec<usize>) {
    let mut column = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if line[column..].iter().all(u8::is_ascii_whitespace) {
        return;
    }
    while indents.last().is_some_and(|&open| open >= column) {
        indents.pop();
    }
    indents.push(column);
    while let [b'-' | b'?' | b':', b' ', ..] = line[column..]
        && indents.len() <= MAX_INDENTS
    {
        column += 2;
        indents.push(column);
    }
}

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
    /// Computes the nesting of `content` with a table and without branches, since it visits every byte.
    pub fn of(content: &str) -> Self {
        let (mut brackets, mut angles, mut deepest) = (0u32, 0u32, Self::default());
        for &byte in content.as_bytes() {
            let effect = EFFECTS[usize::from(byte)];
            brackets = (brackets + effect.opens_bracket).saturating_sub(effect.closes_bracket);
            angles = (angles + effect.opens_angle).saturating_sub(effect.closes_angles);
            deepest.brackets = deepest.brackets.max(brackets);
            deepest.angles = deepest.angles.max(angles);
        }
        deepest
    }
}

/// Effect of a byte on the number of open brackets.
#[derive(Clone, Copy)]
struct Effect {
    opens_bracket: u32,
    closes_bracket: u32,
    opens_angle: u32,
    closes_angles: u32,
}

const EFFECTS: [Effect; 256] = effects();

const fn effects() -> [Effect; 256] {
    let none = Effect { opens_bracket: 0, closes_bracket: 0, opens_angle: 0, closes_angles: 0 };
    let mut effects = [none; 256];
    effects[b'(' as usize].opens_bracket = 1;
    effects[b'[' as usize].opens_bracket = 1;
    effects[b')' as usize].closes_bracket = 1;
    effects[b']' as usize].closes_bracket = 1;
    effects[b'{' as usize] = Effect { opens_bracket: 1, closes_angles: u32::MAX, ..none };
    effects[b'}' as usize] = Effect { closes_bracket: 1, closes_angles: u32::MAX, ..none };
    effects[b'<' as usize].opens_angle = 1;
    effects[b'>' as usize].closes_angles = 1;
    effects[b';' as usize].closes_angles = u32::MAX;
    effects
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

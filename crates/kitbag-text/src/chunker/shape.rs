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

/// How deep brackets and angles open, wherever they stand: in strings and comments too.
#[derive(Clone, Copy, Default)]
pub(super) struct Nesting {
    /// How deep `(`, `[` and `{` do.
    pub brackets: u32,
    /// How deep `<` does. Angles count anew after every statement and block.
    pub angles: u32,
}

impl Nesting {
    /// That of `content`. It is asked of every byte, so a table answers and nothing branches.
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

/// What a byte does to the brackets and angles that are open.
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

/// Why `content`, which nests that deep, had better not be parsed, if it had not.
pub(super) fn unfit(content: &str, nesting: Nesting, max_depth: u32) -> Option<Fallback> {
    let depth = max_depth.saturating_mul(BEYOND_DOUBT);
    let too_deep = nesting.brackets > depth || nesting.angles > depth || indents_too_deep(content);
    too_deep.then_some(Fallback::NestedTooDeeply)
}

fn indents_too_deep(content: &str) -> bool {
    let mut indents: Vec<usize> = Vec::new();
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', content.as_bytes()).chain([content.len()]);
    ends.map(|end| std::mem::replace(&mut start, end + 1)..end).any(|line| {
        indent(&content.as_bytes()[line], &mut indents);
        indents.len() > DEEPEST_INDENT
    })
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

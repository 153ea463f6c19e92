//! The line on which a chunk defines a name.

use kitbag_text::{Chunk, Text, identifiers};

/// Words before a name that is defined.
const KEYWORDS: [&str; 31] = [
    "def",
    "class",
    "fn",
    "func",
    "fun",
    "function",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "const",
    "let",
    "var",
    "val",
    "static",
    "module",
    "mod",
    "macro_rules",
    "object",
    "record",
    "protocol",
    "namespace",
    "union",
    "typedef",
    "define",
    "defp",
    "defmodule",
    "public",
    "sub",
    "data",
];

/// Returns the line of a chunk on which a name is defined: the first with the name after a keyword, or else
/// the first with a constant or with parameters. Fields have none, and lines of comments and of
/// documentation that mention the name do not count.
pub(crate) fn definition_line(text: &Text, chunk: &Chunk, name: &str) -> Option<u32> {
    let follows_keyword = |line: &str| {
        let words: Vec<&str> = identifiers(line).collect();
        words.windows(2).any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == name)
    };
    let is_declared = |line: &str| {
        let at = line.find(name);
        let rest = at.map_or("", |at| &line[at + name.len()..]);
        let is_constant = !name.contains(char::is_lowercase);
        at == Some(0) && is_constant && rest.starts_with([' ', ':', '=']) || rest.starts_with('(')
    };
    let is_code = |line: &str| {
        !["//", "#", "*", "/*", "--", "\"", ":", "<!--"].iter().any(|it| line.starts_with(it))
            || line.starts_with("#define")
    };
    let find = |is_definition: &dyn Fn(&str) -> bool| {
        let mut numbers = chunk.span.start..=chunk.span.end;
        numbers.find(|&number| {
            let line = text.line(number).trim();
            is_code(line) && is_definition(line) && identifiers(line).any(|word| word == name)
        })
    };
    find(&follows_keyword).or_else(|| find(&is_declared))
}

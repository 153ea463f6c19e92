//! Comment detection by line, for texts without a grammar.
//!
//! This is a heuristic, not a parser: a string that looks like a comment is treated as one. It is used
//! where it suffices to separate explanations from code.

use crate::language::Language;
use crate::text::Text;
use std::ops::Range;

/// Comment delimiters of some languages.
struct CommentSyntax {
    /// Names, separated by spaces.
    languages: &'static str,
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
}

const fn syntax(
    languages: &'static str,
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
) -> CommentSyntax {
    CommentSyntax { languages, line, block }
}

const SYNTAXES: &[CommentSyntax] = &[
    syntax("python", &["#"], &[("\"\"\"", "\"\"\""), ("'''", "'''")]),
    syntax("ruby", &["#"], &[("=begin", "=end")]),
    syntax("php", &["//", "#"], &[("/*", "*/")]),
    syntax("bash perl r powershell make dockerfile", &["#"], &[]),
    syntax("elixir", &["#", "@doc \"", "@moduledoc \"", "@typedoc \""], ELIXIR_DOCS),
    syntax("haskell", &["--"], &[("{-", "-}")]),
    syntax("lua sql", &["--"], &[("--[[", "]]"), ("{-", "-}")]),
    syntax("rust go c cpp csharp java kotlin scala swift", &["//"], &[("/*", "*/")]),
    syntax("javascript typescript tsx dart protobuf", &["//"], &[("/*", "*/")]),
    syntax("hcl", &["#", "//"], &[("/*", "*/")]),
    syntax("zig", &["//"], &[]),
];

/// Documentation in Elixir, which consists of attributes with strings.
const ELIXIR_DOCS: &[(&str, &str)] = &[
    ("@doc \"\"\"", "\"\"\""),
    ("@doc ~S\"\"\"", "\"\"\""),
    ("@moduledoc \"\"\"", "\"\"\""),
    ("@moduledoc ~S\"\"\"", "\"\"\""),
    ("@typedoc \"\"\"", "\"\"\""),
];

/// Classifies the lines of a text, in order, as comments or code.
pub struct CommentScanner {
    syntax: Option<&'static CommentSyntax>,
    /// Delimiter that ends the current block comment.
    block_end: Option<&'static str>,
}

impl CommentScanner {
    /// Creates a scanner for a text in the language called `language`.
    pub fn new(language: Option<&str>) -> Self {
        let is_named = |syntax: &&CommentSyntax| {
            syntax.languages.split(' ').any(|name| Some(name) == language)
        };
        Self { syntax: SYNTAXES.iter().find(is_named), block_end: None }
    }

    /// Whether the next line is a comment or part of one.
    pub fn is_comment(&mut self, line: &str) -> bool {
        let Some(syntax) = self.syntax else { return false };
        let line = line.trim();
        if let Some(end) = self.block_end {
            if line.contains(end) {
                self.block_end = None;
            }
            return true;
        }
        // Raw docstrings have a prefix such as `r`.
        let unprefixed = line.strip_prefix(['r', 'u', 'R', 'U']).unwrap_or(line);
        for (begin, end) in syntax.block {
            if let Some(rest) = line.strip_prefix(begin).or_else(|| unprefixed.strip_prefix(begin))
            {
                self.block_end = (!rest.contains(end)).then_some(*end);
                return true;
            }
        }
        syntax.line.iter().any(|prefix| line.starts_with(prefix))
    }
}

/// Returns the byte ranges of the lines of `text` that are comments.
pub(crate) fn comment_lines(text: &Text, language: Option<&Language>) -> Vec<Range<usize>> {
    let mut scanner = CommentScanner::new(language.map(Language::name));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for row in 0..text.row_starts().len() {
        let start = text.row_starts()[row] as usize;
        let line = text.row_slice(row..row + 1);
        if scanner.is_comment(line) {
            ranges.push(start..start + line.len());
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(language: &str, text: &str) -> String {
        let mut comments = CommentScanner::new(Some(language));
        text.lines().map(|line| if comments.is_comment(line) { '#' } else { '.' }).collect()
    }

    #[test]
    fn comment_lines_and_blocks_are_recognized() {
        let python = "x = 1\n# why\ndef f():\n    \"\"\"What.\n\n    More.\n    \"\"\"\n    return";
        assert_eq!(comments("python", python), ".#.####.");
        assert_eq!(comments("rust", "/// Doc\nfn f() {} // end\n/* a\nb */\nx"), "#.##.");
        let elixir = "@doc \"\"\"\nWhat.\n\"\"\"\ndef f, do: 1\n# why\n@doc \"Short.\"\n@doc false";
        assert_eq!(comments("elixir", elixir), "###.##.");
        let haskell = "{- a\nb -}\n-- | Doc.\nf = 1 -- end";
        assert_eq!(comments("haskell", haskell), "###.");
        assert_eq!(comments("zig", "//! Doc\n/// Doc\nconst a = 1;"), "##.");
        assert_eq!(comments("json", "// no"), ".");
    }
}

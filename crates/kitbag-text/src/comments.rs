//! Which lines of a source file are comments, by a look at how they begin.
//!
//! This is no parser: a string that looks like a comment is taken for one. It only tells the words
//! that explain from the words that do, where there is no grammar or none is needed.

use crate::{Language, Text};
use std::ops::Range;

/// How a language marks its comments.
struct Marks {
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
}

const SLASHES: Marks = Marks { line: &["//"], block: &[("/*", "*/")] };
const PHP: Marks = Marks { line: &["//", "#"], block: &[("/*", "*/")] };
const HASH: Marks = Marks { line: &["#"], block: &[] };
const PYTHON: Marks = Marks { line: &["#"], block: &[("\"\"\"", "\"\"\""), ("'''", "'''")] };
const RUBY: Marks = Marks { line: &["#"], block: &[("=begin", "=end")] };
const DASHES: Marks = Marks { line: &["--"], block: &[("--[[", "]]"), ("{-", "-}")] };

fn marks(language: &str) -> Option<&'static Marks> {
    Some(match language {
        "python" => &PYTHON,
        "ruby" => &RUBY,
        "php" => &PHP,
        "bash" | "elixir" | "perl" | "r" | "powershell" | "make" | "dockerfile" => &HASH,
        "lua" | "haskell" | "sql" => &DASHES,
        "rust" | "go" | "c" | "cpp" | "csharp" | "java" | "kotlin" | "scala" | "swift"
        | "javascript" | "typescript" | "tsx" | "dart" | "zig" => &SLASHES,
        _ => return None,
    })
}

/// Tells lines that are comments from lines that are not, one after the other.
pub struct Comments {
    marks: Option<&'static Marks>,
    /// What ends the block that the next line is in.
    until: Option<&'static str>,
}

impl Comments {
    /// For a text in the language of that name.
    pub fn new(language: Option<&str>) -> Self {
        Self { marks: language.and_then(marks), until: None }
    }

    /// Whether the next line is a comment, or within one.
    pub fn is_comment(&mut self, line: &str) -> bool {
        let Some(marks) = self.marks else { return false };
        let line = line.trim();
        if let Some(end) = self.until {
            if line.contains(end) {
                self.until = None;
            }
            return true;
        }
        // A prefix such as the `r` of a raw docstring does not matter.
        let bare = line.strip_prefix(['r', 'u', 'R', 'U']).unwrap_or(line);
        for (begin, end) in marks.block {
            if let Some(rest) = line.strip_prefix(begin).or_else(|| bare.strip_prefix(begin)) {
                self.until = (!rest.contains(end)).then_some(*end);
                return true;
            }
        }
        marks.line.iter().any(|mark| line.starts_with(mark))
    }
}

/// The bytes of whole lines of `text` that are comments.
pub(crate) fn comment_lines(text: &Text, language: Option<&Language>) -> Vec<Range<usize>> {
    let mut comments = Comments::new(language.map(Language::name));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for row in 0..text.starts().len() {
        let start = text.starts()[row] as usize;
        let line = text.row_slice(row..row + 1);
        if comments.is_comment(line) {
            ranges.push(start..start + line.len());
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(language: &str, text: &str) -> String {
        let mut comments = Comments::new(Some(language));
        text.lines().map(|line| if comments.is_comment(line) { '#' } else { '.' }).collect()
    }

    #[test]
    fn lines_and_blocks_are_told_from_code() {
        let python = "x = 1\n# why\ndef f():\n    \"\"\"What.\n\n    More.\n    \"\"\"\n    return";
        assert_eq!(comments("python", python), ".#.####.");
        assert_eq!(comments("rust", "/// Doc\nfn f() {} // end\n/* a\nb */\nx"), "#.##.");
        assert_eq!(comments("json", "// no"), ".");
    }
}

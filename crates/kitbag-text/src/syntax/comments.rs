//! Comments of a text, by its syntax tree.

use super::parser::advance;
use super::{ParseFailure, ParseRequest, parser};
use crate::cancel::{Cancel, Cancelled};
use crate::chunk::ChunkLimits;
use crate::comments::comment_lines;
use crate::language::Language;
use crate::text::Text;
use std::ops::Range;
use tree_sitter::Tree;

/// Returns the byte ranges of comments in `text`, in order. Without a grammar, or if parsing fails, these
/// are the lines that begin like a comment. Docstrings are comments only in that case.
///
/// ```
/// use kitbag_text::{Cancel, ChunkLimits, Language, Text, comment_ranges};
/// let text = Text::new("let url = \"http://a\"; // why\n");
/// let rust = Language::named("rust");
/// let ranges = comment_ranges(&text, rust, &ChunkLimits::default(), &Cancel::default());
/// assert_eq!(ranges.unwrap(), [22..28]);
/// ```
pub fn comment_ranges(
    text: &Text,
    language: Option<&Language>,
    limits: &ChunkLimits,
    cancel: &Cancel,
) -> Result<Vec<Range<usize>>, Cancelled> {
    let Some(language) = language.filter(|language| language.has_grammar()) else {
        return Ok(comment_lines(text, language));
    };
    let request = ParseRequest { language, content: text.content(), limits: limits.into(), cancel };
    match parser().comments(&request) {
        Ok(ranges) => Ok(ranges),
        Err(ParseFailure::Fallback(_)) => Ok(comment_lines(text, Some(language))),
        Err(ParseFailure::Cancelled(cancelled)) => Err(cancelled),
    }
}

/// Returns the byte ranges of the comments in `tree`, in order.
pub(super) fn comments_of(tree: &Tree) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        // Grammars use names such as `comment`, `line_comment` and `block_comment`; `haddock` is Haskell's
        // documentation.
        let is_kind = node.kind().ends_with("comment") || node.kind() == "haddock";
        let is_comment = node.is_named() && is_kind;
        if is_comment {
            ranges.push(node.byte_range());
        }
        if advance(&mut cursor, !is_comment).is_none() {
            return ranges;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_comments(language: &str, content: &str) -> String {
        let text = Text::new(content);
        let (language, limits) = (Language::named(language), ChunkLimits::default());
        let ranges = comment_ranges(&text, language, &limits, &Cancel::default());
        let mut rest = String::new();
        let mut at = 0;
        for range in ranges.expect("it is not cancelled") {
            rest.push_str(&content[at..range.start]);
            at = range.end;
        }
        rest + &content[at..]
    }

    #[test]
    fn grammar_distinguishes_comments_from_strings() {
        assert_eq!(without_comments("python", "x = '# no'  # yes\n"), "x = '# no'  \n");
        assert_eq!(without_comments("go", "a := 1 /* b */ + 2\n"), "a := 1  + 2\n");
        assert_eq!(without_comments("rust", "// a\nfn f() {} // b\n").trim(), "fn f() {}");
        assert_eq!(
            without_comments("zig", "/// a\nconst x = \"// no\"; // b\n").trim(),
            "const x = \"// no\";"
        );
        assert_eq!(without_comments("elixir", "x = \"# no\" # yes\n"), "x = \"# no\" \n");
        let haskell = "-- | A number.\nx = \"-- no\" {- why -}\n\n-- end\n";
        assert_eq!(without_comments("haskell", haskell).trim(), "x = \"-- no\"");
    }

    #[test]
    fn comments_are_detected_by_line_without_a_grammar() {
        assert_eq!(without_comments("perl", "# a\nx # b\n"), "x # b\n");
        assert_eq!(without_comments("text", "# a\n"), "# a\n");
    }
}

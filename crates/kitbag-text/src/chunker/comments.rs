//! Which bytes of a text are comments.

use super::Unparsed;
use super::parse::{next, parse};
use crate::comments::comment_lines;
use crate::language::Structure;
use crate::{Cancel, Cancelled, ChunkLimits, Language, Text};
use std::ops::Range;

/// The bytes of `text` that are comments, in order: by the language's grammar where it has one that
/// can make something of the text, else the lines that begin like a comment. Strings that document
/// what they stand in, as in Python, are comments only without a grammar.
///
/// ```
/// use kitbag_text::{ChunkLimits, Language, Text, comment_ranges};
/// let text = Text::new("let url = \"http://a\"; // why\n");
/// let rust = Language::named("rust");
/// assert_eq!(comment_ranges(&text, rust, &ChunkLimits::default()), [22..28]);
/// ```
pub fn comment_ranges(
    text: &Text,
    language: Option<&Language>,
    limits: &ChunkLimits,
) -> Vec<Range<usize>> {
    // A flag that nobody has cannot be raised.
    comment_ranges_until(text, language, limits, &Cancel::default()).unwrap_or_default()
}

/// The same, unless `cancel` says that nobody wants it any more.
pub fn comment_ranges_until(
    text: &Text,
    language: Option<&Language>,
    limits: &ChunkLimits,
    cancel: &Cancel,
) -> Result<Vec<Range<usize>>, Cancelled> {
    let Some(Structure::Items(grammar)) = language.map(Language::structure) else {
        return Ok(comment_lines(text, language));
    };
    let tree = match parse(grammar.compiled(), text.content(), limits, cancel) {
        Ok(tree) => tree,
        Err(Unparsed::Guard(_)) => return Ok(comment_lines(text, language)),
        Err(Unparsed::Stopped(cancelled)) => return Err(cancelled),
    };
    let mut ranges = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        // Every grammar calls its comments so: `comment`, `line_comment`, `block_comment`.
        let is_comment = node.is_named() && node.kind().ends_with("comment");
        if is_comment {
            ranges.push(node.byte_range());
        }
        if next(&mut cursor, !is_comment).is_none() {
            return Ok(ranges);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_comments(language: &str, content: &str) -> String {
        let text = Text::new(content);
        let ranges = comment_ranges(&text, Language::named(language), &ChunkLimits::default());
        let mut rest = String::new();
        let mut at = 0;
        for range in ranges {
            rest.push_str(&content[at..range.start]);
            at = range.end;
        }
        rest + &content[at..]
    }

    #[test]
    fn a_grammar_tells_comments_from_strings() {
        assert_eq!(without_comments("python", "x = '# no'  # yes\n"), "x = '# no'  \n");
        assert_eq!(without_comments("go", "a := 1 /* b */ + 2\n"), "a := 1  + 2\n");
        assert_eq!(without_comments("rust", "// a\nfn f() {} // b\n").trim(), "fn f() {}");
    }

    #[test]
    fn without_a_grammar_lines_that_begin_like_comments_are() {
        assert_eq!(without_comments("perl", "# a\nx # b\n"), "x # b\n");
        assert_eq!(without_comments("text", "# a\n"), "# a\n");
    }
}

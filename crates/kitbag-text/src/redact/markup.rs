//! Values in the markup of documents: emphasized, in inline code, or in the cell after their name.

use super::assignment::{Assignment, NamedValue, ValueForm};
use super::literal::skip_space_and_lines;
use regex::bytes::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::LazyLock;

/// Longest value in markup.
const MAX_MARKED_BYTES: usize = 64;

/// Elements of inline markup.
const INLINE: &[&[u8]] =
    &[b"code>", b"b>", b"strong>", b"kbd>", b"tt>", b"samp>", b"em>", b"i>", b"pre>"];

impl Assignment<'_> {
    /// Reads an emphasized value or one in inline code: `**...**`, `<code>...</code>`.
    pub fn marked(&self, at: usize) -> Option<NamedValue> {
        let rest = self.bytes.get(at..)?;
        let (open, close): (usize, &[u8]) = match rest {
            [b'*', b'*', ..] => (2, b"**"),
            [b'<', tag @ ..] => (1 + INLINE.iter().find(|it| tag.starts_with(it))?.len(), b"</"),
            _ => return None,
        };
        let value = self.until(at + open, close)?;
        Some(NamedValue::new(value, ValueForm::Quoted))
    }

    fn until(&self, start: usize, close: &[u8]) -> Option<Range<usize>> {
        let window = &self.bytes[start..(start + MAX_MARKED_BYTES).min(self.bytes.len())];
        let end = memchr::memmem::find(window, close)?;
        let is_line = memchr::memchr(b'\n', &window[..end]).is_none();
        (is_line && end > 0).then(|| start..start + end)
    }

    /// Reads the cell after the one that ends with the name: `<td>FTP password</td><td>...</td>`.
    pub fn next_cell(&self) -> Option<NamedValue> {
        let window = &self.bytes[self.name.end..(self.name.end + 160).min(self.bytes.len())];
        let cell = NEXT_CELL.find(window)?;
        let at = skip_space_and_lines(self.bytes, self.name.end + cell.end());
        let value = self.until(at, b"<")?;
        // Words that begin with a capital are the names of other columns.
        let is_label = self.bytes[value.start].is_ascii_uppercase()
            && self.bytes[value.start + 1..value.end]
                .iter()
                .all(|it| it.is_ascii_lowercase() || *it == b' ');
        (!is_label).then(|| NamedValue::new(value, ValueForm::Quoted))
    }
}

static NEXT_CELL: LazyLock<Regex> = LazyLock::new(|| {
    RegexBuilder::new(
        r"\A:?</(?:td|th|dt|b|strong|label|span|li)>:?\s{0,40}<(?:td|dd|code|span|kbd|tt)(?: [^<>\n]{0,60})?>(?:<(?:code|b|strong|kbd|tt)>)?",
    )
    .unicode(false)
    .build()
    .expect("a test compiles it")
});

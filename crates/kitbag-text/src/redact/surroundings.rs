//! Values that are apart from their name: in elements, on the next lines, after words, or after another name.

use super::assignment::{Assignment, MARKER, MAX_DISTANCE, NamedValue, ValueForm};
use super::literal::{read_bare, rest_of_line, skip_space_and_lines};
use regex::bytes::{Regex, RegexBuilder};
use std::sync::LazyLock;

impl Assignment<'_> {
    /// Reads the only line of a document such as `<<~KEY`.
    pub fn here_document(&self, at: usize) -> Option<NamedValue> {
        let line = rest_of_line(self.bytes, at);
        let value = rest_of_line(self.bytes, line.end + 1);
        let is_word = !value.is_empty() && !self.bytes[value.clone()].contains(&b' ');
        is_word.then(|| NamedValue::new(value, ValueForm::Loose))
    }

    /// Reads the first line of a block scalar of YAML, `>-` or `|`.
    pub fn block_scalar(&self, at: usize) -> Option<NamedValue> {
        let line = rest_of_line(self.bytes, at);
        let header = &self.bytes[line.clone()];
        let value = rest_of_line(self.bytes, line.end + 1);
        let is_block = header.len() <= 3 && header[1..].iter().all(|it| b"+-12468".contains(it));
        let is_word = !value.is_empty() && !self.bytes[value.clone()].contains(&b' ');
        (is_block && is_word).then(|| NamedValue::new(value, ValueForm::Line))
    }

    /// Reads the text of an element, possibly within another element.
    pub fn element(&self, after: usize) -> Option<NamedValue> {
        let bytes = self.bytes;
        let mut at = skip_space_and_lines(bytes, after);
        if bytes.get(at..)?.starts_with(b"<![CDATA[") {
            at += b"<![CDATA[".len();
        } else if bytes.get(at) == Some(&b'<') && bytes.get(at + 1) != Some(&b'/') {
            let window = &bytes[at..(at + 32).min(bytes.len())];
            at = skip_space_and_lines(bytes, at + memchr::memchr(b'>', window)? + 1);
        }
        let line = rest_of_line(bytes, at);
        let end = memchr::memchr2(b'<', b']', &bytes[line.clone()]).map_or(line.end, |it| at + it);
        let value = at..end.max(at);
        let is_closed = matches!(bytes.get(value.end..), Some([b'<', b'/', ..] | [b']', b']', ..]))
            || value.end == line.end
                && bytes[after..at].contains(&b'\n')
                && !bytes[value.clone()].contains(&b' ');
        (is_closed && !value.is_empty()).then(|| NamedValue::new(value, ValueForm::Quoted))
    }

    /// Reads a value that follows without an operator, as in `requirepass ...` and `storePassword "..."`.
    pub fn word(&self, at: usize) -> Option<NamedValue> {
        let words = self.bytes[self.name.clone()].to_ascii_lowercase();
        // These words are verbs and nouns of prose as well.
        if matches!(words.as_slice(), b"pass" | b"key" | b"login" | b"auth" | b"session" | b"seed")
        {
            return None;
        }
        if let Some(value) = self.literal(at, ValueForm::Quoted) {
            let has_space = self.bytes[value.parts[0].clone()].contains(&b' ');
            return (!has_space).then_some(value);
        }
        let phrase = PHRASE.captures(&self.bytes[at..(at + MAX_DISTANCE).min(self.bytes.len())]);
        if let Some(value) = phrase.and_then(|it| it.get(1)) {
            let value = at + value.start()..at + value.end();
            let end = value.end - usize::from(self.bytes[value.clone()].ends_with(b"."));
            return Some(NamedValue::new(value.start..end, ValueForm::Loose));
        }
        let value = read_bare(self.bytes, at);
        (!value.is_empty()).then(|| NamedValue::new(value, ValueForm::Loose))
    }

    /// Reads the text of an element whose attributes include the name.
    fn attributed(&self, at: usize) -> Option<NamedValue> {
        let window = &self.bytes[at..(at + MAX_DISTANCE).min(self.bytes.len())];
        let end = memchr::memchr3(b'<', b'>', b'\n', window)?;
        let is_end = window[end] == b'>' && !window[..end].ends_with(b"/");
        is_end.then(|| self.element(at + end + 1))?
    }

    /// Finds a value that another name introduces: `name="password" value="..."`.
    pub fn apart(&self) -> Option<NamedValue> {
        if !self.is_closed && !self.is_listed() {
            return None;
        }
        let at = self.closed;
        let limit = (at + 2 * MAX_DISTANCE).min(self.bytes.len());
        let window = &self.bytes[at..limit];
        let Some(captures) = APART.captures(window) else { return self.attributed(at) };
        let (whole, value) = (captures.get(0)?, captures.get(1)?);
        let between = &window[..whole.start()];
        let has_ended = [&b"}"[..], b"/>", b"\n- ", b" - ", b"\n\n", MARKER]
            .iter()
            .any(|end| memchr::memmem::find(between, end).is_some());
        if has_ended {
            return self.attributed(at);
        }
        let start = at + value.start();
        if let Some(value) = self.literal(start, ValueForm::Quoted) {
            return Some(value);
        }
        let value = if captures[0].ends_with(b">") {
            return self.element(start);
        } else {
            read_bare(self.bytes, start)
        };
        let line = rest_of_line(self.bytes, start);
        let form = if value.end == line.end { ValueForm::Line } else { ValueForm::Bare };
        (!value.is_empty()).then(|| NamedValue::new(value, form))
    }
}

/// A value in prose: `password is ...`, `password for the key above: ...`.
static PHRASE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\A(?:(?:[a-z@.()]{1,24} ){0,7}[A-Za-z0-9@._-]{1,48}: +|is(?: now)?(?: set to)?:? +)[`"']?([^\s`"'<>()\[\]]{6,})"#,
    )
});

/// A name such as `value`, and the beginning of its value.
static APART: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)(?:\b(?:parameter_?)?(?:value|default(?:_?value)?|content|plaintext|result)\\?["']?[ \t]{0,8}[:=][ \t]{0,8}|<(?:string|value)>)()"#,
    )
});

fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).unicode(false).build().expect("a test compiles it")
}

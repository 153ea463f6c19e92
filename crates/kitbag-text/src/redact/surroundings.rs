//! Values that are apart from their name: in elements, on the next lines, after words, or after another name.

use super::assignment::{Assignment, MARKER, MAX_DISTANCE, NamedValue, ValueForm};
use super::literal::{is_quote, read_bare, rest_of_line, skip_space_and_lines};
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
        // The text of `<p id="pass">` and of a link is a message.
        let is_text = self.name.len() <= 4 || bytes[value.clone()].contains(&b' ');
        let form = if self.is_closed && is_text { ValueForm::Argument } else { ValueForm::Quoted };
        (is_closed && !value.is_empty()).then(|| NamedValue::new(value, form))
    }

    /// Reads a value that follows without an operator, as in `requirepass ...` and `storePassword "..."`.
    pub fn word(&self, at: usize) -> Option<NamedValue> {
        let words = self.bytes[self.name.clone()].to_ascii_lowercase();
        // These words are verbs and nouns of prose as well.
        let is_api_key =
            words == b"key" && self.line_before().to_ascii_lowercase().ends_with(b"api ");
        let is_word = matches!(
            words.as_slice(),
            b"pass" | b"key" | b"login" | b"auth" | b"session" | b"seed"
        );
        if is_word && !is_api_key {
            return None;
        }
        // `PASSWORD '...'` in SQL, `#define PASSWORD "..."`, `--password "..."`.
        let is_upper = !self.bytes[self.name.clone()].iter().any(u8::is_ascii_lowercase);
        let is_clear = words.len() > 4 && is_upper
            || self.follows_login()
            || self.follows_quoted_user()
            || self.is_option()
            || self.begins_line()
            || self.is_in_tuple(at);
        let is_inline_code = self.bytes.get(at) == Some(&b'`');
        let form = if is_clear || is_inline_code { ValueForm::Quoted } else { ValueForm::Argument };
        if let Some(value) = self.literal(at, form) {
            let has_space = self.bytes[value.parts[0].clone()].contains(&b' ');
            return (!has_space || is_clear).then_some(value);
        }
        let phrase = PHRASE.captures(&self.bytes[at..(at + MAX_DISTANCE).min(self.bytes.len())]);
        if let Some(value) = phrase.and_then(|it| it.get(1)) {
            let value = at + value.start()..at + value.end();
            let end = value.end - usize::from(self.bytes[value.clone()].ends_with(b"."));
            let text = &self.bytes[value.start..end];
            if let Some(text) = text.strip_prefix(b"**") {
                let length = memchr::memmem::find(text, b"**")?;
                let start = value.start + 2;
                return Some(NamedValue::new(start..start + length, ValueForm::Quoted));
            }
            let form = match self.bytes[value.start - 1] {
                b'`' => ValueForm::Quoted,
                quote if is_quote(quote) => ValueForm::Argument,
                // Words of prose have no digits.
                _ if text.iter().any(u8::is_ascii_digit) => ValueForm::Listed,
                _ => ValueForm::Loose,
            };
            return Some(NamedValue::new(value.start..end, form));
        }
        let value = read_bare(self.bytes, at);
        let before = &self.bytes[..self.name.start];
        let is_number = self.bytes[value.clone()].iter().all(u8::is_ascii_digit);
        let is_environment = before == b"ENV " || before.ends_with(b"\nENV ");
        let is_variable = is_environment || is_number && before.ends_with(b"#define ");
        let is_plain = is_variable
            || self.is_option_value(&value)
            || self.is_directive(&value)
            || self.follows_login();
        let form = match is_plain {
            true if self.is_option() || is_environment => ValueForm::Plain,
            true => ValueForm::Listed,
            false => ValueForm::Loose,
        };
        (!value.is_empty()).then(|| NamedValue::new(value, form))
    }

    /// Whether a value follows an option on a command line, as in `--password ...`, and is not described as in help.
    fn is_option_value(&self, value: &std::ops::Range<usize>) -> bool {
        let has_lower = self.bytes[value.clone()].iter().any(u8::is_ascii_lowercase);
        let is_end = match self.bytes.get(value.end..).unwrap_or_default() {
            [] | [b'\n' | b'\r' | b'"' | b'\'', ..] => true,
            [b' ', b'-' | b'|' | b'\\' | b'>' | b'&', ..] => true,
            [b' ', ..] => self.follows_option(),
            _ => false,
        };
        // `-pass pass:...` and `-pass env:...` of OpenSSL.
        let has_scheme = self.bytes[value.clone()].contains(&b':');
        self.is_option() && has_lower && is_end && !has_scheme
    }

    /// Whether a name and its value are in a list of SQL, as in `(user 'a', password 'b')`.
    fn is_in_tuple(&self, at: usize) -> bool {
        let before = &self.bytes[..self.name.start];
        self.bytes.get(at) == Some(&b'\'') && (before.ends_with(b"(") || before.ends_with(b"', "))
    }

    /// Whether a line consists of a name and a value, as in `requirepass ...`. Headings such as `Password manager` have
    /// a plain word as the name.
    fn is_directive(&self, value: &std::ops::Range<usize>) -> bool {
        const NOUNS: &[&[u8]] = &[
            b"password",
            b"passphrase",
            b"passwords",
            b"passwd",
            b"passcode",
            b"secret",
            b"token",
        ];
        let name = self.bytes[self.name.clone()].to_ascii_lowercase();
        self.begins_line()
            && !NOUNS.contains(&name.as_slice())
            && matches!(self.bytes.get(value.end), None | Some(b'\n' | b'\r'))
    }

    /// Whether only spaces, or the colon of a keyword, precede the name on its line.
    fn begins_line(&self) -> bool {
        let line = self.line_before().trim_ascii();
        line.is_empty() || line == b":" || line.ends_with(b" :")
    }

    /// Whether a user precedes the name without an operator, as in `login anna password ...`.
    fn follows_login(&self) -> bool {
        let words: Vec<&[u8]> = self
            .line_before()
            .rsplit(|it| *it == b' ')
            .filter(|it| !it.is_empty())
            .take(2)
            .collect();
        let [user, name] = words[..] else { return false };
        matches!(name, b"login" | b"user" | b"username")
            && !user.ends_with(b",")
            && !matches!(user, b"and" | b"or" | b"with" | b"name" | b"+" | b"&" | b"/")
    }

    /// Whether a user in quotes precedes the name, as in `user "anna" there with password "..."`.
    fn follows_quoted_user(&self) -> bool {
        let line = self.line_before();
        let user = memchr::memmem::rfind(line, b"user \"");
        user.is_some_and(|at| line[at..].iter().filter(|it| **it == b'"').count() == 2)
            && line.ends_with(b" with ")
    }

    /// Whether another option precedes the name, as on a command line and unlike in help.
    fn follows_option(&self) -> bool {
        let is_option = |pair: &[u8]| pair[0] == b' ' && pair[1] == b'-' && pair[2] != b' ';
        self.line_before().trim_ascii_end().windows(3).any(is_option)
    }

    /// Reads the text of an element whose attributes include the name.
    pub fn attributed(&self, at: usize) -> Option<NamedValue> {
        let window = &self.bytes[at..(at + MAX_DISTANCE).min(self.bytes.len())];
        let end = memchr::memchr3(b'<', b'>', b'\n', window)?;
        let is_end = window[end] == b'>' && !window[..end].ends_with(b"/");
        is_end.then(|| self.element(at + end + 1))?
    }

    /// Reads what a test types into a field: `get("#password").type("...")`, `fill("#password", "...")`.
    fn typed_text(&self, at: usize) -> Option<NamedValue> {
        let typed = TYPED.find(&self.bytes[at..(at + 48).min(self.bytes.len())])?;
        self.literal(at + typed.end(), ValueForm::Quoted)
    }

    /// Finds a value that another name introduces: `name="password" value="..."`.
    pub fn apart(&self) -> Option<NamedValue> {
        if let Some(value) = self.next_cell() {
            return Some(value);
        }
        if !self.is_closed && !self.is_listed() {
            return None;
        }
        let at = self.closed;
        let limit = (at + 2 * MAX_DISTANCE).min(self.bytes.len());
        let window = &self.bytes[at..limit];
        if let Some(value) = self.typed_text(at) {
            return Some(value);
        }
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
        // Many other things have a default or a result.
        let is_variable = self.bytes[..self.name.start].ends_with(b"variable \"");
        let is_value =
            is_variable || captures[0].to_ascii_lowercase().windows(5).any(|it| it == b"value");
        let is_code = between.iter().any(|it| b"()".contains(it));
        let form = if is_value && !is_code { ValueForm::Quoted } else { ValueForm::Argument };
        if let Some(value) = self.literal(start, form) {
            return Some(value);
        }
        let value = if captures[0].ends_with(b">") {
            return self.element(start);
        } else {
            read_bare(self.bytes, start)
        };
        let line = rest_of_line(self.bytes, start);
        let is_closed = self.bytes[value.end..line.end].trim_ascii() == b"}";
        let is_plain = (value.end == line.end || is_closed) && is_value && !is_code;
        let form = match is_plain {
            true => ValueForm::Plain,
            false if value.end == line.end => ValueForm::Line,
            false => ValueForm::Bare,
        };
        (!value.is_empty()).then(|| NamedValue::new(value, form))
    }
}

/// A value in prose: `password is ...`, `password for the key above: ...`.
static PHRASE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\A(?:(?:[a-z@.()]{1,24} ){0,7}[A-Za-z0-9@._-]{1,48}(?:: +| = )|(?:(?:for|of|on|at) (?:[A-Za-z0-9@._-]{1,32} ){1,5})?is(?: now)?(?: set to)?:? +)[`"']?([^\s`"'<>()\[\]]{4,})"#,
    )
});

/// A method that types text into a field, after the field's name.
static TYPED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"\A\\?["']?\]?["']?\)?(?:\)\.(?:type|fill|sendKeys|send_keys|setValue|set_value|clear\(\)\.type|set)\(|,? with: )"#,
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

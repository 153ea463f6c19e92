//! Finds the value that belongs to a name: after an operator, in the next attribute or line, or in prose.

use super::configuration::is_configuration;
use super::literal::{
    MIN_JOINED_BYTES, is_quote, read, read_bare, read_continuations, rest_of_line,
    skip_space_and_lines, skip_spaces,
};
use std::cell::OnceCell;
use std::ops::Range;

/// How a value is written. It decides how much the value itself has to look like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    /// A string literal, or the text of an element.
    Quoted,
    /// Without quotes to the end of its line, in configuration, where a value cannot be code.
    Plain,
    /// Several words without quotes to the end of their line, in configuration.
    Phrase,
    /// Without quotes in a list of names and values, such as `user=a password=b`.
    Listed,
    /// A string literal that may belong to the name, as the argument after it.
    Argument,
    /// Without quotes to the end of its line, as in configuration.
    Line,
    /// Without quotes, before other text, as in a command line or code.
    Bare,
    /// A literal within an expression, or a word without an operator: only a value that is secret by itself counts.
    Loose,
}

/// A value of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedValue {
    /// The parts of the value, which may be split into several literals.
    pub parts: Vec<Range<usize>>,
    pub form: ValueForm,
}

impl NamedValue {
    pub fn new(value: Range<usize>, form: ValueForm) -> Self {
        Self { parts: Vec::from([value]), form }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Assign,
    Colon,
    Comma,
    Call,
    Tag,
    Compare,
    Space,
}

/// The beginning of the marker of a secret that was replaced.
pub(super) const MARKER: &[u8] = b"[REDACTED:";

/// Longest part of an unquoted password before a delimiter. What follows a longer one is not part of it.
const MAX_BEFORE_DELIMITER: usize = 16;

/// Shortest key in hexadecimal digits after `0x`; shorter ones are numbers.
const MIN_HEX_KEY_BYTES: usize = 32;

/// Longest distance between a name and the operator or value after it.
pub(super) const MAX_DISTANCE: usize = 160;

/// A name and the text around it.
pub(super) struct Assignment<'a> {
    pub bytes: &'a [u8],
    pub name: Range<usize>,
    /// The offset after the name and its closing quotes and brackets.
    pub closed: usize,
    /// Whether the name is in quotes.
    pub is_closed: bool,
    /// Whether people choose values of the name. Only then does the place of a value without quotes matter.
    pub may_be_chosen: bool,
    is_configuration: OnceCell<bool>,
}

impl<'a> Assignment<'a> {
    pub fn new(content: &'a str, name: Range<usize>) -> Self {
        let bytes = content.as_bytes();
        let (mut closed, mut is_closed) = (name.end, false);
        for _ in 0..4 {
            match bytes.get(closed..).unwrap_or_default() {
                [b'\\', quote, ..] if is_quote(*quote) => (closed, is_closed) = (closed + 2, true),
                [quote, ..] if is_quote(*quote) => (closed, is_closed) = (closed + 1, true),
                [b']' | b'*', ..] => closed += 1,
                _ => break,
            }
        }
        Self {
            bytes,
            name,
            closed,
            is_closed,
            may_be_chosen: false,
            is_configuration: OnceCell::new(),
        }
    }

    /// Whether a value may follow, without looking at the value.
    pub fn may_have_value(&self) -> bool {
        let next = self.bytes.get(self.closed);
        // The last column of `INSERT INTO table (...) VALUES`.
        if next == Some(&b')') && !self.is_closed {
            let after = self.bytes.get(skip_space_and_lines(self.bytes, self.closed + 1));
            return after.is_some_and(|it| matches!(it, b'V' | b'v'));
        }
        self.is_closed || next.is_none_or(|it| !b".);/".contains(it) && !it.is_ascii_alphanumeric())
    }

    /// Finds values after an operator.
    pub fn direct(&self) -> Vec<NamedValue> {
        let at = skip_spaces(self.bytes, self.closed);
        let Some((operator, after)) = self.operator(self.closed, at) else { return Vec::new() };
        match operator {
            Operator::Call => self.argument(after).into_iter().collect(),
            Operator::Comma => {
                let form = if self.is_setting() { ValueForm::Quoted } else { ValueForm::Argument };
                self.literal(skip_spaces(self.bytes, after), form).into_iter().collect()
            }
            Operator::Tag => self.element(after).into_iter().collect(),
            Operator::Space if self.is_open_tag() => self.attributed(after).into_iter().collect(),
            Operator::Space => self.word(after).into_iter().collect(),
            _ => self.value_at(operator, after),
        }
    }

    /// Reads the operator at `at`, and returns the offset after it.
    fn operator(&self, closed: usize, at: usize) -> Option<(Operator, usize)> {
        let rest = self.bytes.get(at..)?;
        let has_space = at > closed;
        if let Some(length) = declared(rest) {
            return Some((Operator::Assign, at + length));
        }
        Some(match rest {
            [b':', b':', ..] => return None,
            [b':', b'=', ..] | [b'=', b'>', ..] | [b'?' | b'+' | b'.', b'=', ..] => {
                (Operator::Assign, at + 2)
            }
            [b'|', b'|', b'=', ..] | [b'?', b'?', b'=', ..] => (Operator::Assign, at + 3),
            [b'<', b'-', b' ', ..] if has_space => (Operator::Assign, at + 2),
            // A here-string of a shell: `read -r PASSWORD <<< "..."`.
            [b'<', b'<', b'<', ..] if has_space => (Operator::Assign, at + 3),
            [b'=' | b'!', b'=', b'=', ..] => (Operator::Compare, at + 3),
            [b'=' | b'!', b'=', ..] => (Operator::Compare, at + 2),
            [b'=', ..] => (Operator::Assign, at + 1),
            [b':', ..] => match typed(rest) {
                Some(length) => (Operator::Assign, at + length),
                None => (Operator::Colon, at + 1),
            },
            // Pairs of Scala and Kotlin: `"password" -> "..."` and `"password" to "..."`.
            [b'-', b'>', ..] if self.is_closed => (Operator::Assign, at + 2),
            [b't', b'o', b' ', quote, ..] if self.is_closed && is_quote(*quote) => {
                (Operator::Assign, at + 3)
            }
            [b'0'..=b'9', b':', b' ', ..] if has_space => (Operator::Colon, at + 2),
            [b',', ..] if self.is_closed || self.is_symbol() => (Operator::Comma, at + 1),
            // A tuple of Erlang: `{password, "..."}`.
            [b',', b' ', quote, ..]
                if is_quote(*quote) && self.bytes[..self.name.start].ends_with(b"{") =>
            {
                (Operator::Assign, at + 1)
            }
            [b'(', ..] if !has_space => (Operator::Call, at + 1),
            [b'>', ..] if self.is_element() => (Operator::Tag, at + 1),
            [b'{', quote, ..] if is_quote(*quote) => (Operator::Assign, at + 1),
            _ if has_space && !self.is_closed => (Operator::Space, at),
            _ => return None,
        })
    }

    /// Reads the only or first argument of a call such as `setPassword("...")`. Many other functions are named after
    /// passing, as in `assert_pass("...")`.
    fn argument(&self, after: usize) -> Option<NamedValue> {
        let is_pass = self.bytes[self.name.clone()].to_ascii_lowercase().ends_with(b"pass");
        let name = &self.bytes[self.name.clone()];
        let is_setter = name.starts_with(b"set") || name.starts_with(b"with") || self.is_method();
        let form = if is_setter { ValueForm::Quoted } else { ValueForm::Argument };
        self.literal(after, form).filter(|_| !is_pass)
    }

    /// Whether the name is that of an element, `<password>`, or of an attribute's value, `key="password">`.
    fn is_element(&self) -> bool {
        let before = self.name.start.checked_sub(1).map(|at| self.bytes[at]);
        before == Some(b'<') || self.is_closed
    }

    /// Whether the name is that of an element with attributes, as in `<wsse:Password Type="...">`.
    fn is_open_tag(&self) -> bool {
        let before = self.line_before();
        let namespace = before.strip_suffix(b":").unwrap_or(before);
        let letters = namespace.iter().rev().take_while(|it| it.is_ascii_alphanumeric()).count();
        let is_namespace = before.ends_with(b":") || letters == 0;
        is_namespace && namespace[..namespace.len() - letters].ends_with(b"<")
    }

    /// Whether the name is the value of `name` or `key`, as in `name: DB_PASSWORD`, or begins a block.
    pub fn is_listed(&self) -> bool {
        let from = self.name.start.saturating_sub(16);
        let before = &self.bytes[from..self.name.start];
        let before = before.trim_ascii_end();
        let is_value =
            [&b"name:"[..], b"key:", b"Name:", b"Key:"].iter().any(|it| before.ends_with(it));
        let is_text = before.ends_with(b">") && self.bytes[self.name.end..].starts_with(b"</");
        is_value || is_text || self.bytes[self.name.end..].starts_with(b":")
    }

    fn value_at(&self, operator: Operator, after: usize) -> Vec<NamedValue> {
        let bytes = self.bytes;
        let at = skip_spaces(bytes, after);
        let form = if operator == Operator::Compare { ValueForm::Loose } else { ValueForm::Quoted };
        if bytes[at..].starts_with(MARKER) {
            return Vec::new();
        }
        let at = self.skip_wrapper(at);
        if let Some(value) = self.marked(at) {
            return vec![value];
        }
        if let Some(value) = self.literal(at, form) {
            let is_joined = value.parts[0].is_empty();
            return if is_joined { self.expression(at + 2) } else { vec![value] };
        }
        match bytes.get(at..).unwrap_or_default() {
            [] => Vec::new(),
            [b'\r' | b'\n', ..] => {
                let next = skip_space_and_lines(bytes, at);
                self.literal(next, form).into_iter().collect()
            }
            [open @ (b'(' | b'['), ..] => {
                let next = skip_space_and_lines(bytes, at + 1);
                // A list of rules, as in `'password' => ['required', 'string']`.
                let form = if *open == b'[' { ValueForm::Argument } else { form };
                match self.literal(next, form) {
                    Some(value) => vec![value],
                    None => self.expression(at),
                }
            }
            [b'<', b'<', ..] => self.here_document(at).into_iter().collect(),
            [b'>' | b'|', ..] if operator == Operator::Colon => {
                self.block_scalar(at).into_iter().collect()
            }
            [b'{', ..] => Vec::new(),
            _ if operator == Operator::Compare => Vec::new(),
            _ => {
                let bare = self.bare(operator, at, at > after);
                let mut values: Vec<NamedValue> = self.phrase(operator, at).into_iter().collect();
                values.extend(bare);
                values.extend(self.line(operator, at));
                values.extend(self.expression(at));
                values
            }
        }
    }

    /// Skips a function that only converts its argument.
    fn skip_wrapper(&self, at: usize) -> usize {
        const WRAPPERS: &[&[u8]] = &[
            b"[]byte(",
            b"concat!(",
            b"Some(",
            b"String::from(",
            b"new String(",
            b"std::string(",
            b"std::string{",
            b"QString(",
            b"QStringLiteral(",
            b"QLatin1String(",
            b"TEXT(",
            b"_T(",
            b"bytes(",
            b"Secret::new(",
            b"SecretString::from(",
            b"SecretString::new(",
            b"base64.b64decode(",
            b"bytes.fromhex(",
            b"Buffer.from(",
            b"atob(",
            b"base64_decode(",
            b"hex2bin(",
        ];
        let rest = &self.bytes[at..];
        at + WRAPPERS.iter().find(|it| rest.starts_with(it)).map_or(0, |it| it.len())
    }

    /// Reads a literal and those that continue it.
    pub fn literal(&self, at: usize, form: ValueForm) -> Option<NamedValue> {
        let literal = read(self.bytes, at)?;
        let before = &self.bytes[at.saturating_sub(8)..at];
        let in_list =
            [&b"["[..], b"concat!(", b"concat(", b"join("].iter().any(|it| before.ends_with(it));
        let mut parts = vec![literal.inner];
        if parts[0].len() >= MIN_JOINED_BYTES {
            parts.extend(read_continuations(self.bytes, literal.end, in_list));
        }
        parts[0] = self.without_scheme(parts[0].clone());
        Some(NamedValue { parts, form })
    }

    /// Strips what says how a value is encoded, as in `base64:...` and `{noop}...`.
    fn without_scheme(&self, range: Range<usize>) -> Range<usize> {
        const SCHEMES: &[&[u8]] = &[b"base64:", b"{noop}", b"{plain}", b"plain:", b"hex:", b"0x"];
        let value = &self.bytes[range.clone()];
        let is_short_number = value.starts_with(b"0x") && value.len() < MIN_HEX_KEY_BYTES;
        let scheme = SCHEMES.iter().find(|it| value.starts_with(it) && !is_short_number);
        range.start + scheme.map_or(0, |it| it.len())..range.end
    }

    /// Reads the rest of a line as a value that contains delimiters, unless they begin another assignment.
    fn line(&self, operator: Operator, at: usize) -> Option<NamedValue> {
        let line = rest_of_line(self.bytes, at);
        let text = &self.bytes[line.clone()];
        let is_value = matches!(operator, Operator::Assign | Operator::Colon)
            && line.len() <= 64
            && text.iter().all(|it| it.is_ascii_graphic() && !b"\"'`<>(){}[]\\".contains(it))
            && !text.contains(&b'=')
            && text
                .iter()
                .position(|it| b"&,;|".contains(it))
                .is_some_and(|at| at < MAX_BEFORE_DELIMITER)
            && !text.last().is_some_and(|it| b",;".contains(it));
        is_value.then(|| NamedValue::new(line, ValueForm::Line))
    }

    /// Reads a value without quotes.
    fn bare(&self, operator: Operator, at: usize, has_space: bool) -> Option<NamedValue> {
        if operator == Operator::Comma || operator == Operator::Call {
            return None;
        }
        let line = rest_of_line(self.bytes, at);
        let mut value = read_bare(self.bytes, at);
        // A host follows the password of a URL.
        if operator == Operator::Colon && !has_space {
            let host = memchr::memchr(b'@', &self.bytes[value.clone()]);
            value.end = host.map_or(value.end, |host| value.start + host);
        }
        let after = self.bytes.get(value.end);
        let is_whole = value.end == line.end || self.is_comment(value.end);
        // A default within `${NAME:-value}`.
        if let Some(value) = self.default_in_braces(operator, at) {
            return Some(value);
        }
        let is_default = after == Some(&b'}') && self.in_braces();
        let form = match operator {
            _ if is_default => ValueForm::Line,
            Operator::Assign | Operator::Colon if is_whole && self.is_configuration() => {
                ValueForm::Plain
            }
            Operator::Assign if !has_space && self.is_in_list(&value) => ValueForm::Listed,
            Operator::Colon if has_space && self.is_in_flow_mapping(&value) => ValueForm::Listed,
            Operator::Assign | Operator::Colon if has_space && self.is_note(&value) => {
                ValueForm::Plain
            }
            // A label in prose: `Password: ...`.
            Operator::Colon if has_space && is_whole && self.is_title(&value) => ValueForm::Plain,
            Operator::Colon if has_space && is_whole => ValueForm::Line,
            Operator::Assign if is_whole => ValueForm::Line,
            _ => ValueForm::Bare,
        };
        let start = if is_default && b"-=".contains(&self.bytes[value.start]) { 1 } else { 0 };
        let value = self.without_scheme(value.start + start..value.end);
        (!value.is_empty()).then(|| NamedValue::new(value, form))
    }

    /// Whether the name is in configuration, according to the lines around it.
    pub fn is_configuration(&self) -> bool {
        self.may_be_chosen
            && *self.is_configuration.get_or_init(|| is_configuration(self.bytes, &self.name))
    }

    /// Reads the default within `${NAME:-two words}` and `${name:two words}`.
    fn default_in_braces(&self, operator: Operator, at: usize) -> Option<NamedValue> {
        let line = rest_of_line(self.bytes, at);
        let end = memchr::memchr(b'}', &self.bytes[line.clone()])?;
        let text = &self.bytes[line.start..line.start + end];
        let skipped = usize::from(text.first().is_some_and(|it| b"-=".contains(it)));
        let is_default = operator == Operator::Colon
            && self.in_braces()
            && !text.first().is_some_and(|it| b"?+$".contains(it))
            && !text[skipped..].is_empty();
        is_default
            .then(|| NamedValue::new(line.start + skipped..line.start + end, ValueForm::Quoted))
    }

    fn in_braces(&self) -> bool {
        self.bytes[..self.name.start].ends_with(b"${")
    }

    pub fn is_comment(&self, at: usize) -> bool {
        let rest = &self.bytes[at..(at + 8).min(self.bytes.len())];
        let trimmed = rest.trim_ascii_start();
        rest.len() > trimmed.len() && (trimmed.starts_with(b"#") || trimmed.starts_with(b"//"))
    }

    /// Finds the literals in the rest of an expression, such as `env.PASSWORD || "..."` and `[]byte("...")`.
    fn expression(&self, at: usize) -> Vec<NamedValue> {
        let bytes = self.bytes;
        let limit = (at + MAX_DISTANCE).min(bytes.len());
        let (mut at, mut depth, mut values) = (at, 0usize, Vec::new());
        while at < limit && values.len() < 3 {
            match bytes[at] {
                b'\n' => break,
                b'[' if bytes[at..].starts_with(MARKER) => break,
                b'(' | b'[' => depth += 1,
                b')' | b']' if depth == 0 => break,
                b')' | b']' => depth -= 1,
                b',' | b';' | b'{' | b'}' if depth == 0 => break,
                byte if is_quote(byte) => match self.literal(at, self.form_in_expression(at)) {
                    Some(value) => {
                        at = value.parts.last().map_or(at, |it| it.end);
                        values.push(value);
                    }
                    None => break,
                },
                _ => {}
            }
            at += 1;
        }
        values
    }
}

/// Returns the length of a type annotation and the operator after it, as in `: &str =`.
fn typed(rest: &[u8]) -> Option<usize> {
    let is_type = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_&'<>[], .|?*:".contains(byte);
    let length = rest.iter().take(64).take_while(is_type).count();
    let is_typed = rest.get(length) == Some(&b'=')
        && rest.get(length + 1) != Some(&b'=')
        && rest[length - 1] == b' '
        && rest[1..length].iter().any(u8::is_ascii_alphabetic);
    is_typed.then_some(length + 1)
}

/// Returns the length of a declaration and the operator after it: `[] =`, ` As String =`, `{ get; set; } =`.
fn declared(rest: &[u8]) -> Option<usize> {
    if !rest.first().is_some_and(|it| b"[{Aa".contains(it)) {
        return None;
    }
    let window = &rest[..rest.len().min(48)];
    let end = memchr::memchr2(b'=', b'\n', window).filter(|at| window[*at] == b'=')?;
    let text = &window[..end];
    let is_declaration =
        text.starts_with(b"[") && text.trim_ascii_end().ends_with(b"]") && !text.contains(&b'"')
            || text.to_ascii_lowercase().starts_with(b"as ")
            || text.starts_with(b"{ get;");
    is_declaration.then_some(end + 1)
}

//! What the place of a value says about it: in configuration, in a list, after an option, or as an argument.

use super::assignment::{Assignment, NamedValue, Operator, ValueForm};
use super::configuration::is_environment_variable;
use super::literal::{is_quote, read_bare, rest_of_line};
use regex::bytes::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::LazyLock;

/// Longest phrase without quotes.
const MAX_PHRASE_BYTES: usize = 64;

/// Number of bytes around a name and its value that are considered.
const MAX_NEIGHBOR_BYTES: usize = 96;

impl Assignment<'_> {
    /// Whether the name is that of a method of a builder, as in `.password("...")`.
    pub fn is_method(&self) -> bool {
        let name = &self.bytes[self.name.clone()];
        let (from, last) = match memchr::memrchr(b'.', name) {
            Some(dot) => (dot + 1, &name[dot + 1..]),
            None => (0, name),
        };
        let has_receiver = from > 0 || self.bytes[..self.name.start].ends_with(b".");
        has_receiver
            && (last == b"password" || last.starts_with(b"set") || last.starts_with(b"with"))
    }

    /// Whether the name is the first argument of a function that sets a value, as in `put("password", "...")`.
    pub fn is_setting(&self) -> bool {
        #[rustfmt::skip]
        const VERBS: &[&[u8]] = &[
            b"put", b"set", b"option", b"define", b"property", b"add", b"with", b"setvalue", b"append", b"setenv", b"string",
            b"fill", b"type",
        ];
        if self.is_default()
            || self.is_set_symbol()
            || self.is_option_in_list()
            || self.is_in_values()
        {
            return true;
        }
        let from = self.name.start.saturating_sub(32);
        let before = self.bytes[from..self.name.start].to_ascii_lowercase();
        let Some(open) = memchr::memrchr(b'(', &before) else { return false };
        let is_first = before[open + 1..]
            .iter()
            .all(|it| is_quote(*it) || it.is_ascii_alphanumeric() || b" ._#[=".contains(it));
        is_first && VERBS.iter().any(|verb| before[..open].ends_with(verb))
    }

    /// Whether the name is that of a variable of the environment, and the argument after it the default, as in
    /// `env("DB_PASSWORD", "...")`.
    fn is_default(&self) -> bool {
        let name = &self.bytes[self.name.clone()];
        let is_variable =
            name.contains(&b'_') && !name.iter().any(|it| it.is_ascii_lowercase() || *it == b'.');
        let before = self.line_before().trim_ascii_end();
        is_variable
            && before
                .strip_suffix(b"\"")
                .or(before.strip_suffix(b"'"))
                .is_some_and(|it| it.ends_with(b"(") || it.ends_with(b", "))
    }

    /// Whether the name and its value are in a row of SQL, as in `VALUES ('smtp_password', '...')`.
    fn is_in_values(&self) -> bool {
        let line = self.line_before().to_ascii_lowercase();
        let values = memchr::memmem::rfind(&line, b"values");
        values.is_some_and(|at| line[at..].contains(&b'('))
    }

    /// Whether the name is a symbol, as in Ruby and Elixir.
    pub fn is_symbol(&self) -> bool {
        matches!(self.bytes[..self.name.start], [.., before, b':'] if before != b':')
    }

    /// Whether the name is a symbol whose value is set, as in `set :password, "..."`.
    fn is_set_symbol(&self) -> bool {
        let before = self.line_before().trim_ascii_end();
        before.strip_suffix(b":").is_some_and(|it| it.trim_ascii().ends_with(b"set"))
    }

    /// Whether the name is that of an option in a list of arguments, as in `["--password", "..."]`.
    fn is_option_in_list(&self) -> bool {
        let line = self.line_before().trim_ascii_start();
        self.is_option() && !line.contains(&b'(')
    }

    /// Whether the name ends a label in quotes, as in `"Client Secret": "..."`.
    pub fn is_label(&self) -> bool {
        let line = self.line_before();
        let quote = line.iter().rposition(|it| is_quote(*it));
        self.is_closed && quote.is_some_and(|at| line[at..].contains(&b' '))
    }

    /// Whether the name of a user or a host is next to the name, as in configuration and unlike in tests of passwords.
    pub fn has_login(&self) -> bool {
        let from = self.name.start.saturating_sub(MAX_NEIGHBOR_BYTES);
        let to = (self.name.end + MAX_NEIGHBOR_BYTES).min(self.bytes.len());
        LOGIN.is_match(&self.bytes[from..self.name.start])
            || LOGIN.is_match(&self.bytes[self.name.end..to])
    }

    /// Reads several words to the end of a line of configuration.
    pub fn phrase(&self, operator: Operator, at: usize) -> Option<NamedValue> {
        let mut line = rest_of_line(self.bytes, at);
        // In `- "NAME=two words"`, the quotes are around the name as well.
        if let Some(quote) =
            self.name.start.checked_sub(1).map(|at| self.bytes[at]).filter(|it| is_quote(*it))
        {
            line.end = memchr::memchr(quote, &self.bytes[line.clone()])
                .map_or(line.end, |it| line.start + it);
        }
        let is_phrase = matches!(operator, Operator::Assign | Operator::Colon)
            && line.len() <= MAX_PHRASE_BYTES
            && self.bytes[line.clone()].contains(&b' ')
            && !self.is_comment(read_bare(self.bytes, at).end)
            && self.is_configuration();
        is_phrase.then(|| NamedValue::new(line, ValueForm::Phrase))
    }

    /// Whether a value without quotes is in a list of names and values, such as `user=a password=b` or a query, or
    /// otherwise at a place where it cannot be code. In `f(user=a, password=b)`, it is code.
    pub fn is_in_list(&self, value: &Range<usize>) -> bool {
        if !self.may_be_chosen {
            return false;
        }
        let after = &self.bytes[value.end..(value.end + MAX_NEIGHBOR_BYTES).min(self.bytes.len())];
        let before = self.line_before();
        let has_space = after.first() == Some(&b' ');
        // `PGPASSWORD=... psql`, and a log in which words follow.
        let is_environment = has_space && is_environment_variable(self.bytes, &self.name);
        let is_prose = has_space
            && !self.bytes[value.start].is_ascii_uppercase()
            && !before.iter().any(|it| b"(),;{}=\"'`".contains(it));
        let is_inline_code = before.last() == Some(&b'`') && after.first() == Some(&b'`');
        let is_closed = after.first().is_none_or(|it| b" \n\r\t;&\"'`".contains(it));
        let is_plain = follows_pair(before)
            || self.is_option()
            || is_argument_of_option(before)
            || is_environment
            || is_prose
            || is_inline_code;
        precedes_pair(after) || is_plain && is_closed || is_in_map(before, after)
    }

    /// Whether a value without quotes is in a mapping such as `{ USER: a, PASSWORD: b }` of YAML. In code, the names of
    /// fields are not in uppercase.
    pub fn is_in_flow_mapping(&self, value: &Range<usize>) -> bool {
        let name = &self.bytes[self.name.clone()];
        let after = &self.bytes[value.end..(value.end + MAX_NEIGHBOR_BYTES).min(self.bytes.len())];
        let before = self.line_before();
        self.may_be_chosen
            && name.contains(&b'_')
            && !name.iter().any(u8::is_ascii_lowercase)
            && before.contains(&b'{')
            && !before.iter().any(|it| b"()=;".contains(it))
            && after.trim_ascii_start().first().is_some_and(|it| b",}".contains(it))
    }

    /// Returns the text before the name on its line.
    pub fn line_before(&self) -> &[u8] {
        let before =
            &self.bytes[self.name.start.saturating_sub(MAX_NEIGHBOR_BYTES)..self.name.start];
        memchr::memrchr(b'\n', before).map_or(before, |at| &before[at + 1..])
    }

    /// Whether the name is that of an option, `--password`.
    pub fn is_option(&self) -> bool {
        self.bytes[self.name.start] == b'-' || self.bytes[..self.name.start].ends_with(b"-")
    }

    /// Whether the name is capitalized as a label, and the value has a digit, unlike types.
    pub fn is_title(&self, value: &Range<usize>) -> bool {
        let name = &self.bytes[self.name.clone()];
        let is_capitalized =
            name[0].is_ascii_uppercase() && name[1..].iter().all(u8::is_ascii_lowercase);
        let follows_word = matches!(self.bytes[..self.name.start], [.., before, b' '] if before.is_ascii_alphabetic());
        (is_capitalized || follows_word) && self.bytes[value.clone()].iter().any(u8::is_ascii_digit)
    }

    /// Whether the name ends the words of a note, in a comment or a list: `# web1 root password: ...`.
    pub fn is_note(&self, value: &Range<usize>) -> bool {
        #[rustfmt::skip]
        const WORDS_OF_SENTENCES: &[&[u8]] = &[
            b"the", b"a", b"an", b"of", b"to", b"for", b"with", b"if", b"and", b"or", b"is", b"as", b"in", b"your", b"its",
            b"this", b"that", b"user", b"users", b"returns", b"param", b"set", b"sets", b"where", b"when", b"no", b"same",
        ];
        let after = self.bytes[value.end..(value.end + 8).min(self.bytes.len())].trim_ascii_start();
        let is_end = after.is_empty()
            || self.bytes.get(value.end) == Some(&b'\n')
            || [&b"*/"[..], b"-->", b"\n", b"\r"].iter().any(|it| after.starts_with(it));
        let line = self.line_before().trim_ascii_start();
        let opener = line.iter().take_while(|it| b"#/*-;<!+".contains(it)).count();
        let is_word = |it: &u8| it.is_ascii_alphanumeric() || b"_.-".contains(it);
        let mut words =
            line[opener..].split(|it| *it == b' ').filter(|it| !it.is_empty()).peekable();
        is_end
            && opener > 0
            && line.get(opener) == Some(&b' ')
            && words.peek().is_some()
            && words.all(|word| {
                word.iter().all(is_word)
                    && !WORDS_OF_SENTENCES.contains(&word.to_ascii_lowercase().as_slice())
            })
    }

    /// Returns the form of a literal in an expression. After `||` and `??`, it is the value of the name.
    pub fn form_in_expression(&self, at: usize) -> ValueForm {
        let before = self.bytes[at.saturating_sub(8)..at].trim_ascii_end();
        let is_default = [&b"||"[..], b"??", b" or"].iter().any(|it| before.ends_with(it));
        if is_default { ValueForm::Quoted } else { ValueForm::Loose }
    }
}

static LOGIN: LazyLock<Regex> = LazyLock::new(|| {
    RegexBuilder::new(
        r#"(?i)(?:\buser|\blogin|host|server|database|\bport)["']?(?: |\t){0,8}(?::|=)"#,
    )
    .unicode(false)
    .build()
    .expect("a test compiles it")
});

fn is_separator(byte: u8) -> bool {
    b" ;&,?".contains(&byte)
}

/// Whether a text ends with an option whose argument is a pair, as in `--from-literal=` and `--set `.
fn is_argument_of_option(before: &[u8]) -> bool {
    let Some(text) = before.strip_suffix(b"=").or_else(|| before.strip_suffix(b" ")) else {
        return false;
    };
    let option = text.rsplit(|it| *it == b' ').next().unwrap_or_default();
    let is_part = |it: &u8| it.is_ascii_lowercase() || *it == b'-';
    option.len() > 4 && option.starts_with(b"--") && option.iter().all(is_part)
}

/// Whether a value is in a map as programs print it, `{user=a, password=b}`.
fn is_in_map(before: &[u8], after: &[u8]) -> bool {
    let Some(open) = memchr::memrchr(b'{', before) else { return false };
    let entries = &before[open + 1..];
    let is_pair = |entry: &[u8]| {
        let entry = entry.trim_ascii();
        entry.is_empty() || entry.contains(&b'=') && !entry.iter().any(|it| b" \"'(:".contains(it))
    };
    let is_map = entries.split(|it| *it == b',').all(is_pair);
    let is_end = match after {
        [b'}', ..] => true,
        [b',', b' ', rest @ ..] => {
            let name =
                rest.iter().take_while(|it| it.is_ascii_alphanumeric() || **it == b'_').count();
            name > 0 && rest.get(name) == Some(&b'=')
        }
        _ => false,
    };
    is_map && is_end && !entries.is_empty()
}

/// Whether a text begins with a separator and another name and `=`.
fn precedes_pair(after: &[u8]) -> bool {
    let [separator, rest @ ..] = after else { return false };
    let is_name = |it: &&u8| it.is_ascii_alphanumeric() || b"_-. ".contains(it);
    let name = rest.iter().take_while(is_name).count();
    is_separator(*separator) && !rest.starts_with(b" ") && name > 0 && rest.get(name) == Some(&b'=')
}

/// Whether a text ends with a pair such as `user=a` and a separator.
fn follows_pair(before: &[u8]) -> bool {
    let [rest @ .., separator] = before else { return false };
    let is_part = |it: &&u8| !is_separator(**it) && !b"(\"'".contains(it);
    let pair = rest.iter().rev().take_while(is_part).count();
    is_separator(*separator)
        && !before.ends_with(b", ")
        && rest[rest.len() - pair..].contains(&b'=')
}

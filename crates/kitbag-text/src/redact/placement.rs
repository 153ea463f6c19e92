//! What the place of a value says about it: in configuration, in a list, after an option, or as an argument.

use super::assignment::{Assignment, NamedValue, Operator, ValueForm};
use super::configuration::is_environment_variable;
use super::literal::{is_quote, read_bare, rest_of_line};
use std::ops::Range;

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
            b"put", b"set", b"option", b"define", b"property", b"add", b"with", b"setvalue", b"append",
        ];
        let from = self.name.start.saturating_sub(32);
        let before = self.bytes[from..self.name.start].to_ascii_lowercase();
        let Some(open) = memchr::memrchr(b'(', &before) else { return false };
        let is_first = before[open + 1..].iter().all(|it| {
            is_quote(*it) || *it == b' ' || it.is_ascii_alphanumeric() || b"._".contains(it)
        });
        is_first && VERBS.iter().any(|verb| before[..open].ends_with(verb))
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
            || is_environment
            || is_prose
            || is_inline_code;
        precedes_pair(after) || is_plain && is_closed
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

    /// Returns the form of a literal in an expression. After `||` and `??`, it is the value of the name.
    pub fn form_in_expression(&self, at: usize) -> ValueForm {
        let before = self.bytes[at.saturating_sub(8)..at].trim_ascii_end();
        let is_default = [&b"||"[..], b"??", b" or"].iter().any(|it| before.ends_with(it));
        if is_default { ValueForm::Argument } else { ValueForm::Loose }
    }
}

fn is_separator(byte: u8) -> bool {
    b" ;&,?".contains(&byte)
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

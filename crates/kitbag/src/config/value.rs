//! The values that settings have, and the shapes that they must have.

use crate::request::parse_budget;
use std::fmt;

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// The setting is optional and not set.
    Nothing,
    /// On or off.
    Flag(bool),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

/// What values a setting takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// `true` or `false`.
    Flag,
    /// A whole number within bounds.
    Whole(u64, u64),
    /// A number of tokens within bounds, which may be written `32k`.
    Tokens(u64, u64),
    /// A number within bounds.
    Number(f64, f64),
    /// Any text.
    Text,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A list of texts. The lists of several layers are joined.
    List,
}

/// A value as somebody wrote it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    /// Nothing at all, or `null`.
    Nothing,
    /// A word that may be a number, `true` or a text.
    Plain(String),
    /// A text in quotes.
    Quoted(String),
    /// Several values.
    List(Vec<Raw>),
    /// Keys with values.
    Section,
}

impl Raw {
    /// A word of a YAML file, of the environment or of the command line.
    pub fn plain(text: &str) -> Self {
        match text {
            "" | "~" | "null" => Self::Nothing,
            text => Self::Plain(text.to_owned()),
        }
    }

    /// A value of a request.
    pub fn json(value: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match value {
            Json::Null => Self::Nothing,
            Json::Bool(_) | Json::Number(_) => Self::Plain(value.to_string()),
            Json::String(text) => Self::Quoted(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::json).collect()),
            Json::Object(_) => Self::Section,
        }
    }

    /// What stands there, whatever its type.
    fn word(&self) -> Option<&str> {
        match self {
            Self::Plain(text) | Self::Quoted(text) => Some(text),
            _ => None,
        }
    }

    /// A text: a word without quotes that is a number or `true` is none.
    fn text(&self) -> Option<&str> {
        match self {
            Self::Plain(word) => Some(word.as_str()).filter(|word| !is_other(word)),
            Self::Quoted(text) => Some(text),
            _ => None,
        }
    }
}

/// How it is told to the person who wrote it: on one line, and not too much of it.
impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 60;
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::List(_) => f.write_str("a list"),
            Self::Section => f.write_str("a section"),
            Self::Plain(text) | Self::Quoted(text) if text.chars().count() > MOST => {
                write!(f, "`{}...`", text.chars().take(MOST).collect::<String>())
            }
            Self::Plain(text) => write!(f, "`{text}`"),
            Self::Quoted(text) => write!(f, "the text `{text}`"),
        }
    }
}

impl Shape {
    /// The value that somebody wrote; `None` where it does not have this shape.
    pub(super) fn read(&self, raw: &Raw) -> Option<Value> {
        match (self, raw) {
            (Self::Flag, Raw::Plain(word)) => word.parse().ok().map(Value::Flag),
            (Self::Whole(least, most), Raw::Plain(digits)) => {
                whole(digits).filter(|it| (least..=most).contains(&it)).map(Value::Whole)
            }
            (Self::Tokens(least, most), raw) => {
                let tokens = parse_budget(raw.word()?).ok()? as u64;
                (least..=most).contains(&&tokens).then_some(Value::Whole(tokens))
            }
            (Self::Number(least, most), Raw::Plain(digits)) => {
                number(digits).filter(|it| (least..=most).contains(&it)).map(Value::Number)
            }
            (Self::Text, raw) => raw.text().map(|text| Value::Text(text.to_owned())),
            (Self::Choice(words), raw) => {
                let word = words.iter().find(|&&word| raw.word() == Some(word))?;
                Some(Value::Text((*word).to_owned()))
            }
            (Self::List, Raw::List(items)) => {
                let texts = items.iter().map(|item| item.text().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>().map(Value::List)
            }
            _ => None,
        }
    }

    /// The value of a text that has no YAML around it: of the environment, or of `--set`.
    pub(super) fn raw(&self, text: &str) -> Raw {
        match self {
            Self::List => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Raw::List(items.map(|item| Raw::Quoted(item.to_owned())).collect())
            }
            Self::Text if !text.is_empty() => Raw::Quoted(text.to_owned()),
            _ => Raw::plain(text.trim()),
        }
    }
}

/// What is expected, in words.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("`true` or `false`"),
            Self::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Tokens(least, most) => {
                write!(f, "a number of tokens such as `8000` or `32k`, from {least} to {most}")
            }
            Self::Number(least, most) => write!(f, "a number from {least} to {most}"),
            Self::Text => f.write_str("a text"),
            Self::Choice(words) => write!(f, "one of `{}`", words.join("`, `")),
            Self::List => f.write_str("a list of texts"),
        }
    }
}

/// Whether YAML reads a word without quotes as a number or as `true` or `false`.
fn is_other(word: &str) -> bool {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_of = |digits: &str, radix: u32| {
        !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
    };
    matches!(word, "true" | "True" | "TRUE" | "false" | "False" | "FALSE")
        || number(word).is_some()
        || unsigned.strip_prefix("0x").is_some_and(|digits| is_of(digits, 16))
        || unsigned.strip_prefix("0o").is_some_and(|digits| is_of(digits, 8))
        || matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN")
}

/// A whole number without a sign; underscores may stand between digits.
fn whole(digits: &str) -> Option<u64> {
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    is_number.then(|| digits.replace('_', "").parse().ok())?
}

/// A finite number in digits; `.inf` and `nan` are none.
fn number(digits: &str) -> Option<f64> {
    let is_digits = digits.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    is_digits.then(|| digits.parse().ok())?.filter(|number: &f64| number.is_finite())
}

/// As it would stand in a YAML file.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("null"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(&yaml_text(text)),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| yaml_text(item)).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}

impl Value {
    /// As `--set` takes it.
    pub fn typed(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => items.join(", "),
            other => other.to_string(),
        }
    }

    /// As JSON.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::Nothing => serde_json::Value::Null,
            Self::Flag(flag) => (*flag).into(),
            Self::Whole(number) => (*number).into(),
            Self::Number(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(items) => items.clone().into(),
        }
    }
}

/// A text as YAML reads it back: a plain word as it is, anything else in quotes, with the escapes
/// of JSON, which are YAML's too.
fn yaml_text(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
        && !matches!(text.to_ascii_lowercase().as_str(), "null" | "true" | "false");
    if is_word { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(shape: Shape, text: &str) -> Option<Value> {
        shape.read(&Raw::plain(text))
    }

    #[test]
    fn numbers_are_read_within_their_bounds_only() {
        let shape = Shape::Whole(1, 2_000);
        for (text, expected) in [("1", 1), ("2000", 2_000), ("1_000", 1_000)] {
            assert_eq!(read(shape, text), Some(Value::Whole(expected)), "{text}");
        }
        for text in ["0", "2001", "-1", "+1", "1.0", "1e3", "", "0x10", "99999999999999999999"] {
            assert_eq!(read(shape, text), None, "{text}");
        }
        let share = Shape::Number(0.0, 1.0);
        for (text, expected) in [("0", 0.0), ("1", 1.0), (".5", 0.5), ("5e-1", 0.5)] {
            assert_eq!(read(share, text), Some(Value::Number(expected)), "{text}");
        }
        for text in ["nan", ".nan", "NaN", "inf", ".inf", "1.1", "-0.1", "1e999", "half", "e"] {
            assert_eq!(read(share, text), None, "{text}");
        }
    }

    #[test]
    fn tokens_are_read_as_on_the_command_line() {
        let shape = Shape::Tokens(1, 1_000_000);
        assert_eq!(read(shape, "32k"), Some(Value::Whole(32_000)));
        assert_eq!(shape.read(&Raw::Quoted("32k".into())), Some(Value::Whole(32_000)));
        assert_eq!(read(shape, "0"), None);
        assert_eq!(read(shape, "2m"), None);
    }

    #[test]
    fn flags_are_true_and_false_alone() {
        assert_eq!(read(Shape::Flag, "true"), Some(Value::Flag(true)));
        for text in ["yes", "on", "True", "1", ""] {
            assert_eq!(read(Shape::Flag, text), None, "{text}");
        }
        assert_eq!(Shape::Flag.read(&Raw::Quoted("true".into())), None);
    }

    #[test]
    fn numbers_and_flags_without_quotes_are_no_texts() {
        for word in ["5", "-1", "1.5", "1e3", "0x1f", "true", "False", ".inf", "-.5"] {
            assert_eq!(read(Shape::Text, word), None, "{word}");
            assert_eq!(Shape::List.read(&Raw::List(vec![Raw::plain(word)])), None, "{word}");
            let quoted = Shape::Text.read(&Raw::Quoted(word.to_owned()));
            assert_eq!(quoted, Some(Value::Text(word.to_owned())), "{word}");
        }
        for word in ["1.2.3", "o1", "truely", "2024-01-02", "e", "-", "---", "0xg", "+", "yes"] {
            assert_eq!(read(Shape::Text, word), Some(Value::Text(word.to_owned())), "{word}");
        }
    }

    #[test]
    fn values_are_shown_as_yaml_that_reads_back() {
        let texts = ["", "plain", "true", "null", "a: b", "#", "tab\tand \"quotes\"\n", "- x", "8"];
        for text in texts {
            let shown = Value::Text(text.to_owned()).to_string();
            let node = crate::config::yaml::parse(&format!("a: {shown}\n")).expect("YAML");
            assert_eq!(node.expect("a node").texts(), [text], "{shown}");
        }
    }
}

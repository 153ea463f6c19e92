//! Values of settings, the types they must have, and raw values as users write them.

use crate::units::parse_budget;
use crate::yaml::{YamlNode, YamlValue};
use std::fmt;

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    /// An optional setting that is not set.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A non-negative integer.
    Integer(u64),
    /// A finite number.
    Number(f64),
    /// A string.
    Text(String),
    /// A list of strings.
    List(Vec<String>),
}

/// The type of a setting, with inclusive bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ValueType {
    Bool,
    Integer(u64, u64),
    /// A number of tokens, which accepts suffixes: `32k`.
    Tokens(u64, u64),
    Number(f64, f64),
    Text,
    Choice(&'static [&'static str]),
    /// A list of strings. Lists of several layers are concatenated.
    List,
}

/// An uninterpreted value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RawValue {
    Null,
    /// An unquoted scalar: a number, a boolean or a string.
    Plain(String),
    Quoted(String),
    List(Vec<RawValue>),
    Mapping,
}

impl RawValue {
    /// Interprets an unquoted scalar of a file, an environment variable or `--set`.
    pub fn plain(text: &str) -> Self {
        match text {
            "" | "~" | "null" => Self::Null,
            text => Self::Plain(text.to_owned()),
        }
    }

    fn scalar(&self) -> Option<&str> {
        match self {
            Self::Plain(text) | Self::Quoted(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a string. Unquoted numbers and booleans are not strings.
    fn text(&self) -> Option<&str> {
        match self {
            Self::Plain(word) => Some(word.as_str()).filter(|word| !is_number_or_bool(word)),
            Self::Quoted(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&YamlNode> for RawValue {
    fn from(node: &YamlNode) -> Self {
        match &node.value {
            YamlValue::Scalar { text, is_quoted: true } => Self::Quoted(text.clone()),
            YamlValue::Scalar { text, .. } => Self::plain(text),
            YamlValue::List(items) => Self::List(items.iter().map(Self::from).collect()),
            YamlValue::Mapping(_) => Self::Mapping,
        }
    }
}

impl From<&serde_json::Value> for RawValue {
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match value {
            Json::Null => Self::Null,
            Json::Bool(_) | Json::Number(_) => Self::Plain(value.to_string()),
            Json::String(text) => Self::Quoted(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Json::Object(_) => Self::Mapping,
        }
    }
}

/// Formats the value for error messages, shortened to one line.
impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARS: usize = 60;
        match self {
            Self::Null => f.write_str("null"),
            Self::List(_) => f.write_str("a list"),
            Self::Mapping => f.write_str("a mapping"),
            Self::Plain(text) | Self::Quoted(text) if text.chars().count() > MAX_CHARS => {
                write!(f, "`{}...`", text.chars().take(MAX_CHARS).collect::<String>())
            }
            Self::Plain(text) => write!(f, "`{text}`"),
            Self::Quoted(text) => write!(f, "the string `{text}`"),
        }
    }
}

impl ValueType {
    /// Converts a raw value; `None` if it has another type or is out of bounds.
    pub fn parse(&self, raw: &RawValue) -> Option<SettingValue> {
        match (self, raw) {
            (Self::Bool, RawValue::Plain(word)) => word.parse().ok().map(SettingValue::Bool),
            (Self::Integer(min, max), RawValue::Plain(digits)) => {
                integer(digits).filter(|it| (min..=max).contains(&it)).map(SettingValue::Integer)
            }
            (Self::Tokens(min, max), raw) => {
                let tokens = parse_budget(raw.scalar()?).ok()? as u64;
                (min..=max).contains(&&tokens).then_some(SettingValue::Integer(tokens))
            }
            (Self::Number(min, max), RawValue::Plain(digits)) => {
                number(digits).filter(|it| (min..=max).contains(&it)).map(SettingValue::Number)
            }
            (Self::Text, raw) => raw.text().map(|text| SettingValue::Text(text.to_owned())),
            (Self::Choice(words), raw) => {
                let word = words.iter().find(|&&word| raw.scalar() == Some(word))?;
                Some(SettingValue::Text((*word).to_owned()))
            }
            (Self::List, RawValue::List(items)) => {
                let texts = items.iter().map(|item| item.text().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>().map(SettingValue::List)
            }
            _ => None,
        }
    }

    /// Interprets a text without YAML syntax: an environment variable, or the value of `--set`.
    pub fn raw(&self, text: &str) -> RawValue {
        match self {
            Self::List => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                RawValue::List(items.map(|item| RawValue::Quoted(item.to_owned())).collect())
            }
            Self::Text if !text.is_empty() => RawValue::Quoted(text.to_owned()),
            _ => RawValue::plain(text.trim()),
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("`true` or `false`"),
            Self::Integer(min, max) => write!(f, "an integer from {min} to {max}"),
            Self::Tokens(min, max) => {
                write!(f, "a number of tokens from {min} to {max}, such as `8000` or `32k`")
            }
            Self::Number(min, max) => write!(f, "a number from {min} to {max}"),
            Self::Text => f.write_str("a string"),
            Self::Choice(words) => write!(f, "one of `{}`", words.join("`, `")),
            Self::List => f.write_str("a list of strings"),
        }
    }
}

/// Whether YAML reads an unquoted word as a number or a boolean.
fn is_number_or_bool(word: &str) -> bool {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_number = |digits: &str, radix: u32| {
        !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
    };
    matches!(word, "true" | "True" | "TRUE" | "false" | "False" | "FALSE")
        || number(word).is_some()
        || unsigned.strip_prefix("0x").is_some_and(|digits| is_number(digits, 16))
        || unsigned.strip_prefix("0o").is_some_and(|digits| is_number(digits, 8))
        || matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN")
}

/// Parses an unsigned integer, which may have underscores between digits.
fn integer(digits: &str) -> Option<u64> {
    let is_integer = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    is_integer.then(|| digits.replace('_', "").parse().ok())?
}

/// Parses a finite number; rejects `.inf` and `nan`.
fn number(digits: &str) -> Option<f64> {
    let is_digits = digits.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    is_digits.then(|| digits.parse().ok())?.filter(|number: &f64| number.is_finite())
}

/// Formats the value as YAML.
impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(&yaml_text(text)),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| yaml_text(item)).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}

impl SettingValue {
    /// Formats the value as `--set` takes it.
    pub fn to_flag_value(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => items.join(", "),
            other => other.to_string(),
        }
    }

    /// Converts the value to JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(flag) => (*flag).into(),
            Self::Integer(number) => (*number).into(),
            Self::Number(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(items) => items.clone().into(),
        }
    }
}

/// Quotes a string for YAML unless it is a plain word. JSON escapes are valid in YAML.
fn yaml_text(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
        && !matches!(text.to_ascii_lowercase().as_str(), "null" | "true" | "false");
    if is_word { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value_type: ValueType, text: &str) -> Option<SettingValue> {
        value_type.parse(&RawValue::plain(text))
    }

    #[test]
    fn numbers_outside_their_bounds_are_rejected() {
        let value_type = ValueType::Integer(1, 2_000);
        for (text, expected) in [("1", 1), ("2000", 2_000), ("1_000", 1_000)] {
            assert_eq!(parse(value_type, text), Some(SettingValue::Integer(expected)), "{text}");
        }
        for text in ["0", "2001", "-1", "+1", "1.0", "1e3", "", "0x10", "99999999999999999999"] {
            assert_eq!(parse(value_type, text), None, "{text}");
        }
        let share = ValueType::Number(0.0, 1.0);
        for (text, expected) in [("0", 0.0), ("1", 1.0), (".5", 0.5), ("5e-1", 0.5)] {
            assert_eq!(parse(share, text), Some(SettingValue::Number(expected)), "{text}");
        }
        for text in ["nan", ".nan", "NaN", "inf", ".inf", "1.1", "-0.1", "1e999", "half", "e"] {
            assert_eq!(parse(share, text), None, "{text}");
        }
    }

    #[test]
    fn token_counts_accept_suffixes() {
        let value_type = ValueType::Tokens(1, 1_000_000);
        assert_eq!(parse(value_type, "32k"), Some(SettingValue::Integer(32_000)));
        assert_eq!(
            value_type.parse(&RawValue::Quoted("32k".into())),
            Some(SettingValue::Integer(32_000))
        );
        assert_eq!(parse(value_type, "0"), None);
        assert_eq!(parse(value_type, "2m"), None);
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        assert_eq!(parse(ValueType::Bool, "true"), Some(SettingValue::Bool(true)));
        for text in ["yes", "on", "True", "1", ""] {
            assert_eq!(parse(ValueType::Bool, text), None, "{text}");
        }
        assert_eq!(ValueType::Bool.parse(&RawValue::Quoted("true".into())), None);
    }

    #[test]
    fn unquoted_numbers_and_booleans_are_not_strings() {
        for word in ["5", "-1", "1.5", "1e3", "0x1f", "true", "False", ".inf", "-.5"] {
            assert_eq!(parse(ValueType::Text, word), None, "{word}");
            assert_eq!(
                ValueType::List.parse(&RawValue::List(vec![RawValue::plain(word)])),
                None,
                "{word}"
            );
            let quoted = ValueType::Text.parse(&RawValue::Quoted(word.to_owned()));
            assert_eq!(quoted, Some(SettingValue::Text(word.to_owned())), "{word}");
        }
        for word in ["1.2.3", "o1", "truely", "2024-01-02", "e", "-", "---", "0xg", "+", "yes"] {
            assert_eq!(
                parse(ValueType::Text, word),
                Some(SettingValue::Text(word.to_owned())),
                "{word}"
            );
        }
    }

    #[test]
    fn formatted_values_parse_back() {
        let texts = ["", "plain", "true", "null", "a: b", "#", "tab\tand \"quotes\"\n", "- x", "8"];
        for text in texts {
            let value = SettingValue::Text(text.to_owned());
            let node = crate::yaml::parse(&format!("a: {value}\n")).expect("valid YAML");
            let raw = RawValue::from(node.expect("a node").get("a").expect("the key"));
            assert_eq!(ValueType::Text.parse(&raw), Some(value), "{text}");
        }
    }
}

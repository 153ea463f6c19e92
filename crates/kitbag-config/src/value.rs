//! Types of settings, and the formats of their values.

use crate::units::parse_budget;
use crate::yaml::YamlValue;
use serde_json::Value;
use std::fmt;

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

impl ValueType {
    /// Converts a value of a file, a request or the environment; `None` if it has another type or is
    /// out of bounds.
    pub fn parse(&self, raw: &YamlValue) -> Option<Value> {
        let scalar = match raw {
            YamlValue::Scalar { text, .. } if !raw.is_null() => Some(text.as_str()),
            _ => None,
        };
        let plain = || scalar.filter(|_| !matches!(raw, YamlValue::Scalar { is_quoted: true, .. }));
        match self {
            Self::Bool => plain()?.parse::<bool>().ok().map(Value::from),
            Self::Integer(min, max) => {
                integer(plain()?).filter(|it| (min..=max).contains(&it)).map(Value::from)
            }
            Self::Tokens(min, max) => {
                let tokens = parse_budget(scalar?).ok()? as u64;
                (min..=max).contains(&&tokens).then(|| tokens.into())
            }
            Self::Number(min, max) => {
                number(plain()?).filter(|it| (min..=max).contains(&it)).map(Value::from)
            }
            Self::Text => string(raw).map(Value::from),
            Self::Choice(words) => {
                let word = scalar.map(choice_alias);
                words.iter().find(|&&it| word == Some(it)).map(|&it| it.into())
            }
            Self::List => match raw {
                YamlValue::List(items) => items.iter().map(|item| string(&item.value)).collect(),
                _ => None,
            },
        }
    }

    /// Interprets a text without YAML syntax: an environment variable, or the value of `--set`.
    pub fn raw(&self, text: &str) -> YamlValue {
        match self {
            Self::List => {
                // `a,b` and `["a", "b"]` are the same.
                let inside = text.trim().strip_prefix('[').and_then(|it| it.strip_suffix(']'));
                let items = inside.unwrap_or(text).split(',').map(str::trim);
                let items = items.map(|item| match inside {
                    Some(_) => item.trim_matches(['"', '\'']),
                    None => item,
                });
                let items = items.filter(|item| !item.is_empty());
                YamlValue::list(items.map(YamlValue::quoted))
            }
            Self::Text if !text.is_empty() => YamlValue::quoted(text),
            _ => YamlValue::plain(text.trim()),
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

/// Returns a string. Unquoted numbers and booleans are not strings.
fn string(raw: &YamlValue) -> Option<&str> {
    let YamlValue::Scalar { text, is_quoted } = raw else { return None };
    (*is_quoted || (!raw.is_null() && !is_number_or_bool(text))).then_some(text)
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

/// Formats the value of a setting as YAML.
pub(crate) fn to_yaml(value: &Value) -> String {
    match value {
        Value::String(text) => yaml_text(text),
        // Unlike JSON, without a fraction if there is none.
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(to_yaml).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// Formats the value of a setting as `--set` takes it.
pub fn to_flag_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(to_flag_value).collect::<Vec<_>>().join(", "),
        other => to_yaml(other),
    }
}

/// Quotes a string for YAML unless it is a plain word. JSON escapes are valid in YAML.
fn yaml_text(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
        && !matches!(text.to_ascii_lowercase().as_str(), "null" | "true" | "false");
    if is_word { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// Resolves the packer design's names of the ways to split files; other names are returned unchanged.
fn choice_alias(name: &str) -> &str {
    match name {
        "structural" => "structure",
        "line_based" => "lines",
        "token_based" => "tokens",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value_type: ValueType, text: &str) -> Option<Value> {
        value_type.parse(&YamlValue::plain(text))
    }

    #[test]
    fn numbers_outside_their_bounds_are_rejected() {
        let value_type = ValueType::Integer(1, 2_000);
        for (text, expected) in [("1", 1), ("2000", 2_000), ("1_000", 1_000)] {
            assert_eq!(parse(value_type, text), Some(Value::from(expected)), "{text}");
        }
        for text in ["0", "2001", "-1", "+1", "1.0", "1e3", "", "0x10", "99999999999999999999"] {
            assert_eq!(parse(value_type, text), None, "{text}");
        }
        let share = ValueType::Number(0.0, 1.0);
        for (text, expected) in [("0", 0.0), ("1", 1.0), (".5", 0.5), ("5e-1", 0.5)] {
            assert_eq!(parse(share, text), Some(Value::from(expected)), "{text}");
        }
        for text in ["nan", ".nan", "NaN", "inf", ".inf", "1.1", "-0.1", "1e999", "half", "e"] {
            assert_eq!(parse(share, text), None, "{text}");
        }
    }

    #[test]
    fn token_counts_accept_suffixes() {
        let value_type = ValueType::Tokens(1, 1_000_000);
        assert_eq!(parse(value_type, "32k"), Some(Value::from(32_000)));
        assert_eq!(value_type.parse(&YamlValue::quoted("32k")), Some(Value::from(32_000)));
        assert_eq!(parse(value_type, "0"), None);
        assert_eq!(parse(value_type, "2m"), None);
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        assert_eq!(parse(ValueType::Bool, "true"), Some(Value::from(true)));
        for text in ["yes", "on", "True", "1", ""] {
            assert_eq!(parse(ValueType::Bool, text), None, "{text}");
        }
        assert_eq!(ValueType::Bool.parse(&YamlValue::quoted("true")), None);
    }

    #[test]
    fn unquoted_numbers_and_booleans_are_not_strings() {
        for word in ["5", "-1", "1.5", "1e3", "0x1f", "true", "False", ".inf", "-.5"] {
            assert_eq!(parse(ValueType::Text, word), None, "{word}");
            assert_eq!(
                ValueType::List.parse(&YamlValue::list([YamlValue::plain(word)].into_iter())),
                None,
                "{word}"
            );
            let quoted = ValueType::Text.parse(&YamlValue::quoted(word));
            assert_eq!(quoted, Some(Value::from(word)), "{word}");
        }
        for word in ["1.2.3", "o1", "truely", "2024-01-02", "e", "-", "---", "0xg", "+", "yes"] {
            assert_eq!(parse(ValueType::Text, word), Some(Value::from(word)), "{word}");
        }
    }

    #[test]
    fn formatted_values_parse_back() {
        let texts = ["", "plain", "true", "null", "a: b", "#", "tab\tand \"quotes\"\n", "- x", "8"];
        for text in texts {
            let value = Value::from(text);
            let node =
                crate::yaml::parse(&format!("a: {}\n", to_yaml(&value))).expect("valid YAML");
            let node = node.expect("a node");
            let raw = &node.get("a").expect("the key").value;
            assert_eq!(ValueType::Text.parse(raw), Some(value), "{text}");
        }
    }
}

//! JSON that is read only as far as necessary.
//!
//! The values of an object are located without decoding them. serde_json accepts lone surrogates,
//! numbers of any size and any depth while it skips them, so a proxy is not stricter than the two
//! programs that it connects.

use regex::bytes::{Captures, Regex};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

/// The escapes in JSON strings: pairs of surrogates, lone surrogates, and others.
static ESCAPE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let (high, low) = (r"\\u[dD][89abAB][[:xdigit:]]{2}", r"\\u[dD][c-fC-F][[:xdigit:]]{2}");
    Regex::new(&format!(r"(?-u){high}{low}|(?<lone>{high}|{low})|\\.")).ok()
});

/// The members of an object, by name. Of several with the same name the last one counts.
pub(crate) type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Returns the members of an object; `None` if `json` is anything else.
pub(crate) fn members(json: &[u8]) -> Option<Members<'_>> {
    serde_json::from_slice(json).ok()
}

/// The members of an object in their order, those with the same name included.
pub(crate) struct MemberList<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for MemberList<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MemberVisitor;
        impl<'de> Visitor<'de> for MemberVisitor {
            type Value = MemberList<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((MemberName(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(MemberList(members))
            }
        }
        deserializer.deserialize_map(MemberVisitor)
    }
}

/// The name of a member; lone surrogates in it are replaced.
struct MemberName(String);

impl<'de> Deserialize<'de> for MemberName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = MemberName;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_bytes<E>(self, name: &[u8]) -> Result<Self::Value, E> {
                Ok(MemberName(String::from_utf8_lossy(name).into_owned()))
            }
        }
        deserializer.deserialize_bytes(NameVisitor)
    }
}

/// Returns the members of an object in their order; `None` if `json` is anything else.
pub(crate) fn member_list(json: &[u8]) -> Option<Vec<(String, &RawValue)>> {
    serde_json::from_slice::<MemberList<'_>>(json).ok().map(|members| members.0)
}

/// Deserializes JSON in which programs that truncate strings have left lone surrogates. They become
/// replacement characters.
pub(crate) fn parse_lenient<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(json).or_else(|error| {
        let escape = ESCAPE.as_ref().ok_or(error)?;
        let replaced =
            escape.replace_all(json, |escape: &Captures<'_>| match escape.name("lone") {
                Some(_) => br"\ufffd".to_vec(),
                None => escape[0].to_vec(),
            });
        serde_json::from_slice(&replaced)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (json, expected) in [
            (r#""cut \ud83d""#, "cut \u{fffd}"),
            (r#""\uDE00 cut""#, "\u{fffd} cut"),
            (r#""\ud83d\ud83d\ude00\ude00""#, "\u{fffd}\u{1f600}\u{fffd}"),
            (r#""\\\ud83d\n""#, "\\\u{fffd}\n"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\\ud83d""#, "\\ud83d"),
        ] {
            assert_eq!(parse_lenient::<String>(json.as_bytes()).ok().as_deref(), Some(expected));
        }
        for json in [r#""\ud8"#, r#""\"#, "NaN"] {
            assert!(parse_lenient::<String>(json.as_bytes()).is_err());
        }
    }

    #[test]
    fn members_are_found_by_name_and_the_last_one_counts() {
        let json = r#"{ "a" :[1, {"b":"}\"\\"} ] , "\u0063": {"d":"\ud83d"},"a":-1.5e700 }"#;
        let found = members(json.as_bytes()).expect("an object");
        let found: Vec<_> = found.iter().map(|(name, raw)| (name.as_str(), raw.get())).collect();
        assert_eq!(found, [("a", "-1.5e700"), ("c", r#"{"d":"\ud83d"}"#)]);
        let found = member_list(json.as_bytes()).expect("an object");
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "c", "a"]);
        for other in ["[]", "{} {}", "{\"a\":1,}", "{\"a\":", ""] {
            assert!(members(other.as_bytes()).is_none() && member_list(other.as_bytes()).is_none());
        }
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(members(deep.as_bytes()).is_some());
    }
}

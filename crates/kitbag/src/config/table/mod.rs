//! Every setting, declared once: its key, what it means, what it takes, its default and an example.
//!
//! The reference page, the JSON schema, `kitbag config init`, the names of environment variables and
//! all checks of single values come from here. A new setting is one entry in one of the lists below,
//! and its effect in `settle.rs`.

/// Declares settings: doc comment, key, shape, default, example, marks.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $key:literal: $shape:expr, $default:literal, $example:literal
       $(, $mark:ident)*;)+) => {
        &[$($crate::config::table::Setting {
            key: $key,
            shape: $shape,
            default: $default,
            example: $example,
            docs: &[$($doc),+],
            marks: &[$($crate::config::table::Mark::$mark),*],
        }),+]
    };
}

mod decision;
mod result;
mod world;

use super::value::{Shape, Value};
use kitbag_text::{Kind, languages};

/// A setting.
pub(crate) struct Setting {
    /// Its key, such as `context.budget.total`. A part in angle brackets stands for several names.
    pub key: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// Its default as YAML; `null` where it is optional, and `of_kind` or `of_provider` where each has
    /// its own.
    default: &'static str,
    /// A value that is not the default, as YAML.
    pub example: &'static str,
    /// What it means, a line each.
    docs: &'static [&'static str],
    marks: &'static [Mark],
}

/// What else there is to say of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Only the user may set it, not a repository.
    UserOnly,
    /// A repository may set it, and whoever asks over HTTP or MCP may not.
    NotRemote,
}

/// A part of the configuration that has settings in it.
pub(crate) struct Section {
    /// Its key.
    pub key: &'static str,
    /// What its settings are about.
    pub doc: &'static str,
}

/// The sections, in the order of the settings.
pub(crate) const SECTIONS: &[Section] = &[
    Section { key: "context", doc: "How packs are made." },
    Section { key: "context.budget", doc: "How many tokens a pack may have." },
    Section { key: "context.budget.categories", doc: "Shares of the budget for kinds of sources." },
    Section { key: "context.source_priority", doc: "What kinds of sources matter most." },
    Section { key: "context.ranking", doc: "How a score is made of its factors." },
    Section { key: "context.chunking", doc: "How files are cut." },
    Section { key: "context.chunking.languages", doc: "How files of a language are cut." },
    Section { key: "context.deduplication", doc: "What counts as a repetition." },
    Section { key: "context.selection", doc: "What goes in, and what becomes of the rest." },
    Section { key: "context.formatting", doc: "How the text looks." },
    Section { key: "context.tokenizer", doc: "How tokens are counted." },
    Section { key: "context.cache", doc: "What is kept between runs." },
    Section { key: "context.record", doc: "What a pack leaves behind." },
    Section { key: "context.providers", doc: "Where sources come from." },
    Section { key: "context.style", doc: "What the provider `style` reads." },
    Section { key: "context.rules", doc: "Rules that are injected under a condition." },
    Section { key: "model", doc: "The model that reads the packs." },
    Section { key: "judge", doc: "The model that judges the conditions of rules." },
    Section { key: "security", doc: "What never gets into a pack." },
    Section { key: "logging", doc: "What is logged." },
    Section { key: "server", doc: "The HTTP service." },
    Section { key: "server.limits", doc: "What one request may cost the server." },
];

/// The ids of the providers.
const PROVIDERS: [&str; 13] = [
    "document",
    "selection",
    "cursor",
    "heading",
    "open_files",
    "tool_results",
    "references",
    "sources",
    "search",
    "diagnostics",
    "history",
    "style",
    "rules",
];

/// Providers that are asked only where a profile, a file or a request says so.
const OFF: [&str; 3] = ["history", "style", "rules"];

/// All settings, in the order in which people read them.
pub(crate) fn settings() -> impl Iterator<Item = &'static Setting> {
    decision::SETTINGS.iter().chain(result::SETTINGS).chain(world::SETTINGS)
}

/// The setting that a key names.
pub(crate) fn find(key: &str) -> Option<&'static Setting> {
    settings().find(|setting| matches(setting.key, key, true))
}

/// Whether settings lie below a key.
pub(crate) fn is_section(key: &str) -> bool {
    settings().any(|setting| matches(setting.key, key, false))
}

/// Every key that can be named, in order: a part in angle brackets is each of its names.
pub(crate) fn keys() -> impl Iterator<Item = (String, &'static Setting)> {
    settings().flat_map(|setting| setting.keys().into_iter().map(move |key| (key, setting)))
}

impl Setting {
    /// The keys that it stands for.
    pub fn keys(&self) -> Vec<String> {
        let Some((before, rest)) = self.key.split_once('<') else {
            return vec![self.key.to_owned()];
        };
        let Some((placeholder, after)) = rest.split_once('>') else { return Vec::new() };
        names(placeholder).iter().map(|name| format!("{before}{name}{after}")).collect()
    }

    /// What it means, on one line.
    pub fn doc(&self) -> String {
        let lines: Vec<&str> = self.docs.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }

    /// The default of one of its keys.
    pub fn default_of(&self, key: &str) -> Value {
        let text = match self.default {
            "of_kind" => {
                let name = key.rsplit('.').next().unwrap_or(key);
                let kind = Kind::ALL.iter().find(|kind| plural(kind.1) == name);
                kind.map_or(0, |kind| kind.2).to_string()
            }
            "of_provider" => {
                let is_off = OFF.iter().any(|id| key.contains(&format!(".{id}.")));
                (!is_off).to_string()
            }
            text => text.to_owned(),
        };
        self.written(&text)
    }

    /// The example.
    pub fn example(&self) -> Value {
        self.written(self.example)
    }

    /// A value that is not the default of one of its keys.
    #[cfg(test)]
    pub fn other_than_default(&self, key: &str) -> Value {
        match self.default_of(key) {
            Value::Flag(on) => Value::Flag(!on),
            _ => self.example(),
        }
    }

    /// Whether it need not have a value.
    pub fn is_optional(&self) -> bool {
        self.default == "null"
    }

    /// Whether it has a mark.
    pub fn has(&self, mark: Mark) -> bool {
        self.marks.contains(&mark)
    }

    /// Whether somebody who asks over HTTP or MCP may set it. Such a caller shapes its own pack, and
    /// decides neither what leaves the repository, nor what is kept of it, nor what it may cost.
    pub fn is_for_callers(&self) -> bool {
        self.key.starts_with("context.") && !self.has(Mark::UserOnly) && !self.has(Mark::NotRemote)
    }

    /// Whether each of its keys has a default of its own.
    pub fn differs_by_name(&self) -> bool {
        self.default == "of_kind"
    }

    /// A value of this table. A test reads them all, so that none is missing.
    fn written(&self, text: &str) -> Value {
        let raw = self.shape.raw(text.trim_matches(['[', ']']));
        let raw = if text == "null" { super::value::Raw::Nothing } else { raw };
        self.shape.read(&raw).unwrap_or(Value::Nothing)
    }
}

/// The names that a part in angle brackets stands for.
pub(crate) fn names(placeholder: &str) -> Vec<String> {
    match placeholder {
        "kind" => Kind::ALL.iter().map(|kind| kind.1.to_owned()).collect(),
        "kinds" => Kind::ALL.iter().map(|kind| plural(kind.1)).collect(),
        "language" => languages().iter().map(|language| language.name().to_owned()).collect(),
        "provider" => PROVIDERS.iter().map(|id| (*id).to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// The plural of a kind's name.
pub(crate) fn plural(name: &str) -> String {
    match name {
        "history" => "histories".to_owned(),
        name if name.ends_with('s') => name.to_owned(),
        name => format!("{name}s"),
    }
}

/// Whether a key fits a pattern, to its end or only so far.
fn matches(pattern: &str, key: &str, whole: bool) -> bool {
    let mut parts = pattern.split('.');
    for name in key.split('.') {
        let fits = match parts.next() {
            Some(part) if part.starts_with('<') => {
                names(part.trim_matches(['<', '>'])).iter().any(|it| it == name)
            }
            Some(part) => part == name,
            None => false,
        };
        if !fits {
            return false;
        }
    }
    parts.next().is_none() == whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_setting_is_fully_declared() {
        for (key, setting) in keys() {
            let default = setting.default_of(&key);
            assert!(setting.is_optional() || default != Value::Nothing, "{key} has no default");
            let example = setting.example();
            assert!(example != Value::Nothing, "{key} has no example");
            let other = setting.other_than_default(&key);
            assert!(setting.differs_by_name() || other != default, "{key}: say something else");
            let doc = setting.doc();
            assert!(doc.ends_with('.') && doc.starts_with(char::is_uppercase), "{key}: {doc}");
            assert_eq!(find(&key).map(|it| it.key), Some(setting.key));
        }
    }

    #[test]
    fn no_two_settings_have_the_same_key() {
        let all: Vec<String> = keys().map(|(key, _)| key).collect();
        let different: BTreeSet<&String> = all.iter().collect();
        assert_eq!(all.len(), different.len());
    }

    #[test]
    fn every_section_with_settings_is_described() {
        let described = |key: &str| SECTIONS.iter().any(|section| section.key == key);
        for setting in settings() {
            let (section, _) = setting.key.rsplit_once('.').expect("a key has parts");
            let section = section.split(".<").next().unwrap_or(section);
            assert!(described(section), "{section} of {}", setting.key);
        }
    }

    #[test]
    fn sections_are_no_settings() {
        assert!(is_section("context") && is_section("context.providers.search"));
        assert!(!is_section("context.enabled") && !is_section("context.providers.nobody"));
        assert!(find("context.budget").is_none());
        assert!(find("context.source_priority.tool_results").is_some());
        assert!(find("context.source_priority.tool_result").is_none());
    }
}

//! The situation of an agent: the task, files, kinds of sources and other facts. Equal situations have
//! equal texts.

use kitbag_text::{Kind, Language};
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum size of the text of a situation.
pub(crate) const MAX_SITUATION_BYTES: usize = 64 << 10;

/// The context of requests that name none.
pub(crate) const DEFAULT_CONTEXT: &str = "default";

/// The situation of an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Situation {
    /// Task in plain language.
    pub task: String,
    /// Intent, such as `debug` or `refactor`.
    pub intent: Option<String>,
    /// Current context; `default` if not set.
    pub context: Option<String>,
    /// Files relative to the root, with `/`.
    pub paths: Vec<String>,
    /// Languages in addition to those of the files.
    pub languages: Vec<String>,
    /// Kinds of sources in the request.
    pub kinds: Vec<Kind>,
    /// Other facts from the caller.
    pub facts: Option<Value>,
    /// Reference time for ages, in seconds since 1970.
    pub now: Option<i64>,
}

impl Situation {
    /// Returns the languages of the files and the additional ones.
    pub fn languages(&self) -> BTreeSet<String> {
        let named = self.languages.iter().map(|name| name.to_lowercase());
        let of_files = self.paths.iter().filter_map(|path| Language::for_path(path, None));
        named.chain(of_files.map(|language| language.name().to_owned())).collect()
    }

    /// Describes the situation for matchers, judges and readers. Omits `now`, so that judgments can be
    /// reused.
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        let mut line = |name: &str, value: &str| {
            if !value.trim().is_empty() {
                lines.push(format!("{name}: {}", value.trim()));
            }
        };
        line("Task", &self.task);
        line("Intent", self.intent.as_deref().unwrap_or_default());
        line("Files", &self.paths.join(", "));
        line("Languages", &self.languages().into_iter().collect::<Vec<_>>().join(", "));
        let kinds: BTreeSet<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        line("Given", &kinds.into_iter().collect::<Vec<_>>().join(", "));
        if let Some(mut facts) = self.facts.clone() {
            facts.sort_all_objects();
            line("Situation", &facts.to_string());
        }
        let mut text = lines.join("\n");
        text.truncate(text.floor_char_boundary(MAX_SITUATION_BYTES));
        text
    }

    /// Returns the name of the current context.
    pub fn current_context(&self) -> &str {
        self.context.as_deref().unwrap_or(DEFAULT_CONTEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_does_not_depend_on_the_order_of_facts() {
        let with = |facts: Value| Situation {
            task: " fix it ".into(),
            paths: vec!["src/a.rs".into(), "b.py".into()],
            kinds: vec![Kind::Selection, Kind::Document],
            facts: Some(facts),
            ..Situation::default()
        };
        let text = with(json!({"b": 1, "a": {"d": 2, "c": 3}})).text();
        assert_eq!(text, with(json!({"a": {"c": 3, "d": 2}, "b": 1})).text());
        assert_eq!(
            text,
            "Task: fix it\nFiles: src/a.rs, b.py\nLanguages: python, rust\n\
             Given: document, selection\nSituation: {\"a\":{\"c\":3,\"d\":2},\"b\":1}"
        );
    }

    #[test]
    fn large_situation_is_cut_at_a_character() {
        let situation = Situation { task: "é".repeat(100_000), ..Situation::default() };
        assert!(situation.text().len() <= MAX_SITUATION_BYTES);
    }
}

//! What the agent is doing, as rules see it: the task, the files, the kinds of sources, and whatever
//! else the caller says. The same situation always has the same text.

use kitbag_text::{Kind, Language};
use serde_json::Value;
use std::collections::BTreeSet;

/// The most bytes of a situation that matchers and judges read.
pub const MOST_SITUATION_BYTES: usize = 64 << 10;

/// The context of requests that name none.
pub const DEFAULT_CONTEXT: &str = "default";

/// What the agent is doing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Situation {
    /// The task, in plain language.
    pub task: String,
    /// What the caller is after, where it says so: `debug`, `refactor`, ...
    pub intent: Option<String>,
    /// The current context; [`DEFAULT_CONTEXT`] if it is not given.
    pub context: Option<String>,
    /// The files that it is about, relative to the root, with `/`.
    pub paths: Vec<String>,
    /// Languages beside those of the files.
    pub languages: Vec<String>,
    /// The kinds of sources that the request has.
    pub kinds: Vec<Kind>,
    /// Whatever else the caller says about it.
    pub facts: Option<Value>,
    /// The time that ages are measured from, in seconds since 1970.
    pub now: Option<i64>,
}

impl Situation {
    /// The languages of its files, and those that it names.
    pub fn languages(&self) -> BTreeSet<String> {
        let named = self.languages.iter().map(|name| name.to_lowercase());
        let of_files = self.paths.iter().filter_map(|path| Language::of(path, None));
        named.chain(of_files.map(|language| language.name().to_owned())).collect()
    }

    /// The situation in words, for matchers, judges and people. `now` is left out: a judgement is
    /// not another one a second later.
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
        if let Some(facts) = &self.facts {
            line("Situation", &sorted(facts).to_string());
        }
        let mut text = lines.join("\n");
        text.truncate(text.floor_char_boundary(MOST_SITUATION_BYTES));
        text
    }

    /// The current context.
    pub fn current(&self) -> &str {
        self.context.as_deref().unwrap_or(DEFAULT_CONTEXT)
    }
}

/// The same value with the keys of its objects in order: callers may send them in any.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> =
                members.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            members.into_iter().collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_same_situation_has_the_same_text_in_whatever_order_it_came() {
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
    fn a_huge_situation_is_cut_at_a_character() {
        let situation = Situation { task: "é".repeat(100_000), ..Situation::default() };
        assert!(situation.text().len() <= MOST_SITUATION_BYTES);
    }
}

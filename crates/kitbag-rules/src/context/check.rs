//! Validation of context files against the table of keys.

use super::keys::{CONTEXT, ContextKey, KeyType};
use crate::model::LocatedName;
use crate::problem::RuleProblem;
use kitbag_config::yaml::{LineColumn, YamlEntry, YamlNode, YamlValue};
use kitbag_text::Kind;
use kitbag_tokens::name_hint;
use std::collections::BTreeMap;

/// Collects the problems of one file.
pub(super) struct Checker<'a> {
    pub path: &'a str,
    /// Number of lines before the YAML.
    pub lines_before: usize,
    pub problems: Vec<RuleProblem>,
    /// Positions of invalid list items.
    pub invalid_items: Vec<LineColumn>,
}

impl Checker<'_> {
    pub fn check_document(&mut self, root: &YamlNode) {
        match &root.value {
            YamlValue::Mapping(entries) => self.check_mapping("", entries, CONTEXT),
            YamlValue::Scalar { .. } if root.text().is_none() => {}
            _ => {
                let hint = Some("start with a key such as `metadata:`");
                self.report(root.position, "type", "a context must be a mapping", hint);
            }
        }
    }

    /// Returns a position of the YAML as a position in the file.
    pub fn position(&self, position: LineColumn) -> LineColumn {
        position.shifted(self.lines_before)
    }

    /// Returns the strings of a key with their positions.
    pub fn names(&self, node: &YamlNode, key: &str) -> Vec<LocatedName> {
        let items = node.get(key).map(YamlNode::items).unwrap_or_default().iter();
        let located = |item: &YamlNode| {
            let position = self.position(item.position);
            Some(LocatedName { name: item.text()?.to_owned(), position })
        };
        items.filter_map(located).collect()
    }

    pub fn report(
        &mut self,
        position: LineColumn,
        code: &'static str,
        message: impl Into<String>,
        hint: Option<&str>,
    ) {
        let problem = RuleProblem::error(self.path, code, message).at(self.position(position));
        self.problems.push(problem.hint(hint));
    }

    fn check_mapping(&mut self, prefix: &str, entries: &[YamlEntry], keys: &'static [ContextKey]) {
        let mut seen: BTreeMap<&str, LineColumn> = BTreeMap::new();
        for entry in entries {
            let name = entry.key.as_str();
            let full = format!("{prefix}{name}");
            if let Some(first) = seen.insert(name, entry.position) {
                let first = self.position(first);
                let message = format!("`{full}` is set twice; it was first set at {first}");
                self.report(entry.position, "twice", message, Some("remove one of the two"));
                continue;
            }
            match keys.iter().find(|key| key.name == name) {
                Some(key) => self.check_value(&full, key.key_type, &entry.node),
                None => {
                    let hint = name_hint(name, keys.iter().map(|key| key.name));
                    let message = format!("unknown key `{full}`");
                    self.report(entry.position, "unknown_key", message, hint.as_deref());
                }
            }
        }
    }

    fn check_value(&mut self, full: &str, key_type: KeyType, node: &YamlNode) {
        let expected = match (key_type, &node.value) {
            (KeyType::Text, YamlValue::Scalar { .. }) => return,
            // A null mapping or list is empty.
            (_, YamlValue::Scalar { .. }) if node.text().is_none() => return,
            (KeyType::Texts | KeyType::Kinds, YamlValue::Scalar { .. } | YamlValue::List(_)) => {
                return node.items().iter().for_each(|item| self.check_text(full, key_type, item));
            }
            (KeyType::Mapping(keys), YamlValue::Mapping(entries)) => {
                return self.check_mapping(&format!("{full}."), entries, keys);
            }
            (KeyType::List(keys), YamlValue::List(items)) => {
                return items.iter().for_each(|item| self.check_item(full, keys, item));
            }
            (KeyType::Text, _) => "a string",
            (KeyType::Texts, _) => "a string or a list of strings",
            (KeyType::Kinds, _) => "a kind of source or a list of kinds",
            (KeyType::Mapping(_), _) => "a mapping",
            (KeyType::List(_), _) => "a list of mappings",
        };
        self.report(node.position, "type", format!("`{full}` must be {expected}"), None);
    }

    /// Checks an item of a list of strings or kinds.
    fn check_text(&mut self, full: &str, key_type: KeyType, item: &YamlNode) {
        let is_kind = matches!(key_type, KeyType::Kinds);
        if !matches!(item.value, YamlValue::Scalar { .. }) {
            let message = format!("an item of `{full}` must be a string");
            self.report(item.position, "type", message, None);
        } else if let Some(name) = item.text().filter(|it| is_kind && it.parse::<Kind>().is_err()) {
            let hint = name_hint(name, Kind::ALL.iter().map(|kind| kind.name()));
            let message = format!("unknown kind `{name}` in `{full}`");
            self.report(item.position, "unknown_kind", message, hint.as_deref());
        }
    }

    /// Checks an item of a list of mappings.
    fn check_item(&mut self, full: &str, keys: &'static [ContextKey], item: &YamlNode) {
        let before = self.problems.len();
        if let YamlValue::Mapping(entries) = &item.value {
            self.check_mapping(&format!("{full}."), entries, keys);
            for key in keys.iter().filter(|key| key.is_required) {
                let is_set = |it: &YamlEntry| it.key == key.name && !is_empty(&it.node);
                if !entries.iter().any(is_set) {
                    let message = format!("an item of `{full}` has no `{}`", key.name);
                    self.report(item.position, "missing_key", message, None);
                }
            }
        } else {
            let message = format!("an item of `{full}` must be a mapping");
            self.report(item.position, "type", message, None);
        }
        if self.problems.len() > before {
            self.invalid_items.push(item.position);
        }
    }
}

fn is_empty(node: &YamlNode) -> bool {
    match &node.value {
        YamlValue::Scalar { .. } => node.text().is_none(),
        YamlValue::List(items) => items.iter().all(is_empty),
        YamlValue::Mapping(_) => false,
    }
}

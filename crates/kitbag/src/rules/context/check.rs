//! Holds a context file against the table of keys: everything that is wrong, with its place.

use super::keys::{CONTEXT, Key, Shape};
use crate::config::yaml::{Content, Member, Node, Spot};
use crate::rules::front::text;
use crate::rules::problem::{RuleProblem, nearest};
use kitbag_text::Kind;
use std::collections::BTreeMap;

/// Collects what is wrong with one file.
pub(super) struct Checker<'a> {
    pub path: &'a str,
    /// The lines of the file before the YAML.
    pub lines_before: usize,
    pub problems: Vec<RuleProblem>,
    /// The items of lists that something is wrong with.
    pub spoilt: Vec<Spot>,
}

impl Checker<'_> {
    /// Checks a whole file.
    pub fn document(&mut self, root: &Node) {
        match &root.content {
            Content::Section(members) => self.section("", members, CONTEXT),
            Content::Scalar { .. } if text(root).is_none() => {}
            _ => {
                let message = "a context is a section of keys";
                self.wrong(
                    root.spot,
                    "type",
                    message,
                    Some("begin with a key such as `metadata:`"),
                );
            }
        }
    }

    /// A place as people count it.
    pub fn place(&self, spot: Spot) -> (usize, usize) {
        (spot.line + self.lines_before, spot.column)
    }

    pub fn wrong(
        &mut self,
        spot: Spot,
        code: &'static str,
        message: impl Into<String>,
        hint: Option<&str>,
    ) {
        let problem = RuleProblem::error(self.path, code, message).at(self.place(spot));
        self.problems.push(match hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        });
    }

    fn section(&mut self, prefix: &str, members: &[Member], keys: &'static [Key]) {
        let mut seen: BTreeMap<&str, Spot> = BTreeMap::new();
        for member in members {
            let name = member.key.as_str();
            let full = format!("{prefix}{name}");
            if let Some(first) = seen.insert(name, member.spot) {
                let (line, column) = self.place(first);
                let message = format!("`{full}` is there twice; the first is at {line}:{column}");
                self.wrong(member.spot, "twice", message, Some("remove one of them"));
                continue;
            }
            match keys.iter().find(|key| key.name == name) {
                Some(key) => self.value(&full, key, &member.node),
                None => {
                    let near = nearest(name, keys.iter().map(|key| key.name));
                    let hint = near.map(|near| format!("the nearest key is `{prefix}{near}`"));
                    let message = format!("unknown key `{full}`");
                    self.wrong(member.spot, "unknown_key", message, hint.as_deref());
                }
            }
        }
    }

    fn value(&mut self, full: &str, key: &'static Key, node: &Node) {
        match (key.shape, &node.content) {
            // An empty section or list is none.
            (
                Shape::Section(_) | Shape::List(_) | Shape::Texts | Shape::Kinds,
                Content::Scalar { .. },
            ) if text(node).is_none() => {}
            (Shape::Text, Content::Scalar { .. }) => {}
            (Shape::Texts, _) => self.texts(full, node),
            (Shape::Kinds, _) => {
                self.texts(full, node);
                self.kinds(full, node);
            }
            (Shape::Section(keys), Content::Section(members)) => {
                self.section(&format!("{full}."), members, keys);
            }
            (Shape::List(keys), Content::List(items)) => self.items(full, keys, items),
            (shape, _) => {
                let message = format!("`{full}` must be {}", expected(shape));
                self.wrong(node.spot, "type", message, None);
            }
        }
    }

    fn texts(&mut self, full: &str, node: &Node) {
        let is_text = |node: &Node| matches!(node.content, Content::Scalar { .. });
        match &node.content {
            Content::Scalar { .. } => {}
            Content::List(items) => {
                for item in items.iter().filter(|item| !is_text(item)) {
                    let message = format!("an item of `{full}` must be a text");
                    self.wrong(item.spot, "type", message, None);
                }
            }
            Content::Section(_) => {
                let message = format!("`{full}` must be {}", expected(Shape::Texts));
                self.wrong(node.spot, "type", message, None);
            }
        }
    }

    fn kinds(&mut self, full: &str, node: &Node) {
        let items: Vec<&Node> = match &node.content {
            Content::List(items) => items.iter().collect(),
            _ => vec![node],
        };
        for item in items {
            let Some(name) = text(item).filter(|name| name.parse::<Kind>().is_err()) else {
                continue;
            };
            let near = nearest(name, Kind::ALL.iter().map(|kind| kind.1)).unwrap_or_default();
            let hint = format!("the nearest kind is `{near}`");
            let message = format!("unknown kind `{name}` in `{full}`");
            self.wrong(item.spot, "unknown_kind", message, Some(&hint));
        }
    }

    fn items(&mut self, full: &str, keys: &'static [Key], items: &[Node]) {
        for item in items {
            let before = self.problems.len();
            self.item(full, keys, item);
            if self.problems.len() > before {
                self.spoilt.push(item.spot);
            }
        }
    }

    fn item(&mut self, full: &str, keys: &'static [Key], item: &Node) {
        let Content::Section(members) = &item.content else {
            let message = format!("an item of `{full}` must be a section of keys");
            return self.wrong(item.spot, "type", message, None);
        };
        self.section(&format!("{full}."), members, keys);
        for key in keys.iter().filter(|key| key.required) {
            let has = |it: &Member| it.key == key.name && !is_empty(&it.node);
            if !members.iter().any(has) {
                let message = format!("an item of `{full}` has no `{}`", key.name);
                self.wrong(item.spot, "missing_key", message, None);
            }
        }
    }
}

fn is_empty(node: &Node) -> bool {
    match &node.content {
        Content::Scalar { .. } => text(node).is_none(),
        Content::List(items) => items.iter().all(is_empty),
        Content::Section(_) => false,
    }
}

fn expected(shape: Shape) -> &'static str {
    match shape {
        Shape::Text => "a text",
        Shape::Texts => "a text or a list of texts",
        Shape::Kinds => "a kind of source or a list of them",
        Shape::Section(_) => "a section of keys",
        Shape::List(_) => "a list of sections",
    }
}

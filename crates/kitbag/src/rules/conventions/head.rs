//! The front matter of a rule file, and what its maker passes over in silence.

use crate::config::yaml::{Content, Node};
use crate::rules::files::Parsed;
use crate::rules::front;
use crate::rules::matchers::{Matchers, PathGlobs};
use crate::rules::problem::{RuleProblem, nearest};

/// A rule file in its parts, and what is wrong with it.
pub(super) struct Head<'a> {
    path: &'a str,
    /// Who reads such files, for messages.
    maker: &'static str,
    node: Option<Node>,
    pub body: &'a str,
    pub body_line: usize,
    pub problems: Vec<RuleProblem>,
    /// Whether there is front matter, and it is no YAML.
    pub is_broken: bool,
}

impl<'a> Head<'a> {
    pub fn read(path: &'a str, maker: &'static str, text: &'a str, lenient: bool) -> Self {
        let front = front::split(text);
        let mut head = Self {
            path,
            maker,
            node: None,
            body: front.body,
            body_line: front.body_line,
            problems: Vec::new(),
            is_broken: false,
        };
        let read = if lenient { front::read_leniently } else { front::read };
        match front.yaml.map_or(Ok(None), read) {
            Ok(node) => head.node = node,
            Err(fault) => {
                let place = (fault.spot.line + front::FIRST_LINE, fault.spot.column);
                let message = format!("the front matter is {}", fault.message);
                let message = message.replace("is not YAML", "is no YAML");
                head.problems.push(RuleProblem::error(path, "yaml", message).at(place));
                head.is_broken = true;
            }
        }
        head
    }

    /// The text under a key.
    pub fn text(&mut self, key: &str) -> Option<String> {
        let node = self.member(key)?;
        if matches!(node.content, Content::Scalar { .. }) {
            return front::text(node).map(|text| text.trim().to_owned());
        }
        let place = place(node);
        self.warn(place, "ignored_value", format!("`{key}` must be a text"));
        None
    }

    /// The globs under a key; nothing where there is no such key, or nothing under it.
    pub fn globs(&self, key: &str) -> Option<Vec<String>> {
        self.member(key).map(front::globs).filter(|globs| !globs.is_empty())
    }

    /// Whether what is under a key is a list.
    pub fn is_list(&self, key: &str) -> bool {
        self.member(key).is_some_and(|node| matches!(node.content, Content::List(_)))
    }

    /// A flag. What is neither `true` nor `false` counts as `false`, and is told.
    pub fn flag(&mut self, key: &str) -> bool {
        let Some(node) = self.member(key) else { return false };
        match &node.content {
            Content::Scalar { text, is_quoted: false } if text == "true" => return true,
            Content::Scalar { text, is_quoted: false } if text == "false" => return false,
            _ if front::texts(node).is_empty() => return false,
            _ => {}
        }
        let place = place(node);
        let message = format!("`{key}` is neither `true` nor `false`; {} ignores it", self.maker);
        self.warn(place, "ignored_value", message);
        false
    }

    /// Tells keys that the maker does not read.
    pub fn known(&mut self, keys: &[&str]) {
        let Some(Content::Section(members)) = self.node.as_ref().map(|node| &node.content) else {
            if self.node.as_ref().is_some_and(|node| front::text(node).is_some()) {
                let message = format!("the front matter has no keys; {} ignores it", self.maker);
                self.problems.push(RuleProblem::warning(self.path, "ignored_value", message));
            }
            return;
        };
        for member in members.iter().filter(|member| !keys.contains(&member.key.as_str())) {
            let message = format!("{} ignores the key `{}`", self.maker, member.key);
            let near = nearest(&member.key, keys.iter().copied()).unwrap_or_default();
            let place = (member.spot.line + front::FIRST_LINE, member.spot.column);
            let problem = RuleProblem::warning(self.path, "ignored_key", message).at(place);
            self.problems.push(problem.hint(format!("the nearest key that it reads is `{near}`")));
        }
    }

    /// Tells that what is under a key has no effect, or another one.
    pub fn odd(&mut self, key: &str, code: &'static str, message: String) {
        let place = self.member(key).map_or((1, 1), place);
        self.warn(place, code, message);
    }

    /// Matchers of globs over whole paths. Those that are no globs are told, and match nothing.
    pub fn matchers(&mut self, key: &str, globs: &[String]) -> Matchers {
        let (paths, wrong) = PathGlobs::whole(globs);
        for message in wrong {
            self.odd(key, "glob", format!("{message}; it matches nothing"));
        }
        Matchers { paths: Some(paths), ..Matchers::default() }
    }

    /// What the file comes to: a rule, and what is wrong.
    pub fn parsed(self, rule: Option<super::Rule>) -> Parsed {
        let rule = rule.map(std::sync::Arc::new);
        Parsed { context: None, rule, problems: self.problems }
    }

    fn member(&self, key: &str) -> Option<&Node> {
        front::member(self.node.as_ref()?, key)
    }

    fn warn(&mut self, place: (usize, usize), code: &'static str, message: String) {
        self.problems.push(RuleProblem::warning(self.path, code, message).at(place));
    }
}

fn place(node: &Node) -> (usize, usize) {
    (node.spot.line + front::FIRST_LINE, node.spot.column)
}

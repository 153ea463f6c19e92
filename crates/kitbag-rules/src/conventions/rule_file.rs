//! A rule file with front matter, and warnings about values that its tool ignores silently.

use crate::files::ParsedFile;
use crate::front_matter::{self, FrontMatter};
use crate::matchers::{Matchers, PathGlobs};
use crate::model::{Rule, TextBlock};
use crate::problem::RuleProblem;
use kitbag_config::yaml::{self, LineColumn, YamlNode, YamlValue};
use kitbag_tokens::name_hint;
use std::sync::Arc;

/// A rule file and its problems.
pub(super) struct RuleFile<'a> {
    path: &'a str,
    /// The tool that reads such files, for messages.
    tool: &'static str,
    node: Option<YamlNode>,
    front: FrontMatter<'a>,
    pub problems: Vec<RuleProblem>,
    /// Whether the front matter is invalid YAML.
    pub is_broken: bool,
}

impl<'a> RuleFile<'a> {
    pub fn read(path: &'a str, tool: &'static str, text: &'a str, is_lenient: bool) -> Self {
        let front = front_matter::split(text);
        let parse = if is_lenient { front_matter::parse_leniently } else { yaml::parse };
        let parsed = front.yaml.map_or(Ok(None), parse);
        let is_broken = parsed.is_err();
        let (node, problem) = match parsed {
            Ok(node) => (node, None),
            Err(error) => {
                let message = format!("invalid front matter: {}", error.message);
                let problem = RuleProblem::error(path, "yaml", message);
                (None, Some(problem.at(in_file(error.position))))
            }
        };
        Self { path, tool, node, front, problems: problem.into_iter().collect(), is_broken }
    }

    /// Returns the body without blank lines around it.
    pub fn text_block(&self) -> TextBlock {
        TextBlock::trimmed(self.front.body, self.front.body_line)
    }

    /// Returns the string of a key; warns about other types.
    pub fn text(&mut self, key: &str) -> Option<String> {
        let node = self.get(key)?;
        if matches!(node.value, YamlValue::Scalar { .. }) {
            return node.text().map(|text| text.trim().to_owned());
        }
        self.warn(key, "ignored_value", format!("`{key}` must be a string"));
        None
    }

    pub fn is_list(&self, key: &str) -> bool {
        self.get(key).is_some_and(|node| matches!(node.value, YamlValue::List(_)))
    }

    /// Returns a boolean. Warns about other values, which count as `false`.
    pub fn flag(&mut self, key: &str) -> bool {
        let Some(node) = self.get(key) else { return false };
        if let YamlValue::Scalar { text, is_quoted: false } = &node.value
            && let Ok(flag) = text.parse()
        {
            return flag;
        }
        if node.texts().is_empty() {
            return false;
        }
        let message = format!("`{key}` is neither `true` nor `false`; {} ignores it", self.tool);
        self.warn(key, "ignored_value", message);
        false
    }

    /// Warns about keys that the tool ignores.
    pub fn check_keys(&mut self, keys: &[&str]) {
        let Some(node) = &self.node else { return };
        let YamlValue::Mapping(entries) = &node.value else {
            if node.text().is_some() {
                let message = format!("the front matter has no keys; {} ignores it", self.tool);
                self.problems.push(RuleProblem::warning(self.path, "ignored_value", message));
            }
            return;
        };
        for entry in entries.iter().filter(|entry| !keys.contains(&entry.key.as_str())) {
            let message = format!("{} ignores the key `{}`", self.tool, entry.key);
            let problem = RuleProblem::warning(self.path, "ignored_key", message);
            let hint = name_hint(&entry.key, keys.iter().copied());
            self.problems.push(problem.at(in_file(entry.position)).hint(hint.as_deref()));
        }
    }

    /// Warns about the value of a key, or at the start of the file if it is missing.
    pub fn warn(&mut self, key: &str, code: &'static str, message: impl Into<String>) {
        let start = LineColumn { line: 1, column: 1 };
        let position = self.get(key).map_or(start, |node| in_file(node.position));
        self.problems.push(RuleProblem::warning(self.path, code, message).at(position));
    }

    /// Compiles the globs of a key, which match whole paths, if there are any. Warns about invalid globs,
    /// which match nothing.
    pub fn matchers(&mut self, key: &str) -> Option<Matchers> {
        let globs = self.get(key).map(front_matter::globs).filter(|globs| !globs.is_empty())?;
        let (paths, invalid) = PathGlobs::anchored(globs);
        for message in invalid {
            self.warn(key, "glob", format!("{message}; it matches nothing"));
        }
        Some(Matchers { paths: Some(paths), ..Matchers::default() })
    }

    pub fn parsed(self, rule: Option<Rule>) -> ParsedFile {
        ParsedFile { context: None, rule: rule.map(Arc::new), problems: self.problems }
    }

    fn get(&self, key: &str) -> Option<&YamlNode> {
        self.node.as_ref()?.get(key)
    }
}

fn in_file(position: LineColumn) -> LineColumn {
    position.shifted(front_matter::LINES_BEFORE)
}

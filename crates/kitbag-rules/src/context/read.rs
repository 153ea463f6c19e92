//! Parsing of context files.

use super::EXTENSIONS;
use super::check::Checker;
use crate::files::ParsedFile;
use crate::front_matter::{self, FrontMatter};
use crate::matchers::{MAX_ITEMS, Matchers, PathGlobs, expression};
use crate::model::{
    BehaviorRule, CONTEXTS_FOLDER, Convention, LocatedName, Rule, RuleContext, RuleTrigger,
    TextBlock,
};
use crate::problem::RuleProblem;
use kitbag_config::yaml::{self, YamlNode, YamlValue};
use std::sync::Arc;

/// Returns the id of a context file: its path below the folder, without extension. Returns `None` for
/// other files.
pub(crate) fn context_id(path: &str) -> Option<&str> {
    let inner = path.strip_prefix(CONTEXTS_FOLDER)?.strip_prefix('/')?;
    let (id, extension) = inner.rsplit_once('.')?;
    (EXTENSIONS.contains(&extension) && !id.is_empty() && !id.ends_with('/')).then_some(id)
}

/// Parses a context file. Invalid parts are left out; a file that is not YAML gives no context.
pub(crate) fn parse_context(path: &str, id: &str, content: &str) -> ParsedFile {
    let is_markdown = path.ends_with(".md");
    let front = if is_markdown {
        front_matter::split(content)
    } else {
        FrontMatter { yaml: Some(content), body: "", body_line: 1 }
    };
    let lines_before = if is_markdown { front_matter::LINES_BEFORE } else { 0 };
    let mut checker =
        Checker { path, lines_before, problems: Vec::new(), invalid_items: Vec::new() };
    let node = match front.yaml.map_or(Ok(None), yaml::parse) {
        Ok(node) => node,
        Err(error) => {
            checker.report(error.position, "yaml", error.message, error.hint);
            return ParsedFile { problems: checker.problems, ..ParsedFile::default() };
        }
    };
    let name = id.rsplit('/').next().unwrap_or(id).to_owned();
    let mut context =
        RuleContext { id: id.to_owned(), path: path.to_owned(), name, ..RuleContext::default() };
    if let Some(node) = &node {
        checker.check_document(node);
        fill(&mut context, node, &mut checker);
    }
    let body = TextBlock::trimmed(front.body, front.body_line);
    context.body = (!body.text.is_empty()).then_some(body);
    ParsedFile { context: Some(Arc::new(context)), rule: None, problems: checker.problems }
}

fn fill(context: &mut RuleContext, node: &YamlNode, checker: &mut Checker<'_>) {
    let value = |section: &str, key: &str| text_of(node.get(section)?, key);
    if let Some(name) = value("metadata", "name") {
        context.name = name;
    }
    context.kind = value("metadata", "type");
    context.description = value("metadata", "description");
    context.business_goal = value("intent_context", "business_goal");
    context.intent_type = value("intent_context", "intent_type");
    for item in list_items(node, "behavior_rules") {
        if let (Some(trigger), Some(action)) = (text_of(item, "trigger"), text_of(item, "action")) {
            let name = text_of(item, "name").unwrap_or_else(|| trigger.clone());
            context.behavior_rules.push(BehaviorRule { name, trigger, action });
        }
    }
    for item in list_items(node, "injection_rules") {
        let Some(rule) = injection_rule(item, context, checker) else { continue };
        if let Some(first) = context.injection_rules.iter().find(|it| it.name == rule.name) {
            let (line, name) = (first.position.line, &rule.name);
            let message = format!("line {line} has a rule of the same name: `{name}`");
            let problem = RuleProblem::warning(&context.path, "same_name", message);
            let hint = "the first one is used; rename the other";
            checker.problems.push(problem.at(rule.position).hint(hint));
            continue;
        }
        context.injection_rules.push(Arc::new(rule));
    }
    context.extends = checker.names(node, "extends");
    for LocatedName { name, .. } in &mut context.extends {
        *name = name.trim().trim_matches('/').to_owned();
    }
}

fn text_of(node: &YamlNode, key: &str) -> Option<String> {
    Some(node.get(key)?.text()?.trim().to_owned())
}

fn list_items<'a>(node: &'a YamlNode, key: &str) -> &'a [YamlNode] {
    match node.get(key).map(|node| &node.value) {
        Some(YamlValue::List(items)) => items,
        _ => &[],
    }
}

/// Parses a rule. Returns `None` if a part of it is invalid: without its condition, for example, it
/// would always apply.
fn injection_rule(
    item: &YamlNode,
    context: &RuleContext,
    checker: &mut Checker<'_>,
) -> Option<Rule> {
    let before = checker.problems.len();
    let matchers = item.get("when").map(|when| matchers(when, checker)).unwrap_or_default();
    if checker.problems.len() > before || checker.invalid_items.contains(&item.position) {
        return None;
    }
    Some(Rule {
        name: text_of(item, "name")?,
        description: text_of(item, "description"),
        convention: Convention::Context,
        path: context.path.clone(),
        position: checker.position(item.position),
        trigger: RuleTrigger { manual: false, matchers, condition: text_of(item, "condition") },
        text: None,
        targets: Some(checker.names(item, "inject")).filter(|targets| !targets.is_empty())?,
    })
}

fn matchers(when: &YamlNode, checker: &mut Checker<'_>) -> Matchers {
    let mut texts = |key: &str| -> Vec<String> {
        let Some(node) = when.get(key) else { return Vec::new() };
        let mut texts = node.texts();
        if texts.len() > MAX_ITEMS {
            let message = format!("`{key}` has more than {MAX_ITEMS} items");
            checker.report(node.position, "too_many", message, None);
            texts.truncate(MAX_ITEMS);
        }
        texts
    };
    let (paths, patterns) = (texts("paths"), texts("matches"));
    let mut matchers = Matchers {
        languages: texts("languages"),
        kinds: texts("kinds").iter().filter_map(|name| name.parse().ok()).collect(),
        words: texts("words"),
        ..Matchers::default()
    };
    let position = |key: &str, number: usize| {
        let node = when.get(key).unwrap_or(when);
        node.items().get(number).unwrap_or(node).position
    };
    if !paths.is_empty() {
        match PathGlobs::new(&paths) {
            Ok(globs) => matchers.paths = Some(globs),
            Err((number, error)) => checker.report(position("paths", number), "glob", error, None),
        }
    }
    for (number, pattern) in patterns.iter().enumerate() {
        match expression(pattern) {
            Ok(expression) => matchers.expressions.push(expression),
            Err(error) => checker.report(position("matches", number), "expression", error, None),
        }
    }
    matchers
}

//! From a file's text to a context.

use super::check::Checker;
use super::{BehaviorRule, CONTEXTS_FOLDER, Context, ENDINGS, InjectionRule};
use crate::config::yaml::{self, Content, Fault, Node};
use crate::rules::files::Parsed;
use crate::rules::front::{self, Front, member, text, texts};
use crate::rules::matchers::{MOST_ITEMS, Matchers, PathGlobs, expression};
use crate::rules::problem::RuleProblem;
use std::sync::Arc;

/// The name of a context by its file: the path below the folder, without its ending; nothing for a
/// file that is none.
pub(in crate::rules) fn id_of(path: &str) -> Option<&str> {
    let inner = path.strip_prefix(CONTEXTS_FOLDER)?.strip_prefix('/')?;
    let (id, ending) = inner.rsplit_once('.')?;
    (ENDINGS.contains(&ending) && !id.is_empty() && !id.ends_with('/')).then_some(id)
}

/// Reads a context file. What is wrong costs what stands there; a file that is no YAML costs itself.
pub(in crate::rules) fn read(path: &str, id: &str, content: &str) -> Parsed {
    let is_markdown = path.ends_with(".md");
    let front = if is_markdown {
        front::split(content)
    } else {
        Front { yaml: Some(content), body: "", body_line: 1 }
    };
    let lines_before = if is_markdown { front::FIRST_LINE } else { 0 };
    let mut checker = Checker { path, lines_before, problems: Vec::new(), spoilt: Vec::new() };
    let node = match front.yaml.map_or(Ok(None), yaml::parse) {
        Ok(node) => node,
        Err(fault) => {
            let problem = no_yaml(&fault, path, checker.place(fault.spot));
            return Parsed { problems: vec![problem], ..Parsed::default() };
        }
    };
    let mut context = plain(path, id);
    if let Some(node) = &node {
        checker.document(node);
        fill(&mut context, node, &mut checker);
    }
    let body = front.body.trim();
    if !body.is_empty() {
        let blank = front.body.lines().take_while(|line| line.trim().is_empty()).count();
        context.body = Some((body.into(), front.body_line + blank));
    }
    Parsed { context: Some(Arc::new(context)), rule: None, problems: checker.problems }
}

/// What is no YAML, in words.
pub(in crate::rules) fn no_yaml(fault: &Fault, path: &str, place: (usize, usize)) -> RuleProblem {
    let problem = RuleProblem::error(path, "yaml", fault.message.to_string()).at(place);
    match fault.hint {
        // The hints of the reader that speak of configurations are of no help here.
        Some(hint) if !hint.contains("configuration") && !hint.contains("setting") => {
            problem.hint(hint)
        }
        _ => problem,
    }
}

/// A context that says nothing but what its file is called.
fn plain(path: &str, id: &str) -> Context {
    let name = id.rsplit('/').next().unwrap_or(id).to_owned();
    Context { id: id.to_owned(), path: path.to_owned(), name, ..Context::default() }
}

fn fill(context: &mut Context, node: &Node, checker: &mut Checker<'_>) {
    let within = |section: &str, key: &str| {
        let value = text(member(member(node, section)?, key)?)?;
        Some(value.trim().to_owned())
    };
    if let Some(name) = within("metadata", "name") {
        context.name = name;
    }
    context.kind = within("metadata", "type");
    context.description = within("metadata", "description");
    context.business_goal = within("intent_context", "business_goal");
    context.intent_type = within("intent_context", "intent_type");
    for item in items(node, "behavior_rules") {
        let field = |key: &str| Some(text(member(item, key)?)?.trim().to_owned());
        if let (Some(trigger), Some(action)) = (field("trigger"), field("action")) {
            let name = field("name").unwrap_or_else(|| trigger.clone());
            context.behavior_rules.push(BehaviorRule { name, trigger, action });
        }
    }
    let (id, path) = (context.id.clone(), context.path.clone());
    for item in items(node, "injection_rules") {
        let Some(rule) = injection_rule(item, (&id, &path), checker) else { continue };
        if let Some(first) = context.injection_rules.iter().find(|it| it.name == rule.name) {
            let message =
                format!("line {} has a rule of the same name: `{}`", first.place.0, rule.name);
            let problem = RuleProblem::warning(&path, "same_name", message).at(rule.place);
            checker.problems.push(problem.hint("the first one counts; give each its own name"));
            continue;
        }
        context.injection_rules.push(Arc::new(rule));
    }
    if let Some(extends) = member(node, "extends") {
        let nodes: Vec<&Node> = match &extends.content {
            Content::List(items) => items.iter().collect(),
            _ => vec![extends],
        };
        for node in nodes {
            let name = text(node).map(|name| name.trim().trim_matches('/').to_owned());
            context.extends.extend(name.map(|name| (name, checker.place(node.spot))));
        }
    }
}

fn items<'a>(node: &'a Node, key: &str) -> impl Iterator<Item = &'a Node> {
    let items = member(node, key).map(|node| match &node.content {
        Content::List(items) => items.as_slice(),
        _ => &[],
    });
    items.into_iter().flatten()
}

/// A rule; nothing where a part of it cannot be used: without its condition, say, it would always
/// apply.
fn injection_rule(
    item: &Node,
    (context, path): (&str, &str),
    checker: &mut Checker<'_>,
) -> Option<InjectionRule> {
    let field = |key: &str| Some(text(member(item, key)?)?.trim().to_owned());
    let before = checker.problems.len();
    let matchers = member(item, "when").map(|when| matchers(when, checker)).unwrap_or_default();
    if checker.problems.len() > before || checker.spoilt.contains(&item.spot) {
        return None;
    }
    Some(InjectionRule {
        name: field("name")?,
        description: field("description"),
        condition: field("condition"),
        matchers,
        inject: member(item, "inject")
            .map(|node| targets(node, checker))
            .filter(|targets| !targets.is_empty())?,
        context: context.to_owned(),
        path: path.to_owned(),
        place: checker.place(item.spot),
    })
}

/// What a rule injects, each with its place: one text, or a list of them.
fn targets(node: &Node, checker: &Checker<'_>) -> Vec<(String, (usize, usize))> {
    let nodes = match &node.content {
        Content::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let placed = |node: &Node| {
        texts(node).into_iter().map(|text| (text, checker.place(node.spot))).collect::<Vec<_>>()
    };
    nodes.iter().flat_map(placed).collect()
}

fn matchers(when: &Node, checker: &mut Checker<'_>) -> Matchers {
    let mut list = |key: &str| -> Vec<String> {
        let Some(node) = member(when, key) else { return Vec::new() };
        let mut list = texts(node);
        if list.len() > MOST_ITEMS {
            let message = format!("`{key}` has more than {MOST_ITEMS} items");
            checker.wrong(node.spot, "too_many", message, None);
            list.truncate(MOST_ITEMS);
        }
        list
    };
    let (paths, languages, kinds) = (list("paths"), list("languages"), list("kinds"));
    let (words, patterns) = (list("words"), list("matches"));
    let mut built = Matchers {
        languages,
        kinds: kinds.iter().filter_map(|name| name.parse().ok()).collect(),
        words,
        ..Matchers::default()
    };
    let spot = |key: &str, number: usize| {
        let node = member(when, key).unwrap_or(when);
        match &node.content {
            Content::List(items) => items.get(number).map_or(node.spot, |item| item.spot),
            _ => node.spot,
        }
    };
    if !paths.is_empty() {
        match PathGlobs::ours(&paths) {
            Ok(globs) => built.paths = Some(globs),
            Err((number, error)) => checker.wrong(spot("paths", number), "glob", error, None),
        }
    }
    for (number, pattern) in patterns.iter().enumerate() {
        match expression(pattern) {
            Ok(expression) => built.expressions.push(expression),
            Err(error) => checker.wrong(spot("matches", number), "expression", error, None),
        }
    }
    built
}

//! Every key of a context file, declared once: checks and schema derive from here.

use KeyType::{Kinds, List, Mapping, Text, Texts};

pub(super) struct ContextKey {
    pub name: &'static str,
    pub doc: &'static str,
    pub key_type: KeyType,
    pub is_required: bool,
}

/// The type of a key's value.
#[derive(Clone, Copy)]
pub(super) enum KeyType {
    Text,
    /// A string or a list of strings.
    Texts,
    /// A kind of source or a list of kinds.
    Kinds,
    Mapping(&'static [ContextKey]),
    /// A list of mappings.
    List(&'static [ContextKey]),
}

const fn key(name: &'static str, key_type: KeyType, doc: &'static str) -> ContextKey {
    ContextKey { name, doc, key_type, is_required: false }
}

const fn required(name: &'static str, key_type: KeyType, doc: &'static str) -> ContextKey {
    ContextKey { name, doc, key_type, is_required: true }
}

/// The keys at the top of a context file.
pub(super) const CONTEXT: &[ContextKey] = &[
    key("metadata", Mapping(METADATA), "Name and kind of the context."),
    key("intent_context", Mapping(INTENT), "Goal and kind of work in this context."),
    key("behavior_rules", List(BEHAVIOR), "Actions to take on certain events."),
    key("injection_rules", List(INJECTION), "Further files to read under a condition."),
    key(
        "extends",
        Texts,
        "Contexts to inherit from, such as `base` or `team/backend`. A context also inherits from the \
         `default` of its folder and of each folder above.",
    ),
];

const METADATA: &[ContextKey] = &[
    key("name", Text, "Name; by default that of the file."),
    key("type", Text, "Kind of context, such as `team`, `domain` or `helper`."),
    key("description", Text, "Description."),
    key("version", Text, "Version, for information only."),
];

const INTENT: &[ContextKey] = &[
    key("business_goal", Text, "Business goal."),
    key("intent_type", Text, "Kind of work, such as `feature` or `maintenance`."),
];

const BEHAVIOR: &[ContextKey] = &[
    key("name", Text, "Name; by default the trigger. Replaces an inherited rule of the same name."),
    required("trigger", Text, "Event that triggers the rule."),
    required("action", Text, "Action to take."),
];

const INJECTION: &[ContextKey] = &[
    required("name", Text, "Name. Replaces an inherited rule of the same name."),
    key("description", Text, "Description, which agents read if the condition is undecided."),
    key("condition", Text, "Condition in plain language, which a model judges."),
    key("when", Mapping(WHEN), "Matchers, which decide without a model. All of them must match."),
    required(
        "inject",
        Texts,
        "Contexts (`helpers/guide`), files or globs of the repository to inject.",
    ),
];

const WHEN: &[ContextKey] = &[
    key(
        "paths",
        Texts,
        "Globs, one of which must match a file of the request. `!` excludes paths.",
    ),
    key("languages", Texts, "Languages, one of which a file of the request must have."),
    key("kinds", Kinds, "Kinds of sources, one of which the request must have."),
    key("words", Texts, "Words or phrases, one of which the situation must contain."),
    key(
        "matches",
        Texts,
        "Regular expressions, one of which must match the situation. Case is ignored.",
    ),
];

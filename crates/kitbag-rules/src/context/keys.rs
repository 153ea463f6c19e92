//! Every key of a context file, declared once: checks and schema derive from here.

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
    key("metadata", KeyType::Mapping(METADATA), "Name and kind of the context."),
    key("intent_context", KeyType::Mapping(INTENT), "Goal and kind of work in this context."),
    key("behavior_rules", KeyType::List(BEHAVIOR), "Actions to take on certain events."),
    key("injection_rules", KeyType::List(INJECTION), "Further files to read under a condition."),
    key(
        "extends",
        KeyType::Texts,
        "Contexts to inherit from, such as `base` or `team/backend`. A context also inherits from the \
         `default` of its folder and of each folder above.",
    ),
];

const METADATA: &[ContextKey] = &[
    key("name", KeyType::Text, "Name; by default that of the file."),
    key("type", KeyType::Text, "Kind of context, such as `team`, `domain` or `helper`."),
    key("description", KeyType::Text, "Description."),
    key("version", KeyType::Text, "Version, for information only."),
];

const INTENT: &[ContextKey] = &[
    key("business_goal", KeyType::Text, "Business goal."),
    key("intent_type", KeyType::Text, "Kind of work, such as `feature` or `maintenance`."),
];

const BEHAVIOR: &[ContextKey] = &[
    key(
        "name",
        KeyType::Text,
        "Name; by default the trigger. Replaces an inherited rule of the same name.",
    ),
    required("trigger", KeyType::Text, "Event that triggers the rule."),
    required("action", KeyType::Text, "Action to take."),
];

const INJECTION: &[ContextKey] = &[
    required("name", KeyType::Text, "Name. Replaces an inherited rule of the same name."),
    key(
        "description",
        KeyType::Text,
        "Description, which agents read if the condition is undecided.",
    ),
    key("condition", KeyType::Text, "Condition in plain language, which a model judges."),
    key(
        "when",
        KeyType::Mapping(WHEN),
        "Matchers, which decide without a model. All of them must match.",
    ),
    required(
        "inject",
        KeyType::Texts,
        "Contexts (`helpers/guide`), files or globs of the repository to inject.",
    ),
];

const WHEN: &[ContextKey] = &[
    key(
        "paths",
        KeyType::Texts,
        "Globs, one of which must match a file of the request. `!` excludes paths.",
    ),
    key("languages", KeyType::Texts, "Languages, one of which a file of the request must have."),
    key("kinds", KeyType::Kinds, "Kinds of sources, one of which the request must have."),
    key("words", KeyType::Texts, "Words or phrases, one of which the situation must contain."),
    key(
        "matches",
        KeyType::Texts,
        "Regular expressions, one of which must match the situation. Case is ignored.",
    ),
];

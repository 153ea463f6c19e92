//! Every key of a context file, declared once: the checks and the schema for editors come from here.

/// A key.
pub(super) struct Key {
    pub name: &'static str,
    /// What it means, for editors.
    pub doc: &'static str,
    pub shape: Shape,
    /// Whether its section is of no use without it.
    pub required: bool,
}

/// What stands under a key.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// A text.
    Text,
    /// A text, or a list of texts.
    Texts,
    /// Kinds of sources.
    Kinds,
    /// Keys with values.
    Section(&'static [Key]),
    /// A list of sections.
    List(&'static [Key]),
}

const fn key(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, doc, shape, required: false }
}

const fn needed(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, doc, shape, required: true }
}

/// The keys of a context file.
pub(super) const CONTEXT: &[Key] = &[
    key("metadata", Shape::Section(METADATA), "What the context is called."),
    key(
        "intent_context",
        Shape::Section(INTENT),
        "What people who work in this context are after.",
    ),
    key("behavior_rules", Shape::List(BEHAVIOR), "What to do when something happens."),
    key("injection_rules", Shape::List(INJECTION), "What else to read, and under which condition."),
    key(
        "extends",
        Shape::Texts,
        "The contexts that this one inherits from, such as `base` or `team/backend`. It also inherits \
         from the `default` of its folder and of each folder above.",
    ),
];

const METADATA: &[Key] = &[
    key("name", Shape::Text, "Its name; by default that of its file."),
    key("type", Shape::Text, "What kind of context it is, such as `team`, `domain` or `helper`."),
    key("description", Shape::Text, "What it is about."),
    key("version", Shape::Text, "Its version. Nothing follows from it."),
];

const INTENT: &[Key] = &[
    key("business_goal", Shape::Text, "What it is all for."),
    key("intent_type", Shape::Text, "The kind of work, such as `feature` or `maintenance`."),
];

const BEHAVIOR: &[Key] = &[
    key(
        "name",
        Shape::Text,
        "Its name; by default its trigger. A child's rule replaces one of the same name.",
    ),
    needed("trigger", Shape::Text, "When it is to be followed."),
    needed("action", Shape::Text, "What is to be done then."),
];

const INJECTION: &[Key] = &[
    needed("name", Shape::Text, "Its name. A child's rule replaces one of the same name."),
    key(
        "description",
        Shape::Text,
        "What it is for; agents read it where nobody judged the condition.",
    ),
    key("condition", Shape::Text, "A condition in plain language, which a model judges."),
    key(
        "when",
        Shape::Section(WHEN),
        "Matchers, which decide without a model. All of them must match.",
    ),
    needed(
        "inject",
        Shape::Texts,
        "What to read then: contexts (`helpers/guide`), files or globs of the repository.",
    ),
];

const WHEN: &[Key] = &[
    key(
        "paths",
        Shape::Texts,
        "Globs; one of them matches a file of the request. `!` takes paths out.",
    ),
    key("languages", Shape::Texts, "Languages; one of them is that of a file of the request."),
    key("kinds", Shape::Kinds, "Kinds of sources; the request has one of them."),
    key("words", Shape::Texts, "Words or phrases; the situation has one of them."),
    key(
        "matches",
        Shape::Texts,
        "Expressions; one of them matches the situation. Case is ignored.",
    ),
];

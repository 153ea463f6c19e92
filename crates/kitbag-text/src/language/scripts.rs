//! Grammar tables for Python, JavaScript, TypeScript, TSX, Ruby, Lua, R and Bash.

use super::grammar::{Grammar, Quirks};
use super::roles::NameSource;
use super::roles::NameSource::*;
use super::roles::NodeRole::*;

pub(super) static PYTHON: Grammar = Grammar::with_quirks(
    Quirks { has_docstrings: true, ..Quirks::NONE },
    || tree_sitter_python::LANGUAGE.into(),
    &[
        (Function, &["function_definition"]),
        (Class, &["class_definition"]),
        (Named, &["type_alias_statement"]),
        (Wrapper, &["decorated_definition", "expression_statement"]),
        (Binding, &["assignment"]),
        (Leading, &["comment"]),
    ],
    &[("type_alias_statement", Field("left")), ("assignment", Field("left"))],
);

/// Roles that JavaScript shares with TypeScript.
macro_rules! javascript_roles {
    ($($more:expr),* $(,)?) => {
        &[
            (Function, &["function_declaration", "generator_function_declaration"]),
            (Function, &["function_expression", "generator_function", "arrow_function"]),
            (Function, &["method_definition", "class_static_block"]),
            (Class, &["class_declaration", "class"]),
            (Record, &["object"]),
            (Wrapper, &["export_statement", "expression_statement"]),
            (Wrapper, &["lexical_declaration", "variable_declaration"]),
            (Binding, &["variable_declarator", "assignment_expression", "pair"]),
            (Leading, &["comment", "decorator"]),
            $($more),*
        ]
    };
}

const JAVASCRIPT_NAMES: &[(&str, NameSource)] = &[
    ("assignment_expression", Field("left")),
    ("pair", Field("key")),
    ("field_definition", Field("property")),
    ("class_static_block", Fixed("static")),
];

pub(super) static JAVASCRIPT: Grammar = Grammar::new(
    || tree_sitter_javascript::LANGUAGE.into(),
    javascript_roles![(Binding, &["field_definition"])],
    JAVASCRIPT_NAMES,
);

/// Roles of JavaScript and those that TypeScript adds.
macro_rules! typescript_roles {
    () => {
        javascript_roles![
            (Function, &["function_signature", "method_signature", "abstract_method_signature"]),
            (Class, &["abstract_class_declaration", "interface_declaration"]),
            (Class, &["enum_declaration", "internal_module", "module"]),
            (Named, &["type_alias_declaration"]),
            (Wrapper, &["ambient_declaration"]),
            (Binding, &["public_field_definition"]),
        ]
    };
}

pub(super) static TYPESCRIPT: Grammar = Grammar::new(
    || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    typescript_roles![],
    TYPESCRIPT_NAMES,
);

pub(super) static TSX: Grammar = Grammar::new(
    || tree_sitter_typescript::LANGUAGE_TSX.into(),
    typescript_roles![],
    TYPESCRIPT_NAMES,
);

const TYPESCRIPT_NAMES: &[(&str, NameSource)] = &[
    ("assignment_expression", Field("left")),
    ("pair", Field("key")),
    ("class_static_block", Fixed("static")),
];

pub(super) static RUBY: Grammar = Grammar::new(
    || tree_sitter_ruby::LANGUAGE.into(),
    &[
        (Function, &["method", "singleton_method"]),
        (Class, &["class", "module"]),
        (Extension, &["singleton_class"]),
        (Binding, &["assignment"]),
        (Leading, &["comment"]),
        (Trailing, &["heredoc_body"]),
    ],
    &[("assignment", Field("left"))],
);

pub(super) static LUA: Grammar = Grammar::new(
    || tree_sitter_lua::LANGUAGE.into(),
    &[
        (Function, &["function_declaration", "function_definition"]),
        (Record, &["table_constructor"]),
        (Wrapper, &["variable_declaration", "expression_list"]),
        (Binding, &["assignment_statement", "field"]),
        (Leading, &["comment"]),
    ],
    &[("assignment_statement", Child("variable_list"))],
);

pub(super) static BASH: Grammar = Grammar::with_quirks(
    Quirks { ascii_only: true, ..Quirks::NONE },
    || tree_sitter_bash::LANGUAGE.into(),
    &[
        (Function, &["function_definition"]),
        (Named, &["variable_assignment"]),
        (Wrapper, &["declaration_command"]),
        (Leading, &["comment"]),
        (Trailing, &["heredoc_body"]),
    ],
    &[],
);

pub(super) static R: Grammar = Grammar::new(
    || tree_sitter_r::LANGUAGE.into(),
    &[
        (Function, &["function_definition"]),
        (Binding, &["binary_operator"]),
        (Leading, &["comment"]),
    ],
    &[("binary_operator", Field("lhs")), ("function_definition", Unnamed)],
);

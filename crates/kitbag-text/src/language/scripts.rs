//! The tables of Python, JavaScript, TypeScript, TSX, Ruby, Lua and Bash.

use super::grammar::{Grammar, Name, Role, Traits};
use std::sync::OnceLock;

pub(super) static PYTHON: Grammar = Grammar {
    language: || tree_sitter_python::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_definition"]),
        (Role::Class, &["class_definition"]),
        (Role::Named, &["type_alias_statement"]),
        (Role::Wrapper, &["decorated_definition", "expression_statement"]),
        (Role::Binding, &["assignment"]),
        (Role::Lead, &["comment"]),
    ],
    names: &[("type_alias_statement", Name::Field("left")), ("assignment", Name::Field("left"))],
    traits: Traits { docstrings: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

/// The roles that JavaScript shares with its typed dialects.
macro_rules! javascript_roles {
    ($($more:expr),* $(,)?) => {
        &[
            (Role::Function, &["function_declaration", "generator_function_declaration"]),
            (Role::Function, &["function_expression", "generator_function", "arrow_function"]),
            (Role::Function, &["method_definition", "class_static_block"]),
            (Role::Class, &["class_declaration", "class"]),
            (Role::Record, &["object"]),
            (Role::Wrapper, &["export_statement", "expression_statement"]),
            (Role::Wrapper, &["lexical_declaration", "variable_declaration"]),
            (Role::Binding, &["variable_declarator", "assignment_expression", "pair"]),
            (Role::Lead, &["comment", "decorator"]),
            $($more),*
        ]
    };
}

/// Where names stand in JavaScript and its typed dialects.
const JAVASCRIPT_NAMES: &[(&str, Name)] = &[
    ("assignment_expression", Name::Field("left")),
    ("pair", Name::Field("key")),
    ("field_definition", Name::Field("property")),
    ("class_static_block", Name::Fixed("static")),
];

pub(super) static JAVASCRIPT: Grammar = Grammar {
    language: || tree_sitter_javascript::LANGUAGE.into(),
    roles: javascript_roles![(Role::Binding, &["field_definition"])],
    names: JAVASCRIPT_NAMES,
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

/// The roles that TypeScript adds.
macro_rules! typescript_roles {
    () => {
        javascript_roles![
            (Role::Function, &["function_signature", "method_signature"]),
            (Role::Function, &["abstract_method_signature"]),
            (Role::Class, &["abstract_class_declaration", "interface_declaration"]),
            (Role::Class, &["enum_declaration", "internal_module", "module"]),
            (Role::Named, &["type_alias_declaration"]),
            (Role::Wrapper, &["ambient_declaration"]),
            (Role::Binding, &["public_field_definition"]),
        ]
    };
}

pub(super) static TYPESCRIPT: Grammar = Grammar {
    language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    roles: typescript_roles![],
    names: TYPESCRIPT_NAMES,
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static TSX: Grammar = Grammar {
    language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    roles: typescript_roles![],
    names: TYPESCRIPT_NAMES,
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

const TYPESCRIPT_NAMES: &[(&str, Name)] = &[
    ("assignment_expression", Name::Field("left")),
    ("pair", Name::Field("key")),
    ("class_static_block", Name::Fixed("static")),
];

pub(super) static RUBY: Grammar = Grammar {
    language: || tree_sitter_ruby::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["method", "singleton_method"]),
        (Role::Class, &["class", "module"]),
        (Role::Extension, &["singleton_class"]),
        (Role::Binding, &["assignment"]),
        (Role::Lead, &["comment"]),
        (Role::Tail, &["heredoc_body"]),
    ],
    names: &[("assignment", Name::Field("left"))],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static LUA: Grammar = Grammar {
    language: || tree_sitter_lua::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_declaration", "function_definition"]),
        (Role::Record, &["table_constructor"]),
        (Role::Wrapper, &["variable_declaration", "expression_list"]),
        (Role::Binding, &["assignment_statement", "field"]),
        (Role::Lead, &["comment"]),
    ],
    names: &[("assignment_statement", Name::Child("variable_list"))],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static BASH: Grammar = Grammar {
    language: || tree_sitter_bash::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_definition"]),
        (Role::Named, &["variable_assignment"]),
        (Role::Wrapper, &["declaration_command"]),
        (Role::Lead, &["comment"]),
        (Role::Tail, &["heredoc_body"]),
    ],
    names: &[],
    traits: Traits { ascii_only: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

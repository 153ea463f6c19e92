//! The tables of Rust, Go, C, C++ and Swift.

use super::grammar::{Grammar, Name, Role, Traits};
use std::sync::OnceLock;

pub(super) static RUST: Grammar = Grammar {
    language: || tree_sitter_rust::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_item", "function_signature_item", "macro_definition"]),
        (Role::Class, &["struct_item", "enum_item", "union_item", "trait_item", "mod_item"]),
        (Role::Extension, &["impl_item"]),
        (Role::Named, &["const_item", "static_item", "type_item"]),
        (Role::Group, &["foreign_mod_item", "declaration_list"]),
        (Role::Lead, &["line_comment", "block_comment", "attribute_item"]),
    ],
    names: &[("impl_item", Name::Field("type"))],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static GO: Grammar = Grammar {
    language: || tree_sitter_go::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_declaration", "method_declaration", "method_elem"]),
        (Role::Class, &["type_spec"]),
        (Role::Named, &["type_alias", "const_spec", "var_spec"]),
        (Role::Wrapper, &["type_declaration", "const_declaration", "var_declaration"]),
        (Role::Wrapper, &["var_spec_list"]),
        (Role::Body, &["struct_type", "interface_type"]),
        (Role::Lead, &["comment"]),
    ],
    names: &[("method_declaration", Name::Receiver)],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static C: Grammar = Grammar {
    language: || tree_sitter_c::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_definition", "preproc_function_def"]),
        (Role::Class, &["struct_specifier", "union_specifier", "enum_specifier"]),
        (Role::Named, &["type_definition", "preproc_def"]),
        (Role::Prototype, &["declaration"]),
        (Role::Group, &["linkage_specification", "declaration_list"]),
        (Role::Group, &["preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"]),
        (Role::Lead, &["comment"]),
    ],
    names: &[
        ("function_definition", Name::Declarator),
        ("type_definition", Name::Declarator),
        ("declaration", Name::Declarator),
    ],
    traits: Traits { bodies_define: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

pub(super) static CPP: Grammar = Grammar {
    language: || tree_sitter_cpp::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_definition", "preproc_function_def"]),
        (Role::Class, &["class_specifier", "struct_specifier", "union_specifier"]),
        (Role::Class, &["enum_specifier"]),
        (Role::Named, &["type_definition", "alias_declaration", "concept_definition"]),
        (Role::Named, &["preproc_def"]),
        (Role::Prototype, &["declaration", "field_declaration"]),
        (Role::Wrapper, &["template_declaration"]),
        (Role::Group, &["namespace_definition", "linkage_specification", "declaration_list"]),
        (Role::Group, &["labeled_statement"]),
        (Role::Group, &["preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"]),
        (Role::Lead, &["comment", "attribute_declaration"]),
    ],
    names: &[
        ("function_definition", Name::Declarator),
        ("type_definition", Name::Declarator),
        ("declaration", Name::Declarator),
        ("field_declaration", Name::Declarator),
    ],
    traits: Traits { bodies_define: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

pub(super) static SWIFT: Grammar = Grammar {
    language: || tree_sitter_swift::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_declaration", "init_declaration", "deinit_declaration"]),
        (Role::Function, &["subscript_declaration", "protocol_function_declaration"]),
        (Role::Class, &["class_declaration", "protocol_declaration"]),
        (Role::Named, &["property_declaration", "typealias_declaration"]),
        (Role::Named, &["protocol_property_declaration", "associatedtype_declaration"]),
        (Role::Body, &["computed_property"]),
        (Role::Lead, &["comment", "multiline_comment"]),
    ],
    names: &[
        ("init_declaration", Name::Fixed("init")),
        ("deinit_declaration", Name::Fixed("deinit")),
        ("subscript_declaration", Name::Fixed("subscript")),
    ],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

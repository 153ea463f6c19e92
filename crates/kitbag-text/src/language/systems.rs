//! Grammar tables for Rust, Go, C, C++, Swift and Zig.

use super::grammar::{Grammar, Quirks};
use super::roles::NameSource::*;
use super::roles::NodeRole::*;

pub(super) static RUST: Grammar = Grammar::new(
    || tree_sitter_rust::LANGUAGE.into(),
    &[
        (Function, &["function_item", "function_signature_item", "macro_definition"]),
        (Class, &["struct_item", "enum_item", "union_item", "trait_item", "mod_item"]),
        (Extension, &["impl_item"]),
        (Named, &["const_item", "static_item", "type_item"]),
        (Group, &["foreign_mod_item", "declaration_list"]),
        (Leading, &["line_comment", "block_comment", "attribute_item"]),
    ],
    &[("impl_item", Field("type"))],
);

pub(super) static GO: Grammar = Grammar::new(
    || tree_sitter_go::LANGUAGE.into(),
    &[
        (Function, &["function_declaration", "method_declaration", "method_elem"]),
        (Class, &["type_spec"]),
        (Named, &["type_alias", "const_spec", "var_spec"]),
        (Wrapper, &["type_declaration", "const_declaration", "var_declaration", "var_spec_list"]),
        (Body, &["struct_type", "interface_type"]),
        (Leading, &["comment"]),
    ],
    &[("method_declaration", Receiver)],
);

pub(super) static C: Grammar = Grammar::with_quirks(
    Quirks { requires_body: true, ..Quirks::NONE },
    || tree_sitter_c::LANGUAGE.into(),
    &[
        (Function, &["function_definition", "preproc_function_def"]),
        (Class, &["struct_specifier", "union_specifier", "enum_specifier"]),
        (Named, &["type_definition", "preproc_def"]),
        (Prototype, &["declaration"]),
        (Group, &["linkage_specification", "declaration_list"]),
        (Group, &["preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"]),
        (Leading, &["comment"]),
    ],
    &[
        ("function_definition", Declarator),
        ("type_definition", Declarator),
        ("declaration", Declarator),
    ],
);

pub(super) static CPP: Grammar = Grammar::with_quirks(
    Quirks { requires_body: true, ..Quirks::NONE },
    || tree_sitter_cpp::LANGUAGE.into(),
    &[
        (Function, &["function_definition", "preproc_function_def"]),
        (Class, &["class_specifier", "struct_specifier", "union_specifier", "enum_specifier"]),
        (Named, &["type_definition", "alias_declaration", "concept_definition", "preproc_def"]),
        (Prototype, &["declaration", "field_declaration"]),
        (Wrapper, &["template_declaration"]),
        (Group, &["namespace_definition", "linkage_specification", "declaration_list"]),
        (Group, &["labeled_statement"]),
        (Group, &["preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"]),
        (Leading, &["comment", "attribute_declaration"]),
    ],
    &[
        ("function_definition", Declarator),
        ("type_definition", Declarator),
        ("declaration", Declarator),
        ("field_declaration", Declarator),
    ],
);

pub(super) static SWIFT: Grammar = Grammar::new(
    || tree_sitter_swift::LANGUAGE.into(),
    &[
        (Function, &["function_declaration", "init_declaration", "deinit_declaration"]),
        (Function, &["subscript_declaration", "protocol_function_declaration"]),
        (Class, &["class_declaration", "protocol_declaration"]),
        (Named, &["property_declaration", "typealias_declaration"]),
        (Named, &["protocol_property_declaration", "associatedtype_declaration"]),
        (Body, &["computed_property"]),
        (Leading, &["comment", "multiline_comment"]),
    ],
    &[
        ("init_declaration", Fixed("init")),
        ("deinit_declaration", Fixed("deinit")),
        ("subscript_declaration", Fixed("subscript")),
    ],
);

pub(super) static ZIG: Grammar = Grammar::with_keywords(
    Quirks { has_type_values: true, ..Quirks::NONE },
    || tree_sitter_zig::LANGUAGE.into(),
    &[
        (Function, &["function_declaration"]),
        (Class, &["struct_declaration", "enum_declaration", "union_declaration"]),
        (Class, &["opaque_declaration"]),
        (Test, &["test_declaration"]),
        (Binding, &["variable_declaration"]),
        (Keyword, &["builtin_function"]),
        (Leading, &["comment"]),
    ],
    &[("variable_declaration", Child("identifier")), ("test_declaration", Title)],
    &[(Reference, Unnamed, &["@import", "@This"])],
);

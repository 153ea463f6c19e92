//! The tables of Java, Kotlin, Scala, C# and PHP.

use super::grammar::{Grammar, Name, Role, Traits};
use std::sync::OnceLock;

pub(super) static JAVA: Grammar = Grammar {
    language: || tree_sitter_java::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["method_declaration", "constructor_declaration"]),
        (Role::Function, &["compact_constructor_declaration", "static_initializer"]),
        (Role::Function, &["annotation_type_element_declaration"]),
        (Role::Class, &["class_declaration", "interface_declaration", "enum_declaration"]),
        (Role::Class, &["record_declaration", "annotation_type_declaration"]),
        (Role::Group, &["enum_body_declarations"]),
        (Role::Lead, &["line_comment", "block_comment"]),
    ],
    names: &[("static_initializer", Name::Fixed("static"))],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static KOTLIN: Grammar = Grammar {
    language: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_declaration", "secondary_constructor"]),
        (Role::Function, &["anonymous_initializer"]),
        (Role::Class, &["class_declaration", "object_declaration"]),
        (Role::Extension, &["companion_object"]),
        (Role::Named, &["property_declaration", "type_alias"]),
        (Role::Body, &["class_body", "enum_class_body", "function_body", "block"]),
        (Role::Lead, &["line_comment", "block_comment", "file_annotation"]),
    ],
    names: &[
        ("secondary_constructor", Name::Fixed("constructor")),
        ("anonymous_initializer", Name::Fixed("init")),
        ("property_declaration", Name::Child("variable_declaration")),
        ("type_alias", Name::Field("type")),
    ],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static SCALA: Grammar = Grammar {
    language: || tree_sitter_scala::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["function_definition", "function_declaration"]),
        (Role::Class, &["class_definition", "object_definition", "trait_definition"]),
        (Role::Class, &["enum_definition", "package_object", "given_definition"]),
        (Role::Extension, &["extension_definition"]),
        (Role::Named, &["type_definition", "val_definition", "var_definition"]),
        (Role::Named, &["val_declaration", "var_declaration"]),
        (Role::Group, &["package_clause", "template_body"]),
        (Role::Lead, &["comment", "block_comment"]),
    ],
    names: &[
        ("val_definition", Name::Field("pattern")),
        ("var_definition", Name::Field("pattern")),
    ],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static CSHARP: Grammar = Grammar {
    language: || tree_sitter_c_sharp::LANGUAGE.into(),
    roles: &[
        (Role::Function, &["method_declaration", "constructor_declaration"]),
        (Role::Function, &["destructor_declaration", "operator_declaration"]),
        (Role::Function, &["conversion_operator_declaration", "indexer_declaration"]),
        (Role::Function, &["property_declaration", "event_declaration"]),
        (Role::Function, &["local_function_statement"]),
        (Role::Class, &["class_declaration", "interface_declaration", "struct_declaration"]),
        (Role::Class, &["record_declaration", "enum_declaration"]),
        (Role::Named, &["delegate_declaration"]),
        (Role::Wrapper, &["global_statement"]),
        (Role::Group, &["namespace_declaration", "file_scoped_namespace_declaration"]),
        (Role::Group, &["declaration_list", "preproc_if", "preproc_else", "preproc_elif"]),
        (Role::Body, &["accessor_list"]),
        (Role::Lead, &["comment", "preproc_region"]),
        (Role::Tail, &["preproc_endregion"]),
    ],
    names: &[
        ("operator_declaration", Name::Fixed("operator")),
        ("conversion_operator_declaration", Name::Fixed("operator")),
        ("indexer_declaration", Name::Fixed("this")),
    ],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

pub(super) static PHP: Grammar = Grammar {
    language: || tree_sitter_php::LANGUAGE_PHP.into(),
    roles: &[
        (Role::Function, &["function_definition", "method_declaration"]),
        (Role::Class, &["class_declaration", "interface_declaration", "trait_declaration"]),
        (Role::Class, &["enum_declaration"]),
        (Role::Named, &["const_declaration"]),
        (Role::Group, &["namespace_definition", "compound_statement"]),
        (Role::Lead, &["comment"]),
    ],
    names: &[("const_declaration", Name::Child("const_element"))],
    traits: Traits::USUAL,
    compiled: OnceLock::new(),
};

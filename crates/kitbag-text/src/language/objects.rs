//! Grammar tables for Java, Kotlin, Scala, C#, PHP and Dart.

use super::grammar::Grammar;
use super::roles::NameSource::*;
use super::roles::NodeRole::*;

pub(super) static JAVA: Grammar = Grammar::new(
    || tree_sitter_java::LANGUAGE.into(),
    &[
        (Function, &["method_declaration", "constructor_declaration"]),
        (Function, &["compact_constructor_declaration", "static_initializer"]),
        (Function, &["annotation_type_element_declaration"]),
        (Class, &["class_declaration", "interface_declaration", "enum_declaration"]),
        (Class, &["record_declaration", "annotation_type_declaration"]),
        (Group, &["enum_body_declarations"]),
        (Leading, &["line_comment", "block_comment"]),
    ],
    &[("static_initializer", Fixed("static"))],
);

pub(super) static KOTLIN: Grammar = Grammar::new(
    || tree_sitter_kotlin_ng::LANGUAGE.into(),
    &[
        (Function, &["function_declaration", "secondary_constructor", "anonymous_initializer"]),
        (Class, &["class_declaration", "object_declaration"]),
        (Extension, &["companion_object"]),
        (Named, &["property_declaration", "type_alias"]),
        (Body, &["class_body", "enum_class_body", "function_body", "block"]),
        (Leading, &["line_comment", "block_comment", "file_annotation"]),
    ],
    &[
        ("secondary_constructor", Fixed("constructor")),
        ("anonymous_initializer", Fixed("init")),
        ("property_declaration", Child("variable_declaration")),
        ("type_alias", Field("type")),
    ],
);

pub(super) static SCALA: Grammar = Grammar::new(
    || tree_sitter_scala::LANGUAGE.into(),
    &[
        (Function, &["function_definition", "function_declaration"]),
        (Class, &["class_definition", "object_definition", "trait_definition"]),
        (Class, &["enum_definition", "package_object", "given_definition"]),
        (Extension, &["extension_definition"]),
        (Named, &["type_definition", "val_definition", "var_definition"]),
        (Named, &["val_declaration", "var_declaration"]),
        (Group, &["package_clause", "template_body"]),
        (Leading, &["comment", "block_comment"]),
    ],
    &[("val_definition", Field("pattern")), ("var_definition", Field("pattern"))],
);

pub(super) static CSHARP: Grammar = Grammar::new(
    || tree_sitter_c_sharp::LANGUAGE.into(),
    &[
        (Function, &["method_declaration", "constructor_declaration"]),
        (Function, &["destructor_declaration", "operator_declaration"]),
        (Function, &["conversion_operator_declaration", "indexer_declaration"]),
        (Function, &["property_declaration", "event_declaration", "local_function_statement"]),
        (Class, &["class_declaration", "interface_declaration", "struct_declaration"]),
        (Class, &["record_declaration", "enum_declaration"]),
        (Named, &["delegate_declaration"]),
        (Wrapper, &["global_statement"]),
        (Group, &["namespace_declaration", "file_scoped_namespace_declaration"]),
        (Group, &["declaration_list", "preproc_if", "preproc_else", "preproc_elif"]),
        (Body, &["accessor_list"]),
        (Leading, &["comment", "preproc_region"]),
        (Trailing, &["preproc_endregion"]),
    ],
    &[
        ("operator_declaration", Fixed("operator")),
        ("conversion_operator_declaration", Fixed("operator")),
        ("indexer_declaration", Fixed("this")),
    ],
);

pub(super) static PHP: Grammar = Grammar::new(
    || tree_sitter_php::LANGUAGE_PHP.into(),
    &[
        (Function, &["function_definition", "method_declaration"]),
        (Class, &["class_declaration", "interface_declaration", "trait_declaration"]),
        (Class, &["enum_declaration"]),
        (Named, &["const_declaration"]),
        (Group, &["namespace_definition", "compound_statement"]),
        (Leading, &["comment"]),
    ],
    &[("const_declaration", Child("const_element"))],
);

pub(super) static DART: Grammar = Grammar::new(
    || tree_sitter_dart_orchard::LANGUAGE.into(),
    &[
        (Function, &["function_declaration", "method_declaration"]),
        (Class, &["class_definition", "enum_declaration", "mixin_declaration"]),
        (Class, &["extension_declaration", "extension_type_declaration"]),
        (Named, &["type_alias"]),
        (Body, &["class_body"]),
        (Leading, &["comment", "documentation_comment", "annotation"]),
    ],
    &[
        ("function_declaration", Signature),
        ("method_declaration", Signature),
        ("mixin_declaration", Child("identifier")),
        ("type_alias", Child("type_identifier")),
    ],
);

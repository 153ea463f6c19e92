//! Grammar tables for Elixir and Haskell.

use super::grammar::{Grammar, Quirks};
use super::roles::NameSource::*;
use super::roles::NodeRole::*;

/// Definitions in Elixir are calls of macros, and attributes are calls under the operator `@`.
pub(super) static ELIXIR: Grammar = Grammar::with_keywords(
    Quirks { merges_clauses: true, ..Quirks::NONE },
    || tree_sitter_elixir::LANGUAGE.into(),
    &[
        (Keyword, &["call", "unary_operator"]),
        (Body, &["do_block"]),
        (Group, &["else_block"]),
        (Leading, &["comment"]),
    ],
    &[],
    &[
        (Function, Argument, &["def", "defp", "defmacro", "defmacrop", "defguard", "defguardp"]),
        (Function, Argument, &["defdelegate", "@callback", "@macrocallback"]),
        (Class, Argument, &["defmodule", "defprotocol"]),
        (Extension, Implementation, &["defimpl"]),
        (Test, Argument, &["test", "property"]),
        (Docstring, Unnamed, &["@moduledoc"]),
        (Attribute, Unnamed, &["@doc", "@spec", "@impl", "@typedoc", "@deprecated", "@dialyzer"]),
        (Attribute, Unnamed, &["@tag", "@derive", "@enforce_keys"]),
        (Plain, Unnamed, &["@compile", "@on_load", "@optional_callbacks", "@vsn", "@nifs"]),
        (Plain, Unnamed, &["@external_resource", "@moduletag", "@describetag"]),
        (Named, Argument, &["@type", "@typep", "@opaque"]),
        (Named, Target, &["@"]),
    ],
);

pub(super) static HASKELL: Grammar = Grammar::with_keywords(
    Quirks { merges_clauses: true, has_layout: true, ..Quirks::NONE },
    || tree_sitter_haskell::LANGUAGE.into(),
    &[
        (Function, &["function", "bind", "signature", "pattern_synonym"]),
        (Class, &["class", "data_type", "newtype"]),
        (Extension, &["instance"]),
        (Named, &["type_synonym", "type_family", "data_family", "kind_signature"]),
        (Wrapper, &["default_signature", "foreign_import", "data_instance"]),
        (Layout, &["imports", "declarations"]),
        (Body, &["match", "class_declarations", "instance_declarations"]),
        (Body, &["data_constructors", "gadt_constructors"]),
        (Leading, &["comment"]),
        (Documentation, &["haddock"]),
        (Adjacent, &["pragma", "fixity"]),
        (Keyword, &["cpp"]),
    ],
    &[
        ("function", Equation),
        ("bind", Equation),
        ("signature", Equation),
        ("pattern_synonym", Equation),
        ("instance", Instance),
    ],
    // The grammar does not parse the text between `#else` and `#endif`.
    &[(Leading, Unnamed, &["#if", "#ifdef", "#ifndef"]), (Adjacent, Unnamed, &["#"])],
);

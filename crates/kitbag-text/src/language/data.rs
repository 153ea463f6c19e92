//! The tables of JSON, YAML, TOML, HTML and CSS: data and documents, cut at their top level.

use super::grammar::{Grammar, Name, Role, Traits};
use std::sync::OnceLock;

pub(super) static JSON: Grammar = Grammar {
    language: || tree_sitter_json::LANGUAGE.into(),
    roles: &[(Role::Group, &["object"]), (Role::Named, &["pair"]), (Role::Lead, &["comment"])],
    names: &[("pair", Name::Field("key"))],
    traits: Traits { data: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

pub(super) static YAML: Grammar = Grammar {
    language: || tree_sitter_yaml::LANGUAGE.into(),
    roles: &[
        (Role::Group, &["document", "block_node", "block_mapping"]),
        (Role::Named, &["block_mapping_pair"]),
        (Role::Lead, &["comment"]),
    ],
    names: &[("block_mapping_pair", Name::Field("key"))],
    traits: Traits { data: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

pub(super) static TOML: Grammar = Grammar {
    language: || tree_sitter_toml_ng::LANGUAGE.into(),
    roles: &[(Role::Named, &["table", "table_array_element", "pair"]), (Role::Lead, &["comment"])],
    names: &[("table", Name::First), ("table_array_element", Name::First), ("pair", Name::First)],
    traits: Traits { data: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

pub(super) static HTML: Grammar = Grammar {
    language: || tree_sitter_html::LANGUAGE.into(),
    roles: &[(Role::Lead, &["comment"])],
    names: &[],
    traits: Traits { data: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

pub(super) static CSS: Grammar = Grammar {
    language: || tree_sitter_css::LANGUAGE.into(),
    roles: &[
        (Role::Named, &["rule_set", "keyframes_statement"]),
        (Role::Lead, &["comment", "js_comment"]),
    ],
    names: &[
        ("rule_set", Name::Child("selectors")),
        ("keyframes_statement", Name::Child("keyframes_name")),
    ],
    traits: Traits { data: true, ..Traits::USUAL },
    compiled: OnceLock::new(),
};

//! Grammar tables for JSON, YAML, TOML, HTML and CSS, which are split at their top level.

use super::grammar::{Grammar, Quirks};
use super::roles::NameSource::*;
use super::roles::NodeRole::*;

pub(super) static JSON: Grammar = Grammar::with_quirks(
    Quirks { is_data: true, ..Quirks::NONE },
    || tree_sitter_json::LANGUAGE.into(),
    &[(Group, &["object"]), (Named, &["pair"]), (Leading, &["comment"])],
    &[("pair", Field("key"))],
);

pub(super) static YAML: Grammar = Grammar::with_quirks(
    Quirks { is_data: true, ..Quirks::NONE },
    || tree_sitter_yaml::LANGUAGE.into(),
    &[
        (Group, &["document", "block_node", "block_mapping"]),
        (Named, &["block_mapping_pair"]),
        (Leading, &["comment"]),
    ],
    &[("block_mapping_pair", Field("key"))],
);

pub(super) static TOML: Grammar = Grammar::with_quirks(
    Quirks { is_data: true, ..Quirks::NONE },
    || tree_sitter_toml_ng::LANGUAGE.into(),
    &[(Named, &["table", "table_array_element", "pair"]), (Leading, &["comment"])],
    &[("table", First), ("table_array_element", First), ("pair", First)],
);

pub(super) static HTML: Grammar = Grammar::with_quirks(
    Quirks { is_data: true, ..Quirks::NONE },
    || tree_sitter_html::LANGUAGE.into(),
    &[(Leading, &["comment"])],
    &[],
);

pub(super) static CSS: Grammar = Grammar::with_quirks(
    Quirks { is_data: true, ..Quirks::NONE },
    || tree_sitter_css::LANGUAGE.into(),
    &[(Named, &["rule_set", "keyframes_statement"]), (Leading, &["comment", "js_comment"])],
    &[("rule_set", Child("selectors")), ("keyframes_statement", Child("keyframes_name"))],
);

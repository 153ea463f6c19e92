//! Grammar tables for JSON, YAML, TOML, HTML, CSS, HCL, Protobuf and Dockerfiles, most of which are
//! split at their top level.

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

pub(super) static HCL: Grammar = Grammar::with_quirks(
    Quirks { is_data: true, ..Quirks::NONE },
    || tree_sitter_hcl::LANGUAGE.into(),
    &[(Group, &["body"]), (Named, &["block", "attribute"]), (Leading, &["comment"])],
    &[("block", Labels), ("attribute", First)],
);

pub(super) static PROTOBUF: Grammar = Grammar::new(
    || tree_sitter_proto::LANGUAGE.into(),
    &[
        (Class, &["message", "enum", "service"]),
        (Function, &["rpc"]),
        (Body, &["message_body", "enum_body"]),
        (Leading, &["comment"]),
    ],
    &[
        ("message", Child("message_name")),
        ("enum", Child("enum_name")),
        ("service", Child("service_name")),
        ("rpc", Child("rpc_name")),
    ],
);

/// A stage of a build has the name after `AS`.
pub(super) static DOCKERFILE: Grammar = Grammar::with_quirks(
    Quirks { is_data: true, ..Quirks::NONE },
    || tree_sitter_containerfile::LANGUAGE.into(),
    &[(Named, &["from_instruction"]), (Leading, &["comment"]), (Trailing, &["heredoc_block"])],
    &[("from_instruction", Field("as"))],
);

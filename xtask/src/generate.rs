//! Pages and schemas that are generated from the code. With `--check`, nothing is written, and an
//! outdated file is an error.

use crate::{commands, conformance, python, typescript};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Generates the text of a file, given the root of the workspace.
type Generator = fn(&Path) -> Result<String>;

/// Files, relative to the root, and their generators.
const GENERATORS: &[(&str, Generator)] = &[
    ("docs/development/conformance.md", conformance::page),
    ("docs/commands.md", commands::page),
    ("docs/configuration.md", |_| Ok(kitbag::config_reference())),
    ("docs/config.schema.json", |_| Ok(kitbag::config_schema())),
    ("docs/context.schema.json", |_| Ok(kitbag::rules::context_schema())),
    ("docs/mcp-tools.md", |_| Ok(kitbag_mcp::reference())),
    ("docs/openapi.json", |_| openapi()),
    ("crates/kitbag-http/panel/src/api.ts", |_| {
        typescript::api_types(&kitbag_http::openapi_document())
    }),
    ("crates/kitbag-python/python/kitbag/_requests.py", |_| python::requests()),
    ("crates/kitbag-python/python/kitbag/_results.py", |_| python::results()),
    ("crates/kitbag-node/types.d.ts", |_| typescript::library_types()),
];

/// Writes every outdated file, or with `check` fails and lists them.
pub fn run(root: &Path, check: bool) -> Result<()> {
    let mut stale = Vec::new();
    for (path, generate) in GENERATORS {
        let text = generate(root).with_context(|| format!("cannot generate `{path}`"))?;
        let file = root.join(path);
        if fs::read_to_string(&file).is_ok_and(|current| current == text) {
            continue;
        }
        stale.push(*path);
        if !check {
            fs::write(&file, text).with_context(|| format!("cannot write `{path}`"))?;
        }
    }
    if check && !stale.is_empty() {
        bail!("outdated: {}\nrun `cargo xtask generate`", stale.join(", "));
    }
    Ok(())
}

fn openapi() -> Result<String> {
    let document = kitbag_http::openapi_document();
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

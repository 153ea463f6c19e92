//! Pages and schemas that are made from the code. Each is a line of the list below; with `--check` nothing is
//! written, and a page that is not as it would be made is an error.

use crate::{commands, conformance};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Makes the text of a file of the workspace whose root is given.
type Make = fn(&Path) -> Result<String>;

/// The files, relative to the workspace's root, and what makes their text.
const GENERATORS: &[(&str, Make)] = &[
    ("docs/conformance.md", conformance::page),
    ("docs/commands.md", commands::page),
    ("docs/configuration.md", |_| Ok(kitbag::config_reference())),
    ("docs/config.schema.json", |_| Ok(kitbag::config_schema())),
    ("docs/context.schema.json", |_| Ok(kitbag::rules::context_schema())),
    ("docs/mcp-tools.md", |_| Ok(kitbag_mcp::reference())),
];

/// Writes every file, or says which are not as they should be.
pub fn run(root: &Path, check: bool) -> Result<()> {
    let mut stale = Vec::new();
    for (path, make) in GENERATORS {
        let made = make(root).with_context(|| format!("cannot make `{path}`"))?;
        let file = root.join(path);
        if fs::read_to_string(&file).is_ok_and(|there| there == made) {
            continue;
        }
        stale.push(*path);
        if !check {
            fs::write(&file, made).with_context(|| format!("cannot write `{path}`"))?;
        }
    }
    if check && !stale.is_empty() {
        bail!("not as the code makes them: {}\nrun `cargo xtask generate`", stale.join(", "));
    }
    Ok(())
}

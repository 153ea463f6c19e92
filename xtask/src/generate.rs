//! Pages and schemas that are made from the code. Each generator is a line of the list below; with
//! `--check` nothing is written, and what is not as it would be made is an error.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// A file, relative to the workspace, and what makes it.
struct Generator {
    path: &'static str,
    make: fn() -> String,
}

const GENERATORS: &[Generator] = &[
    Generator { path: "docs/configuration.md", make: kitbag::config_reference },
    Generator { path: "docs/config.schema.json", make: kitbag::config_schema },
];

/// Writes every file, or tells which are not as they should be.
pub fn run(root: &Path, check: bool) -> Result<()> {
    let mut stale = Vec::new();
    for Generator { path, make } in GENERATORS {
        let (file, made) = (root.join(path), make());
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

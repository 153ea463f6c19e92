//! Compresses the built files of the page, for the program to embed.

#![allow(clippy::print_stdout, reason = "cargo reads the output of build scripts")]

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::env;
use std::fs;
use std::io::{Result, Write};
use std::path::PathBuf;

const BUILT: &str = "panel/dist";

/// Writes the compressed files, and the source of a list of them.
fn main() -> Result<()> {
    println!("cargo::rerun-if-changed={BUILT}");
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut list = String::from("&[\n");
    for entry in fs::read_dir(BUILT)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&fs::read(entry.path())?)?;
        fs::write(folder.join(&name), encoder.finish()?)?;
        list.push_str(&format!(
            "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/\", {name:?}))),\n"
        ));
    }
    list.push_str("]\n");
    fs::write(folder.join("page_files.rs"), list)
}

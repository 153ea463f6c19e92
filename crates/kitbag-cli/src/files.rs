//! Reads the files that the command line names, and writes results.

use crate::exit::CliError;
use crate::{interrupt, ui};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Maximum size of a file that the command line names.
pub const MAX_BYTES: u64 = 256 << 20;

/// Bytes that are checked for NUL before the rest of a file is read.
const PROBE_BYTES: u64 = 64 << 10;

/// Reads a text file of up to `limit` bytes, or standard input for `-`. Binary files are an error.
pub fn read_text(path: &Path, limit: u64) -> Result<String, CliError> {
    let bytes = if is_stdio(path) {
        read_from(io::stdin().lock(), path, limit)?
    } else {
        let metadata = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if metadata.is_dir() {
            let message = format!("{} is a folder, not a file", display_name(path));
            return Err(CliError::usage(message, None));
        }
        if metadata.is_file() && metadata.len() > limit {
            return Err(too_large(path, limit));
        }
        read_from(File::open(path).map_err(|error| unreadable(path, &error))?, path, limit)?
    };
    let binary = |_| CliError::usage(format!("{} is a binary file", display_name(path)), None);
    kitbag::decode(bytes).map_err(binary)
}

/// Reads the task from `--query-file`, or takes the argument.
pub fn read_task(words: &[String], query_file: Option<&Path>) -> Result<String, CliError> {
    match query_file {
        Some(path) => read_text(path, MAX_BYTES),
        None => Ok(words.join(" ")),
    }
}

/// Reads to the end, or until the input turns out to be binary or too large.
fn read_from(mut from: impl Read, path: &Path, limit: u64) -> Result<Vec<u8>, CliError> {
    let unreadable = |error: io::Error| unreadable(path, &error);
    let mut bytes = Vec::new();
    from.by_ref().take(PROBE_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if !is_utf16 && bytes.contains(&0) {
        return Ok(bytes);
    }
    let rest = (limit + 1).saturating_sub(bytes.len() as u64);
    from.take(rest).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit { Err(too_large(path, limit)) } else { Ok(bytes) }
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    CliError::usage(format!("cannot read {}: {error}", display_name(path)), None)
}

fn too_large(path: &Path, limit: u64) -> CliError {
    let message = format!("{} is larger than {} MB", display_name(path), limit >> 20);
    CliError::usage(message, None)
}

/// Whether a path means standard input or output.
pub fn is_stdio(path: &Path) -> bool {
    path == Path::new("-")
}

/// Name of an input in messages: a path in backticks, or "standard input".
pub fn display_name(path: &Path) -> String {
    if is_stdio(path) { "standard input".into() } else { format!("`{}`", path.display()) }
}

/// Name of an input in reports: a path, or "standard input".
pub fn input_name(path: &Path) -> String {
    if is_stdio(path) { "standard input".into() } else { path.display().to_string() }
}

/// Resolves a file of the command line against `--repo`.
pub fn within(repo: Option<&Path>, file: &Path) -> PathBuf {
    match repo.filter(|repo| !is_stdio(file) && *repo != Path::new(".")) {
        Some(repo) => repo.join(file),
        None => file.to_owned(),
    }
}

/// Checks before any work is done that `path` may be written.
pub fn check_output(path: Option<&Path>) -> Result<(), CliError> {
    let Some(path) = path.filter(|path| !is_stdio(path)) else { return Ok(()) };
    if path.is_dir() {
        let message = format!("{} is a folder, not a file", display_name(path));
        return Err(CliError::usage(message, Some("name a file inside it")));
    }
    let target = resolve_links(path);
    let folder = parent(&target);
    if !folder.is_dir() {
        let message = format!("no such folder: `{}`", folder.display());
        return Err(CliError::usage(message, Some("create the folder for the output first")));
    }
    Ok(())
}

/// Prints a report as JSON or as text, and its warnings.
pub fn print_report<T: serde::Serialize>(
    as_json: bool,
    report: &T,
    warnings: &[String],
    to_text: impl FnOnce(&T) -> String,
) -> Result<(), CliError> {
    print(&if as_json { json(report) } else { to_text(report) })?;
    ui::warnings(warnings);
    Ok(())
}

pub fn print_json(report: &impl serde::Serialize) -> Result<(), CliError> {
    print(&json(report))
}

/// Writes to standard output.
pub fn print(content: &str) -> Result<(), CliError> {
    write(None, content)
}

/// Writes to standard output, or replaces a file atomically.
pub fn write(path: Option<&Path>, content: &str) -> Result<(), CliError> {
    let path = path.filter(|path| !is_stdio(path));
    let written = match path {
        None => {
            interrupt::exit_on_interrupt();
            let mut stdout = io::stdout().lock();
            stdout.write_all(content.as_bytes()).and_then(|()| stdout.flush())
        }
        Some(path) => replace(&resolve_links(path), content),
    };
    written.map_err(|error| CliError::write(path, &error))
}

/// Writes one of several lines to standard output. Unlike [`print`], it leaves Ctrl-C to the command.
pub fn print_line(line: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    written.map_err(|error| CliError::write(None, &error))
}

/// Formats a report as indented JSON.
pub fn json(report: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(report);
    format!("{}\n", text.expect("a report has string keys and finite numbers only"))
}

fn replace(target: &Path, content: &str) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        // A pipe or a device cannot be replaced.
        Ok(metadata) if !metadata.is_file() => {
            interrupt::exit_on_interrupt();
            return File::options().write(true).open(target)?.write_all(content.as_bytes());
        }
        // A read-only file must not be replaced.
        Ok(_) => drop(File::options().write(true).open(target)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // The kind alone, because the full error names the temporary file.
    let file = temporary_file(target).map_err(|error| io::Error::from(error.kind()))?;
    file.as_file().write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

/// Follows links to the file that is written, even if it does not exist yet. A link to a pipe, such
/// as `/dev/stdout`, is returned as it is.
fn resolve_links(path: &Path) -> PathBuf {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut target = path.to_owned();
            while let Ok(next) = fs::read_link(&target) {
                target = parent(&target).join(next);
            }
            target
        }
        _ => path.to_owned(),
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file in the folder of `target`, with the permissions of the existing file, or with those
/// of a new file under the user's mask.
fn temporary_file(target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kitbag-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(parent(target))?;
    if let Ok(metadata) = fs::metadata(target) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(file)
}

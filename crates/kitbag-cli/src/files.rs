//! Reading what the command line names, and writing results without losing the old ones.

use crate::args::ConfiguredArgs;
use crate::exit::{Failure, write_failure};
use crate::{interrupt, ui};
use kitbag::{Cancel, ConfigSources, Engine, Settled};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The most bytes of a file that the command line names.
pub const MOST_BYTES: u64 = 256 << 20;

/// So many bytes tell what is no text, so that a large file need not be read to the end.
const FIRST_BYTES: u64 = 64 << 10;

/// The text of a file, or of standard input for `-`; an error where it is binary, or has more than
/// `limit` bytes. A pipe is waited for, as every program does; Ctrl-C ends that.
pub fn read_text(path: &Path, limit: u64) -> Result<String, Failure> {
    let binary = || Failure::usage(format!("binary, not text: {}", shown(path)), None);
    let bytes = if path == Path::new("-") {
        read_from(io::stdin().lock(), path, limit)?
    } else {
        let metadata = fs::metadata(path).map_err(|error| Failure::unreadable(path, &error))?;
        if metadata.is_dir() {
            let hint = Some("name a file");
            return Err(Failure::usage(format!("a folder, not a file: {}", shown(path)), hint));
        }
        if metadata.is_file() && metadata.len() > limit {
            return Err(too_large(path, limit));
        }
        read_from(
            File::open(path).map_err(|error| Failure::unreadable(path, &error))?,
            path,
            limit,
        )?
    };
    kitbag::decode(bytes).map(|decoded| decoded.content).map_err(|_| binary())
}

/// Reads which tokenizer the command line names.
pub fn tokenizer(value: &str) -> Result<kitbag::Choice, Failure> {
    kitbag::Choice::parse(value).map_err(|unknown| {
        let hint = unknown.hint();
        Failure::usage(unknown.to_string(), Some(&hint))
    })
}

/// Reads to the end, or to where it is clear that this is of no use.
fn read_from(mut from: impl Read, path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: io::Error| Failure::unreadable(path, &error);
    let mut bytes = Vec::new();
    from.by_ref().take(FIRST_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if !utf16 && bytes.contains(&0) {
        return Ok(bytes);
    }
    let rest = (limit + 1).saturating_sub(bytes.len() as u64);
    from.take(rest).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit { Err(too_large(path, limit)) } else { Ok(bytes) }
}

fn too_large(path: &Path, limit: u64) -> Failure {
    Failure::usage(format!("larger than {} MB: {}", limit >> 20, shown(path)), None)
}

/// What people call an input.
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".into() } else { format!("`{}`", path.display()) }
}

/// Fails if `path` can be seen to be unwritable before any work is done.
pub fn check_output(path: Option<&PathBuf>) -> Result<(), Failure> {
    let Some(path) = path.filter(|path| path.as_path() != Path::new("-")) else { return Ok(()) };
    let wrong = |message: String, hint: &str| Err(Failure::usage(message, Some(hint)));
    if path.is_dir() {
        return wrong(format!("a folder, not a file: {}", shown(path)), "name a file in it");
    }
    let target = target(path);
    let folder = folder(&target);
    if !folder.is_dir() {
        let hint = "the folder for the output must be there";
        return wrong(format!("no such folder: `{}`", folder.display()), hint);
    }
    Ok(())
}

/// Writes to standard output, or to a file: a file is replaced as a whole or not at all.
pub fn write(path: Option<&PathBuf>, content: &str) -> Result<(), Failure> {
    let path = path.filter(|path| path.as_path() != Path::new("-"));
    let written = match path {
        None => {
            interrupt::end_at_once();
            let mut stdout = io::stdout().lock();
            stdout.write_all(content.as_bytes()).and_then(|()| stdout.flush())
        }
        Some(path) => replace(&target(path), content),
    };
    written.map_err(|error| write_failure(path, &error))
}

/// Writes a line to standard output, as one of many: Ctrl-C is still looked at afterwards.
pub fn write_line(line: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    written.map_err(|error| write_failure(None, &error))
}

fn replace(target: &Path, content: &str) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        // What is no file, a pipe or a device, cannot be replaced.
        Ok(there) if !there.is_file() => {
            interrupt::end_at_once();
            return File::options().write(true).open(target)?.write_all(content.as_bytes());
        }
        // A file that may not be written should not be replaced.
        Ok(_) => drop(File::options().write(true).open(target)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // The kind says what went wrong without the name of a file that nobody asked for.
    let file = temporary(target).map_err(|error| io::Error::from(error.kind()))?;
    file.as_file().write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

/// The file that is really written: links are followed, also to what is not there yet. A link to
/// a pipe, such as `/dev/stdout`, names no file and stays as it is.
fn target(path: &Path) -> PathBuf {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut target = path.to_owned();
            while let Ok(next) = fs::read_link(&target) {
                target = folder(&target).join(next);
            }
            target
        }
        _ => path.to_owned(),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file beside `target`, that those may read who could read the old one, and where there is no
/// old one, those whom the system lets read new files.
fn temporary(target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kitbag-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(folder(target))?;
    if let Ok(there) = fs::metadata(target) {
        file.as_file().set_permissions(there.permissions())?;
    }
    Ok(file)
}

/// Where the user's programs keep what they can make again; `None` where there is no such place.
pub fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute())
    };
    let folder = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    folder.map(|folder| folder.join("kitbag"))
}

/// An engine that keeps its indexes in the user's cache folder, and is configured as the user says.
pub fn engine() -> Result<Engine, Failure> {
    engine_with(&[])
}

/// The same with what `--set` was given.
pub fn engine_with(set: &[(String, String)]) -> Result<Engine, Failure> {
    let sources = ConfigSources { set: set.to_vec(), ..ConfigSources::of_user() };
    let engine = Engine::new()?.with_config(sources);
    Ok(match cache_folder() {
        Some(folder) => engine.with_cache(folder.join("index")).with_records(folder.join("packs")),
        None => engine,
    })
}

/// What the configuration comes to, for a command that needs no more of an engine. Warnings are
/// told.
pub fn settled(args: &ConfiguredArgs) -> Result<Settled, Failure> {
    let engine = engine_with(&args.set)?;
    let profile = args.profile.as_deref();
    let (settled, warnings) = wait_for(engine.settled(&args.repo, profile, &Cancel::default()))?;
    for warning in &warnings {
        ui::warning(warning);
    }
    Ok(settled)
}

/// A file of the command line, which is relative to the repository.
pub fn within(repo: &Path, file: &Path) -> PathBuf {
    if file == Path::new("-") || repo == Path::new(".") { file.to_owned() } else { repo.join(file) }
}

/// What is to be logged. What is wrong with a repository or its configuration, the command itself
/// will say.
pub fn logging(repo: Option<&Path>, set: &[(String, String)]) -> kitbag::LoggingSettings {
    let sources = || ConfigSources { set: set.to_vec(), ..ConfigSources::of_user() };
    let settings = repo.and_then(|repo| sources().logging(Some(repo)).ok());
    settings.or_else(|| sources().logging(None).ok()).unwrap_or_default()
}

/// Waits for what an engine does.
pub fn wait_for<T>(work: impl Future<Output = Result<T, kitbag::Error>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| Failure::run(format!("cannot start: {error}"), None))?;
    Ok(runtime.block_on(work)?)
}

/// The JSON of a report.
pub fn json(report: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(report);
    format!("{}\n", text.expect("a report has string keys and finite numbers only"))
}

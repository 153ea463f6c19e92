//! Engines as the user configured them, and waiting for their work.

use crate::args::ConfigurationArgs;
use crate::exit::CliError;
use crate::{files, ui, working_folder};
use kitbag::{Cancel, ConfigSources, Engine, EngineSettings, Root};
use std::path::{Path, PathBuf};

/// Returns the folder of the user's caches, if the environment names one.
pub fn cache_folder() -> Option<PathBuf> {
    kitbag::user_folder("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("kitbag"))
}

/// Opens an engine that has its indexes in the user's cache folder.
pub fn open() -> Result<Engine, CliError> {
    open_with(&[])
}

/// Opens an engine with the settings of `--set`.
pub fn open_with(set: &[(String, String)]) -> Result<Engine, CliError> {
    Ok(open_configured(set)?)
}

/// Opens an engine like [`open_with`], with the library's own error.
pub fn open_configured(set: &[(String, String)]) -> Result<Engine, kitbag::Error> {
    let engine = Engine::new()?.with_config(config_sources(set));
    Ok(match cache_folder() {
        Some(folder) => engine.with_cache(folder.join("index")).with_records(folder.join("packs")),
        None => engine,
    })
}

/// Resolves the configuration of a repository, or of one of its commits, and prints its warnings.
pub fn settings(
    args: &ConfigurationArgs,
    revision: Option<&str>,
) -> Result<EngineSettings, CliError> {
    let engine = open_with(&args.set)?;
    let (repo, profile) = (working_folder::folder(args.repo.as_deref()), args.profile.as_deref());
    let cancel = Cancel::default();
    let (settled, warnings) = block_on(engine.settings(repo, revision, profile, &cancel))?;
    ui::warnings(&warnings);
    Ok(settled)
}

/// Reads the text of a file of the command line: of a commit, which is that of `HEAD` in a repository without a
/// work tree, or else of the work tree.
pub fn read_text(
    repo: Option<&Path>,
    revision: Option<&str>,
    file: &Path,
    limit: u64,
) -> Result<String, CliError> {
    let folder = working_folder::folder(repo);
    let is_named = !files::is_stdio(file) && !file.is_absolute();
    let is_bare = || is_named && Root::open(folder).is_ok_and(|root| root.is_bare());
    let Some(revision) = revision.or_else(|| is_bare().then_some("HEAD")) else {
        return files::read_text(&files::within(repo, file), limit);
    };
    let path = working_folder::file_in(repo, &file.to_string_lossy());
    let content = block_on(open()?.read_file(folder, Some(revision), &path, limit))?;
    kitbag::decode(content).map_err(|error| CliError::run(format!("`{path}`: {error}"), None))
}

/// Resolves the settings for logs. Errors are left to the command, which reads the same files.
pub fn logging_settings(repo: Option<&Path>, set: &[(String, String)]) -> kitbag::LoggingSettings {
    let settings =
        repo.and_then(|repo| kitbag::logging_settings(config_sources(set), Some(repo)).ok());
    settings
        .or_else(|| kitbag::logging_settings(config_sources(set), None).ok())
        .unwrap_or_default()
}

fn config_sources(set: &[(String, String)]) -> ConfigSources {
    ConfigSources { set: set.to_vec(), ..ConfigSources::of_user() }
}

/// Parses the name or path of a tokenizer.
pub fn parse_tokenizer(value: &str) -> Result<kitbag::TokenizerChoice, CliError> {
    kitbag::TokenizerChoice::parse(value)
        .map_err(|error| CliError::usage(error.to_string(), Some(&error.hint())))
}

/// Waits for an engine on the current thread.
pub fn block_on<T>(work: impl Future<Output = Result<T, kitbag::Error>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| CliError::run(format!("cannot start the runtime: {error}"), None))?;
    Ok(runtime.block_on(work)?)
}

//! Arguments that several commands share.

use crate::working_folder;
use clap::{Args, ValueEnum};
use kitbag::{StoreUrl, parse_time};
use std::path::{Path, PathBuf};

/// Arguments of the commands that read a repository or its recorded packs.
#[derive(Debug, Args)]
pub struct RepoArgs {
    /// Folder of the repository [default: that of the current folder].
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

impl RepoArgs {
    /// The folder of the repository.
    pub fn repo(&self) -> &Path {
        working_folder::folder(self.repo.as_deref())
    }

    /// Resolves a path of the command line against the repository.
    pub fn path(&self, path: &Path) -> PathBuf {
        path.to_str().map_or_else(|| path.to_owned(), |it| self.file(it).into())
    }

    /// Resolves a file of the command line, optionally with lines, against the repository.
    pub fn file(&self, file: &str) -> String {
        working_folder::file_in(self.repo.as_deref(), file)
    }
}

/// Arguments of the commands that need only the configuration.
#[derive(Debug, Args)]
pub struct ConfigurationArgs {
    /// Folder of the repository. Its configuration applies, and files are relative to it [default: the
    /// repository of the current folder, with files relative to the current folder].
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Profile to apply, from `context.profiles`.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Override a setting for this run, such as `context.chunking.lines_per_chunk=80`. Can be
    /// repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
}

/// The object store that shares indexes.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// Object store that shares the index, such as `s3://bucket/prefix`, `gs://`, `az://` or
    /// `file:///path` [default: `store.url`].
    #[arg(long, value_name = "URL", value_parser = parse_store)]
    pub store: Option<String>,
}

impl StoreArgs {
    /// Returns the settings of `--set` with this store.
    pub fn settings(&self, set: &[(String, String)]) -> Vec<(String, String)> {
        let store = self.store.iter().map(|url| ("store.url".to_owned(), url.clone()));
        set.iter().cloned().chain(store).collect()
    }
}

/// Checks the URL of a store.
pub fn parse_store(url: &str) -> Result<String, String> {
    let parsed: Result<StoreUrl, _> = url.parse();
    parsed.map(|_| url.to_owned()).map_err(|error| error.to_string())
}

/// Parses `KEY=VALUE`. Keys are checked by the configuration.
pub fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected `KEY=VALUE`")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

/// The name of a value on the command line, which is also its name in settings.
pub fn value_name(value: impl ValueEnum) -> String {
    let name = value.to_possible_value().map(|it| it.get_name().to_owned());
    name.expect("no value is skipped")
}

pub fn parse_timestamp(value: &str) -> Result<i64, String> {
    parse_time(value).map_err(|error| error.to_string())
}

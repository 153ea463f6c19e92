//! Arguments that several commands share.

use clap::{Args, ValueEnum};
use kitbag::parse_time;
use std::path::PathBuf;

/// Arguments of the commands that read a repository or its recorded packs.
#[derive(Debug, Args)]
pub struct RepoArgs {
    /// Folder of the repository.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of the commands that need only the configuration.
#[derive(Debug, Args)]
pub struct ConfigurationArgs {
    /// Folder of the repository. Its configuration applies, and files are relative to it.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Profile to apply, from `context.profiles`.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Override a setting for this run, such as `context.chunking.lines_per_chunk=80`. Can be
    /// repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
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

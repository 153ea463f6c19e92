//! Connecting clients: the entry in a client's configuration file that makes it start `kitbag mcp`.
//!
//! An edit is planned first, so that it can be shown, and then written as a whole or not at all. The
//! rest of the file stays the same: comments, order and other entries.

mod clients;
mod document;
mod error;
mod fields;
mod files;
mod json;
mod toml;

pub use clients::{Client, ConfigDirs, Scope};
pub use error::InitError;

use clients::Syntax;
use document::ConfigDocument;
use fields::{edited_field, updates};
use json::JsonDocument;
use std::path::{Path, PathBuf};
use toml::TomlDocument;

/// The name of the entry.
const ENTRY_NAME: &str = "kitbag";

/// The command that a client starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEntry {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// A planned edit of a client's configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEdit {
    /// The client.
    pub client: Client,
    /// The file.
    pub path: PathBuf,
    /// Whether the file has the entry already.
    pub had_entry: bool,
    /// The current text; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new text; `None` if the file is to be removed.
    pub after: Option<String>,
    /// The repository that the file must be in, if it is a project's.
    root: Option<PathBuf>,
}

impl ConfigEdit {
    /// Plans to write the entry of a client, or to remove it if `undo` is set.
    pub fn plan(
        client: Client,
        dirs: &ConfigDirs,
        scope: &Scope,
        entry: &ServerEntry,
        undo: bool,
    ) -> Result<Self, InitError> {
        let path = client.config_file(dirs, scope);
        let root = match scope {
            Scope::User => None,
            Scope::Project(root) => Some(root.clone()),
        };
        if let Some(root) = &root {
            files::check_inside(root, &path)?;
        }
        let before = files::read(&path)?;
        let text = before.as_deref().unwrap_or_default();
        let mut document = parse_config(client, &path, text)?;
        let keys = document.server_keys();
        let key = || keys.iter().copied().chain([ENTRY_NAME]).collect::<Vec<_>>().join(".");
        let wanted = client.entry_fields(keys, entry);
        let current = document.entry();
        let had_entry = current.is_some();
        let after = match current {
            None if undo => before.clone(),
            Some(current) if undo => {
                if let Some(field) = edited_field(&current, &wanted) {
                    return Err(InitError::Edited { path, key: key(), field });
                }
                document.remove_entry();
                document.text()
            }
            current => {
                let Some(updates) = updates(&current.unwrap_or_default(), &wanted) else {
                    return Err(InitError::OtherServer { path, key: key() });
                };
                document.update_entry(updates);
                document.text()
            }
        };
        Ok(Self { client, path, had_entry, before, after, root })
    }

    /// Whether the file is as it should be already.
    pub fn is_noop(&self) -> bool {
        self.before == self.after
    }

    /// Returns the edit as a unified diff.
    pub fn diff(&self) -> String {
        let name = self.path.display().to_string();
        let header = |text: &Option<String>| match text {
            Some(_) => name.clone(),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (header(&self.before), header(&self.after));
        let before = self.before.as_deref().unwrap_or_default();
        let after = self.after.as_deref().unwrap_or_default();
        let diff = similar::TextDiff::from_lines(before, after);
        diff.unified_diff().context_radius(3).header(&old, &new).to_string()
    }

    /// Writes the file, unless it has changed since the edit was planned.
    pub fn apply(&self) -> Result<(), InitError> {
        if self.is_noop() {
            return Ok(());
        }
        if let Some(root) = &self.root {
            files::check_inside(root, &self.path)?;
        }
        if files::read(&self.path)? != self.before {
            return Err(InitError::Changed { path: self.path.clone() });
        }
        match &self.after {
            Some(text) => files::replace(&self.path, text),
            None => files::remove(&self.path),
        }
    }
}

/// Parses the configuration file of a client in its syntax.
fn parse_config(
    client: Client,
    path: &Path,
    text: &str,
) -> Result<Box<dyn ConfigDocument>, InitError> {
    Ok(match client.syntax() {
        Syntax::Json => Box::new(JsonDocument::parse(client, path, text)?),
        Syntax::Toml => Box::new(TomlDocument::parse(path, text)?),
    })
}

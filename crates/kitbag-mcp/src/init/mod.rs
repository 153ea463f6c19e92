//! Connecting clients: the entry in a client's configuration file that makes it start `kitbag mcp`,
//! instructions for its model, and a sub-agent that searches.
//!
//! An edit is planned first, so that it can be shown, and then written as a whole or not at all. The
//! rest of a file stays the same: comments, order and other entries. A journal makes that exact when an
//! edit is undone.

mod clients;
mod document;
mod error;
mod fields;
mod files;
mod guides;
mod journal;
mod json;
mod markers;
mod toml;

pub use clients::{Client, ConfigDirs, Scope};
pub use error::InitError;

use clients::Syntax;
use document::ConfigDocument;
use fields::{edited_field, updates};
use guides::GuideFile;
use journal::Journal;
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

/// A part of the setup of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupPart {
    /// The entry that makes the client start the server.
    Entry,
    /// Instructions for its model, such as a section of `AGENTS.md`.
    Instructions,
    /// A sub-agent that searches and never edits.
    Agent,
}

impl SetupPart {
    /// All parts, in the order in which they are written.
    pub const ALL: [Self; 3] = [Self::Entry, Self::Instructions, Self::Agent];

    /// The name of the part, for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Instructions => "instructions",
            Self::Agent => "sub-agent",
        }
    }
}

/// How clients are set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The folders of the clients.
    pub dirs: ConfigDirs,
    /// The files to edit.
    pub scope: Scope,
    /// The command that clients start.
    pub entry: ServerEntry,
    /// Whether to remove what was written.
    pub undo: bool,
}

/// A planned edit of a client's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEdit {
    /// The client.
    pub client: Client,
    /// The part that the file is for.
    pub part: SetupPart,
    /// The file.
    pub path: PathBuf,
    /// Whether the file has the part already.
    pub had_part: bool,
    /// The current text; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new text; `None` if the file is to be removed.
    pub after: Option<String>,
    /// The repository that the file must be in, if it is a project's.
    root: Option<PathBuf>,
    /// The folder of the journal.
    state: PathBuf,
    undo: bool,
}

impl Setup {
    /// Returns the file of a part; `None` if the client does not have that part in this scope.
    pub fn file(&self, client: Client, part: SetupPart) -> Option<PathBuf> {
        match part {
            SetupPart::Entry => client.config_file(&self.dirs, &self.scope),
            _ => Some(self.guide(client, part)?.path),
        }
    }

    fn guide(&self, client: Client, part: SetupPart) -> Option<GuideFile> {
        match part {
            SetupPart::Entry => None,
            SetupPart::Instructions => client.instructions(&self.dirs, &self.scope),
            SetupPart::Agent => client.agent(&self.dirs, &self.scope),
        }
    }

    /// Plans to write a part of a client's setup, or to remove it. `None` if the client does not have
    /// that part in this scope.
    pub fn plan(&self, client: Client, part: SetupPart) -> Result<Option<ConfigEdit>, InitError> {
        let Some(path) = self.file(client, part) else { return Ok(None) };
        let root = match &self.scope {
            Scope::User => None,
            Scope::Project(root) => Some(root.clone()),
        };
        if let Some(root) = &root {
            files::check_inside(root, &path)?;
        }
        let before = files::read(&path)?;
        let change = match self.guide(client, part) {
            Some(guide) => self.change_guide(&guide, before.as_deref())?,
            None => self.change_entry(client, &path, before.as_deref())?,
        };
        let mut after = change.after;
        let current = before.as_deref().filter(|_| self.undo && change.had_part);
        let journal = || Journal::open(&self.dirs.state);
        if let Some(original) = current.and_then(|current| journal().original(&path, current)) {
            after = original;
        }
        let had_part = change.had_part;
        let (state, undo) = (self.dirs.state.clone(), self.undo);
        Ok(Some(ConfigEdit { client, part, path, had_part, before, after, root, state, undo }))
    }

    fn change_entry(
        &self,
        client: Client,
        path: &Path,
        before: Option<&str>,
    ) -> Result<PlannedChange, InitError> {
        let mut document = parse_config(client, path, before.unwrap_or_default())?;
        let keys = document.server_keys();
        let key = || keys.iter().copied().chain([ENTRY_NAME]).collect::<Vec<_>>().join(".");
        let wanted = client.entry_fields(keys, &self.entry);
        let current = document.entry();
        let had_part = current.is_some();
        let after = match current {
            None if self.undo => before.map(str::to_owned),
            Some(current) if self.undo => {
                if let Some(field) = edited_field(&current, &wanted) {
                    return Err(InitError::Edited { path: path.to_owned(), key: key(), field });
                }
                document.remove_entry();
                document.text()
            }
            current => {
                let Some(updates) = updates(&current.unwrap_or_default(), &wanted) else {
                    return Err(InitError::OtherServer { path: path.to_owned(), key: key() });
                };
                document.update_entry(updates);
                document.text()
            }
        };
        Ok(PlannedChange { had_part, after })
    }

    fn change_guide(
        &self,
        guide: &GuideFile,
        before: Option<&str>,
    ) -> Result<PlannedChange, InitError> {
        let GuideFile { path, head, body } = guide;
        let had_part = markers::find(path, before.unwrap_or_default())?.is_some();
        let is_own_file = !head.is_empty();
        let after = match before {
            None if self.undo => None,
            Some(text) if self.undo => markers::without_part(path, text)?,
            Some(text) if is_own_file && !had_part && !text.trim().is_empty() => {
                return Err(InitError::OtherFile { path: path.clone() });
            }
            Some(text) if !text.trim().is_empty() => {
                Some(markers::with_part(path, text, &markers::part(body))?)
            }
            _ => Some(format!("{head}{}", markers::part(body))),
        };
        Ok(PlannedChange { had_part, after })
    }
}

/// The text of a file after an edit.
struct PlannedChange {
    had_part: bool,
    after: Option<String>,
}

impl ConfigEdit {
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

    /// Writes the file, unless it has changed since the edit was planned. If an edit is undone, folders
    /// that were made for it and are empty are removed.
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
        let mut journal = Journal::open(&self.state);
        if let (Some(after), false) = (&self.after, self.undo) {
            journal.note(&self.path, self.before.as_deref(), after, !self.had_part)?;
        }
        match &self.after {
            Some(text) => files::replace(&self.path, text)?,
            None => files::remove(&self.path)?,
        }
        if self.undo { journal.forget(&self.path) } else { Ok(()) }
    }
}

/// Whether a configuration file is one of opencode 2.
fn is_opencode_2(config: &Path) -> bool {
    let text = files::read(config).ok().flatten().unwrap_or_default();
    let document = JsonDocument::parse(Client::Opencode, config, &text);
    document.is_ok_and(|document| document.server_keys().len() == 2)
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

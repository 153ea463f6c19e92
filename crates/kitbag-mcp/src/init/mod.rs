//! Connecting clients: the entry in a client's own file that makes it start `kitbag mcp`.
//!
//! A change is planned first, so that it can be shown, and then written as a whole or not at all.
//! Nothing else in the file changes: comments, order and other entries stay as they are.

mod clients;
mod error;
mod json;
mod ours;
mod toml;
mod write;

pub use clients::{Client, Places, Scope};
pub use error::InitError;

use clients::Syntax;
use std::path::PathBuf;

/// The name of our entry.
const NAME: &str = "kitbag";

/// What a client starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// A change of a client's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Whose file it is.
    pub client: Client,
    /// The file.
    pub path: PathBuf,
    /// Whether our entry is in it.
    pub had_entry: bool,
    /// What is in it; `None` where there is no file.
    pub before: Option<String>,
    /// What would be in it; `None` where the file would go.
    pub after: Option<String>,
}

impl Change {
    /// Plans the entry of a client, or that it goes.
    pub fn plan(
        client: Client,
        places: &Places,
        scope: &Scope,
        entry: &Entry,
        undo: bool,
    ) -> Result<Self, InitError> {
        let path = client.file(places, scope);
        let before = write::read(&path)?;
        let text = before.as_deref().unwrap_or_default();
        let without = match client.syntax() {
            Syntax::Json => json::without(&path, text, client)?,
            Syntax::Toml => toml::without(&path, text)?,
        };
        let had_entry = without.as_deref() != Some(text);
        match client.syntax() {
            _ if !undo => {}
            Syntax::Json => json::check_ours(&path, text, client, entry)?,
            Syntax::Toml => toml::check_ours(&path, text, entry)?,
        }
        let after = match client.syntax() {
            // What is not there cannot go.
            _ if undo && !had_entry => before.clone(),
            _ if undo => without,
            Syntax::Json => Some(json::with(&path, text, client, entry)?),
            Syntax::Toml => Some(toml::with(&path, text, entry)?),
        };
        Ok(Self { client, path, had_entry, before, after })
    }

    /// Whether all is as it should be already.
    pub fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    /// The change as people read it.
    pub fn diff(&self) -> String {
        let text = |side: &Option<String>| side.clone().unwrap_or_default();
        let (before, after) = (text(&self.before), text(&self.after));
        let name = self.path.display().to_string();
        let side = |there: bool| if there { name.clone() } else { "/dev/null".to_owned() };
        let (old, new) = (side(self.before.is_some()), side(self.after.is_some()));
        let diff = similar::TextDiff::from_lines(&before, &after);
        diff.unified_diff().context_radius(3).header(&old, &new).to_string()
    }

    /// Makes the change, unless somebody else has changed the file since it was planned.
    pub fn apply(&self) -> Result<(), InitError> {
        if self.is_nothing() {
            return Ok(());
        }
        if write::read(&self.path)? != self.before {
            return Err(InitError::Changed { path: self.path.clone() });
        }
        match &self.after {
            Some(text) => write::replace(&self.path, text),
            None => write::remove(&self.path),
        }
    }
}

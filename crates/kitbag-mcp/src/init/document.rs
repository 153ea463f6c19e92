//! The configuration file of a client, in either syntax.

use super::fields::EntryFields;
use serde_json::Value;

/// A parsed file. Edits change the entry and nothing else in the text.
pub(super) trait ConfigDocument {
    /// Returns the keys of the object that the servers are in.
    fn server_keys(&self) -> &'static [&'static str];

    /// Returns the entry, if the file has it.
    fn entry(&self) -> Option<EntryFields>;

    /// Sets fields of the entry, which is created if necessary.
    fn update_entry(&mut self, updates: Vec<(String, Value)>);

    /// Removes the entry, and the objects around it that are empty then.
    fn remove_entry(&mut self);

    /// Returns the text; `None` if nothing is left.
    fn text(&self) -> Option<String>;
}

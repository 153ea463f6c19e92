//! Names of the marker and the folders of a store.

/// The marker, beside the folder of the format.
pub(crate) const MARKER: &str = "kitbag-store.json";

/// Folder of all indexes.
pub(crate) const INDEXES: &str = "index";

/// Folder of the objects whose times tell that of the store.
pub(crate) const CLOCK: &str = "clock";

pub(crate) const SUMMARIES: &str = "summaries";
pub(crate) const SESSIONS: &str = "sessions";
pub(crate) const PACKS: &str = "packs";

/// All folders.
pub(crate) const FOLDERS: [&str; 5] = [INDEXES, CLOCK, SUMMARIES, SESSIONS, PACKS];

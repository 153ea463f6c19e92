//! The repository as a whole: the core of its README, where it starts, and the definitions that the
//! rest depends on most. The provider `tree` adds the files.

mod entry_points;
mod manifests;
mod readme;
mod symbols;

use super::BuiltIn;
use super::tree::generated;
use crate::gather::inputs::Inputs;
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use crate::index::WorktreeSnapshot;
use crate::search::tree::read;
use kitbag_config::OVERVIEW_PROFILE;
use kitbag_index::{CommitHistory, IndexView};
use kitbag_repo::{FileEntry, Tree};
use kitbag_text::{Source, Text};

pub(super) const OVERVIEW: BuiltIn = BuiltIn {
    id: "overview",
    title: "Overview",
    description: "The repository as a whole: README, entry points, and the most central symbols.",
    needs: Needs::Index,
    applies: |_| true,
    has_input: |_| false,
    starts_early: |_| false,
    gather,
};

/// Relevance of the parts, the tree's being 1.
const README: f64 = 0.95;
const ENTRY_POINTS: f64 = 0.9;
const SYMBOLS: f64 = 0.8;

/// Share of the budget that the README and the entry points may take.
const README_SHARE: usize = 8;
const ENTRY_SHARE: usize = 12;

/// The files of a repository, and what the index knows about them.
struct Repository<'a> {
    tree: &'a dyn Tree,
    view: &'a IndexView,
    history: &'a CommitHistory,
    now: i64,
    /// Folder that the user works in.
    folder: Option<&'a str>,
}

impl Repository<'_> {
    fn entry(&self, path: &str) -> Option<&FileEntry> {
        let files = self.tree.files();
        let at = files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(&files[at])
    }

    fn read(&self, path: &str) -> Option<Text> {
        read(self.tree, self.entry(path)?).map(Text::new)
    }
}

fn gather(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let prepared = gathering.prepared.as_ref().and_then(|it| Some((it, it.view.as_ref()?)));
    let Some((prepared, view)) = prepared else {
        return Err(ProviderError::failed("there is no index"));
    };
    let WorktreeSnapshot { tree, past, .. } = &*prepared.worktree;
    let folder = gathering.request.folder.as_deref();
    let repository = Repository { tree: &**tree, view, history: past, now: prepared.now, folder };
    let (counting, budget) = (&gathering.counting, gathering.budget);
    let pool = gathering.pools.take(&gathering.cancel);
    let pool = pool.map_err(|error| ProviderError::failed(error.to_string()))?;
    let mut sources: Vec<Source> = Vec::new();
    sources.extend(readme::source(&repository, gathering, budget / README_SHARE)?);
    let entries = entry_points::text(&repository, budget / ENTRY_SHARE, counting);
    if !entries.is_empty() {
        sources.push(generated("Entry points", Text::new(entries), ENTRY_POINTS, counting));
    }
    gathering.cancel.check()?;
    sources.extend(pool.install(|| symbols::source(&repository, budget, counting)));
    let files_searched = view.files().len();
    let inputs = Inputs { sources, ..Inputs::default() };
    let is_ignored = !gathering.request.task.trim().is_empty()
        && gathering.request.profile.as_deref() == Some(OVERVIEW_PROFILE);
    let warning =
        "the task is not used in the profile `overview`; `--tree` adds the files to a pack";
    let warnings = is_ignored.then(|| warning.to_owned()).into_iter().collect();
    Ok(Gathered { inputs, warnings, files_searched, is_undated: true, ..Gathered::default() })
}

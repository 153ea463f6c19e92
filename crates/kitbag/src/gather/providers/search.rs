//! The search provider: chunks that the index finds for the task.

use super::BuiltIn;
use crate::gather::change_state::Change;
use crate::gather::excluded_lines::remove_excluded_lines;
use crate::gather::inputs::{Inputs, reason_of};
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use crate::gather::touched::touched_by;
use crate::index::index_analysis;
use crate::request::SourceLine;
use crate::search::recount::recount_sources;
use crate::search::tree::{MAX_FILE_BYTES, SourceLimits};
use crate::search::why::Reasons;
use crate::search::{missing_names_warning, unread_warning};
use kitbag_core::{Excluded, Reason};
use kitbag_index::ParsedTask;
use kitbag_repo::Tree;
use kitbag_text::{Kind, Piece, Source};
use rustc_hash::FxHashSet;

/// Maximum number of changed names to search for, if there is no task.
const MAX_TASK_NAMES: usize = 20;

/// Relevance that search results for the names of a change need, if there is no task.
const MIN_CHANGE_RELEVANCE: f64 = 0.1;

pub(super) const SEARCH: BuiltIn = BuiltIn {
    id: "search",
    title: "Relevant Code from Workspace",
    description: "The code of the repository that is relevant to the task, found in the index.",
    needs: Needs::Index,
    applies: |request| !request.task.trim().is_empty() || request.diff.is_some(),
    has_input: |_| false,
    starts_early: |_| false,
    gather,
};

fn gather(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let prepared = gathering.prepared.as_ref().and_then(|it| Some((it, it.view.as_ref()?)));
    let Some((prepared, view)) = prepared else {
        return Err(ProviderError::failed("there is no index"));
    };
    let worktree = &prepared.worktree;
    let change = gathering.change()?;
    let task = ParsedTask::new(&task_text(gathering, change.as_deref()));
    let changed = |path: &str| worktree.timestamps.of(path);
    let max_chunks = gathering.limits.max_items.unwrap_or(usize::MAX);
    let limits = SourceLimits { budget: gathering.budget, max_chunks };
    let cancel = &gathering.cancel;
    let pool = gathering.pools.take(cancel);
    let pool = pool.map_err(|error| ProviderError::failed(error.to_string()))?;
    let analysis = index_analysis(&gathering.chunking);
    let (mut sources, rarity, files, missing) = pool.install(|| {
        let folder = gathering.request.folder.as_deref();
        let search = prepared.search(view, folder, cancel);
        let found = search.find(&task)?;
        let mut sources = search.sources(&found, &changed, limits, &analysis)?;
        if let Some(change) = &change {
            if gathering.request.task.trim().is_empty() {
                retain_related(&mut sources);
            }
            sources.extend(touched_by(&search, change, &changed)?);
            change.remove_own(&mut sources);
        }
        recount_sources(&mut sources, &gathering.counting, cancel)?;
        let files = search.signals(&found, &sources);
        // A name is in one of many repositories, and missing in the others.
        let is_alone = gathering.request.fleet.is_none();
        let missing = is_alone.then(|| missing_names_warning(&found)).flatten();
        Ok::<_, ProviderError>((sources, found.term_idf().to_vec(), files, missing))
    })?;
    // Content that the caller supplies in full replaces the file, which may be older.
    let supplied = supplied_files(gathering);
    sources.retain(|source| !supplied.contains(&source.path));
    remove_excluded_lines(&mut sources, &gathering.request.exclude)
        .map_err(|error| ProviderError::failed(error.to_string()))?;
    let rejected = skipped(&*worktree.tree);
    Ok(Gathered {
        inputs: Inputs { sources, rejected, ..Inputs::default() },
        warnings: unread_warning(&task).into_iter().chain(missing).collect(),
        reasons: Some(Box::new(Reasons { task, rarity, files })),
        files_searched: view.files().len(),
        is_limited: true,
        ..Gathered::default()
    })
}

/// Removes what has little to do with the names of a change. They say where code is used, which
/// references show better, and hardly what a reader has to know.
fn retain_related(sources: &mut Vec<Source>) {
    let is_related = |piece: &Piece| piece.relevance.is_some_and(|it| it >= MIN_CHANGE_RELEVANCE);
    for source in sources.iter_mut() {
        source.pieces.iter_mut().for_each(|pieces| pieces.retain(is_related));
    }
    sources.retain(|source| source.pieces.as_ref().is_none_or(|pieces| !pieces.is_empty()));
}

/// Returns the text to search for: the task, or the names that a change is about.
fn task_text(gathering: &Gathering, change: Option<&Change>) -> String {
    let task = gathering.request.task.trim();
    if !task.is_empty() {
        return task.to_owned();
    }
    let files = change.map(|change| change.files.as_slice()).unwrap_or_default();
    let names = files.iter().flat_map(|file| &file.changed_names);
    let names: Vec<&str> = names.map(String::as_str).take(MAX_TASK_NAMES).collect();
    names.join(" ")
}

/// Returns the files whose whole content the caller supplies, such as unsaved buffers.
fn supplied_files(gathering: &Gathering) -> FxHashSet<String> {
    let whole = |line: &&SourceLine| {
        let output = matches!(line.kind, Some(Kind::ToolResult | Kind::Diagnostics));
        line.content.is_some() && line.start_line.is_none() && !output
    };
    let request = &gathering.request;
    let lines = request.sources.iter().filter(whole).map(|line| &line.path);
    let buffers = request.document.iter().chain(&request.open_files);
    let buffers = buffers.filter(|file| file.content.is_some()).map(|file| &file.path);
    lines.chain(buffers).filter_map(|path| gathering.root.normalize(path).ok()).collect()
}

/// Lists the files that the walk found but that may not be packed.
fn skipped(tree: &dyn Tree) -> Vec<Excluded> {
    let skipped = tree.skipped().iter().map(|skipped| {
        let reason = reason_of(skipped.code);
        Excluded::unranked(&skipped.path, Kind::SearchResult, reason, &skipped.detail)
    });
    let too_large = tree.files().iter().filter(|file| file.size > MAX_FILE_BYTES);
    let too_large = too_large.map(|file| {
        let detail = format!("too large to search: {} MB", file.size >> 20);
        Excluded::unranked(&file.path, Kind::SearchResult, Reason::TooLarge, detail)
    });
    skipped.chain(too_large).collect()
}

//! The search provider: chunks that the index finds for the task.

use crate::gather::inputs::{reason_of, reject};
use crate::gather::provider::{Gathered, Gathering, Needs, Provider, ProviderError};
use crate::index::search_chunk_limits;
use crate::request::{Request, SourceLine};
use crate::search::tree::{MAX_FILE_BYTES, Search};
use crate::search::why::Reasons;
use kitbag_core::{Excluded, Reason};
use kitbag_index::{AnalysisSettings, ParsedTask, RankModels};
use kitbag_repo::Tree;
use kitbag_text::Kind;
use rustc_hash::FxHashSet;

pub(super) struct Searching;

impl Provider for Searching {
    fn id(&self) -> &str {
        "search"
    }

    fn title(&self) -> &str {
        "Relevant Code from Workspace"
    }

    fn description(&self) -> &str {
        "The code of the repository that matters for the task, as the index finds it."
    }

    fn applies(&self, request: &Request) -> bool {
        !request.task.trim().is_empty()
    }

    fn needs(&self) -> Needs {
        Needs::Index
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let prepared = gathering.prepared.as_ref().and_then(|it| Some((it, it.view.as_ref()?)));
        let Some((prepared, view)) = prepared else {
            return Err(ProviderError::failed("there is no index"));
        };
        let worktree = &prepared.worktree;
        let task = ParsedTask::new(gathering.request.task.trim());
        let changed = |path: &str| worktree.timestamps.of(path);
        let (budget, most) = (gathering.budget, gathering.limits.max_items.unwrap_or(usize::MAX));
        let cancel = &gathering.cancel;
        let pool = gathering
            .pools
            .take(cancel)
            .map_err(|error| ProviderError::failed(error.to_string()))?;
        let counting = &*gathering.counting;
        let analysis =
            AnalysisSettings { limits: search_chunk_limits(&gathering.chunking), counting };
        let (mut sources, rarity, files) = pool.install(|| {
            let past = (&*worktree.past, prepared.now);
            let search = Search::new(&*worktree.tree, view, past, RankModels::learned(), cancel);
            let found = search.find(&task)?;
            let sources = search.sources(&found, &changed, (budget, most), &analysis)?;
            let files = search.clues(&found, &sources);
            Ok::<_, ProviderError>((sources, found.term_idf().to_vec(), files))
        })?;
        // Content that the caller supplies in full replaces the file, which may be older.
        let brought = brought_whole(gathering);
        sources.retain(|source| !brought.contains(&source.path));
        let mut gathered = Gathered::from(sources);
        if task.unread_bytes > 0 {
            let unread = task.unread_bytes;
            gathered =
                gathered.with_warning(format!("the last {unread} bytes of the task were not read"));
        }
        gathered.inputs.rejected = skipped(&*worktree.tree);
        gathered.reasons = Some(Box::new(Reasons { task, rarity, files }));
        (gathered.files_searched, gathered.is_limited) = (view.files().len(), true);
        Ok(gathered)
    }
}

/// Returns the files whose whole content the caller supplies, such as unsaved buffers.
fn brought_whole(gathering: &Gathering) -> FxHashSet<String> {
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
        reject(&skipped.path, Kind::SearchResult, reason, &skipped.detail)
    });
    let too_large = tree.files().iter().filter(|file| file.size > MAX_FILE_BYTES);
    let too_large = too_large.map(|file| {
        let detail = format!("{} MB are too large to search", file.size >> 20);
        reject(&file.path, Kind::SearchResult, Reason::TooLarge, &detail)
    });
    skipped.chain(too_large).collect()
}

//! What the index finds for the task.

use crate::inputs::{reason_of, reject};
use crate::provider::{Gathered, Gathering, Needs, Provider, ProviderError};
use crate::request::{Request, SourceLine};
use crate::search::{MOST_BYTES, Search, finer};
use crate::why::Reasons;
use kitbag_core::{Excluded, Reason};
use kitbag_index::{Analysis, Models, Task};
use kitbag_repo::Tree;
use kitbag_text::Kind;
use rustc_hash::FxHashSet;

/// The search provider.
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
        let scene = &prepared.scene;
        let task = Task::new(gathering.request.task.trim());
        let changed = |path: &str| scene.timestamps.of(path);
        let (budget, most) = (gathering.budget, gathering.limits.max_items.unwrap_or(usize::MAX));
        let cancel = &gathering.cancel;
        let pool = gathering
            .pools
            .take(cancel)
            .map_err(|error| ProviderError::failed(error.to_string()))?;
        let counting = &*gathering.counting;
        let analysis = Analysis { limits: finer(&gathering.chunking), counting };
        let (mut sources, rarity, files) = pool.install(|| {
            let past = (&*scene.past, prepared.now);
            let search = Search::new(&*scene.tree, view, past, Models::learnt(), cancel);
            let found = search.find(&task)?;
            let sources = search.sources(&found, &changed, (budget, most), &analysis)?;
            let files = search.clues(&found, &sources);
            Ok::<_, ProviderError>((sources, found.rarity().to_vec(), files))
        })?;
        // What the caller brings whole stands for the file, which may be older.
        let brought = brought_whole(gathering);
        sources.retain(|source| !brought.contains(&source.path));
        let mut gathered = Gathered::from(sources);
        if task.unread > 0 {
            let unread = task.unread;
            gathered =
                gathered.with_warning(format!("the last {unread} bytes of the task were not read"));
        }
        gathered.inputs.rejected = skipped(&*scene.tree);
        gathered.reasons = Some(Box::new(Reasons { task, rarity, files }));
        (gathered.files_searched, gathered.is_limited) = (view.files().len(), true);
        Ok(gathered)
    }
}

/// The files whose whole content the caller brings, such as unsaved buffers.
fn brought_whole(gathering: &Gathering) -> FxHashSet<String> {
    let outputs = [Kind::ToolResult.name(), Kind::Diagnostics.name()];
    let whole = |line: &&SourceLine| {
        let output = line.kind.as_deref().is_some_and(|kind| outputs.contains(&kind));
        line.content.is_some() && line.start_line.is_none() && !output
    };
    let request = &gathering.request;
    let lines = request.sources.iter().filter(whole).map(|line| &line.path);
    let buffers = request.document.iter().chain(&request.open_files);
    let buffers = buffers.filter(|file| file.content.is_some()).map(|file| &file.path);
    lines.chain(buffers).filter_map(|path| gathering.root.normalise(path).ok()).collect()
}

/// Files that the walk came upon but that may not be packed.
fn skipped(tree: &dyn Tree) -> Vec<Excluded> {
    let skipped = tree.skipped().iter().map(|skipped| {
        let reason = reason_of(skipped.code);
        reject(&skipped.path, Kind::SearchResult, reason, &skipped.detail)
    });
    let too_large = tree.files().iter().filter(|file| file.size > MOST_BYTES);
    let too_large = too_large.map(|file| {
        let detail = format!("{} MB are too large to search", file.size >> 20);
        reject(&file.path, Kind::SearchResult, Reason::TooLarge, &detail)
    });
    skipped.chain(too_large).collect()
}

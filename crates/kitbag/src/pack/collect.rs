//! Opening what providers may see, and asking them.

use super::clock::Deadline;
use super::{PackJob, Services};
use crate::error::Error;
use crate::exec::{catch_panic, spawn_thread};
use crate::gather::change_state::RequestedChange;
use crate::gather::editor;
use crate::gather::editor_state::{Editor, Opened};
use crate::gather::orchestrate::{Collected, Plan, ProviderCalls, call_providers, merge_answers};
use crate::gather::provider::{Gathering, Needs, ProviderLimits};
use crate::index::{
    Cancels, Indexes, IndexingGuard, Preparation, Prepared, Step, StoreMode, StoreUse,
    run_until_deadline,
};
use crate::request::Request;
use kitbag_config::{EngineSettings, StoreSettings};
use kitbag_core::{Cancel, Excluded};
use kitbag_repo::Globs;
use kitbag_tokens::CachedCounter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The view of the request that providers get, and what went wrong while it was opened.
pub(super) struct GatherContext {
    pub gathering: Gathering,
    pub rejected: Vec<Excluded>,
    pub warnings: Vec<String>,
    /// Whether the deadline cut something off.
    pub is_cut: bool,
}

/// Opens the repository and the document of a request.
pub(super) fn gather_context(
    job: &PackJob,
    services: &Services,
    deadline: &Deadline,
    cancel: &Cancel,
) -> Result<GatherContext, Error> {
    let (request, settings) = (&job.request, &job.config.settings);
    let mut gathering = Gathering {
        request: Arc::clone(request),
        globs: Arc::new(Globs::new(&request.include, &request.exclude)?),
        chunking: Arc::new(settings.settings.chunking.clone()),
        counting: Arc::clone(&services.counting),
        pools: Arc::clone(&services.pools),
        chunk_cache: Arc::clone(&services.chunk_cache),
        root: Arc::new(job.root.clone()),
        change: None,
        editor: None,
        tree: None,
        prepared: None,
        has_deadline: deadline.end().is_some(),
        guides: Arc::new(settings.guides.clone()),
        rules: services.rules.clone(),
        budget: job.budget,
        redact: request.redact.unwrap_or(settings.redact),
        limits: ProviderLimits::default(),
        until: None,
        cancel: cancel.clone(),
    };
    gathering.change = match &request.diff {
        Some(base) => Some(Arc::new(RequestedChange::resolve(&gathering.root, base)?)),
        None => None,
    };
    let Opened { editor, rejected, warnings, is_cut } = match request.has_editor_state() {
        true => editor::open(&gathering, deadline.opening())?,
        false => Opened::default(),
    };
    gathering.editor = editor;
    Ok(GatherContext { gathering, rejected, warnings, is_cut })
}

/// Returns the budget without the tokens of the instruction and the selection, where the settings
/// deduct them and the request gives no budget of its own. Providers do not wait for it: the first count
/// of a process unpacks the vocabulary.
pub(super) fn budget_after_request(
    job: &PackJob,
    editor: Option<&Editor>,
    counting: &CachedCounter,
) -> usize {
    let request: &Request = &job.request;
    if !job.config.settings.deducts_request || request.budget.is_some() {
        return job.budget;
    }
    let given = request.selection.as_ref().and_then(|selection| selection.text.as_deref());
    let selected = editor.and_then(|editor| editor.selection.as_ref());
    let selection = given.or(selected.map(|it| it.text.content())).unwrap_or_default();
    job.budget.saturating_sub(counting.count(&request.task) + counting.count(selection))
}

/// Asks the providers of a plan, and brings the index up to date for them.
pub(super) fn collect(
    gathering: &Gathering,
    plan: &Plan,
    settings: &EngineSettings,
    services: &Services,
    deadline: &Deadline,
) -> Result<(Collected, Option<Arc<Prepared>>), Error> {
    let searches = plan.needs() == Needs::Index;
    let job = IndexJob {
        gathering: gathering.clone(),
        indexes: Arc::clone(&services.indexes),
        home: settings.home.clone(),
        persist: settings.keeps_indexes,
        searches,
        store: settings.store.clone(),
    };
    let end = deadline.end();
    let guard = services.indexes.background.start(end);
    let prepare = move |cancels: &Cancels, report: &mut dyn FnMut(Step)| {
        let prepared = job.prepare(cancels, report, end)?;
        if let Some(end) = end.filter(|_| prepared.is_cut()) {
            job.complete(prepared.clone(), end, guard)?;
        }
        Ok(prepared)
    };
    let (answers, prepared) = call_providers(ProviderCalls {
        plan,
        gathering,
        prepare: Box::new(prepare),
        history_by: deadline.reading_history(),
        indexed_by: deadline.indexing(),
        until: deadline.collecting(),
    })?;
    let mut collected = merge_answers(&plan.providers, answers, gathering, prepared.as_deref());
    warn_about_missing_index(gathering, &mut collected, prepared.as_deref(), searches);
    Ok((collected, prepared))
}

/// The indexing of a request's repository.
struct IndexJob {
    gathering: Gathering,
    indexes: Arc<Indexes>,
    home: Option<PathBuf>,
    persist: bool,
    searches: bool,
    store: StoreSettings,
}

impl IndexJob {
    fn preparation(&self, uses_store: bool) -> Preparation<'_> {
        let Gathering { root, globs, request, chunking, pools, .. } = &self.gathering;
        Preparation {
            root,
            globs,
            now: request.now,
            chunking,
            home: self.home.as_deref(),
            persist: self.persist,
            searches: self.searches,
            pools,
            store: StoreUse { settings: uses_store.then_some(&self.store), mode: StoreMode::Pack },
        }
    }

    /// Brings the index up to date. The walk goes on until the deadline, whether or not the request still
    /// waits for it.
    fn prepare(
        &self,
        cancels: &Cancels,
        report: &mut dyn FnMut(Step),
        end: Option<Instant>,
    ) -> Result<Prepared, Error> {
        let Some(end) = end else {
            return self.indexes.prepare(&self.preparation(true), cancels, report);
        };
        // A store that is slow would take the time in which some files can be analyzed.
        run_until_deadline(end, |walk| {
            let cancels = Cancels { walk: walk.clone(), ..cancels.clone() };
            self.indexes.prepare(&self.preparation(false), &cancels, report)
        })
    }

    /// Uses the rest of the time until the deadline to index more, for the next request.
    fn complete(self, cut: Prepared, end: Instant, guard: IndexingGuard) -> Result<(), Error> {
        spawn_thread("kitbag-index", move || {
            let complete =
                |cancel: &Cancel| self.indexes.complete(&self.preparation(true), &cut, cancel);
            // The answer has been given, and the next request reports what still fails.
            let _ = catch_panic(|| run_until_deadline(end, complete));
            drop(guard);
        })
    }
}

/// Warns about what was not indexed.
fn warn_about_missing_index(
    gathering: &Gathering,
    collected: &mut Collected,
    prepared: Option<&Prepared>,
    searches: bool,
) {
    let hint = "`kitbag index refresh` completes it";
    let warning = match prepared {
        None => "the repository was not scanned before the deadline".to_owned(),
        Some(prepared) if prepared.view.is_none() && searches => {
            format!("the index was not ready before the deadline; {hint}")
        }
        Some(prepared) => {
            collected.is_partial |= prepared.is_cut();
            let Some((left, files)) = prepared.unsearched() else { return };
            let reason = match gathering.has_deadline {
                true => "before the deadline",
                false => "because no parser process could be started",
            };
            format!("{left} of {files} files were not searched {reason}; {hint}")
        }
    };
    collected.is_partial = true;
    collected.warnings.push(warning);
}

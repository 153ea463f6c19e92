//! What providers may look at, and asking them.

use super::clock::Deadline;
use super::{Means, denied};
use crate::config::Settled;
use crate::editor::{self, Editor, Opened, Reading};
use crate::error::Error;
use crate::indexes::{Preparation, Prepared, Step, Stops};
use crate::inputs::open_root;
use crate::orchestrate::{Asking, Bounds, Collected, Plan, ask, gather_up};
use crate::provider::{Gathering, Needs, ProviderLimits};
use crate::request::Request;
use crate::search::finer;
use kitbag_core::{Cancel, Excluded};
use kitbag_index::Analysis;
use kitbag_repo::Globs;
use kitbag_tokens::Counting;
use std::sync::Arc;

/// What providers may look at, and what there is to say of it.
pub(super) struct Scenery {
    pub gathering: Gathering,
    pub rejected: Vec<Excluded>,
    pub warnings: Vec<String>,
    /// Whether the deadline cut something off.
    pub is_cut: bool,
}

/// Opens the repository and the document of a request.
pub(super) fn scenery(
    request: &Arc<Request>,
    (settled, budget): (&Settled, usize),
    means: &Means,
    (deadline, cancel): (&Deadline, &Cancel),
) -> Result<Scenery, Error> {
    let root = open_root(request.repo.as_deref(), &denied(&settled.deny, &request.deny))?;
    let globs = Globs::new(&request.include, &request.exclude)?;
    let redact = request.redact.unwrap_or(settled.redact);
    let chunking = &settled.settings.chunking;
    let (counting, until) = (&means.counting, deadline.opening());
    let reading =
        Reading { root: &root, chunking, counting, cuts: &means.cuts, redact, until, cancel };
    let Opened { editor, rejected, warnings, is_cut } = match request.needs_editor() {
        true => editor::open(request, &reading)?,
        false => Opened::default(),
    };
    let budget = deducted(budget, request, settled, editor.as_deref(), &means.counting);
    let gathering = Gathering {
        request: Arc::clone(request),
        globs: Arc::new(globs),
        chunking: Arc::new(chunking.clone()),
        counting: Arc::clone(&means.counting),
        pools: Arc::clone(&means.pools),
        cuts: Arc::clone(&means.cuts),
        root: Arc::new(root),
        editor,
        tree: None,
        prepared: None,
        is_in_haste: until.is_some(),
        guides: Arc::new(settled.guides.clone()),
        rules: means.rules.clone(),
        budget,
        redact,
        limits: ProviderLimits::default(),
        until: None,
        cancel: cancel.clone(),
    };
    Ok(Scenery { gathering, rejected, warnings, is_cut })
}

/// The budget without the tokens of the instruction and the selection, where the settings say so
/// and the request gives no budget of its own.
fn deducted(
    budget: usize,
    request: &Request,
    settled: &Settled,
    editor: Option<&Editor>,
    counting: &Counting,
) -> usize {
    if !settled.deducts_request || request.budget.is_some() {
        return budget;
    }
    let own = request.selection.as_ref().and_then(|selection| selection.text.as_deref());
    let selected = editor.and_then(|editor| editor.selection.as_ref());
    let selected = own.or(selected.map(|selected| selected.text.content())).unwrap_or_default();
    budget.saturating_sub(counting.count(&request.task) + counting.count(selected))
}

/// Asks the providers of a plan, and brings the index up to date for them.
pub(super) fn collect(
    gathering: &Gathering,
    plan: &Plan,
    settled: &Settled,
    means: &Means,
    (deadline, cancel): (&Deadline, &Cancel),
) -> Result<(Collected, Option<Arc<Prepared>>), Error> {
    let Gathering { root, globs, counting, request, chunking, .. } = gathering.clone();
    let (indexes, keeps) = (Arc::clone(&means.indexes), settled.keeps_indexes);
    let (pools, is_searched) = (Arc::clone(&means.pools), plan.needs() == Needs::Index);
    let prepare = move |stops: &Stops, tell: &mut dyn FnMut(Step)| {
        let analysis = Analysis { limits: finer(&chunking), counting: &counting };
        let asked = Preparation {
            root: &root,
            globs: &globs,
            now: request.now,
            analysis: &analysis,
            keeps,
            is_searched,
            pools: &pools,
        };
        indexes.prepare(&asked, stops, tell)
    };
    let until = deadline.collecting();
    let asking = Asking {
        providers: &plan.providers,
        parallelism: plan.parallelism,
        gathering,
        prepare: Box::new(prepare),
        ready_by: deadline.preparing(),
        until,
        cancel,
    };
    let (answers, prepared) = ask(asking)?;
    let bounds = Bounds {
        root: &gathering.root,
        counting: &gathering.counting,
        prepared: prepared.as_deref(),
        is_in_haste: until.is_some(),
    };
    let mut collected = gather_up(&plan.providers, answers, &bounds);
    tell_what_was_cut(&mut collected, prepared.as_deref(), is_searched);
    Ok((collected, prepared))
}

/// Says what is not known of the repository, since the deadline was near.
fn tell_what_was_cut(collected: &mut Collected, prepared: Option<&Prepared>, is_searched: bool) {
    let hint = "`kitbag index refresh` completes it";
    let warning = match prepared {
        None => "the repository was not looked at before the deadline".to_owned(),
        Some(prepared) if prepared.view.is_none() && is_searched => {
            format!("the index was not ready before the deadline; {hint}")
        }
        Some(prepared) => {
            collected.is_partial |= prepared.is_cut();
            let Some((left, files)) = prepared.left() else { return };
            format!("{left} of {files} files were not searched before the deadline; {hint}")
        }
    };
    collected.is_partial = true;
    collected.warnings.push(warning);
}

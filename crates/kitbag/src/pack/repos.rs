//! Packs of several repositories: each is gathered with its own configuration, and its paths begin with its
//! name. The decision is one, so the best of all of them fills the budget.

use super::collect::{collect, gather_context};
use super::{Draft, PackFrame, PackJob};
use crate::error::Error;
use crate::gather::orchestrate::{Collected, Plan};
use kitbag_core::{Cancel, Excluded};
use kitbag_text::Kind;

/// A repository beside the first one of a request.
pub(crate) struct OtherRepo {
    pub name: String,
    pub job: PackJob,
}

impl Draft<'_> {
    /// Adds the other repositories of the request to what was collected from the first. Returns the time
    /// of the newest change in them.
    pub fn add_others(
        &mut self,
        collected: &mut Collected,
        cancel: &Cancel,
    ) -> Result<Option<i64>, Error> {
        let Some(first) = self.job.request.repos.first() else { return Ok(None) };
        prefix(collected, &mut self.context.rejected, &first.name);
        for warning in &mut self.context.warnings {
            *warning = format!("{}: {warning}", first.name);
        }
        let mut newest = None;
        for other in &self.job.others {
            let (plan, services) = (
                Plan::new(&self.services.registry, &other.job.request, other.job.settings())?,
                self.services,
            );
            let context = gather_context(&other.job, services, &self.deadline, cancel)?;
            let frame = PackFrame::new(&other.job, &context.gathering)?;
            let (mut found, prepared) =
                collect(&context.gathering, &plan, other.job.settings(), services, &self.deadline)?;
            let deadline = self.deadline;
            let mut draft =
                Draft { job: &other.job, services, plan, context, frame, prepared, deadline };
            draft.merge(&mut found);
            draft.weigh(&mut found);
            prefix(&mut found, &mut draft.context.rejected, &other.name);
            newest = newest.max(draft.now(&found.inputs));
            self.context.rejected.append(&mut draft.context.rejected);
            self.context.is_cut |= draft.context.is_cut;
            for warning in draft.context.warnings {
                let warning = format!("{}: {warning}", other.name);
                self.context.warnings.push(warning);
            }
            add(collected, found);
        }
        Ok(newest)
    }
}

impl Draft<'_> {
    /// Multiplies the relevance of what was found by the chance that the task is about the repository.
    pub fn weigh(&self, collected: &mut Collected) {
        let likelihood = self.job.likelihood;
        let sources = collected.inputs.sources.iter_mut();
        for source in sources.filter(|it| it.kind == Kind::SearchResult) {
            source.relevance = source.relevance.map(|relevance| relevance * likelihood);
            for piece in source.pieces.iter_mut().flatten() {
                piece.relevance = piece.relevance.map(|relevance| relevance * likelihood);
            }
        }
    }
}

/// Puts the name of the repository before all paths, except the labels of tool output.
fn prefix(collected: &mut Collected, rejected: &mut [Excluded], name: &str) {
    let with_name = |path: &mut String| *path = format!("{name}/{path}");
    let sources = collected.inputs.sources.iter_mut();
    sources.filter(|it| it.kind != Kind::ToolResult).for_each(|it| with_name(&mut it.path));
    rejected.iter_mut().for_each(|it| with_name(&mut it.path));
    collected.inputs.redactions.iter_mut().for_each(|(path, _)| with_name(path));
    if let Some(reasons) = &mut collected.reasons {
        let files = std::mem::take(&mut reasons.files).into_iter();
        reasons.files = files.map(|(path, it)| (format!("{name}/{path}"), it)).collect();
    }
}

fn add(collected: &mut Collected, mut found: Collected) {
    collected.inputs.append(found.inputs);
    collected.files_searched += found.files_searched;
    collected.is_partial |= found.is_partial;
    collected.rules.append(&mut found.rules);
    match (&mut collected.reasons, found.reasons) {
        (Some(reasons), Some(more)) => reasons.files.extend(more.files),
        (reasons, more) => *reasons = reasons.take().or(more),
    }
}

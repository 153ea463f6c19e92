//! From a request to a report: collect, redact, decide, tell.
//!
//! `collect` asks the providers, `packing` makes the decision on the engine's threads, and `telling`
//! puts into words what a person should know.

mod clock;
mod collect;
mod frame;
mod late;
mod packing;
mod telling;

pub(crate) use late::{Late, in_time};

use crate::config::{Configured, Settled};
use crate::cut::Cuts;
use crate::error::Error;
use crate::indexes::Indexes;
use crate::observe::logs;
use crate::orchestrate::{Collected, Plan, Registry};
use crate::pools::Pools;
use crate::provider::Ruling;
use crate::record::{Notes, RecordCircumstances, Records, elsewhere};
use crate::redaction::Redactions;
use crate::report::{Circumstances, Report};
use crate::request::Request;
use crate::variables::{variables, written};
use crate::why::explain;
use clock::{Clock, Deadline};
use collect::{Scenery, collect, scenery};
use frame::framed;
use kitbag_core::{Cancel, Decision, Excluded};
use kitbag_tokens::Counting;
use packing::{Packing, Wrapped, wrap};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;
use telling::{Gathered, emptiness, ignored, left_out, replaced};

/// Whether the text is wanted, or only the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    Text,
    Decision,
}

impl Want {
    /// Its name in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "pack",
            Self::Decision => "preview",
        }
    }
}

/// What requests are answered with.
#[derive(Clone)]
pub(crate) struct Means {
    pub registry: Arc<Registry>,
    pub indexes: Arc<Indexes>,
    /// Where it is computed.
    pub pools: Arc<Pools>,
    pub cuts: Arc<Cuts>,
    pub counting: Arc<Counting>,
    pub rules: Ruling,
    pub records: Option<Arc<Records>>,
}

/// Answers `request`, which was asked at `began`. It waits for others, so it must not run on the
/// pool's threads.
pub(crate) fn assemble(
    (request, began): (Arc<Request>, Instant),
    Configured { settled, warnings: told, changed: set }: Configured,
    (want, budget): (Want, usize),
    means: &Means,
    cancel: &Cancel,
) -> Result<Report, Error> {
    if request.is_empty() {
        return Err(Error::NothingToPack);
    }
    if settled.switched_off.is_some() {
        return Ok(nothing(&settled, told, (want, budget), &request, &means.counting));
    }
    let deadline = Deadline::new(began, request.deadline_ms.or(settled.deadline_ms));
    let mut clock = Clock::start("collect");
    let plan = Plan::new(&means.registry, &request, &settled)?;
    let scenery = scenery(&request, (&settled, budget), means, (&deadline, cancel))?;
    let Scenery { gathering, mut rejected, mut warnings, is_cut } = scenery;
    let (budget, editor) = (gathering.budget, gathering.editor.clone());
    logs::begins(budget, &plan);
    let variables = variables(&request, editor.as_deref());
    let (mut settings, of_frame) = framed(&request, &settled, &gathering.root, gathering.redact)?;
    settings.formatting.variables.extend(written(&variables));
    let settings = Arc::new(settings);
    let (collected, prepared) = collect(&gathering, &plan, &settled, means, (&deadline, cancel))?;
    let Collected {
        mut inputs,
        warnings: from_providers,
        files_searched,
        providers,
        rules,
        reasons,
        mut is_partial,
    } = collected;
    warnings.splice(0..0, told);
    warnings.extend(prepared.iter().flat_map(|it| it.warnings.iter().cloned()));
    warnings.extend(ignored(&plan, &request));
    warnings.extend(from_providers);
    warnings.extend(of_frame);
    warnings.extend(left_out(&rejected, &inputs.rejected));
    inputs.keep(settled.max_sources.unwrap_or(usize::MAX));
    rejected.append(&mut inputs.rejected);
    each_once(&mut rejected);
    logs::refused(&rejected);
    logs::gathered(&providers, inputs.sources.len());
    let newest = || inputs.sources.iter().filter_map(|source| source.timestamp).max();
    let now = prepared.as_ref().map(|it| it.now).or(request.now).or_else(newest);
    let records = means.records.as_ref().filter(|_| want == Want::Text && settled.records);
    let changed = prepared.as_ref().and_then(|it| it.scene.changed.as_ref());
    let elsewhere = elsewhere(&inputs.sources, &request, &gathering.root);
    let notes = records.map(|_| Notes::new(&inputs.sources, &request, &gathering.root, changed));
    clock.next("redact");
    let packing = Packing {
        request: Arc::clone(&request),
        settings: Arc::clone(&settings),
        counting: Arc::clone(&means.counting),
        redact: gathering.redact,
        inputs,
        now,
        budget,
        want,
        clock,
    };
    let Wrapped { decision, content, redactions, clock, is_late } =
        wrap(packing, &means.pools, &deadline, cancel)?;
    let late = is_late.then(|| deadline.ms().unwrap_or_default());
    let gathered = Gathered::new(&plan, &providers, &rejected, files_searched);
    let empty = emptiness(&request, &settings, (budget, &decision), &gathered, (late, is_partial));
    warnings.extend(empty);
    is_partial |= is_late || is_cut;
    warnings.extend(replaced(decision.replaced));
    let around = Circumstances {
        content,
        budget,
        format: settings.formatting.name(),
        rejected,
        redactions,
        files_searched,
        timings: clock.stop(),
        warnings,
        providers,
        rules,
        variables,
        partial: is_partial,
        correlation_id: request.correlation_id.clone(),
    };
    let mut report = Report::new(decision, around, &means.counting);
    report.tell_files(&elsewhere);
    if let Some(reasons) = reasons {
        explain(&mut report.included, &reasons);
    }
    if let Some((records, notes)) = records.zip(notes) {
        let around = RecordCircumstances {
            request: &request,
            settled: &settled,
            changed: &set,
            settings: &settings,
            root: &gathering.root,
            now,
            redact: gathering.redact,
            is_over: &|| deadline.is_over(),
        };
        keep_record(records, notes, &mut report, &around);
    }
    logs::ends(&report);
    Ok(report)
}

/// Keeps what was rejected once: what is named may come up in the search too.
fn each_once(rejected: &mut Vec<Excluded>) {
    let mut seen = FxHashSet::default();
    rejected.retain(|it| it.span.is_some() || seen.insert((it.path.clone(), it.reason)));
}

/// Leaves a record of a pack.
fn keep_record(
    records: &Records,
    notes: Notes,
    report: &mut Report,
    around: &RecordCircumstances<'_>,
) {
    let began = Instant::now();
    let (id, warning) = notes.keep(records, report, around);
    report.time("record", began.elapsed());
    report.record = id;
    let is_cache = |it: &&mut String| it.starts_with("the index is not kept");
    match report.warnings.iter_mut().find(is_cache) {
        // One warning about a cache that cannot be written is enough.
        Some(told) if warning.is_some() && report.record.is_none() => {
            told.push_str("; nor is the pack recorded");
        }
        _ => report.warnings.extend(warning),
    }
}

/// What may not be read: what the configuration says, and what the request adds.
pub(crate) fn denied(configured: &[String], asked: &[String]) -> Vec<String> {
    configured.iter().chain(asked).cloned().collect()
}

/// The report of a pack that is switched off.
fn nothing(
    settled: &Settled,
    mut warnings: Vec<String>,
    (want, budget): (Want, usize),
    request: &Request,
    counting: &Counting,
) -> Report {
    let place = settled.switched_off.as_deref().unwrap_or_default();
    warnings
        .push(format!("the pack is empty: packs are switched off by `context.enabled` ({place})"));
    let around = Circumstances {
        content: (want == Want::Text).then(String::new),
        budget,
        format: settled.settings.formatting.name(),
        rejected: Vec::new(),
        redactions: Redactions::default(),
        files_searched: 0,
        timings: Vec::new(),
        warnings,
        providers: Vec::new(),
        rules: Vec::new(),
        variables: variables(request, None),
        partial: false,
        correlation_id: request.correlation_id.clone(),
    };
    Report::new(Decision::default(), around, counting)
}

//! From a request to a report: gather, redact, decide, report.
//!
//! `collect` asks the providers, `decide` makes the decision in a compute pool, `warnings` explains in
//! words what was left out, and `timeout` answers in time whatever happens.

mod clock;
mod collect;
mod decide;
mod formatting;
mod limits;
mod timeout;
mod variables;
mod warnings;

pub(crate) use limits::{check_remote, resolve_limits};
pub(crate) use timeout::{TimeoutReport, run_until};

use crate::chunk_cache::ChunkCache;
use crate::error::Error;
use crate::exec::ComputePools;
use crate::gather::orchestrate::{Collected, Plan, Registry};
use crate::gather::provider::RuleServices;
use crate::index::{Indexes, Prepared};
use crate::inspect::{RecordDraft, RecordInputs, paths_outside_files};
use crate::observe::logs;
use crate::report::{Report, ReportInputs};
use crate::request::{PackMode, Request};
use crate::search::why::explain;
use clock::{Clock, Deadline};
use collect::{GatherContext, collect, gather_context};
use decide::{DecisionJob, PackOutcome};
use formatting::apply_template;
use kitbag_config::{EngineSettings, RequestConfig};
use kitbag_core::{Cancel, Decision, Excluded, Settings};
use kitbag_record::Records;
use kitbag_tokens::CachedCounter;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use variables::{template_values, variables};

/// The parts of an engine that a request uses.
#[derive(Clone)]
pub(crate) struct Services {
    pub registry: Arc<Registry>,
    pub indexes: Arc<Indexes>,
    pub pools: Arc<ComputePools>,
    pub chunk_cache: Arc<ChunkCache>,
    pub counting: Arc<CachedCounter>,
    pub rules: RuleServices,
    pub records: Option<Arc<Records>>,
}

/// A request and the configuration that applies to it.
pub(crate) struct PackJob {
    pub request: Arc<Request>,
    pub configured: RequestConfig,
    pub mode: PackMode,
    pub budget: usize,
    pub started: Instant,
}

/// Answers a request. It waits for providers, so it must not run in a compute pool.
pub(crate) fn assemble(
    job: &PackJob,
    services: &Services,
    cancel: &Cancel,
) -> Result<Report, Error> {
    if job.request.is_empty() {
        return Err(Error::NothingToPack);
    }
    if job.settled().switched_off.is_some() {
        return Ok(job.disabled_report(&services.counting));
    }
    let deadline = job.deadline();
    let clock = Clock::start("collect");
    let plan = Plan::new(&services.registry, &job.request, job.settled())?;
    let context = gather_context(job, services, &deadline, cancel)?;
    logs::begins(context.gathering.budget, &plan);
    let frame = Frame::new(job, &context)?;
    let (collected, prepared) =
        collect(&context.gathering, &plan, job.settled(), services, &deadline, cancel)?;
    let mut draft = Draft { job, plan, context, frame, prepared, clock };
    let collected = draft.merge(collected);
    draft.finish(collected, services, &deadline, cancel)
}

impl PackJob {
    fn settled(&self) -> &EngineSettings {
        &self.configured.settings
    }

    fn deadline(&self) -> Deadline {
        let limit = self.request.deadline_ms.or(self.settled().deadline_ms);
        Deadline::new(self.started, limit)
    }

    /// The report of an engine that `context.enabled` switches off.
    fn disabled_report(&self, counting: &CachedCounter) -> Report {
        let place = self.settled().switched_off.as_deref().unwrap_or_default();
        let mut warnings = self.configured.warnings.clone();
        warnings.push(format!("the pack is empty: `context.enabled` is off ({place})"));
        let inputs = ReportInputs {
            warnings,
            ..ReportInputs::empty(&self.request, self.mode, self.budget, self.format())
        };
        let inputs = ReportInputs { variables: variables(&self.request, None), ..inputs };
        Report::new(Decision::default(), inputs, counting)
    }

    fn format(&self) -> &'static str {
        self.settled().settings.formatting.name()
    }
}

/// The resolved formatting of a pack, and the variables that templates get.
struct Frame {
    settings: Arc<Settings>,
    variables: BTreeMap<&'static str, Value>,
    warning: Option<String>,
}

impl Frame {
    fn new(job: &PackJob, context: &GatherContext) -> Result<Self, Error> {
        let gathering = &context.gathering;
        let variables = variables(&job.request, gathering.editor.as_deref());
        let (mut settings, warning) =
            apply_template(&job.request, job.settled(), &gathering.root, gathering.redact)?;
        settings.formatting.variables.extend(template_values(&variables));
        Ok(Self { settings: Arc::new(settings), variables, warning })
    }
}

/// A pack in the making.
struct Draft<'a> {
    job: &'a PackJob,
    plan: Plan,
    context: GatherContext,
    frame: Frame,
    prepared: Option<Arc<Prepared>>,
    clock: Clock,
}

impl Draft<'_> {
    /// Puts all warnings and rejections in order, the configuration's first.
    fn merge(&mut self, mut collected: Collected) -> Collected {
        let (job, context) = (self.job, &mut self.context);
        let prepared = self.prepared.as_deref();
        let mut warnings = job.configured.warnings.clone();
        warnings.append(&mut context.warnings);
        warnings.extend(prepared.iter().flat_map(|it| it.warnings.iter().cloned()));
        warnings.extend(warnings::ignored_inputs(&self.plan, &job.request));
        warnings.append(&mut collected.warnings);
        warnings.extend(self.frame.warning.take());
        warnings.extend(warnings::rejected_inputs(&context.rejected, &collected.inputs.rejected));
        context.warnings = warnings;
        collected.inputs.limit(job.settled().max_sources.unwrap_or(usize::MAX));
        context.rejected.append(&mut collected.inputs.rejected);
        dedup_rejected(&mut context.rejected);
        logs::refused(&context.rejected);
        logs::gathered(&collected.providers, collected.inputs.sources.len());
        collected
    }

    /// Decides, reports, and leaves a record.
    fn finish(
        self,
        collected: Collected,
        services: &Services,
        deadline: &Deadline,
        cancel: &Cancel,
    ) -> Result<Report, Error> {
        let Self { job, plan, context, frame, prepared, clock } = self;
        let GatherContext { gathering, rejected, mut warnings, is_cut } = context;
        let Collected { inputs, files_searched, providers, rules, reasons, is_partial, .. } =
            collected;
        let sources = &inputs.sources;
        let newest = || sources.iter().filter_map(|source| source.timestamp).max();
        let now = prepared.as_ref().map(|it| it.now).or(job.request.now).or_else(newest);
        let outside = paths_outside_files(sources, &job.request, &gathering.root);
        let record = services.records.as_ref().filter(|_| job.leaves_record()).map(|records| {
            let changed = prepared.as_ref().and_then(|it| it.worktree.changed.as_ref());
            (records, RecordDraft::new(sources, &job.request, &gathering.root, changed))
        });
        let decision = DecisionJob {
            request: Arc::clone(&job.request),
            settings: Arc::clone(&frame.settings),
            counting: Arc::clone(&services.counting),
            redact: gathering.redact,
            inputs,
            now,
            budget: gathering.budget,
            mode: job.mode,
            clock,
        };
        let PackOutcome { decision, content, redactions, clock, is_late } =
            decision.run_until(&services.pools, deadline, cancel)?;
        let empty = warnings::EmptyPack {
            request: &job.request,
            settings: &frame.settings,
            budget: gathering.budget,
            decision: &decision,
            plan: &plan,
            providers: &providers,
            rejected: &rejected,
            files_searched,
            missed_deadline_ms: is_late.then(|| deadline.ms().unwrap_or_default()),
            is_partial,
        };
        warnings.extend(empty.warning());
        warnings.extend(warnings::replaced_characters(decision.replaced_chars));
        let inputs = ReportInputs {
            content,
            budget: gathering.budget,
            format: frame.settings.formatting.name(),
            rejected,
            redactions,
            files_searched,
            timings: clock.stop(),
            warnings,
            providers,
            rules,
            variables: frame.variables,
            partial: is_partial || is_late || is_cut,
            correlation_id: job.request.correlation_id.clone(),
        };
        let mut report = Report::new(decision, inputs, &services.counting);
        report.mark_files(&outside);
        if let Some(reasons) = reasons {
            explain(&mut report.included, &reasons);
        }
        let unsaved_index = prepared.as_ref().and_then(|it| it.unsaved_warning.clone());
        let unrecorded = record.and_then(|(records, draft)| {
            let inputs = RecordInputs {
                request: &job.request,
                configured: &job.configured,
                settings: &frame.settings,
                root: &gathering.root,
                now,
                redact: gathering.redact,
                is_over: &|| deadline.is_over(),
            };
            save_record(records, draft, &mut report, &inputs)
        });
        report.warnings.extend(match (unsaved_index, unrecorded) {
            // One warning about a cache folder that cannot be written is enough.
            (Some(index), Some(_)) if report.record.is_none() => {
                vec![format!("{index}; the pack is not recorded either")]
            }
            (index, record) => index.into_iter().chain(record).collect(),
        });
        logs::ends(&report);
        Ok(report)
    }
}

impl PackJob {
    fn leaves_record(&self) -> bool {
        self.mode == PackMode::Pack && self.settled().records
    }
}

/// Keeps one rejection per path and reason: a file may be both named and found.
fn dedup_rejected(rejected: &mut Vec<Excluded>) {
    let mut seen: FxHashSet<(String, kitbag_core::Reason)> = FxHashSet::default();
    rejected.retain(|it| it.span.is_some() || seen.insert((it.path.clone(), it.reason)));
}

/// Saves the record of a pack; returns a warning if that failed.
fn save_record(
    records: &Records,
    draft: RecordDraft,
    report: &mut Report,
    inputs: &RecordInputs<'_>,
) -> Option<String> {
    let started = Instant::now();
    let (id, warning) = draft.save(records, report, inputs);
    report.add_timing("record", started.elapsed());
    report.record = id;
    warning
}

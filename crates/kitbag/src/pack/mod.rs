//! From a request to a report: gather, redact, decide, report.
//!
//! `collect` asks the providers, `decide` makes the decision in a compute pool, `warnings` explains in
//! words what was left out, and `timeout` answers in time whatever happens.

mod clock;
mod collect;
mod decide;
mod formatting;
mod head;
mod limits;
mod nearest;
mod repos;
mod timeout;
mod variables;
mod warnings;

pub(crate) use limits::{check_remote, resolve_limits};
pub(crate) use nearest::with_nearest_path;
pub(crate) use repos::OtherRepo;
pub(crate) use timeout::run_until;

use crate::chunk_cache::ChunkCache;
use crate::error::Error;
use crate::exec::ComputePools;
use crate::fleet::FleetChoice;
use crate::gather::inputs::Inputs;
use crate::gather::orchestrate::{Collected, Plan, Registry};
use crate::gather::provider::{Gathering, RuleServices};
use crate::index::{Indexes, Prepared};
use crate::inspect::{RecordDraft, RecordInputs};
use crate::observe::logs;
use crate::parser_failures::{ParserFailures, SourceTexts};
use crate::redaction::redact_rejected;
use crate::report::Report;
use crate::request::{PackMode, Request};
use crate::search::matches::add_to_included;
use crate::search::why::{Reasons, explain};
use clock::{Clock, Deadline};
use collect::{GatherContext, budget_after_request, collect, gather_context};
use decide::PackOutcome;
use formatting::apply_template;
use kitbag_config::{EngineSettings, RequestConfig};
use kitbag_core::{Cancel, Decision, Excluded, Reason, SentLines, Settings};
use kitbag_record::Records;
use kitbag_repo::{Root, Tree};
use kitbag_tokens::{CachedCounter, TokenizerChoice};
use nearest::suggest_paths;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use variables::{template_values, variables};
use warnings::EmptyPack;

/// Number of matching lines of each chunk of a preview.
const PREVIEWED_LINES: usize = 2;

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
    /// The repository, with the denylists of the configuration and the request.
    pub root: Root,
    pub config: RequestConfig,
    pub tokenizer: TokenizerChoice,
    pub mode: PackMode,
    pub budget: usize,
    pub started: Instant,
    /// Lines that the caller already has, if the request names a session.
    pub sent: Option<Arc<SentLines>>,
    /// Chance that the task is about this repository, by which the relevance of what is found is multiplied; 1
    /// unless it was chosen from many.
    pub likelihood: f64,
    /// The repositories of the request after the first.
    pub others: Vec<OtherRepo>,
}

/// Makes a pack: gathers, decides and reports. It waits for providers, so it must not run in a compute
/// pool.
pub(crate) fn assemble(
    job: &PackJob,
    services: &Services,
    cancel: &Cancel,
) -> Result<Report, Error> {
    if let Some(place) = &job.settings().switched_off {
        let warning = format!("the pack is empty: `context.enabled` is off ({place})");
        return Ok(job.empty_report(warning, &services.counting));
    }
    let (deadline, clock) = (job.deadline(), Clock::start("collect"));
    let plan = Plan::new(&services.registry, &job.request, job.settings())?;
    if job.request.is_empty() && !plan.needs_no_input() {
        return Err(Error::NothingToPack);
    }
    let mut context = gather_context(job, services, &deadline, cancel)?;
    logs::pack_started(context.gathering.budget, &plan);
    let frame = PackFrame::new(job, &context.gathering)?;
    let (mut collected, prepared) =
        collect(&context.gathering, &plan, job.settings(), services, &deadline)
            .map_err(|error| with_nearest_path(error, &context.gathering.root))?;
    let editor = context.gathering.editor.as_deref();
    context.gathering.budget = budget_after_request(job, editor, &services.counting);
    let mut draft = Draft { job, services, plan, context, frame, prepared, deadline };
    draft.merge(&mut collected);
    draft.weigh(&mut collected);
    let newest = draft.add_others(&mut collected, cancel)?;
    let now = draft.now(&collected.inputs).max(newest);
    let record = draft.record_draft(&collected.inputs);
    let texts = SourceTexts::of(&collected.inputs.sources);
    let reasons: Option<Arc<Reasons>> = collected.reasons.take().map(Arc::from);
    let inputs = std::mem::take(&mut collected.inputs);
    let outcome = draft.decide(inputs, reasons.clone(), now, clock, cancel)?;
    let mut report = draft.report(outcome, collected);
    draft.add_parser_failures(texts, cancel, &mut report);
    record.mark_files(&mut report);
    report.set_rule_files();
    if let Some(reasons) = reasons {
        explain(&mut report.included, &reasons);
        if job.mode == PackMode::Preview {
            add_to_included(&mut report.included, &reasons, PREVIEWED_LINES);
        }
    }
    draft.save(record, &mut report, now);
    logs::pack_finished(&report);
    Ok(report)
}

impl PackJob {
    fn settings(&self) -> &EngineSettings {
        &self.config.settings
    }

    fn deadline(&self) -> Deadline {
        let limit = self.request.deadline_ms.or(self.settings().deadline_ms);
        Deadline::new(self.started, limit)
    }

    /// Returns the report of a pack for which no repository was chosen.
    pub fn unchosen_report(&self, counting: &CachedCounter) -> Report {
        let why = FleetChoice::why_nothing();
        let report = self.empty_report(format!("the pack is empty: {why}"), counting);
        Report { why_empty: Some(why.to_owned()), commit: None, ..report }
    }

    /// Returns the report of a pack that was not made.
    fn empty_report(&self, warning: String, counting: &CachedCounter) -> Report {
        let mut report =
            Report::new(Decision::default(), Vec::new(), Default::default(), self.budget, counting);
        report.content = (self.mode == PackMode::Pack).then(String::new);
        report.stats.format = self.settings().settings.formatting.name();
        report.warnings.clone_from(&self.config.warnings);
        report.warnings.push(warning);
        report.set_variables(variables(&self.request, None));
        report.correlation_id.clone_from(&self.request.correlation_id);
        report.commit = self.root.commit().map(|commit| commit.to_string());
        report
    }
}

/// The resolved formatting of a pack, and the variables that templates get.
struct PackFrame {
    settings: Arc<Settings>,
    variables: BTreeMap<&'static str, Value>,
    warning: Option<String>,
}

impl PackFrame {
    fn new(job: &PackJob, gathering: &Gathering) -> Result<Self, Error> {
        let variables = variables(&job.request, gathering.editor.as_deref());
        let (mut settings, warning) =
            apply_template(&job.request, job.settings(), &gathering.root, gathering.redact)?;
        settings.formatting.variables.extend(template_values(&variables));
        Ok(Self { settings: Arc::new(settings), variables, warning })
    }
}

/// A pack under construction.
struct Draft<'a> {
    job: &'a PackJob,
    services: &'a Services,
    plan: Plan,
    context: GatherContext,
    frame: PackFrame,
    prepared: Option<Arc<Prepared>>,
    deadline: Deadline,
}

impl Draft<'_> {
    /// Puts all warnings and rejections in order, the configuration's first.
    fn merge(&mut self, collected: &mut Collected) {
        let (job, context) = (self.job, &mut self.context);
        let prepared = self.prepared.as_deref();
        let mut warnings = job.config.warnings.clone();
        warnings.append(&mut context.warnings);
        warnings.extend(prepared.iter().flat_map(|it| it.warnings.iter().cloned()));
        warnings.extend(warnings::ignored_inputs(&self.plan, &job.request));
        warnings.append(&mut collected.warnings);
        warnings.extend(self.frame.warning.take());
        if let Some(prepared) = prepared {
            let rejected = context.rejected.iter_mut().chain(&mut collected.inputs.rejected);
            suggest_paths(rejected, prepared.worktree.tree.files());
        }
        if context.gathering.redact {
            redact_rejected(context.rejected.iter_mut().chain(&mut collected.inputs.rejected));
        }
        warnings.extend(warnings::rejected_inputs(&context.rejected, &collected.inputs.rejected));
        context.warnings = warnings;
        collected.inputs.limit(job.settings().max_sources.unwrap_or(usize::MAX));
        context.rejected.append(&mut collected.inputs.rejected);
        dedup_rejected(&mut context.rejected);
        logs::sources_rejected(&context.rejected);
        logs::gathered(&collected.providers, collected.inputs.sources.len());
    }

    /// Returns the time from which ages are measured.
    fn now(&self, inputs: &Inputs) -> Option<i64> {
        let newest = || inputs.sources.iter().filter_map(|source| source.timestamp).max();
        self.prepared.as_ref().map(|it| it.now).or(self.job.request.now).or_else(newest)
    }

    fn record_draft(&self, inputs: &Inputs) -> RecordDraft {
        let changed = self.prepared.as_ref().and_then(|it| it.worktree.changed.as_ref());
        let root = &self.context.gathering.root;
        RecordDraft::new(&inputs.sources, &self.job.request, root, changed)
    }

    fn report(&mut self, outcome: PackOutcome, collected: Collected) -> Report {
        let PackOutcome { decision, content, body, redactions, clock, is_late } = outcome;
        let empty = EmptyPack { draft: self, decision: &decision, collected: &collected };
        let why_empty = (!is_late && decision.included.is_empty()).then(|| empty.reason());
        let GatherContext { gathering, rejected, warnings, is_cut } = &mut self.context;
        warnings.extend(is_late.then(|| self.deadline.missed_warning()));
        warnings.extend(why_empty.as_ref().map(|why| format!("the pack is empty: {why}")));
        warnings.extend(warnings::unrelated_task(&decision));
        warnings.extend(warnings::missing_pins(&decision));
        warnings.extend(warnings::replaced_characters(decision.replaced_chars));
        let (rejected, counting) = (std::mem::take(rejected), &self.services.counting);
        let mut report = Report {
            content,
            body,
            preferred_folder: self.job.request.folder.clone(),
            rules: collected.rules,
            partial: collected.is_partial || is_late || *is_cut,
            correlation_id: self.job.request.correlation_id.clone(),
            timings: clock.stop(),
            warnings: std::mem::take(warnings),
            why_empty,
            ..Report::new(decision, rejected, redactions, gathering.budget, counting)
        };
        report.commit = gathering.root.commit().map(|commit| commit.to_string());
        report.stats.files_searched = collected.files_searched;
        report.stats.format = self.frame.settings.formatting.name();
        report.set_providers(collected.providers);
        report.set_variables(std::mem::take(&mut self.frame.variables));
        report
    }

    /// Reports the files whose parser failed. A pack that depends on the limits of this machine is
    /// partial.
    fn add_parser_failures(&self, texts: SourceTexts, cancel: &Cancel, report: &mut Report) {
        let view = self.prepared.as_ref().and_then(|it| it.view.as_deref());
        let mut failures = ParserFailures::of_index(view);
        failures.add_sources(texts, cancel);
        report.partial |= failures.depend_on_machine();
        report.warnings.extend(failures.warning());
    }

    /// Saves the record of the pack, and adds warnings about what could not be saved.
    fn save(&self, draft: RecordDraft, report: &mut Report, now: Option<i64>) {
        let (job, gathering) = (self.job, &self.context.gathering);
        let is_recorded = job.mode == PackMode::Pack && job.settings().records;
        let records = self.services.records.as_ref().filter(|_| is_recorded);
        let unrecorded = records.and_then(|records| {
            let started = Instant::now();
            let inputs = RecordInputs {
                request: &job.request,
                config: &job.config,
                settings: &self.frame.settings,
                root: &gathering.root,
                counting: &self.services.counting,
                now,
                redact: gathering.redact,
                is_over: &|| self.deadline.is_over(),
            };
            let warning = draft.save(records, report, &inputs);
            report.add_timing("record", started.elapsed());
            warning
        });
        let unsaved_index = self.prepared.as_ref().and_then(|it| it.unsaved_warning.clone());
        report.warnings.extend(match (unsaved_index, unrecorded) {
            // One warning about a cache folder that cannot be written is enough.
            (Some(index), Some(_)) if report.record.is_none() => {
                vec![format!("{index}; the pack is not recorded either")]
            }
            (index, record) => index.into_iter().chain(record).collect(),
        });
    }
}

/// Keeps one rejection per path and reason: a file may be both named and found.
fn dedup_rejected(rejected: &mut Vec<Excluded>) {
    let mut seen: FxHashSet<(String, Reason)> = FxHashSet::default();
    rejected.retain(|it| it.span.is_some() || seen.insert((it.path.clone(), it.reason)));
}

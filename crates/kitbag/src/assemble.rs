//! From a request to a report, synchronously.

use crate::config::{Configured, Settled};
use crate::error::Error;
use crate::finding::why_nothing;
use crate::indexes::{Indexes, Prepared, Scene};
use crate::inputs::{self, Gatherer, Inputs, open_root, reject};
use crate::redaction::{Redactions, redact_sources};
use crate::report::{Circumstances, Report, Timing};
use crate::request::{Request, SourceLine};
use crate::search::{self, Search, finer};
use kitbag_core::{
    Cancel, Decision, Excluded, Job, Observer, PackError, Reason, Settings, Stage, Template,
    decide, pack,
};
use kitbag_index::{Analysis, Models, Task};
use kitbag_repo::{Globs, Root, Tree};
use kitbag_text::Kind;
use kitbag_tokens::Counting;
use rustc_hash::FxHashSet;
use std::time::Instant;

/// Whether the text is wanted, or only the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    Text,
    Decision,
}

/// Answers `request`.
pub(crate) fn assemble(
    request: &Request,
    Configured { settled, warnings: told }: &Configured,
    (want, budget): (Want, usize),
    counting: &Counting,
    (indexes, cancel): (&Indexes, &Cancel),
) -> Result<Report, Error> {
    let task = request.task.trim();
    if task.is_empty() && request.references.is_empty() && request.sources.is_empty() {
        return Err(Error::NothingToPack);
    }
    if let Some(place) = &settled.switched_off {
        let settings = &settled.settings;
        return Ok(nothing(place, told.clone(), settings, (want, budget), counting));
    }
    let mut clock = Clock::start("collect");
    let root = open_root(request.repo.as_deref(), &denied(&settled.deny, &request.deny))?;
    let globs = Globs::new(&request.include, &request.exclude)?;
    let limits = &settled.settings.chunking;
    let analysis = Analysis { limits: finer(limits), counting };
    let keeps = settled.keeps_indexes;
    let prepared = indexes.prepare(&root, &globs, request.now, &analysis, keeps, cancel)?;
    let Prepared { scene, now, mut warnings, .. } = prepared;
    warnings.splice(0..0, told.iter().cloned());
    let Scene { tree, view, past, timestamps, .. } = &*scene;
    let changed = |path: &str| timestamps.of(path);
    let redact = request.redact.unwrap_or(settled.redact);
    let mut inputs =
        named(request, &Gatherer { root: &root, limits, counting, changed: &changed, redact })?;
    warnings.extend(left_out(&inputs.rejected));
    clock.next("search");
    let mut files_searched = 0;
    if !task.is_empty() {
        let models = Models::learnt();
        let search = Search::new(tree, view, (past, now), models, cancel);
        let understood = Task::new(task);
        let found = search.find(&understood).map_err(PackError::from)?;
        let mut results = search.sources(&found, &changed, budget).map_err(PackError::from)?;
        // What the caller brings whole stands for the file, which may be older.
        let brought = brought_whole(request, &root);
        results.retain(|result| !brought.contains(&result.path));
        inputs.sources.extend(results);
        if understood.unread > 0 {
            let unread = understood.unread;
            warnings.push(format!("the last {unread} bytes of the task were not read"));
        }
        files_searched = view.files().len();
        inputs.rejected.extend(skipped(tree));
    }
    inputs.keep(settled.max_sources.unwrap_or(usize::MAX));
    let mut redactions = Redactions::default();
    if redact {
        clock.next("redact");
        redactions =
            redact_sources(&mut inputs.sources, counting, cancel).map_err(PackError::from)?;
        for (path, found) in &inputs.redactions {
            redactions.note(path, found);
        }
    }
    let settings = with_template(request, settled, &root)?;
    let job = Job {
        sources: inputs.sources,
        task,
        now: Some(now),
        budget,
        settings: &settings,
        counting,
        cancel,
    };
    let (decision, content) = match want {
        Want::Text => {
            let packed = pack(job, &mut clock)?;
            (packed.decision, Some(packed.text))
        }
        Want::Decision => (decide(job, &mut clock)?, None),
    };
    if decision.included.is_empty() {
        let why = why_empty(request, &settings, (budget, files_searched), &decision);
        warnings.push(format!("the pack is empty: {why}"));
    }
    warnings.extend(replaced(decision.replaced));
    let around = Circumstances {
        content,
        budget,
        format: settings.formatting.name(),
        rejected: inputs.rejected,
        redactions,
        files_searched,
        timings: clock.stop(),
        warnings,
    };
    Ok(Report::new(decision, around, counting))
}

/// What may not be read: what the configuration says, and what the request adds.
pub(crate) fn denied(configured: &[String], asked: &[String]) -> Vec<String> {
    configured.iter().chain(asked).cloned().collect()
}

/// The settings of a request, with the template that it brings or that the configuration names.
fn with_template(request: &Request, settled: &Settled, root: &Root) -> Result<Settings, Error> {
    let mut settings = settled.settings.clone();
    if request.template.is_some() {
        settings.formatting.template.clone_from(&request.template);
    } else if request.settings.is_none()
        && let Some(path) = &settled.template
    {
        let bytes = root.read(path, MOST_TEMPLATE_BYTES)?;
        let source = String::from_utf8_lossy(&bytes).into_owned();
        settings.formatting.template = Some(Template { name: path.clone(), source });
    }
    Ok(settings)
}

/// The most bytes of a template.
const MOST_TEMPLATE_BYTES: u64 = 1 << 20;

/// The report of a pack that is switched off.
fn nothing(
    place: &str,
    mut warnings: Vec<String>,
    settings: &Settings,
    (want, budget): (Want, usize),
    counting: &Counting,
) -> Report {
    warnings
        .push(format!("the pack is empty: packs are switched off by `context.enabled` ({place})"));
    let content = (want == Want::Text).then(String::new);
    let (rejected, timings) = (Vec::new(), Vec::new());
    let format = settings.formatting.name();
    let around = Circumstances {
        content,
        budget,
        format,
        rejected,
        redactions: Redactions::default(),
        files_searched: 0,
        timings,
        warnings,
    };
    Report::new(Decision::default(), around, counting)
}

/// The files whose whole content the caller brings, such as unsaved buffers.
fn brought_whole(request: &Request, root: &Root) -> FxHashSet<String> {
    let outputs = [Kind::ToolResult.name(), Kind::Diagnostics.name()];
    let whole = |line: &&SourceLine| {
        let output = line.kind.as_deref().is_some_and(|kind| outputs.contains(&kind));
        line.content.is_some() && line.start_line.is_none() && !output
    };
    let lines = request.sources.iter().filter(whole);
    lines.filter_map(|line| root.normalise(&line.path).ok()).collect()
}

/// What the caller named and brought.
fn named(request: &Request, gatherer: &Gatherer<'_>) -> Result<Inputs, Error> {
    let mut inputs = Inputs::default();
    for reference in &request.references {
        gatherer.reference(reference, &mut inputs)?;
    }
    for line in &request.sources {
        gatherer.line(line.clone(), &mut inputs);
    }
    Ok(inputs)
}

/// Files that the walk came upon but that may not be packed.
fn skipped(tree: &dyn Tree) -> Vec<Excluded> {
    let skipped = tree.skipped().iter().map(|skipped| {
        let reason = inputs::reason_of(skipped.code);
        reject(&skipped.path, Kind::SearchResult, reason, &skipped.detail)
    });
    let too_large = tree.files().iter().filter(|file| file.size > search::MOST_BYTES);
    let too_large = too_large.map(|file| {
        let detail = format!("{} MB are too large to search", file.size >> 20);
        reject(&file.path, Kind::SearchResult, Reason::TooLarge, &detail)
    });
    skipped.chain(too_large).collect()
}

/// What a person who named something should know of it. Searching passes over files in silence.
fn left_out(rejected: &[Excluded]) -> Vec<String> {
    const MOST: usize = 10;
    let told = rejected.iter().take(MOST).map(|it| {
        let named = it.detail.contains(&format!("`{}`", it.path));
        let path = if named { String::new() } else { format!(": `{}`", it.path) };
        format!("left out: {}{path}", it.detail)
    });
    let more = rejected.len().saturating_sub(MOST);
    told.chain((more > 0).then(|| format!("{more} more sources were left out"))).collect()
}

/// What the format could not carry.
fn replaced(characters: usize) -> Option<String> {
    match characters {
        0 => None,
        1 => Some("1 character that XML cannot carry was replaced".to_owned()),
        _ => Some(format!("{characters} characters that XML cannot carry were replaced")),
    }
}

/// Why nothing is in the pack, and what to do about it.
fn why_empty(
    request: &Request,
    settings: &Settings,
    (budget, files): (usize, usize),
    decision: &Decision,
) -> String {
    let counted =
        |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let chunks = decision.stats.chunks;
    if chunks > 0 && decision.excluded.iter().any(|out| out.reason == Reason::Budget) {
        let (chunks, budget) = (counted(chunks, "chunk"), counted(budget, "token"));
        format!("none of {chunks} fits the budget of {budget}; give it more")
    } else if let Some(best) = decision.excluded.iter().find(|out| out.reason == Reason::Score) {
        let least = settings.min_score.unwrap_or_default();
        let (path, score) = (&best.path, best.score.unwrap_or_default());
        format!("nothing reaches the least score of {least}; the best is `{path}` with {score:.3}")
    } else if let Some(first) = decision.excluded.first() {
        format!("nothing that was found can go in; `{}`: {}", first.path, first.detail)
    } else if request.task.trim().is_empty() {
        "nothing that was named can go in".to_owned()
    } else {
        let has_globs = !(request.include.is_empty() && request.exclude.is_empty());
        why_nothing(&request.task, files, has_globs)
    }
}

/// Times the stages.
struct Clock {
    stage: &'static str,
    since: Instant,
    timings: Vec<Timing>,
}

impl Clock {
    fn start(stage: &'static str) -> Self {
        Self { stage, since: Instant::now(), timings: Vec::new() }
    }

    fn next(&mut self, stage: &'static str) {
        let ms = self.since.elapsed().as_secs_f64() * 1_000.0;
        match self.timings.iter_mut().find(|timing| timing.stage == self.stage) {
            Some(timing) => timing.ms += ms,
            None => self.timings.push(Timing { stage: self.stage, ms }),
        }
        self.stage = stage;
        self.since = Instant::now();
    }

    fn stop(mut self) -> Vec<Timing> {
        self.next("done");
        let ms = self.timings.iter().map(|timing| timing.ms).sum();
        self.timings.push(Timing { stage: "total", ms });
        self.timings
    }
}

impl Observer for Clock {
    fn begins(&mut self, stage: Stage) {
        self.next(stage.name());
    }
}

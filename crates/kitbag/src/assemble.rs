//! From a request to a report, synchronously.

use crate::error::Error;
use crate::inputs::{self, Gatherer, Inputs, reject};
use crate::report::{Circumstances, Report, Timing};
use crate::request::Request;
use crate::search::{Fresh, Search};
use kitbag_core::{Cancel, Job, Observer, PackError, Stage, decide, pack};
use kitbag_repo::{Globs, Root, Survey, Tree, survey};
use kitbag_text::Kind;
use kitbag_tokens::Counting;
use std::path::Path;
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
    want: Want,
    counting: &Counting,
    budget: usize,
    cancel: &Cancel,
) -> Result<Report, Error> {
    let task = request.task.trim();
    if task.is_empty() && request.references.is_empty() && request.sources.is_empty() {
        return Err(Error::NothingToPack);
    }
    let mut clock = Clock::start("collect");
    let root = Root::open(request.repo.as_deref().unwrap_or(Path::new(".")))?;
    let globs = Globs::new(&request.include, &request.exclude)?;
    let Survey { tree, timestamps, mut warnings } = survey(&root, &globs, request.now);
    let changed = |path: &str| timestamps.of(path);
    let mut inputs = Inputs::default();
    let limits = &request.settings.chunking;
    let gatherer = Gatherer { root: &root, limits, counting, changed: &changed };
    for reference in &request.references {
        gatherer.reference(reference, &mut inputs)?;
    }
    for line in &request.sources {
        gatherer.line(line.clone(), &mut inputs);
    }
    clock.next("search");
    let files_searched = if task.is_empty() { 0 } else { tree.files().len() };
    if !task.is_empty() {
        let analyses = Fresh { limits, counting };
        let search = Search { tree: &tree, analyses: &analyses, changed: &changed, cancel };
        let found = search.find(task).map_err(PackError::from)?;
        inputs.sources.extend(search.sources(&found, budget).map_err(PackError::from)?);
        if found.unread > 0 {
            warnings.push(format!("the last {} bytes of the task were not read", found.unread));
        }
        inputs.rejected.extend(skipped(&tree));
    }
    let job = Job {
        sources: inputs.sources,
        task,
        now: Some(timestamps.now),
        budget,
        settings: &request.settings,
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
        warnings.push(why_empty(budget, files_searched, decision.stats.chunks));
    }
    let rejected = inputs.rejected;
    let timings = clock.stop();
    let around =
        Circumstances { content, budget, rejected, files_searched, timings, warnings };
    Ok(Report::new(decision, around, counting))
}

/// Files that the walk came upon but that may not be packed.
fn skipped(tree: &dyn Tree) -> Vec<kitbag_core::Excluded> {
    let skipped = tree.skipped().iter();
    skipped
        .map(|skipped| {
            let reason = inputs::reason_of(skipped.code);
            reject(&skipped.path, Kind::SearchResult, reason, &skipped.detail)
        })
        .collect()
}

fn why_empty(budget: usize, files_searched: usize, chunks: usize) -> String {
    if chunks > 0 {
        format!("the pack is empty: none of {chunks} chunks fits {budget} tokens")
    } else if files_searched == 0 {
        "the pack is empty: there are no files to search".to_owned()
    } else {
        format!("the pack is empty: no word of the task occurs in {files_searched} files")
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
        self.timings.push(Timing { stage: self.stage, ms });
        self.stage = stage;
        self.since = Instant::now();
    }

    fn stop(mut self) -> Vec<Timing> {
        self.next("done");
        self.timings
    }
}

impl Observer for Clock {
    fn begins(&mut self, stage: Stage) {
        self.next(stage.name());
    }
}

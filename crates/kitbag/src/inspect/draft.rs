//! Creates a record from a request and its report.

use super::parts::{
    RecordInputs, chunk, excluded, owned, providers, request, settings, stats, text,
};
use crate::report::Report;
use crate::request::Request;
use kitbag_record::{RECORD_VERSION, Record, RecordedSource, Records, UsageEntry, audit, hash};
use kitbag_repo::Root;
use kitbag_text::{Kind, Source, Text};
use kitbag_tokens::{CachedCounter, Tally};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Providers whose sources are lines of files in the repository.
const FILE_PROVIDERS: [&str; 10] = [
    "diff",
    "overview",
    "document",
    "selection",
    "cursor",
    "open_files",
    "references",
    "sources",
    "search",
    "style",
];

/// Providers whose sources are entire files.
const WHOLE_FILE_PROVIDERS: [&str; 6] =
    ["diff", "overview", "document", "open_files", "search", "style"];

/// Maximum number of source bytes to hash per record.
const MAX_HASHED_BYTES: usize = 32 << 20;

/// Data about the sources that must be captured before they are packed.
pub(crate) struct RecordDraft {
    /// The sources without their hashes, and their texts.
    sources: Vec<(RecordedSource, Arc<Text>)>,
    /// The token counts of sources that are whole files, if they are known.
    tallies: FxHashMap<String, Arc<Tally>>,
    /// Paths and kinds of the sources whose lines are not read from a file.
    outside_files: FxHashSet<(String, Kind)>,
}

impl RecordDraft {
    /// Captures the sources before they are redacted and chunked. `changed` contains the files that
    /// git reports as changed.
    pub fn new(
        sources: &[Source],
        request: &Request,
        root: &Root,
        changed: Option<&Vec<String>>,
    ) -> Self {
        let given = given_paths(request, root);
        let changed: FxHashSet<&str> = changed.into_iter().flatten().map(String::as_str).collect();
        let note = |source: &Source| {
            let provider = source.from.as_ref().map(|from| from.provider.clone());
            let is_file = is_file(source, &given);
            let text = &source.text;
            let recorded = RecordedSource {
                path: source.path.clone(),
                kind: source.kind,
                is_whole: provider.as_deref().is_some_and(|id| WHOLE_FILE_PROVIDERS.contains(&id)),
                provider,
                start_line: text.first_line(),
                end_line: text.span().map_or(text.first_line(), |span| span.end),
                sha256: None,
                timestamp: source.timestamp,
                is_file,
                is_modified: is_file && changed.contains(source.path.as_str()),
            };
            (recorded, Arc::clone(text))
        };
        let outside = sources.iter().filter(|source| !is_file(source, &given));
        let tally = |source: &Source| Some((source.path.clone(), source.tally.clone()?));
        Self {
            tallies: sources.iter().filter_map(tally).collect(),
            outside_files: outside.map(|source| (source.path.clone(), source.kind)).collect(),
            sources: sources.iter().map(note).collect(),
        }
    }

    /// Sets, for each included chunk, whether its lines can be read from a file.
    pub fn mark_files(&self, report: &mut Report) {
        for item in &mut report.included {
            item.is_file = self.is_file(&item.path, item.kind);
        }
    }

    fn is_file(&self, path: &str, kind: Kind) -> bool {
        !self.outside_files.contains(&(path.to_owned(), kind))
    }

    /// Stores the record and sets its id in the report. Returns a warning; a failure to store it
    /// does not fail the pack.
    pub fn save(
        self,
        records: &Records,
        report: &mut Report,
        inputs: &RecordInputs<'_>,
    ) -> Option<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let whole_file_tokens = self.whole_file_tokens(report, inputs);
        let record = self.record(report, inputs, now);
        let root = inputs.root.path();
        if let Err(error) = records.keep(root, &record, now.as_millis()) {
            return Some(format!("the pack is not recorded: {error}"));
        }
        report.record = Some(record.id.clone());
        let entry = UsageEntry::new(&record, Some(whole_file_tokens));
        if let Err(error) = records.log_usage(root, &entry) {
            return Some(format!("the pack is not in the usage log: {error}"));
        }
        if !inputs.config.settings.audits {
            return None;
        }
        let audited = audit::append(&records.of(root), &record);
        audited.err().map(|error| format!("the pack is not in the audit log: {error}"))
    }

    fn record(mut self, report: &Report, inputs: &RecordInputs<'_>, now: Duration) -> Record {
        self.hash_sources(inputs.is_over);
        let text = text(report, inputs.settings);
        Record {
            version: RECORD_VERSION,
            id: id(now.as_nanos(), &text.sha256),
            created_at: now.as_secs() as i64,
            repo: inputs.root.path().to_string_lossy().into_owned(),
            request: request(inputs),
            settings: settings(inputs, report.budget),
            total_tokens: report.total_tokens,
            budget: report.budget,
            tokenizer: report.tokenizer.name.clone(),
            exact: report.tokenizer.exact,
            included: report.included.iter().map(chunk).collect(),
            excluded: excluded(report, |path, kind| self.is_file(path, kind)),
            sources: self.sources.into_iter().map(|(source, _)| source).collect(),
            providers: providers(report),
            stats: stats(report),
            redactions: owned(&report.stats.redactions),
            timings: report.timings.clone(),
            partial: report.partial,
            why_empty: report.why_empty.clone(),
            text,
        }
    }

    /// Returns the number of tokens in the files that the pack has parts of. A file that is not known as a
    /// whole counts with the lines that are shown, as if nothing of it was saved.
    fn whole_file_tokens(&self, report: &Report, inputs: &RecordInputs<'_>) -> usize {
        let whole = self.sources.iter().filter(|(source, _)| source.is_file && source.is_whole);
        let whole: FxHashMap<&str, &Arc<Text>> =
            whole.map(|(source, text)| (source.path.as_str(), text)).collect();
        let mut counted: FxHashSet<&str> = FxHashSet::default();
        let mut tokens = 0;
        for item in report.included.iter().filter(|item| item.is_file) {
            tokens += match whole.get(item.path.as_str()) {
                Some(_) if !counted.insert(&item.path) => 0,
                Some(text) => self.file_tokens(&item.path, text, inputs.counting),
                None => item.tokens,
            };
        }
        tokens
    }

    /// Counts a file. The index has the counts of its lines; others are counted as a whole.
    fn file_tokens(&self, path: &str, text: &Text, counting: &CachedCounter) -> usize {
        let rows = text.row_starts();
        match self.tallies.get(path).filter(|tally| tally.rows() == rows.len()) {
            Some(tally) => {
                let counter = counting.counter();
                counter.tokens(tally.measure(counter, text.content(), rows, 0..rows.len()))
            }
            None => counting.count(text.content()),
        }
    }

    /// Hashes the sources. Sources that share a text are hashed once. Hashing runs on the current
    /// thread because the shared thread pool may be busy.
    fn hash_sources(&mut self, is_over: &dyn Fn() -> bool) {
        let mut bytes = 0;
        let mut hashes: FxHashMap<*const Text, Option<String>> = FxHashMap::default();
        for (source, text) in self.sources.iter_mut().filter(|(source, _)| source.is_file) {
            let content = text.content();
            let sha256 = hashes.entry(Arc::as_ptr(text)).or_insert_with(|| {
                let is_hashed = bytes + content.len() <= MAX_HASHED_BYTES && !is_over();
                bytes += if is_hashed { content.len() } else { 0 };
                is_hashed.then(|| hash(content.as_bytes()))
            });
            source.sha256.clone_from(sha256);
        }
    }
}

fn is_file(source: &Source, given: &FxHashSet<String>) -> bool {
    let from = source.from.as_ref();
    from.is_none_or(|from| FILE_PROVIDERS.contains(&from.provider.as_str()) && !from.is_prose)
        && source.expanded_context.is_none()
        && source.kind != Kind::ToolResult
        && !source.kind.is_generated()
        && !given.contains(&source.path)
}

/// Returns the paths whose content is part of the request.
fn given_paths(request: &Request, root: &Root) -> FxHashSet<String> {
    let sources = request.sources.iter().filter(|it| it.content.is_some()).map(|it| &it.path);
    let open = request.document.iter().chain(&request.open_files);
    let open = open.filter(|it| it.content.is_some()).map(|it| &it.path);
    sources.chain(open).filter_map(|path| root.normalize(path).ok()).collect()
}

/// Generates a unique record id. The counter distinguishes records that one process creates in the
/// same instant.
fn id(nanos: u128, text: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let all = hash(format!("{nanos} {} {count} {text}", std::process::id()).as_bytes());
    all.chars().take(8).collect()
}

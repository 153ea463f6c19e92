//! Creates a record from a request and its report.

use super::parts::{
    chunk, excluded, owned, providers, request, settings, stats, text, timings, why_empty,
};
use crate::report::Report;
use crate::request::Request;
use kitbag_config::RequestConfig;
use kitbag_core::Settings;
use kitbag_record::Records;
use kitbag_record::{RECORD_VERSION, Record, RecordedChunk, RecordedSource};
use kitbag_record::{audit, hash};
use kitbag_repo::Root;
use kitbag_text::{Kind, Source, Text};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Providers whose sources are lines of files in the repository.
const OF_FILES: [&str; 8] =
    ["document", "selection", "cursor", "open_files", "references", "sources", "search", "style"];

/// Providers whose sources are entire files.
const WHOLE: [&str; 4] = ["document", "open_files", "search", "style"];

/// Maximum number of source bytes to hash per record.
const MOST_HASHED: usize = 32 << 20;

/// Data about the sources that must be captured before they are packed.
pub(crate) struct RecordDraft {
    sources: Vec<SourceNote>,
    /// Paths and kinds of the sources whose lines are not read from a file.
    outside_files: FxHashSet<(String, Kind)>,
}

struct SourceNote {
    path: String,
    kind: Kind,
    provider: Option<String>,
    text: Arc<Text>,
    timestamp: Option<i64>,
    is_file: bool,
    is_modified: bool,
}

/// Inputs of a record other than the draft and the report.
pub(crate) struct RecordInputs<'a> {
    pub request: &'a Request,
    pub configured: &'a RequestConfig,
    pub settings: &'a Settings,
    pub root: &'a Root,
    pub now: Option<i64>,
    pub redact: bool,
    /// Returns whether the deadline has passed. After that, no more sources are hashed.
    pub is_over: &'a dyn Fn() -> bool,
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
        let outside_files = paths_outside_files(sources, request, root);
        let changed: FxHashSet<&str> = changed.into_iter().flatten().map(String::as_str).collect();
        let note = |source: &Source| {
            let provider = source.from.as_ref().map(|from| from.provider.clone());
            let is_file = is_file(source, &given);
            SourceNote {
                path: source.path.clone(),
                kind: source.kind,
                provider,
                text: Arc::clone(&source.text),
                timestamp: source.timestamp,
                is_file,
                is_modified: is_file && changed.contains(source.path.as_str()),
            }
        };
        let sources = sources.iter().map(note).collect();
        Self { sources, outside_files }
    }

    /// Stores the record. Returns its id and a warning; a failure to store it does not fail the
    /// pack.
    pub fn save(
        self,
        records: &Records,
        report: &Report,
        inputs: &RecordInputs<'_>,
    ) -> (Option<String>, Option<String>) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let record = self.record(report, inputs, (since.as_secs() as i64, since.as_nanos()));
        let root = inputs.root.path();
        if let Err(error) = records.keep(root, &record, since.as_millis()) {
            return (None, Some(format!("the pack is not recorded: {error}")));
        }
        let audits = inputs.configured.settings.audits;
        let audited = if audits { audit::append(&records.of(root), &record) } else { Ok(()) };
        let told = audited.err().map(|it| format!("the audit log has no line of this pack: {it}"));
        (Some(record.id), told)
    }

    fn record(self, report: &Report, inputs: &RecordInputs<'_>, at: (i64, u128)) -> Record {
        let text = text(report, inputs.settings);
        let is_file = |path: &str, kind: &'static str| {
            let kind = kind.parse().unwrap_or(Kind::Other);
            !self.outside_files.contains(&(path.to_owned(), kind))
        };
        let included = report.included.iter();
        let included: Vec<RecordedChunk> =
            included.map(|item| chunk(item, is_file(&item.path, item.kind))).collect();
        Record {
            version: RECORD_VERSION,
            id: id(at.1, &text.sha256),
            at: at.0,
            repo: inputs.root.path().to_string_lossy().into_owned(),
            request: request(inputs),
            settings: settings(inputs, report.budget),
            total_tokens: report.total_tokens,
            budget: report.budget,
            tokenizer: report.tokenizer.name.clone(),
            exact: report.tokenizer.exact,
            excluded: excluded(report, is_file),
            sources: self.sources(inputs.is_over),
            providers: providers(report),
            stats: stats(report),
            redactions: owned(&report.stats.redactions),
            timings: timings(report),
            partial: report.partial,
            empty: why_empty(report),
            included,
            text,
        }
    }

    /// Returns the sources with their hashes. Sources that share a text are hashed once. Hashing
    /// runs on the current thread because the shared thread pool may be busy.
    fn sources(&self, is_over: &dyn Fn() -> bool) -> Vec<RecordedSource> {
        let mut bytes = 0;
        let mut hashes: FxHashMap<*const Text, String> = FxHashMap::default();
        for noted in self.sources.iter().filter(|noted| noted.is_file) {
            let (text, size) = (Arc::as_ptr(&noted.text), noted.text.content().len());
            if !hashes.contains_key(&text) && bytes + size <= MOST_HASHED && !is_over() {
                bytes += size;
                hashes.insert(text, hash(noted.text.content().as_bytes()));
            }
        }
        let source = |noted: &SourceNote| RecordedSource {
            path: noted.path.clone(),
            kind: noted.kind.name().into(),
            is_whole: noted.provider.as_deref().is_some_and(|id| WHOLE.contains(&id)),
            provider: noted.provider.clone(),
            start_line: noted.text.first_line(),
            end_line: noted.text.span().map_or(noted.text.first_line(), |span| span.end),
            sha256: hashes.get(&Arc::as_ptr(&noted.text)).cloned(),
            timestamp: noted.timestamp,
            is_file: noted.is_file,
            is_modified: noted.is_modified,
        };
        self.sources.iter().map(source).collect()
    }
}

/// Returns the paths and kinds of the sources whose lines are not read from a file.
pub(crate) fn paths_outside_files(
    sources: &[Source],
    request: &Request,
    root: &Root,
) -> FxHashSet<(String, Kind)> {
    let given = given_paths(request, root);
    let others = sources.iter().filter(|source| !is_file(source, &given));
    others.map(|source| (source.path.clone(), source.kind)).collect()
}

/// Returns whether the lines of a source are read from a file.
fn is_file(source: &Source, given: &FxHashSet<String>) -> bool {
    let from = source.from.as_ref();
    from.is_none_or(|from| OF_FILES.contains(&from.provider.as_str()) && !from.is_prose)
        && source.expanded_context.is_none()
        && source.kind != Kind::ToolResult
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

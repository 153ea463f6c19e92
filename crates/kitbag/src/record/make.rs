//! From a request and its report to a record.

use super::parts::{
    chunk, excluded, owned, providers, request, settings, stats, text, timings, why_empty,
};
use super::shape::{RECORD_VERSION, Record, RecordedChunk, RecordedSource};
use super::store::Records;
use super::{audit, hash};
use crate::config::{Settled, Value};
use crate::report::Report;
use crate::request::Request;
use kitbag_core::Settings;
use kitbag_repo::Root;
use kitbag_text::{Kind, Source, Text};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Providers whose sources are files' own lines.
const OF_FILES: [&str; 8] =
    ["document", "selection", "cursor", "open_files", "references", "sources", "search", "style"];

/// Providers whose sources are whole files.
const WHOLE: [&str; 4] = ["document", "open_files", "search", "style"];

/// So many bytes of sources are hashed at most.
const MOST_HASHED: usize = 32 << 20;

/// What has to be noted before the sources are packed.
pub(crate) struct Notes {
    sources: Vec<Noted>,
    /// The kinds and paths whose lines are not a file's.
    elsewhere: FxHashSet<(String, Kind)>,
}

struct Noted {
    path: String,
    kind: Kind,
    provider: Option<String>,
    text: Arc<Text>,
    timestamp: Option<i64>,
    is_file: bool,
    is_modified: bool,
}

/// What a record is made of, beside the notes and the report.
pub(crate) struct Circumstances<'a> {
    pub request: &'a Request,
    pub settled: &'a Settled,
    /// What is not as by default.
    pub changed: &'a [(String, Value)],
    pub settings: &'a Settings,
    pub root: &'a Root,
    pub now: Option<i64>,
    pub redact: bool,
    /// Whether the deadline is over: then nothing more is hashed.
    pub is_over: &'a dyn Fn() -> bool,
}

impl Notes {
    /// Notes what the sources are, before they are redacted and cut. `changed` are the files that
    /// git sees as changed.
    pub fn new(
        sources: &[Source],
        request: &Request,
        root: &Root,
        changed: Option<&Vec<String>>,
    ) -> Self {
        let (given, elsewhere) = (given_paths(request, root), elsewhere(sources, request, root));
        let changed: FxHashSet<&str> = changed.into_iter().flatten().map(String::as_str).collect();
        let note = |source: &Source| {
            let provider = source.from.as_ref().map(|from| from.provider.clone());
            let is_file = is_file(source, &given);
            Noted {
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
        Self { sources, elsewhere }
    }

    /// Writes a pack down and keeps it; comes with what the caller should know. It never fails a
    /// pack.
    pub fn keep(
        self,
        records: &Records,
        report: &Report,
        around: &Circumstances<'_>,
    ) -> (Option<String>, Option<String>) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let record = self.record(report, around, (since.as_secs() as i64, since.as_nanos()));
        let root = around.root.path();
        if let Err(error) = records.keep(root, &record, since.as_millis()) {
            return (None, Some(format!("the pack is not recorded: {error}")));
        }
        let audits = around.settled.audits;
        let audited = if audits { audit::append(&records.of(root), &record) } else { Ok(()) };
        let told = audited.err().map(|it| format!("the audit log has no line of this pack: {it}"));
        (Some(record.id), told)
    }

    fn record(self, report: &Report, around: &Circumstances<'_>, at: (i64, u128)) -> Record {
        let text = text(report, around.settings);
        let is_file = |path: &str, kind: &'static str| {
            let kind = kind.parse().unwrap_or(Kind::Other);
            !self.elsewhere.contains(&(path.to_owned(), kind))
        };
        let included = report.included.iter();
        let included: Vec<RecordedChunk> =
            included.map(|item| chunk(item, is_file(&item.path, item.kind))).collect();
        Record {
            version: RECORD_VERSION,
            id: id(at.1, &text.sha256),
            at: at.0,
            repo: around.root.path().to_string_lossy().into_owned(),
            request: request(around),
            settings: settings(around, report.budget),
            total_tokens: report.total_tokens,
            budget: report.budget,
            tokenizer: report.tokenizer.name.clone(),
            exact: report.tokenizer.exact,
            excluded: excluded(report, is_file),
            sources: self.sources(around.is_over),
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

    /// The sources with their hashes; those of one text are hashed once, on this thread: whoever
    /// computes for others may be busy.
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
        let source = |noted: &Noted| RecordedSource {
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

/// The paths and kinds of sources whose lines are not a file's own.
pub(crate) fn elsewhere(
    sources: &[Source],
    request: &Request,
    root: &Root,
) -> FxHashSet<(String, Kind)> {
    let given = given_paths(request, root);
    let others = sources.iter().filter(|source| !is_file(source, &given));
    others.map(|source| (source.path.clone(), source.kind)).collect()
}

/// Whether the lines of a source are a file's own.
fn is_file(source: &Source, given: &FxHashSet<String>) -> bool {
    let from = source.from.as_ref();
    from.is_none_or(|from| OF_FILES.contains(&from.provider.as_str()) && !from.prose)
        && source.expanded_context.is_none()
        && source.kind != Kind::ToolResult
        && !given.contains(&source.path)
}

/// The paths whose content the caller brought.
fn given_paths(request: &Request, root: &Root) -> FxHashSet<String> {
    let sources = request.sources.iter().filter(|it| it.content.is_some()).map(|it| &it.path);
    let open = request.document.iter().chain(&request.open_files);
    let open = open.filter(|it| it.content.is_some()).map(|it| &it.path);
    sources.chain(open).filter_map(|path| root.normalise(path).ok()).collect()
}

/// A name that no other record has: the same moment in the same process does not come twice.
fn id(nanos: u128, text: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let all = hash(format!("{nanos} {} {count} {text}", std::process::id()).as_bytes());
    all.chars().take(8).collect()
}

//! Search: ranked chunks or files for a task, with the factors of each score.

pub(crate) mod matches;
mod merged;
pub(crate) mod recount;
pub mod tree;
pub(crate) mod why;

pub(crate) use merged::{FoundIn, merge_searches};

use crate::error::Error;
use crate::exec::ComputePools;
use crate::fleet::ChosenRepository;
use crate::index::{Cancels, Indexes, Preparation, Prepared, StoreUse, WorktreeSnapshot};
use crate::parser_failures::ParserFailures;
use crate::redaction::without_secrets;
use crate::report::MatchedLine;
use crate::request::Fleet;
use crate::root::guard_root;
use crate::search::recount::recount_results;
use crate::search::tree::{Search, SearchHistory};
use kitbag_config::RequestConfig;
use kitbag_core::{Cancel, PackError};
use kitbag_index::{
    Contribution, FileKind, IndexView, ParsedTask, RankModels, RankedChunk, RankedFile,
    SearchRanking,
};
use kitbag_repo::{Globs, Root};
use kitbag_text::plural;
use kitbag_tokens::CachedCounter;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Version of [`SearchReport`]. Incremented when a field is removed or changes its meaning.
pub const SEARCH_VERSION: u32 = 1;

/// A search for chunks or files that are relevant to a task.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchRequest {
    /// Task of the agent, in plain language: a question, a bug report, an error message, names.
    #[cfg_attr(feature = "schema", schemars(required, length(min = 1)))]
    pub task: String,
    /// Folder of the repository; defaults to the current one, or to the first that a server serves. On a server
    /// that serves several, `*` searches those that the task is about.
    pub repo: Option<PathBuf>,
    /// Repositories of which the most promising ones are searched together, in place of `repo`.
    #[serde(skip)]
    pub fleet: Option<Arc<Fleet>>,
    /// Folder that the user works in, relative to the repository, whose files are preferred.
    #[serde(skip)]
    pub folder: Option<String>,
    /// Branch, tag or commit to search instead of the work tree.
    #[serde(rename = "ref")]
    pub revision: Option<String>,
    /// Globs of the files to search; all files if empty.
    pub include: Vec<String>,
    /// Globs of files that are not searched.
    pub exclude: Vec<String>,
    /// Patterns of files that are never read, in addition to the default denylist.
    #[serde(skip)]
    pub deny: Vec<String>,
    /// Time from which ages are measured, in seconds since 1970.
    #[serde(skip)]
    pub now: Option<i64>,
    /// Maximum number of results; 20 by default.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub limit: usize,
    /// Whether to return files instead of chunks.
    pub files: bool,
    /// Maximum number of matching lines to return with each result; none by default.
    #[cfg_attr(feature = "schema", schemars(range(max = 100)))]
    pub lines: usize,
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            task: String::new(),
            repo: None,
            fleet: None,
            folder: None,
            revision: None,
            include: Vec::new(),
            exclude: Vec::new(),
            deny: Vec::new(),
            now: None,
            limit: 20,
            files: false,
            lines: 0,
        }
    }
}

/// The results of a search.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SearchReport {
    /// Version of this format.
    pub version: u32,
    /// Results, best first.
    pub results: Vec<SearchResult>,
    /// Repositories that were chosen for the task from all of them, the most promising first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<ChosenRepository>,
    /// Number of files searched.
    pub files_searched: usize,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// A chunk or file that was found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SearchResult {
    /// Path of the file.
    pub path: String,
    /// First line of the chunk or file.
    pub start_line: u32,
    /// Last line of the chunk or file.
    pub end_line: u32,
    /// Symbol path that the chunk belongs to.
    pub symbol: Option<String>,
    /// Kind of the result: `function` or `class`, for example, for a chunk, and `code` or `test`
    /// for a file.
    pub kind: &'static str,
    /// Number of tokens.
    pub tokens: usize,
    /// Chance that the result matters for the task, from 0 to 1.
    pub relevance: f64,
    /// Score from which the relevance follows, as a logarithm: the sum of the factors.
    pub score: f32,
    /// Factors of the score, the largest contribution first. Empty for chunks of low-ranked files,
    /// which are not scored individually.
    pub factors: Vec<SearchFactor>,
    /// Score of the file.
    pub file_score: f32,
    /// Factors of the file's score.
    pub file_factors: Vec<SearchFactor>,
    /// Reasons in words, if lines were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// Lines that match the task best, in the order of the file, if they were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<MatchedLine>,
}

/// Contribution of one feature to a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SearchFactor {
    /// Name of the feature.
    pub name: &'static str,
    /// Value of the feature.
    pub value: f32,
    /// Contribution to the score, which may be negative.
    pub contribution: f32,
}

/// Runs a search.
pub(crate) fn find(
    request: &SearchRequest,
    root: Root,
    config: &RequestConfig,
    counting: &CachedCounter,
    indexes: &Indexes,
    pools: &ComputePools,
    cancel: &Cancel,
) -> Result<SearchReport, Error> {
    let text = request.task.trim();
    if text.is_empty() {
        return Err(Error::EmptySearch);
    }
    if request.limit == 0 {
        return Err(Error::InvalidLimit);
    }
    let settings = &config.settings;
    let root = guard_root(root, settings, &request.deny)?;
    let job = Preparation {
        root: &root,
        globs: &Globs::new(&request.include, &request.exclude)?,
        now: request.now,
        chunking: &settings.settings.chunking,
        home: settings.home.as_deref(),
        persist: settings.keeps_indexes,
        searches: true,
        pools,
        store: StoreUse::for_pack(&settings.store),
    };
    let prepared = indexes.prepare(&job, &Cancels::new(cancel), &mut |_| {})?;
    cancel.check().map_err(PackError::from)?;
    let view = prepared.view.as_deref().ok_or(Error::Internal)?;
    let search = prepared.search(view, request.folder.as_deref(), cancel);
    let task = ParsedTask::new(text);
    let ranking = pools.take(cancel)?.install(|| search.find(&task)).map_err(PackError::from)?;
    let found = Found::new(&ranking, view);
    let mut results =
        if request.files { found.files(request.limit) } else { found.chunks(request.limit) };
    recount_results(&mut results, &*prepared.worktree.tree, counting);
    if request.lines > 0 {
        let reasons = search.reasons(&ranking, task.clone(), &results);
        let tree = &*prepared.worktree.tree;
        matches::add(&mut results, &reasons, tree, settings.redact, request.lines);
    }
    let files_searched = view.files().len();
    let why_nothing = results.is_empty().then(|| {
        let has_globs = !(request.include.is_empty() && request.exclude.is_empty());
        format!("nothing was found: {}", why_nothing(text, files_searched, has_globs))
    });
    let warnings =
        config.warnings.iter().chain(&prepared.warnings).chain(&prepared.unsaved_warning);
    let failure = ParserFailures::of_index(Some(view)).warning();
    let warnings = warnings.cloned().chain(unread_warning(&task));
    // A name is in one of many repositories, and missing in the others.
    let missing = request.fleet.is_none().then(|| missing_names_warning(&ranking)).flatten();
    let warnings = warnings.chain(missing);
    let warnings = warnings.chain(failure).chain(why_nothing).collect();
    let repositories = Vec::new();
    Ok(SearchReport { version: SEARCH_VERSION, results, repositories, files_searched, warnings })
}

/// Warns about names in the task that the repository does not have.
pub(crate) fn missing_names_warning(ranking: &SearchRanking<'_>) -> Option<String> {
    let names: Vec<String> =
        ranking.missing_names().iter().map(|name| format!("`{}`", without_secrets(name))).collect();
    let verb = if names.len() == 1 { "does" } else { "do" };
    (!names.is_empty()).then(|| format!("{} {verb} not occur in this repository", names.join(", ")))
}

/// Warns about the part of a task that is too long to be read.
pub(crate) fn unread_warning(task: &ParsedTask) -> Option<String> {
    let unread = task.unread_bytes;
    (unread > 0).then(|| format!("the last {unread} bytes of the task were not read"))
}

impl Prepared {
    /// Creates a search over the work tree with the built-in models, which prefers the files of `folder`.
    pub(crate) fn search<'a>(
        &'a self,
        view: &'a IndexView,
        folder: Option<&'a str>,
        cancel: &'a Cancel,
    ) -> Search<'a> {
        let WorktreeSnapshot { tree, past, .. } = &*self.worktree;
        let history = SearchHistory { past, now: self.now };
        let search = Search::new(&**tree, view, history, RankModels::learned(), cancel);
        search.preferring(folder)
    }
}

/// Explains why a search found nothing, and suggests a remedy.
pub(crate) fn why_nothing(task: &str, files: usize, has_globs: bool) -> String {
    if files == 0 && has_globs {
        "no file matches the include and exclude globs".to_owned()
    } else if files == 0 {
        "there are no files to search; hidden and ignored files are skipped".to_owned()
    } else if !task.contains(char::is_alphanumeric) {
        "the task has no word to search for".to_owned()
    } else if ParsedTask::new(task).terms.is_empty() {
        "the words of the task are too common; use words from the code".to_owned()
    } else {
        let files = plural(files, "file");
        format!("no word of the task occurs in the {files} searched; use words from the code")
    }
}

/// A ranking, indexed by file, from which results are made.
struct Found<'a> {
    ranking: &'a SearchRanking<'a>,
    view: &'a IndexView,
    /// The ranked files, and the best chunk of each, by their positions in the view.
    files: FxHashMap<usize, &'a RankedFile>,
    chunks: FxHashMap<usize, &'a RankedChunk>,
}

impl<'a> Found<'a> {
    fn new(ranking: &'a SearchRanking<'a>, view: &'a IndexView) -> Self {
        let files = ranking.files.iter().map(|it| (it.file, it)).collect();
        // The last entry with the same key is kept.
        let chunks = ranking.chunks.iter().rev().map(|it| (it.file, it)).collect();
        Self { ranking, view, files, chunks }
    }

    fn chunks(&self, limit: usize) -> Vec<SearchResult> {
        let result = |it: &RankedChunk| {
            let chunk = self.ranking.chunk(it)?;
            let symbol = chunk.symbol.as_deref().map(|it| without_secrets(it).into_owned());
            Some(SearchResult {
                start_line: chunk.span.start,
                end_line: chunk.span.end,
                symbol,
                kind: chunk.kind.name(),
                tokens: chunk.tokens as usize,
                relevance: it.relevance,
                score: it.score,
                factors: factors(self.ranking.explain_chunk(it)),
                ..self.file(self.files.get(&it.file)?)?
            })
        };
        let listed = self.ranking.listing().into_iter().map(|at| &self.ranking.chunks[at]);
        listed.filter_map(result).take(limit).collect()
    }

    fn files(&self, limit: usize) -> Vec<SearchResult> {
        self.ranking.files.iter().filter_map(|it| self.file(it)).take(limit).collect()
    }

    fn file(&self, it: &RankedFile) -> Option<SearchResult> {
        let file = &self.view.files()[it.file];
        let best = self.chunks.get(&it.file)?;
        let chunks = &self.ranking.stored_doc(best)?.chunks;
        let factors = factors(self.ranking.explain_file(it));
        Some(SearchResult {
            // As in packs, where a file may be named after a token.
            path: without_secrets(&file.path).into_owned(),
            start_line: 1,
            end_line: chunks.last().map_or(1, |chunk| chunk.span.end),
            symbol: None,
            kind: kind(file.kind),
            tokens: chunks.iter().map(|chunk| chunk.tokens as usize).sum(),
            relevance: best.relevance,
            score: it.score,
            factors: factors.clone(),
            file_score: it.score,
            file_factors: factors,
            why: Vec::new(),
            lines: Vec::new(),
        })
    }
}

fn factors(contributions: Vec<Contribution>) -> Vec<SearchFactor> {
    let factor = |it: Contribution| SearchFactor {
        name: it.feature,
        value: it.value,
        contribution: it.amount,
    };
    contributions.into_iter().map(factor).collect()
}

fn kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Code => "code",
        FileKind::Test => "test",
        FileKind::Documentation => "documentation",
        FileKind::Changelog => "changelog",
        FileKind::Data => "data",
        FileKind::Derived => "derived",
    }
}

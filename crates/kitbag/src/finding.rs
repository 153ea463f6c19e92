//! What the index finds for a task, ranked, and why.

use crate::assemble::denied;
use crate::config::Configured;
use crate::error::Error;
use crate::indexes::{Indexes, Preparation, Prepared, Stops};
use crate::inputs::open_root;
use crate::pools::Pools;
use crate::search::{Search, finer};
use kitbag_core::{Cancel, PackError};
use kitbag_index::{
    Analysis, Contribution, FileKind, Models, RankedChunk, RankedFile, Ranking, Task, View,
};
use kitbag_repo::Globs;
use kitbag_text::redact_str;
use kitbag_tokens::Counting;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Changes when a field changes its meaning or goes.
pub const SEARCH_VERSION: u32 = 1;

/// What to search for, and where.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// What the agent is doing, in plain language.
    pub task: String,
    /// The repository's folder; the current one if not given.
    pub repo: Option<PathBuf>,
    /// Only files that match one of these are searched.
    pub include: Vec<String>,
    /// Files that match one of these are not searched.
    pub exclude: Vec<String>,
    /// Files that match one of these are never read, beside those of the default denylist.
    pub deny: Vec<String>,
    /// The time that ages are measured from, in seconds since 1970.
    pub now: Option<i64>,
    /// How many results there are at most.
    pub limit: usize,
    /// Whether files are wanted, and not chunks.
    pub files: bool,
}

impl Default for SearchRequest {
    fn default() -> Self {
        Self {
            task: String::new(),
            repo: None,
            include: Vec::new(),
            exclude: Vec::new(),
            deny: Vec::new(),
            now: None,
            limit: 20,
            files: false,
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchReport {
    /// The version of this shape.
    pub version: u32,
    /// What was found, best first.
    pub results: Vec<SearchResult>,
    /// How many files were searched.
    pub files_searched: usize,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// A chunk that was found, or a file.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchResult {
    /// The file.
    pub path: String,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The symbol path it belongs to.
    pub symbol: Option<String>,
    /// What it is: for a chunk such as `function` or `class`, for a file such as `code` or `test`.
    pub kind: &'static str,
    /// Its tokens.
    pub tokens: usize,
    /// Its score.
    pub score: f32,
    /// What speaks for and against it, what weighs most first. Empty for a chunk of a file that is
    /// far down, which is not looked at by itself.
    pub factors: Vec<SearchFactor>,
    /// The score of its file.
    pub file_score: f32,
    /// What speaks for and against its file.
    pub file_factors: Vec<SearchFactor>,
}

/// What one feature adds to a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchFactor {
    /// The feature.
    pub name: &'static str,
    /// Its value.
    pub value: f32,
    /// What it adds.
    pub adds: f32,
}

/// Answers `request`.
pub(crate) fn find(
    request: &SearchRequest,
    Configured { settled, warnings: told, .. }: &Configured,
    counting: &Counting,
    (indexes, pools, cancel): (&Indexes, &Arc<Pools>, &Cancel),
) -> Result<SearchReport, Error> {
    let text = request.task.trim();
    if text.is_empty() {
        return Err(Error::NothingToFind);
    }
    if request.limit == 0 {
        return Err(Error::NoResultsWanted);
    }
    let root = open_root(request.repo.as_deref(), &denied(&settled.deny, &request.deny))?;
    let globs = Globs::new(&request.include, &request.exclude)?;
    let analysis = Analysis { limits: finer(&settled.settings.chunking), counting };
    let asked = Preparation {
        root: &root,
        globs: &globs,
        now: request.now,
        analysis: &analysis,
        keeps: settled.keeps_indexes,
        is_searched: true,
        pools,
    };
    let Prepared { scene, view, now, mut warnings, .. } =
        indexes.prepare(&asked, &Stops::together(cancel), &mut |_| {})?;
    cancel.check().map_err(PackError::from)?;
    let view = &*view.ok_or(Error::Lost)?;
    warnings.splice(0..0, told.iter().cloned());
    let models = Models::learnt();
    let search = Search::new(&*scene.tree, view, (&scene.past, now), models, cancel);
    let task = Task::new(text);
    let ranking = pools.take(cancel)?.install(|| search.find(&task)).map_err(PackError::from)?;
    let found = Found::new(&ranking, view);
    let results =
        if request.files { found.files(request.limit) } else { found.chunks(request.limit) };
    if task.unread > 0 {
        warnings.push(format!("the last {} bytes of the task were not read", task.unread));
    }
    let files_searched = view.files().len();
    if results.is_empty() {
        let globs = !(request.include.is_empty() && request.exclude.is_empty());
        warnings.push(format!("nothing was found: {}", why_nothing(text, files_searched, globs)));
    }
    Ok(SearchReport { version: SEARCH_VERSION, results, files_searched, warnings })
}

/// Why a search finds nothing, and what to do about it.
pub(crate) fn why_nothing(task: &str, files: usize, has_globs: bool) -> String {
    if files == 0 && has_globs {
        "no file is left to search by the globs to include and exclude".to_owned()
    } else if files == 0 {
        "there are no files to search; hidden and ignored ones do not count".to_owned()
    } else if !task.contains(char::is_alphanumeric) {
        "the task has no word to search for".to_owned()
    } else if Task::new(task).terms.is_empty() {
        "every text has the words of the task; use words that stand in the code".to_owned()
    } else {
        let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        format!("no word of the task occurs in {files}; use words that stand in the code")
    }
}

/// A ranking, to be told.
struct Found<'a> {
    ranking: &'a Ranking<'a>,
    view: &'a View,
    /// The ranked files, and one ranked chunk of each, by their places in the view.
    files: FxHashMap<usize, &'a RankedFile>,
    chunks: FxHashMap<usize, &'a RankedChunk>,
}

impl<'a> Found<'a> {
    fn new(ranking: &'a Ranking<'a>, view: &'a View) -> Self {
        let files = ranking.files.iter().map(|it| (it.file, it)).collect();
        let chunks = ranking.chunks.iter().map(|it| (it.file, it)).collect();
        Self { ranking, view, files, chunks }
    }

    fn chunks(&self, limit: usize) -> Vec<SearchResult> {
        let result = |it: &RankedChunk| {
            let chunk = self.ranking.chunk(it)?;
            let file = self.files.get(&it.file)?;
            Some(SearchResult {
                path: self.view.files()[it.file].path.clone(),
                start_line: chunk.span.start,
                end_line: chunk.span.end,
                symbol: chunk.symbol.as_ref().map(|it| redact_str(it).unwrap_or(it.clone())),
                kind: chunk.kind.name(),
                tokens: chunk.tokens as usize,
                score: it.score,
                factors: factors(self.ranking.explain_chunk(it)),
                file_score: file.score,
                file_factors: factors(self.ranking.explain_file(file)),
            })
        };
        self.ranking.chunks.iter().filter_map(result).take(limit).collect()
    }

    fn files(&self, limit: usize) -> Vec<SearchResult> {
        let result = |it: &RankedFile| {
            let file = &self.view.files()[it.file];
            let chunks = &self.ranking.forward(self.chunks.get(&it.file)?)?.chunks;
            let factors = factors(self.ranking.explain_file(it));
            Some(SearchResult {
                path: file.path.clone(),
                start_line: 1,
                end_line: chunks.last().map_or(1, |chunk| chunk.span.end),
                symbol: None,
                kind: kind(file.kind),
                tokens: chunks.iter().map(|chunk| chunk.tokens as usize).sum(),
                score: it.score,
                factors: factors.clone(),
                file_score: it.score,
                file_factors: factors,
            })
        };
        self.ranking.files.iter().filter_map(result).take(limit).collect()
    }
}

fn factors(contributions: Vec<Contribution>) -> Vec<SearchFactor> {
    let factor =
        |it: Contribution| SearchFactor { name: it.feature, value: it.value, adds: it.adds };
    contributions.into_iter().map(factor).collect()
}

fn kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Code => "code",
        FileKind::Test => "test",
        FileKind::Documentation => "documentation",
        FileKind::Data => "data",
        FileKind::Derived => "derived",
    }
}

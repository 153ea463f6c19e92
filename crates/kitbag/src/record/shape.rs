//! What a record holds. Nothing here is content: where a text mattered, its hash stands.
//!
//! Records are kept in a format that does not name the fields: whoever changes one here changes the
//! version too.

use crate::report::FactorsItem;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Changes when a field of a record changes its meaning or goes.
pub const RECORD_VERSION: u32 = 2;

/// A word of a fixed list, such as a kind or a reason.
type Word = Cow<'static, str>;

/// What a pack leaves behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of this shape.
    pub version: u32,
    /// What the record is called.
    pub id: String,
    /// When the pack was made, in seconds since 1970.
    pub at: i64,
    /// The repository's folder.
    pub repo: String,
    /// What was asked for.
    pub request: RecordedRequest,
    /// How it was decided.
    pub settings: RecordedSettings,
    /// How the text looked.
    pub text: RecordedText,
    /// The tokens of the text.
    pub total_tokens: usize,
    /// The tokens that it could have.
    pub budget: usize,
    /// The counter.
    pub tokenizer: String,
    /// Whether the counter is the model's own, and not an estimate.
    pub exact: bool,
    /// What is in, in rank order.
    pub included: Vec<RecordedChunk>,
    /// What is out, and why.
    pub excluded: Vec<RecordedOut>,
    /// The sources that came to the decision.
    pub sources: Vec<RecordedSource>,
    /// What became of each provider.
    pub providers: Vec<RecordedProvider>,
    /// What the stages counted.
    pub stats: RecordedStats,
    /// How many secrets each rule replaced on lines that are in.
    pub redactions: BTreeMap<String, usize>,
    /// How long the stages took.
    pub timings: Vec<RecordedTiming>,
    /// Whether the deadline cut something off.
    pub partial: bool,
    /// Why the pack is empty, if it is.
    pub empty: Option<String>,
}

/// A request without its contents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedRequest {
    /// The SHA-256 of the task's text.
    pub task_sha256: String,
    /// How many characters the task has.
    pub task_characters: usize,
    /// The profile.
    pub profile: String,
    /// The model, where one was named.
    pub model: Option<String>,
    /// Whether the request gave a budget of its own.
    pub gives_budget: bool,
    /// The time that ages were measured from.
    pub now: Option<i64>,
    /// Paths that had to be considered.
    pub references: Vec<String>,
    /// The path of the open document.
    pub document: Option<String>,
    /// The line of the cursor.
    pub cursor: Option<u32>,
    /// The lines of the selection.
    pub selection: Option<(u32, u32)>,
    /// The paths of open files.
    pub open_files: Vec<String>,
    /// What the results of tools were called.
    pub tool_results: Vec<String>,
    /// How many outputs of compilers, linters and tests there were.
    pub diagnostics: usize,
    /// How many sources the caller brought.
    pub given_sources: usize,
    /// Globs of what was searched.
    pub include: Vec<String>,
    /// Globs of what was not searched.
    pub exclude: Vec<String>,
    /// Providers that were switched on.
    pub providers: Vec<String>,
    /// Providers that were switched off.
    pub no_providers: Vec<String>,
    /// The keys that were set for this request alone.
    pub options: Vec<String>,
    /// What might not be read, beside what the configuration says.
    pub deny: Vec<String>,
    /// The current context of the rules.
    pub context: Option<String>,
    /// The SHA-256 of what the caller intended.
    pub intent_sha256: Option<String>,
    /// The SHA-256 of what the caller was in the middle of.
    pub situation_sha256: Option<String>,
    /// Whether secrets were replaced.
    pub redact: bool,
    /// How many milliseconds it could take.
    pub deadline_ms: Option<u64>,
    /// Who asked.
    pub agent_id: Option<String>,
    /// What the request is called in logs and events.
    pub correlation_id: Option<String>,
    /// Over which interface it was asked, such as `http`, `mcp` or `cli`; empty for the library's own.
    pub via: String,
}

/// The settings that a decision can be explained by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedSettings {
    /// The weights of the factors.
    pub relevance_weight: f64,
    /// The same.
    pub recency_weight: f64,
    /// The same.
    pub source_weight: f64,
    /// The least score.
    pub min_score: Option<f64>,
    /// The most chunks.
    pub max_chunks: Option<usize>,
    /// The tokens of the window, where the request gave no budget of its own.
    pub window: Option<usize>,
    /// What was kept free for the answer.
    pub response_reserve: usize,
    /// What was kept free for the system prompt.
    pub system_reserve: usize,
    /// From which share of shared lines two chunks overlap.
    pub overlap_threshold: f64,
    /// The priorities of the kinds, by name.
    pub priorities: BTreeMap<String, u32>,
    /// Every setting that was not as by default, by its key, as `--set` takes it. A text of the
    /// user's own is its SHA-256.
    pub changed: BTreeMap<String, String>,
    /// The SHA-256 of settings that a program handed in, in place of the configuration's.
    pub handed_in: Option<String>,
}

/// How the text looked. Texts of the caller's own are hashes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedText {
    /// The SHA-256 of the finished text.
    pub sha256: String,
    /// The format, or `template`.
    pub format: String,
    /// The name of the template's file.
    pub template: Option<String>,
    /// Chunks of one file stand together.
    pub group_by_file: bool,
    /// Lines are named by their numbers.
    pub line_numbers: bool,
    /// The relevance is shown.
    pub scores: bool,
    /// Path, lines and relevance stand on lines of their own.
    pub detailed: bool,
    /// What each provider gave stands under a title of its own.
    pub sections: bool,
    /// The SHA-256 of the header, the footer, the separator and the template's source.
    pub header: Option<String>,
    /// The same.
    pub footer: Option<String>,
    /// The same.
    pub separator: Option<String>,
    /// The same.
    pub template_sha256: Option<String>,
    /// How many hyphens the boundary lines of plain text have.
    pub boundary: Option<usize>,
}

/// A chunk that is in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedChunk {
    /// The file.
    pub path: String,
    /// The chunk's first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The symbol path it belongs to, where that is a name in code. Headings are content.
    pub symbol: Option<String>,
    /// The kind of source it is from.
    pub kind: Word,
    /// Who gathered it.
    pub provider: Option<String>,
    /// Which part of a split item it is.
    pub part: Option<String>,
    /// The tokens of its shown lines.
    pub tokens: usize,
    /// Its score.
    pub score: f64,
    /// What the score is made of.
    pub factors: FactorsItem,
    /// `full`, `outline` or `truncated`.
    pub form: Word,
    /// The lines that really stand in the text.
    pub runs: Vec<RecordedRun>,
    /// Whether the lines are a file's own, and can be read again.
    pub is_file: bool,
    /// What else it stands for.
    pub also: Vec<String>,
}

/// Lines that stand in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// The first.
    pub start_line: u32,
    /// The last.
    pub end_line: u32,
    /// The SHA-256 of these lines, with secrets replaced.
    pub sha256: String,
}

/// A chunk, or a whole source, that is out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedOut {
    /// The file.
    pub path: String,
    /// The chunk's first line.
    pub start_line: Option<u32>,
    /// Its last line.
    pub end_line: Option<u32>,
    /// The symbol path it belongs to.
    pub symbol: Option<String>,
    /// The kind of source it is from.
    pub kind: Word,
    /// Who gathered it.
    pub provider: Option<String>,
    /// Its tokens.
    pub tokens: usize,
    /// Its score, where it came to be scored.
    pub score: Option<f64>,
    /// What the score is made of.
    pub factors: Option<FactorsItem>,
    /// Why it is out, as a code.
    pub reason: Word,
    /// Why it is out, in words.
    pub detail: String,
}

/// A source that came to the decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedSource {
    /// The file.
    pub path: String,
    /// Its kind.
    pub kind: Word,
    /// Who gathered it.
    pub provider: Option<String>,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The SHA-256 of its lines; `None` where there was too much to hash.
    pub sha256: Option<String>,
    /// When it last changed, where that counted.
    pub timestamp: Option<i64>,
    /// Whether the lines are a file's own, and can be read again.
    pub is_file: bool,
    /// Whether they are all of the file.
    pub is_whole: bool,
    /// Whether git saw the file as changed, or did not know it.
    pub is_modified: bool,
}

/// What became of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedProvider {
    /// Its id.
    pub id: String,
    /// `ok`, `empty`, `timed_out`, `failed`, `off` or `late`.
    pub outcome: Word,
    /// The sources that it gave.
    pub sources: usize,
    /// The chunks that are in.
    pub chunks: usize,
    /// Their tokens.
    pub tokens: usize,
    /// How many milliseconds it took.
    pub ms: f64,
}

/// What the stages counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedStats {
    /// Files that were searched.
    pub files_searched: usize,
    /// Sources that came to the decision.
    pub sources: usize,
    /// Sources that were the same as another.
    pub merged_sources: usize,
    /// Chunks that they were cut into.
    pub chunks: usize,
    /// Chunks that repeated the content of another.
    pub duplicates: usize,
    /// Chunks that overlapped another.
    pub overlaps: usize,
    /// Chunks that had nearly the same words as another.
    pub near_duplicates: usize,
    /// The share of token counts that were remembered.
    pub cache_hit_rate: f64,
    /// What the caller was told, in number.
    pub warnings: usize,
}

/// How long a stage took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedTiming {
    /// The stage.
    pub stage: Word,
    /// Its milliseconds.
    pub ms: f64,
}

impl Record {
    /// The scores of everything that was scored, best first.
    pub fn scores(&self) -> Vec<f64> {
        let included = self.included.iter().map(|item| item.score);
        let mut all: Vec<f64> =
            included.chain(self.excluded.iter().filter_map(|item| item.score)).collect();
        all.sort_by(|a, b| b.total_cmp(a));
        all
    }

    /// The place of a score among all, from 1.
    pub fn rank(&self, score: f64) -> usize {
        self.scores().iter().filter(|other| **other > score).count() + 1
    }

    /// The files that are in, each once, in the order of their best chunk.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = Vec::new();
        for item in &self.included {
            if !files.contains(&item.path.as_str()) {
                files.push(&item.path);
            }
        }
        files
    }
}

impl RecordedOut {
    /// Its lines, where it is a chunk.
    pub fn lines(&self) -> Option<(u32, u32)> {
        self.start_line.zip(self.end_line)
    }
}

//! Recent changes as short diffs: uncommitted edits, and commits that touch the document or are
//! related to the task.

use super::prose;
use crate::gather::inputs::Inputs;
use crate::gather::provider::{Gathered, Gathering, Needs, Provider, ProviderError};
use crate::index::{Prepared, WorktreeSnapshot};
use kitbag_core::escape_path;
use kitbag_index::{CommitHistory, ParsedTask, similar_commits};
use kitbag_repo::{
    Edit, FileChange, GitError, Root, Timestamps, Tree, changes_in_commit, changes_to_file,
    uncommitted_edits, with_cancel,
};
use kitbag_text::{Kind, Redaction, Source, plural};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Default maximum number of changes.
const DEFAULT_MAX_ITEMS: usize = 10;
/// Maximum number of uncommitted edits that are diffed.
const MAX_EDITS: usize = 20;
/// Maximum number of deleted files that are diffed.
const MAX_DELETED: usize = 20;
/// Maximum number of lines shown of a diff.
const MAX_LINES: usize = 24;
/// Number of lines that precede the diff in the text of a change.
const LINES_BEFORE: u32 = 3;
/// Maximum number of files listed as changed together with the document.
const MAX_CO_CHANGED: usize = 5;
/// Name of the source that lists them. Names of changes are not valid paths, so that none is
/// mistaken for a file.
const CO_CHANGED_NAME: &str = "history: changed together";
/// Age in seconds beyond which a commit does not count as recent.
const MAX_AGE: i64 = 2 * 365 * 86_400;
/// Maximum number of cached answers from git.
const MAX_CACHED: usize = 64;

/// The history provider. Caches answers from git until the work tree changes.
#[derive(Default)]
pub(super) struct History {
    cache: Mutex<FxHashMap<HistoryQuery, CachedChanges>>,
}

/// A query to git, the key of a cached answer.
#[derive(Clone, PartialEq, Eq, Hash)]
struct HistoryQuery {
    document: Option<String>,
    task: String,
    max_items: usize,
    /// Whether secrets in the answer are replaced by markers.
    redact: bool,
}

/// A cached answer, valid for one snapshot of a work tree.
struct CachedChanges {
    worktree: Weak<WorktreeSnapshot>,
    changes: Arc<Changes>,
}

/// Changes in order of importance.
#[derive(Default)]
struct Changes {
    edits: Vec<Edit>,
    commits: Vec<FileChange>,
    /// Path of the document in the commits, which differs from its current path after a rename.
    document: Option<String>,
}

impl Provider for History {
    fn id(&self) -> &str {
        "history"
    }

    fn title(&self) -> &str {
        "Recent Changes"
    }

    fn description(&self) -> &str {
        "Edits that are not committed, and the last commits that touch the document or are about the \
         task, as short diffs."
    }

    fn needs(&self) -> Needs {
        Needs::RecentHistory
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let Some(prepared) = &gathering.prepared else { return gather_unscanned(gathering) };
        if prepared.worktree.changed.is_none() {
            return Ok(Gathered::default());
        }
        let max_items = gathering.limits.max_items.unwrap_or(DEFAULT_MAX_ITEMS);
        let query = HistoryQuery::new(gathering, max_items);
        let changes = match self.known(&query, prepared) {
            Some(known) => known,
            None => {
                let query_git = || query_git(&query, gathering, prepared);
                let changes = Arc::new(with_cancel(&gathering.cancel, query_git)?);
                self.keep(query, prepared, &changes);
                changes
            }
        };
        let now = gathering.request.now.unwrap_or_else(|| newest(&changes, prepared.now));
        let mut gathered = sources_of(&changes, &prepared.worktree.timestamps, now, max_items);
        let sources = &mut gathered.inputs.sources;
        if let Some(document) = &changes.document {
            let together = together(&prepared.worktree.past, document);
            sources.extend(together.filter(|_| !sources.is_empty()));
        }
        gathered.is_limited = true;
        Ok(gathered)
    }
}

/// Gathers the changes of the document alone, if a deadline leaves no time to scan the repository first.
fn gather_unscanned(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let max_items = gathering.limits.max_items.unwrap_or(DEFAULT_MAX_ITEMS);
    let HistoryQuery { document, redact, .. } = HistoryQuery::new(gathering, max_items);
    let Some(document) = document else {
        return Err(ProviderError::failed("the repository was not scanned before the deadline"));
    };
    let root = &*gathering.root;
    let mut changes = with_cancel(&gathering.cancel, || {
        let commits = changes_to_file(root, &document, max_items, redact);
        let edits = uncommitted_edits(root, &[document.as_str()], redact);
        Changes {
            edits: edits.unwrap_or_default(),
            commits: commits.unwrap_or_default(),
            document: None,
        }
    });
    changes.retain_allowed(root);
    let now = gathering.request.now.unwrap_or_else(|| newest(&changes, 0));
    let gathered = sources_of(&changes, &Timestamps::default(), now, max_items);
    Ok(Gathered { is_limited: true, ..gathered })
}

impl Changes {
    /// Removes the commits of files that are denied.
    fn retain_allowed(&mut self, root: &Root) {
        let is_denied = |path: &str| root.denylist().denies(path).is_some();
        self.commits.retain(|commit| {
            !is_denied(&commit.path) && !commit.renamed_from.as_deref().is_some_and(is_denied)
        });
    }
}

impl History {
    fn known(&self, query: &HistoryQuery, prepared: &Prepared) -> Option<Arc<Changes>> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache.get(query)?;
        let is_same = Weak::ptr_eq(&known.worktree, &Arc::downgrade(&prepared.worktree));
        is_same.then(|| Arc::clone(&known.changes))
    }

    fn keep(&self, query: HistoryQuery, prepared: &Prepared, changes: &Arc<Changes>) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        let worktree = Arc::downgrade(&prepared.worktree);
        cache.insert(query, CachedChanges { worktree, changes: Arc::clone(changes) });
    }
}

impl HistoryQuery {
    fn new(gathering: &Gathering, max_items: usize) -> Self {
        Self {
            document: gathering.editor.as_ref().map(|editor| editor.path.clone()),
            task: gathering.request.task.clone(),
            max_items,
            redact: gathering.redact,
        }
    }
}

/// Queries git. If one of the queries fails, the results of the others are still used.
fn query_git(
    query: &HistoryQuery,
    gathering: &Gathering,
    prepared: &Prepared,
) -> Result<Changes, ProviderError> {
    let failed = |error: GitError| ProviderError::failed(error.to_string());
    let (root, worktree) = (&*gathering.root, &prepared.worktree);
    let mut document = query.document.clone();
    let mut edits = uncommitted_edits(root, &changed(document.as_deref(), worktree), query.redact)
        .map_err(failed)?;
    // A file whose rename is not committed has its history under the old name.
    let own = edits.iter().find(|edit| Some(&edit.path) == document.as_ref());
    document = own.and_then(|edit| edit.renamed_from.clone()).or(document);
    edits.truncate(query.max_items);
    gathering.cancel.check()?;
    let mut commits = Vec::new();
    // Where git could not compare some commits, it could not follow a file through them either.
    if let Some(document) = document.as_ref().filter(|_| worktree.past.unread() == 0) {
        commits =
            changes_to_file(root, document, query.max_items, query.redact).unwrap_or_default();
    }
    let task = ParsedTask::new(&query.task);
    for place in similar_commits(&task, &worktree.past, query.max_items) {
        gathering.cancel.check()?;
        let commit = &worktree.past.commits()[place];
        if commits.iter().any(|known| known.id == commit.id) {
            continue;
        }
        commits.extend(changes_in_commit(root, &commit.id, query.redact).unwrap_or_default());
    }
    let mut changes = Changes { edits, commits, document };
    changes.retain_allowed(root);
    Ok(changes)
}

/// Returns the changed files, the document first and then the most recent, followed by the deleted
/// files.
fn changed<'a>(document: Option<&str>, worktree: &'a WorktreeSnapshot) -> Vec<&'a str> {
    let files = worktree.tree.files();
    let is_there = |path: &&str| files.binary_search_by(|it| it.path.as_str().cmp(path)).is_ok();
    let all = worktree.changed.iter().flatten().map(String::as_str);
    let (mut changed, mut deleted): (Vec<&str>, Vec<&str>) = all.partition(is_there);
    changed.sort_by_key(|path| {
        (Some(*path) != document, std::cmp::Reverse(worktree.timestamps.of(path)))
    });
    changed.truncate(MAX_EDITS);
    deleted.truncate(MAX_DELETED);
    changed.append(&mut deleted);
    changed
}

/// Returns the time from which ages are measured. The scan does not know the time of `HEAD` if a deadline
/// left no time to read it.
fn newest(changes: &Changes, known: i64) -> i64 {
    changes.commits.iter().map(|commit| commit.time).fold(known, i64::max)
}

/// Turns the changes into sources: edits first, then commits. A commit counts as one item, however
/// many files it touches.
fn sources_of(changes: &Changes, times: &Timestamps, now: i64, max_items: usize) -> Gathered {
    let mut gathered = Gathered::default();
    let Inputs { sources, redactions, .. } = &mut gathered.inputs;
    let mut push = |name: String, text: String, time: Option<i64>, found: &[Redaction]| {
        redactions.push((name.clone(), shifted(found)));
        let relevance = 1.0 / (1.0 + sources.len() as f64 / 20.0);
        sources.push(Source { timestamp: time, ..prose(&name, Kind::History, text, relevance) });
    };
    for edit in changes.edits.iter().take(max_items) {
        let time = times.of(&edit.path);
        let age = time.map(|time| ago(time, now));
        let text = format_change(&edit.path, age, &describe_state(edit), &edit.diff);
        push(format!("{}: not committed", edit.path), text, time, &edit.redactions);
    }
    let (mut last, mut items) = (None, changes.edits.len().min(max_items));
    let is_recent = |commit: &&FileChange| now.saturating_sub(commit.time) <= MAX_AGE;
    for commit in changes.commits.iter().filter(is_recent) {
        if last != Some(commit.id) {
            if items == max_items {
                break;
            }
            (last, items) = (Some(commit.id), items + 1);
        }
        let id = commit.id.to_string();
        let short = id.get(..9).unwrap_or(&id);
        let renamed = commit.renamed_from.as_deref();
        let renamed = renamed.map(|from| format!(", renamed from `{}`", escape_path(from)));
        let subject = one_line(&commit.subject);
        let what = format!("{subject} ({short}{})", renamed.unwrap_or_default());
        let text = format_change(&commit.path, Some(ago(commit.time, now)), &what, &commit.diff);
        let name = format!("{}: commit {short}", commit.path);
        push(name, text, Some(commit.time), &commit.redactions);
    }
    gathered
}

/// Shifts the redactions of a diff to their line numbers in the text of the change.
fn shifted(redactions: &[Redaction]) -> Vec<Redaction> {
    let shown = redactions.iter().filter(|it| it.line as usize <= MAX_LINES);
    shown.map(|it| Redaction { line: it.line + LINES_BEFORE, ..*it }).collect()
}

/// Describes the state of an uncommitted edit, such as "Deleted, staged".
fn describe_state(edit: &Edit) -> String {
    let state = if edit.is_staged { "staged" } else { "not staged" };
    if let Some(from) = &edit.renamed_from {
        return format!("Renamed from `{}`, {state}", escape_path(from));
    }
    match (edit.is_new, edit.is_deleted, edit.is_staged) {
        (true, _, false) => "New, not in git yet".to_owned(),
        (true, _, true) => format!("New, {state}"),
        (_, true, _) => format!("Deleted, {state}"),
        (_, _, true) => "Staged, not committed".to_owned(),
        (_, _, false) => "Not committed".to_owned(),
    }
}

/// Formats a change as Markdown.
fn format_change(path: &str, when: Option<String>, what: &str, diff: &str) -> String {
    let when = when.map(|when| format!(" ({when})")).unwrap_or_default();
    let shown: Vec<&str> = diff.lines().take(MAX_LINES).collect();
    let left = diff.lines().count() - shown.len();
    let body = shown.join("\n");
    let longest_run = body.split(|it| it != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest_run.max(2) + 1);
    let path = escape_path(path);
    let mut text = format!("**File**: `{path}`{when}\n**Change**: {what}\n");
    if !body.is_empty() {
        let _ = writeln!(text, "{fence}diff\n{body}\n{fence}");
    }
    if left > 0 {
        let _ = writeln!(text, "... {left} more lines of the change ...");
    }
    text
}

fn one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).take(200).collect()
}

/// Returns a source that lists the files most often changed together with the document.
fn together(past: &CommitHistory, document: &str) -> Option<Source> {
    let id = past.path_id(document)?;
    let touching = past.touching(id);
    let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
    for &commit in touching {
        let paths = &past.commits()[commit as usize].paths;
        // A commit of very many files says nothing about any two of them.
        if paths.len() <= 30 {
            paths.iter().filter(|&&path| path != id).for_each(|&path| {
                *counts.entry(path).or_default() += 1;
            });
        }
    }
    let mut often: Vec<(&str, usize)> = counts
        .into_iter()
        .filter(|&(_, count)| count >= 2)
        .map(|(path, count)| (past.path(path), count))
        .collect();
    often.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    often.truncate(MAX_CO_CHANGED);
    if often.is_empty() {
        return None;
    }
    let all = touching.len();
    let files = often.iter().map(|(path, count)| format!("`{}` ({count})", escape_path(path)));
    let files = files.collect::<Vec<_>>().join(", ");
    let document = escape_path(document);
    let text = format!("Changed together with `{document}`, of its {all} commits: {files}\n");
    Some(prose(CO_CHANGED_NAME, Kind::History, text, 0.3))
}

/// Formats the age of a time, such as "3 days ago".
fn ago(time: i64, now: i64) -> String {
    let seconds = now.saturating_sub(time);
    let counted = |count: i64, unit: &str| format!("{} ago", plural(count as usize, unit));
    match seconds {
        ..=59 => "just now".to_owned(),
        60..=3_599 => counted(seconds / 60, "minute"),
        3_600..=86_399 => counted(seconds / 3_600, "hour"),
        86_400..=2_591_999 => counted(seconds / 86_400, "day"),
        2_592_000..=31_535_999 => counted(seconds / 2_592_000, "month"),
        _ => counted(seconds / 31_536_000, "year"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_formatted_in_the_largest_unit() {
        let now = 100_000_000;
        let ages = [0, 59, 60, 120, 3_599, 3_600, 7_200, 86_400, 40 * 86_400, 800 * 86_400];
        let ages: Vec<String> = ages.iter().map(|age| ago(now - age, now)).collect();
        assert_eq!(
            ages,
            [
                "just now",
                "just now",
                "1 minute ago",
                "2 minutes ago",
                "59 minutes ago",
                "1 hour ago",
                "2 hours ago",
                "1 day ago",
                "1 month ago",
                "2 years ago"
            ]
        );
        assert_eq!(ago(now + 5, now), "just now");
    }

    #[test]
    fn a_change_cannot_leave_its_fence_and_is_cut() {
        let diff: String = (0..50).map(|line| format!("+``` {line}\n")).collect();
        let text = format_change("src/a.md", Some("1 day ago".into()), "Not committed", &diff);
        assert!(text.starts_with(
            "**File**: `src/a.md` (1 day ago)\n**Change**: Not committed\n````diff\n"
        ));
        assert!(text.ends_with("+``` 23\n````\n... 26 more lines of the change ...\n"), "{text}");
    }
}

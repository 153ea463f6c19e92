//! The usage log: one line of JSON per pack or answer of a tool, with numbers only, and sums over it.
//!
//! Records are few and large; the log remembers more calls in less space. It stays on this machine. A log
//! that exceeds the size limit loses its older half.

use crate::shape::Record;
use kitbag_repo::{open_regular, read_regular};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Schema version of usage reports.
pub const USAGE_VERSION: u32 = 2;

/// File name of the log.
pub(crate) const FILE_NAME: &str = "usage.jsonl";

/// Name of the file that writers lock.
pub(crate) const LOCK_NAME: &str = "usage.lock";

/// Size at which a log loses its older half, in bytes; about 10,000 calls.
const MAX_BYTES: u64 = 4 << 20;

/// What a pack or another answer cost, and what it replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageEntry {
    /// The id of the record; empty for an answer that is not a pack.
    pub id: String,
    /// The time of the call, in seconds since the Unix epoch.
    pub created_at: i64,
    /// The repository's folder.
    pub repo: String,
    /// The interface of the request, such as `mcp`; `library` for direct calls.
    pub interface: String,
    /// The tool, route or command, such as `pack_context`; empty if unknown.
    #[serde(default)]
    pub tool: String,
    /// The id of the agent that made the request.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The name of the profile.
    #[serde(default)]
    pub profile: String,
    /// The beginning of the task's hash, which identifies calls with the same task.
    pub task: String,
    /// Number of tokens sent.
    pub tokens: usize,
    /// Number of files with parts in the answer.
    pub files: usize,
    /// Number of tokens in the whole files that a pack has parts of; `None` if unknown.
    #[serde(default)]
    pub whole_file_tokens: Option<usize>,
}

impl UsageEntry {
    /// Creates the entry of a record.
    pub fn new(record: &Record, whole_file_tokens: Option<usize>) -> Self {
        let via = record.request.via.as_str();
        Self {
            id: record.id.clone(),
            created_at: record.created_at,
            repo: record.repo.clone(),
            interface: if via.is_empty() { "library" } else { via }.to_owned(),
            tool: record.request.tool.clone(),
            agent_id: record.request.agent_id.clone(),
            profile: record.request.profile.clone(),
            task: record.request.task_sha256.chars().take(8).collect(),
            tokens: record.total_tokens,
            files: record.files().len(),
            whole_file_tokens,
        }
    }
}

/// Appends an entry to the log in `folder`.
pub(crate) fn append(folder: &Path, entry: &UsageEntry) -> io::Result<()> {
    let path = folder.join(FILE_NAME);
    let mut create = OpenOptions::new();
    // Concurrent writers wait for the lock, so that no line is lost when the log is shortened.
    let lock = open_regular(create.create(true).append(true), &folder.join(LOCK_NAME))?;
    lock.lock()?;
    if std::fs::metadata(&path).is_ok_and(|there| there.len() > MAX_BYTES) {
        shorten(folder, &path)?;
    }
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    open_regular(&mut create, &path)?.write_all(&line)
}

/// Removes the older half of a log.
fn shorten(folder: &Path, path: &Path) -> io::Result<()> {
    // A log that is much larger than any writer leaves it is damaged.
    let bytes = read_regular(path, 2 * MAX_BYTES).unwrap_or_default();
    let half = bytes.len() / 2;
    let line_end = bytes[half..].iter().position(|byte| *byte == b'\n');
    let kept = line_end.map_or(&[][..], |end| &bytes[half + end + 1..]);
    let mut file = tempfile::Builder::new().prefix(".tmp-").tempfile_in(folder)?;
    file.write_all(kept)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Reads the log in `folder`. Returns the number of lines that cannot be read, too.
pub(crate) fn read(folder: &Path) -> (Vec<UsageEntry>, usize) {
    let bytes = read_regular(&folder.join(FILE_NAME), 2 * MAX_BYTES).unwrap_or_default();
    let lines: Vec<&[u8]> =
        bytes.split(|byte| *byte == b'\n').filter(|it| !it.is_empty()).collect();
    let entries: Vec<UsageEntry> =
        lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let damaged = lines.len() - entries.len();
    (entries, damaged)
}

/// Sums over calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UsageTotals {
    /// Number of calls.
    pub calls: usize,
    /// Number of different tasks.
    pub tasks: usize,
    /// Number of tokens sent.
    pub tokens: usize,
    /// Number of tokens in the whole files that packs have parts of; `None` if it is unknown for every call.
    pub whole_file_tokens: Option<usize>,
    /// Number of tokens that packs have less than the whole files; `None` if it is unknown for every call. Calls
    /// for which it is unknown, such as searches, do not count.
    pub saved_tokens: Option<i64>,
}

/// Sums over the calls of a day, a tool or an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageRow {
    /// The day in UTC, such as `2026-11-18`; `None` if all days are summed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// The interface; `None` if all are summed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// The tool, route or command; `None` if it is unknown, or all are summed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The agent; `None` if it is unknown, or all are summed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The sums.
    #[serde(flatten)]
    pub totals: UsageTotals,
}

/// What was asked for, by whom, and what it saved.
#[derive(Debug, Clone, Serialize)]
pub struct UsageReport {
    /// The schema version.
    pub version: u32,
    /// The repositories of the calls.
    pub repos: Vec<String>,
    /// The sums over all calls.
    pub total: UsageTotals,
    /// The sums by day and tool, newest first.
    pub days: Vec<UsageRow>,
    /// The sums by tool, most tokens first.
    pub tools: Vec<UsageRow>,
    /// The sums by interface and agent, most tokens first.
    pub agents: Vec<UsageRow>,
    /// Warnings about calls that cannot be counted.
    pub warnings: Vec<String>,
}

impl UsageReport {
    /// Sums entries that were created at or after `since`, in seconds since the Unix epoch.
    pub fn new(entries: &[UsageEntry], since: Option<i64>, warnings: Vec<String>) -> Self {
        let is_counted = |it: &&UsageEntry| since.is_none_or(|since| it.created_at >= since);
        let counted: Vec<&UsageEntry> = entries.iter().filter(is_counted).collect();
        let repos: BTreeSet<&String> = counted.iter().map(|it| &it.repo).collect();
        let tool = |it: &UsageEntry| RowKey {
            interface: Some(it.interface.clone()),
            tool: Some(it.tool.clone()).filter(|tool| !tool.is_empty()),
            ..RowKey::default()
        };
        let day = |it: &UsageEntry| RowKey { day: Some(day(it.created_at)), ..tool(it) };
        let agent = |it: &UsageEntry| RowKey {
            interface: Some(it.interface.clone()),
            agent_id: it.agent_id.clone(),
            ..RowKey::default()
        };
        let mut days = rows(&counted, day);
        days.sort_by(|a, b| b.day.cmp(&a.day));
        let (mut tools, mut agents) = (rows(&counted, tool), rows(&counted, agent));
        for list in [&mut tools, &mut agents] {
            list.sort_by_key(|row| std::cmp::Reverse(row.totals.tokens));
        }
        Self {
            version: USAGE_VERSION,
            repos: repos.into_iter().cloned().collect(),
            total: totals(&counted),
            days,
            tools,
            agents,
            warnings,
        }
    }
}

/// What the calls of a row have in common.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    day: Option<String>,
    interface: Option<String>,
    tool: Option<String>,
    agent_id: Option<String>,
}

/// Sums entries with the same key, in the order of the keys.
fn rows(entries: &[&UsageEntry], key: impl Fn(&UsageEntry) -> RowKey) -> Vec<UsageRow> {
    let mut groups: BTreeMap<RowKey, Vec<&UsageEntry>> = BTreeMap::new();
    for entry in entries {
        groups.entry(key(entry)).or_default().push(entry);
    }
    let row = |(key, entries): (RowKey, Vec<&UsageEntry>)| {
        let RowKey { day, interface, tool, agent_id } = key;
        UsageRow { day, interface, tool, agent_id, totals: totals(&entries) }
    };
    groups.into_iter().map(row).collect()
}

fn totals(entries: &[&UsageEntry]) -> UsageTotals {
    let tasks: BTreeSet<&str> = entries.iter().map(|it| it.task.as_str()).collect();
    let known = || entries.iter().filter_map(|it| Some((it.tokens, it.whole_file_tokens?)));
    let has_known = known().next().is_some();
    let saved = |(tokens, whole): (usize, usize)| whole as i64 - tokens as i64;
    UsageTotals {
        calls: entries.len(),
        tasks: tasks.len(),
        tokens: entries.iter().map(|it| it.tokens).sum(),
        whole_file_tokens: has_known.then(|| known().map(|(_, whole)| whole).sum()),
        saved_tokens: has_known.then(|| known().map(saved).sum()),
    }
}

fn day(seconds: i64) -> String {
    kitbag_config::format_time(seconds).chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(at: i64, interface: &str, task: &str, numbers: (usize, Option<usize>)) -> UsageEntry {
        UsageEntry {
            id: format!("{at}"),
            created_at: at,
            repo: "/repo".into(),
            interface: interface.into(),
            tool: if interface == "mcp" { "pack_context".into() } else { String::new() },
            agent_id: (interface == "mcp").then(|| "planner".to_owned()),
            profile: "agent".into(),
            task: task.into(),
            tokens: numbers.0,
            files: 1,
            whole_file_tokens: numbers.1,
        }
    }

    #[test]
    fn calls_are_summed_by_day_tool_and_agent() {
        let entries = [
            entry(0, "cli", "a", (100, None)),
            entry(10, "mcp", "a", (200, Some(1_000))),
            entry(20, "mcp", "b", (300, Some(200))),
            entry(86_400, "mcp", "b", (400, Some(900))),
        ];
        let report = UsageReport::new(&entries, None, Vec::new());
        let total = UsageTotals {
            calls: 4,
            tasks: 2,
            tokens: 1_000,
            whole_file_tokens: Some(2_100),
            saved_tokens: Some(1_200),
        };
        assert_eq!((report.total, report.repos), (total, vec!["/repo".to_owned()]));
        let days: Vec<_> =
            report.days.iter().map(|it| (it.day.as_deref(), it.totals.calls)).collect();
        assert_eq!(
            days,
            [(Some("1970-01-02"), 1), (Some("1970-01-01"), 1), (Some("1970-01-01"), 2)]
        );
        assert_eq!(report.days[1].totals.saved_tokens, None, "unknown, not 0");
        let tools: Vec<_> =
            report.tools.iter().map(|it| (it.tool.as_deref(), it.totals.tokens)).collect();
        assert_eq!(tools, [(Some("pack_context"), 900), (None, 100)]);
        assert_eq!(report.agents[0].agent_id.as_deref(), Some("planner"));
        let later = UsageReport::new(&entries, Some(86_400), Vec::new());
        assert_eq!(later.total.calls, 1);
        assert_eq!(UsageReport::new(&[], None, Vec::new()).total, UsageTotals::default());
    }

    #[test]
    fn a_log_is_bounded_and_damaged_lines_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE_NAME);
        let line = serde_json::to_string(&entry(1, "cli", "a", (1, None))).expect("JSON");
        let lines = format!("{line}\n").repeat(MAX_BYTES as usize / line.len() + 1);
        std::fs::write(&path, lines).expect("written");
        append(folder.path(), &entry(2, "cli", "a", (1, None))).expect("appended");
        let size = std::fs::metadata(&path).expect("a file").len();
        assert!((MAX_BYTES / 3..MAX_BYTES * 2 / 3).contains(&size), "{size}");
        let (entries, damaged) = read(folder.path());
        assert_eq!((entries.last().map(|it| it.created_at), damaged), (Some(2), 0));
        std::fs::write(&path, format!("{line}\n{{\"id\": 5\n\n{line}\n")).expect("written");
        let (entries, damaged) = read(folder.path());
        assert_eq!((entries.len(), damaged), (2, 1));
    }
}

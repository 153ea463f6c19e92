//! Tasks with known answers.

use super::hidden::HiddenLines;
use kitbag::Error;
use kitbag_repo::recent_commits;
use kitbag_text::Span;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;

/// The repository name in tasks that are made from its own commits.
pub const OWN_REPOSITORY: &str = ".";

/// A task with its answer.
#[derive(Debug, Clone, Deserialize)]
pub struct Task {
    /// The unique id of the task.
    pub instance_id: String,
    /// The repository, as `owner/name`.
    pub repo: String,
    /// The commit whose tree is searched.
    pub base_commit: String,
    /// The text of the task.
    pub query: String,
    /// The files touched by the real change, or those that answer a question.
    #[serde(default)]
    pub gold: Vec<Gold>,
    /// The places that answer a question, if the task is one.
    #[serde(default)]
    pub targets: Vec<Target>,
    /// The folder that is searched; empty for the whole tree.
    #[serde(default)]
    pub root: String,
    /// The kind of question, such as `symbol`.
    #[serde(default)]
    pub category: Option<String>,
    /// Lines that the search must not see: the comment that the question was made from.
    #[serde(skip)]
    pub hidden: Option<HiddenLines>,
    /// Whether the text belongs to another project, so that nothing in this one matters.
    #[serde(skip)]
    pub is_foreign: bool,
}

/// A place that answers a question: a file, or some lines of it.
#[derive(Debug, Clone, Deserialize)]
pub struct Target {
    /// The path relative to the repository root.
    pub path: String,
    /// The first line, if only a part of the file answers the question.
    pub start_line: Option<u32>,
    /// The last line.
    pub end_line: Option<u32>,
}

impl Target {
    /// Returns the lines that answer the question; a whole file has no last line.
    pub fn span(&self) -> Span {
        let start = self.start_line.unwrap_or(1).max(1);
        Span::new(start, self.end_line.unwrap_or(u32::MAX).max(start))
    }
}

impl Task {
    /// Returns whether the task asks a question instead of describing a change.
    pub fn is_question(&self) -> bool {
        !self.targets.is_empty()
    }
}

/// A file touched by the real change.
#[derive(Debug, Clone, Deserialize)]
pub struct Gold {
    /// The path relative to the repository root.
    pub path: String,
    /// The touched lines, numbered as before the change.
    #[serde(default)]
    pub hunks: Vec<Span>,
}

/// An error in a file of tasks.
#[derive(Debug, thiserror::Error)]
#[error("{name}:{line}: {message}")]
pub struct TaskError {
    /// The name of the file.
    pub name: String,
    /// The line, counted from 1.
    pub line: usize,
    /// A description of the error.
    pub message: String,
}

/// Parses tasks, one JSON object per line; `name` is the file name used in errors. Each task must
/// have a unique id and a non-empty answer, since its metrics would be meaningless otherwise.
pub fn parse_tasks(name: &str, text: &str) -> Result<Vec<Task>, TaskError> {
    let mut names: HashSet<String> = HashSet::new();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let error = |message| TaskError { name: name.to_owned(), line: at + 1, message };
            let task = parse_task(line).map_err(error)?;
            if !names.insert(task.instance_id.clone()) {
                return Err(error(format!("duplicate task `{}`", task.instance_id)));
            }
            Ok(task)
        })
        .collect()
}

fn parse_task(line: &str) -> Result<Task, String> {
    let mut task: Task = serde_json::from_str(line).map_err(|error| without_place(&error))?;
    if task.is_question() && task.gold.is_empty() {
        let gold = |it: &Target| Gold { path: it.path.clone(), hunks: vec![it.span()] };
        task.gold = task.targets.iter().map(gold).collect();
    }
    if task.gold.is_empty() {
        return Err(format!("`gold` is empty in task `{}`", task.instance_id));
    }
    if task.gold.iter().all(|gold| gold.hunks.is_empty()) {
        return Err(format!("no file of `gold` has `hunks` in task `{}`", task.instance_id));
    }
    Ok(task)
}

/// Returns the message of a JSON error without its position: the line is always 1, and the column
/// is rarely helpful.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.clone(), |(message, _)| message.to_owned())
}

/// Converts the last `count` commits that changed code to tasks. The commit message is the query,
/// the changed lines are the answer, and the parent's tree is searched.
pub fn tasks_from_git(repository: &Path, count: usize) -> Result<Vec<Task>, Error> {
    let commits = recent_commits(repository, count, is_code)?;
    let task = |commit: kitbag_repo::CommitTask| Task {
        instance_id: commit.commit[..commit.commit.len().min(12)].to_owned(),
        repo: OWN_REPOSITORY.to_owned(),
        base_commit: commit.parent,
        query: commit.message,
        gold: commit
            .files
            .into_iter()
            .map(|file| Gold { path: file.path, hunks: file.spans })
            .collect(),
        targets: Vec::new(),
        root: String::new(),
        category: None,
        hidden: None,
        is_foreign: false,
    };
    Ok(commits.into_iter().map(task).collect())
}

/// Gives every task the text of a task of another project, so that nothing in its repository matters.
pub fn foreign_tasks(tasks: &[Task]) -> Vec<Task> {
    let half = tasks.len() / 2;
    let foreign = |(at, task): (usize, &Task)| {
        let mut others = (0..tasks.len()).map(|step| &tasks[(at + half + step) % tasks.len()]);
        let other = others.find(|other| other.repo != task.repo)?;
        Some(Task { query: other.query.clone(), is_foreign: true, ..task.clone() })
    };
    tasks.iter().enumerate().filter_map(foreign).collect()
}

/// Returns whether a changed file counts as code.
pub(super) fn is_code(path: &str) -> bool {
    use kitbag_index::{ContentFlags, FileKind};
    FileKind::of(path, ContentFlags::default()) == FileKind::Code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, gold: &str) -> String {
        format!(
            "{{\"instance_id\": \"{id}\", \"repo\": \"o/n\", \"base_commit\": \"c\", \
             \"query\": \"q\", \"gold\": {gold}}}\n"
        )
    }

    fn refused(text: &str) -> String {
        parse_tasks("t", text).expect_err("a task is invalid").to_string()
    }

    const GOLD: &str = "[{\"path\": \"a\"}, {\"path\": \"b\", \"hunks\": [[1, 2]]}]";

    #[test]
    fn a_task_has_a_name_of_its_own() {
        let two = line("one", GOLD) + &line("two", GOLD);
        assert_eq!(parse_tasks("t", &two).expect("both are whole").len(), 2);
        assert_eq!(refused(&(two + "\n" + &line("one", GOLD))), "t:4: duplicate task `one`");
    }

    #[test]
    fn a_task_has_an_answer() {
        assert_eq!(refused(&line("one", "[]")), "t:1: `gold` is empty in task `one`");
        for gold in ["[{\"path\": \"a\"}]", "[{\"path\": \"a\", \"hunks\": []}]"] {
            let message = "t:1: no file of `gold` has `hunks` in task `one`";
            assert_eq!(refused(&line("one", gold)), message);
        }
    }
}

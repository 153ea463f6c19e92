//! Tasks whose answer is known.

use crate::error::Error;
use kitbag_repo::recent_commits;
use kitbag_text::Span;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;

/// What a repository is called in tasks that were made from its own commits.
pub const OWN: &str = ".";

/// A task and its answer.
#[derive(Debug, Clone, Deserialize)]
pub struct Task {
    /// Its name.
    pub instance_id: String,
    /// The repository, as `owner/name`.
    pub repo: String,
    /// The commit whose tree is searched.
    pub base_commit: String,
    /// The task's text.
    pub query: String,
    /// What the real change touched.
    pub gold: Vec<Gold>,
}

/// A file that the real change touched.
#[derive(Debug, Clone, Deserialize)]
pub struct Gold {
    /// Its path.
    pub path: String,
    /// The lines, before the change.
    #[serde(default)]
    pub hunks: Vec<Span>,
}

/// A task that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}:{line}: {message}")]
pub struct TaskError {
    /// The file.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// Reads tasks, a JSON object on each line; `name` is what errors call the file. Each has a name
/// of its own and an answer, without which its figures would mean nothing.
pub fn parse_tasks(name: &str, text: &str) -> Result<Vec<Task>, TaskError> {
    let mut names: HashSet<String> = HashSet::new();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let error = |message| TaskError { name: name.to_owned(), line: at + 1, message };
            let task = parse_task(line).map_err(error)?;
            if !names.insert(task.instance_id.clone()) {
                return Err(error(format!("a second task `{}`", task.instance_id)));
            }
            Ok(task)
        })
        .collect()
}

fn parse_task(line: &str) -> Result<Task, String> {
    let task: Task = serde_json::from_str(line).map_err(|error| without_place(&error))?;
    if task.gold.is_empty() {
        return Err(format!("`gold` is empty in task `{}`", task.instance_id));
    }
    if task.gold.iter().all(|gold| gold.hunks.is_empty()) {
        return Err(format!("no file of `gold` has `hunks` in task `{}`", task.instance_id));
    }
    Ok(task)
}

/// The message of a JSON error; its line is always 1, and its column says little.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.clone(), |(message, _)| message.to_owned())
}

/// The last `count` commits of a repository that changed code, as tasks: the message asks, the
/// changed lines answer, and the parent's tree is searched.
pub fn tasks_from_git(repository: &Path, count: usize) -> Result<Vec<Task>, Error> {
    let commits = recent_commits(repository, count, is_code)?;
    let task = |commit: kitbag_repo::CommitTask| Task {
        instance_id: commit.commit[..commit.commit.len().min(12)].to_owned(),
        repo: OWN.to_owned(),
        base_commit: commit.parent,
        query: commit.message,
        gold: commit
            .files
            .into_iter()
            .map(|file| Gold { path: file.path, hunks: file.spans })
            .collect(),
    };
    Ok(commits.into_iter().map(task).collect())
}

/// Whether a changed file counts as code.
fn is_code(path: &str) -> bool {
    use kitbag_index::{FileKind, Looks};
    FileKind::of(path, Looks::default()) == FileKind::Code
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
        parse_tasks("t", text).expect_err("a task is at fault").to_string()
    }

    const GOLD: &str = "[{\"path\": \"a\"}, {\"path\": \"b\", \"hunks\": [[1, 2]]}]";

    #[test]
    fn a_task_has_a_name_of_its_own() {
        let two = line("one", GOLD) + &line("two", GOLD);
        assert_eq!(parse_tasks("t", &two).expect("both are whole").len(), 2);
        assert_eq!(refused(&(two + "\n" + &line("one", GOLD))), "t:4: a second task `one`");
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

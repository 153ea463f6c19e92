//! What a pack is gathered from, beside the task: the flags, and what they mean to the request.

use crate::exit::Failure;
use crate::files;
use clap::Args;
use kitbag::{Cursor, Document, Request, Root, Selection, ToolOutput, ToolResult};
use std::path::{Path, PathBuf};

/// Where sources come from.
#[derive(Debug, Args)]
pub struct GatheringArgs {
    /// The document that is open.
    #[arg(long, value_name = "FILE", help_heading = "What it is gathered from")]
    pub document: Option<String>,
    /// Where the cursor is in the document: `42` or `42:7`.
    #[arg(long, value_name = "LINE[:COL]", value_parser = cursor, requires = "document",
          help_heading = "What it is gathered from")]
    pub cursor: Option<Cursor>,
    /// The lines that are selected in the document: `10-20`.
    #[arg(long, value_name = "A-B", value_parser = selection, requires = "document",
          help_heading = "What it is gathered from")]
    pub selection: Option<Selection>,
    /// A file that is open. Can be repeated.
    #[arg(long, value_name = "FILE", help_heading = "What it is gathered from")]
    pub open: Vec<String>,
    /// What a tool said, from a file, or from standard input with `-`. Can be repeated.
    #[arg(long, value_name = "LABEL=FILE", value_parser = labelled,
          help_heading = "What it is gathered from")]
    pub tool_result: Vec<(String, PathBuf)>,
    /// Output of a compiler, a linter or tests: SARIF, JSON of cargo, eslint, ruff, pyright, gcc or
    /// clang, lines of tsc and others, JUnit XML, stack traces. `-` for standard input. Can be
    /// repeated.
    #[arg(long, value_name = "FILE", help_heading = "What it is gathered from")]
    pub diagnostics: Vec<PathBuf>,
    /// Switch a provider on, such as `history` or `style`. Can be repeated.
    #[arg(long, value_name = "ID", help_heading = "What it is gathered from")]
    pub provider: Vec<String>,
    /// Switch a provider off. Can be repeated.
    #[arg(long, value_name = "ID", help_heading = "What it is gathered from")]
    pub no_provider: Vec<String>,
    /// Pack what has arrived after so many milliseconds.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000),
          help_heading = "What it is gathered from")]
    pub deadline: Option<u64>,
    /// The current context of the rules.
    #[arg(long, value_name = "NAME", help_heading = "What it is gathered from")]
    pub context: Option<String>,
    /// What you are in the middle of, for rules, from a file, or from standard input with `-`.
    #[arg(long, value_name = "FILE", help_heading = "What it is gathered from")]
    pub situation: Option<PathBuf>,
}

impl GatheringArgs {
    /// How many of the inputs are read from standard input.
    pub fn readers_of_stdin(&self) -> usize {
        let is_stdin = |path: &&PathBuf| path.as_path() == Path::new("-");
        let results = self.tool_result.iter().map(|(_, path)| path);
        results.chain(&self.diagnostics).chain(&self.situation).filter(is_stdin).count()
    }

    /// Puts what the flags say into a request.
    pub fn fill(&self, request: &mut Request) -> Result<(), Failure> {
        let read = |path: &Path| files::read_text(path, files::MOST_BYTES);
        let document = |path: &String| Document { path: path.clone(), content: None };
        request.document = self.document.as_ref().map(document);
        request.cursor = self.cursor;
        request.selection.clone_from(&self.selection);
        check_there(&self.open, request.repo.as_deref().unwrap_or(Path::new(".")))?;
        request.open_files = self.open.iter().map(document).collect();
        for (label, path) in &self.tool_result {
            let content = read(path)?;
            request.tool_results.push(ToolResult { label: label.clone(), content });
        }
        for path in &self.diagnostics {
            let name = if path == Path::new("-") {
                "standard input".into()
            } else {
                path.display().to_string()
            };
            request.diagnostics.push(ToolOutput { name, content: read(path)? });
        }
        request.providers.clone_from(&self.provider);
        request.no_providers.clone_from(&self.no_provider);
        request.deadline_ms = self.deadline;
        request.context.clone_from(&self.context);
        request.situation = self.situation.as_deref().map(read).transpose()?;
        Ok(())
    }
}

/// Fails for a file that is named here and is not there: whoever types a name has mistyped it, while
/// an editor may have files open that were deleted. What may not be read is reported by the pack.
fn check_there(paths: &[String], repo: &Path) -> Result<(), Failure> {
    // A folder that is none is told by the engine.
    let Ok(root) = Root::open(repo) else { return Ok(()) };
    for path in paths {
        let found = root.resolve(Path::new(path)).map_err(kitbag::Error::from);
        if let Err(error) = found
            && ["not_found", "not_a_file", "invalid_path"].contains(&error.code())
        {
            return Err(error.into());
        }
    }
    Ok(())
}

fn cursor(text: &str) -> Result<Cursor, String> {
    kitbag::parse_cursor(text).ok_or_else(|| "not a line such as `42` or `42:7`".to_owned())
}

fn selection(text: &str) -> Result<Selection, String> {
    kitbag::parse_selection(text).ok_or_else(|| "not lines such as `10-20`".to_owned())
}

fn labelled(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((label, path)) if !label.trim().is_empty() && !path.is_empty() => {
            Ok((label.trim().to_owned(), path.into()))
        }
        _ => Err("not a label with a file: `LABEL=FILE`".to_owned()),
    }
}

//! The flags for further inputs: documents, diagnostics, results of tools.

use crate::exit::CliError;
use crate::suggested::Suggested;
use crate::{files, repos};
use clap::Args;
use kitbag::{Cursor, Document, Request, Root, Selection, ToolOutput, ToolResult};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(next_help_heading = "Inputs")]
pub struct InputArgs {
    /// Document that is being edited.
    #[arg(long, value_name = "FILE")]
    document: Option<String>,
    /// Position of the cursor in the document: `42` or `42:7`.
    #[arg(long, value_name = "LINE[:COL]", value_parser = parse_cursor, requires = "document")]
    cursor: Option<Cursor>,
    /// Selected lines of the document: `10-20`.
    #[arg(long, value_name = "A-B", value_parser = parse_selection, requires = "document")]
    selection: Option<Selection>,
    /// Open file. Can be repeated.
    #[arg(long, value_name = "FILE")]
    open: Vec<String>,
    /// Output of a tool, from a file, or from standard input with `-`. Can be repeated.
    #[arg(long, value_name = "LABEL=FILE", value_parser = parse_labeled)]
    tool_result: Vec<(String, PathBuf)>,
    /// Output of a compiler, linter or test run: SARIF, JSON of cargo, eslint, ruff, pyright, gcc or
    /// clang, lines of tsc and others, JUnit XML, stack traces. Use `-` for standard input. Can be
    /// repeated.
    #[arg(long, value_name = "FILE")]
    diagnostics: Vec<PathBuf>,
    /// Enable a provider, such as `history` or `style`. Can be repeated.
    #[arg(long, value_name = "ID", value_parser = Suggested::providers(), hide_possible_values = true)]
    provider: Vec<String>,
    /// Put the folders and files of the repository on top, folded to fit in the budget. Same as
    /// `--provider tree`.
    #[arg(long)]
    tree: bool,
    /// Disable a provider. Can be repeated.
    #[arg(long, value_name = "ID", value_parser = Suggested::providers(), hide_possible_values = true)]
    no_provider: Vec<String>,
    /// Time limit in milliseconds, after which the sources gathered so far are packed.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    deadline: Option<u64>,
    /// Current context of the rules.
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Description of the current situation, for rules, from a file, or from standard input with `-`.
    #[arg(long, value_name = "FILE")]
    situation: Option<PathBuf>,
}

impl InputArgs {
    /// The files that are read, where `-` is standard input.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let results = self.tool_result.iter().map(|(_, path)| path);
        results.chain(&self.diagnostics).chain(&self.situation)
    }

    /// The flags that name files of the repository, and whether they are given.
    pub fn names_files(&self) -> [(&'static str, bool); 3] {
        [
            ("--document", self.document.is_some()),
            ("--open", !self.open.is_empty()),
            ("--diagnostics", !self.diagnostics.is_empty()),
        ]
    }

    /// Reads the inputs into a request. Files are resolved against the repository that `--repo` names.
    pub fn apply(&self, repo: Option<&Path>, request: &mut Request) -> Result<(), CliError> {
        let read = |path: &Path| files::read_text(path, files::MAX_BYTES);
        let document = |path: &String| Document { path: repos::file_in(repo, path), content: None };
        request.document = self.document.as_ref().map(document);
        request.cursor = self.cursor;
        request.selection.clone_from(&self.selection);
        request.open_files = self.open.iter().map(document).collect();
        if request.revision.is_none() {
            check_exist(&request.open_files, request.repo.as_deref().unwrap_or(Path::new(".")))?;
        }
        for (label, path) in &self.tool_result {
            let content = read(path)?;
            request.tool_results.push(ToolResult { label: label.clone(), content });
        }
        for path in &self.diagnostics {
            let name = files::input_name(path);
            request.diagnostics.push(ToolOutput { name, content: read(path)? });
        }
        request.providers.clone_from(&self.provider);
        request.providers.extend(self.tree.then(|| "tree".to_owned()));
        request.no_providers.clone_from(&self.no_provider);
        request.deadline_ms = self.deadline;
        request.context.clone_from(&self.context);
        request.situation = self.situation.as_deref().map(read).transpose()?;
        Ok(())
    }
}

/// Fails if an open file does not exist. Editors may have deleted files open, but a missing file on
/// the command line is a typo. Other errors are reported by the pack.
fn check_exist(files: &[Document], repo: &Path) -> Result<(), CliError> {
    // The engine reports an invalid folder.
    let Ok(root) = Root::open(repo) else { return Ok(()) };
    if root.is_bare() {
        return Ok(());
    }
    for Document { path, .. } in files {
        let resolved = root.resolve(Path::new(path)).map_err(kitbag::Error::from);
        if let Err(error) = resolved
            && ["not_found", "not_a_file", "invalid_path"].contains(&error.code())
        {
            return Err(error.into());
        }
    }
    Ok(())
}

fn parse_cursor(text: &str) -> Result<Cursor, String> {
    kitbag::parse_cursor(text).ok_or_else(|| "expected a line such as `42` or `42:7`".to_owned())
}

fn parse_selection(text: &str) -> Result<Selection, String> {
    kitbag::parse_selection(text).ok_or_else(|| "expected lines such as `10-20`".to_owned())
}

fn parse_labeled(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((label, path)) if !label.trim().is_empty() && !path.is_empty() => {
            Ok((label.trim().to_owned(), path.into()))
        }
        _ => Err("expected `LABEL=FILE`".to_owned()),
    }
}

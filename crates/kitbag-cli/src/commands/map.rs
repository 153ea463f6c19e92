//! `kitbag map`.

use super::pack::{print_summary, request_pack};
use crate::args::parse_setting;
use crate::exit::CliError;
use crate::{files, repos};
use clap::Args;
use kitbag::{Request, parse_budget};
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  kitbag map
  kitbag map --repo ~/project --budget 2k
  kitbag map --repo https://github.com/encode/httpx
  kitbag map --include 'src/**' -o overview.md";

#[derive(Debug, Args)]
pub struct MapArgs {
    /// Folder to describe, with or without git, or the URL of a git repository [default: the repository
    /// of the current folder, whose files are preferred].
    #[arg(long, value_name = "DIR|URL")]
    pub repo: Option<PathBuf>,
    /// Branch, tag or commit to describe instead of the work tree [default: the work tree, or `HEAD` in a bare
    /// repository].
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    /// Maximum number of tokens, such as `8000` or `32k` [default: 8,000].
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, allow_negative_numbers = true)]
    budget: Option<usize>,
    /// Model that will read it, such as `gpt-4o`. It determines the tokenizer.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Format of the text: `markdown`, `xml`, `json` or `plain`.
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Describe only files that match this glob, such as `src/**`. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Skip files that match this glob. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Override a setting for this run. Can be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
    /// Print a JSON object with the text and the full report.
    #[arg(long)]
    json: bool,
    /// Write to a file instead of standard output. The file is replaced atomically.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(args: &MapArgs) -> Result<(), CliError> {
    files::check_output(args.output.as_deref())?;
    let repo = args.repo.as_deref();
    let request = Request {
        profile: Some("overview".to_owned()),
        repo: Some(repos::local_folder(repo)?),
        folder: repos::subfolder(repo).map(str::to_owned),
        revision: args.revision.clone(),
        budget: args.budget,
        model: args.model.clone(),
        format: args.format.clone(),
        include: repos::globs_in(repo, &args.include),
        exclude: repos::globs_in(repo, &args.exclude),
        via: "cli",
        tool: "map",
        ..Request::default()
    };
    let packed = request_pack(request, &args.set, false)?;
    let output = match &packed.report.content {
        Some(content) if !args.json => content.clone(),
        _ => files::json(&packed.report),
    };
    files::write(args.output.as_deref(), &output)?;
    print_summary(&packed.report, false);
    Ok(())
}

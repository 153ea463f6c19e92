//! `kitbag export`.

use crate::args::RepoArgs;
use crate::exit::CliError;
use crate::interrupt::cancel_on_interrupt;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{ExportRequest, Format};
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  kitbag export -o context.md
  kitbag export @1 --format xml";

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Pack to render [default: the last].
    #[arg(value_name = "ID")]
    record: Option<String>,
    /// Write to a file instead of standard output. The file is replaced atomically.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Output format, instead of the pack's own.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<Format>,
    /// Text at the beginning. Records do not store it.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    header: Option<String>,
    /// Text at the end. Records do not store it.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    footer: Option<String>,
    /// Leave out chunks that have changed, instead of failing.
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    common: RepoArgs,
}

pub fn run(args: &ExportArgs) -> Result<(), CliError> {
    files::check_output(args.output.as_deref())?;
    let request = ExportRequest {
        repo: Some(args.common.repo().to_owned()),
        record: args.record.clone(),
        format: args.format,
        header: args.header.clone(),
        footer: args.footer.clone(),
        partial: args.partial,
    };
    let cancel = cancel_on_interrupt();
    let engine = engine::open()?;
    let exported = engine::block_on(engine.export(request, &cancel))?;
    let text = if args.common.json { files::json(&exported) } else { exported.content.clone() };
    files::write(args.output.as_deref(), &text)?;
    ui::warnings(&exported.warnings);
    let same = if exported.is_same { ", as packed" } else { "" };
    let tokens = ui::counted(exported.total_tokens, "token");
    ui::note(&format!("rendered {}: {tokens}{same}", exported.id));
    Ok(())
}

fn parse_format(name: &str) -> Result<Format, String> {
    name.parse().map_err(|error: kitbag::UnknownFormat| error.to_string())
}

//! `kitbag export`.

use crate::exit::Failure;
use crate::inspect_args::ExportArgs;
use crate::interrupt::cancel_on_interrupt;
use crate::{files, ui};
use kitbag::ExportRequest;

/// Prints the text of a recorded pack, rendered again from the files.
pub fn export(args: &ExportArgs) -> Result<(), Failure> {
    files::check_output(args.output.as_ref())?;
    let request = ExportRequest {
        repo: Some(args.common.repo.clone()),
        record: args.record.clone(),
        format: args.format,
        header: args.header.clone(),
        footer: args.footer.clone(),
        partial: args.partial,
    };
    let cancel = cancel_on_interrupt();
    let engine = files::engine()?;
    let exported = files::wait_for(engine.export(request, &cancel))?;
    let text = if args.common.json { files::json(&exported) } else { exported.content.clone() };
    files::write(args.output.as_ref(), &text)?;
    ui::warnings(&exported.warnings);
    let same = if exported.is_same { ", as packed" } else { "" };
    let tokens = ui::counted(exported.total_tokens, "token");
    ui::note(&format!("{} rendered again: {tokens}{same}", exported.id));
    Ok(())
}

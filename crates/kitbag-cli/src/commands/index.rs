//! `kitbag index`.

use crate::args::{IndexAction, IndexArgs};
use crate::exit::Failure;
use crate::interrupt::cancel_on_interrupt;
use crate::progress::Progress;
use crate::{files, ui};
use kitbag::{Cancel, Cleared, IndexRefresh, IndexState, IndexStatus};

/// Shows, refreshes or removes the index of a repository.
pub fn index(args: &IndexArgs) -> Result<(), Failure> {
    let cancel = cancel_on_interrupt();
    match args.action.unwrap_or(IndexAction::Status) {
        IndexAction::Status => status(args, &cancel),
        IndexAction::Refresh => refresh(args, &cancel),
        IndexAction::Clear { all } => clear(args, all, &cancel),
    }
}

fn status(args: &IndexArgs, cancel: &Cancel) -> Result<(), Failure> {
    let engine = files::engine()?;
    let status = files::wait_for(engine.index_status(&args.repo, cancel))?;
    let text = if args.json { files::json(&status) } else { table(&status) };
    files::write(None, &text)?;
    if status.indexes.is_empty() {
        ui::note(&format!("there is no index of `{}` yet; a pack makes one", status.repo));
    }
    Ok(())
}

fn table(status: &IndexStatus) -> String {
    let each: Vec<String> = status.indexes.iter().map(lines).collect();
    each.join("\n")
}

/// A line for each thing there is to tell about an index.
fn lines(index: &IndexState) -> String {
    let line = |name: &str, value: &str| ui::line(&format!("{name:<10} {}", ui::visible(value)));
    let number = |number: usize| ui::thousands(number);
    let mut text = String::new();
    text.push_str(&line("folder", &index.folder));
    text.push_str(&line("tokenizer", index.tokenizer));
    text.push_str(&line("size", &ui::size(index.bytes)));
    text.push_str(&line("files", &number(index.files)));
    text.push_str(&line("contents", &number(index.contents)));
    text.push_str(&line("segments", &number(index.segments)));
    text.extend(index.used.map(|used| line("last used", &kitbag::format_time(used))));
    text.extend(index.trouble.as_ref().map(|trouble| line("trouble", trouble)));
    text
}

fn refresh(args: &IndexArgs, cancel: &Cancel) -> Result<(), Failure> {
    let progress = Progress::at_once();
    let engine = progress.tell(files::engine()?);
    let refreshed = files::wait_for(engine.refresh_index(&args.repo, cancel));
    progress.clear();
    let refreshed = refreshed?;
    if args.json {
        files::write(None, &files::json(&refreshed))?;
    }
    let unkept = refreshed.unkept.as_ref();
    for warning in refreshed.warnings.iter().filter(|warning| Some(*warning) != unkept) {
        ui::warning(warning);
    }
    if !args.json {
        ui::note(&told(&refreshed));
    }
    // Nothing else was wanted than an index that is there the next time.
    unkept.map_or(Ok(()), |why| Err(Failure::run(why.as_str(), None)))
}

/// What bringing an index up to date took, on one line.
pub fn told(it: &IndexRefresh) -> String {
    let mut parts = vec![ui::counted(it.files, "file")];
    let counts = [
        (it.unchanged, "unchanged"),
        (it.known, "with known content"),
        (it.analysed, "analysed"),
        (it.not_text, "not text"),
        (it.too_large, "too large"),
        (it.unreadable, "unreadable"),
    ];
    let counts = counts.into_iter().filter(|count| count.0 > 0);
    parts.extend(counts.map(|(count, what)| format!("{} {what}", ui::thousands(count))));
    format!("{}; {}", parts.join(", "), ui::duration(it.ms))
}

fn clear(args: &IndexArgs, all: bool, cancel: &Cancel) -> Result<(), Failure> {
    let engine = files::engine()?;
    let cleared = files::wait_for(async {
        if all {
            engine.clear_all_indexes(cancel).await
        } else {
            engine.clear_index(&args.repo, cancel).await
        }
    })?;
    if args.json {
        files::write(None, &files::json(&cleared))?;
    } else {
        tell(&cleared, args, all);
    }
    match cleared.busy.first() {
        None => Ok(()),
        Some(folder) => {
            let message = format!("another process is writing the index in `{folder}`");
            Err(Failure::run(message, Some("try again in a moment")))
        }
    }
}

fn tell(cleared: &Cleared, args: &IndexArgs, all: bool) {
    for folder in &cleared.removed {
        ui::note(&format!("removed `{}`", ui::visible(folder)));
    }
    if cleared.removed.is_empty() && cleared.busy.is_empty() {
        let repo = if all { "any repository".into() } else { format!("`{}`", args.repo.display()) };
        ui::note(&format!("there is no index of {repo}"));
    }
}

//! `kitbag index push`, `pull`, `gc` and `status --store`.

use super::{IndexArgs, all_done};
use crate::exit::CliError;
use crate::progress::IndexProgress;
use crate::terminal::escaped;
use crate::{engine, files, repos, ui};
use kitbag::{Cancel, IndexGc, IndexPull, IndexPush, NamedRepo, SharedIndexStatus};
use std::path::Path;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);

pub fn push(args: &IndexArgs, revision: Option<&str>, cancel: &Cancel) -> Result<(), CliError> {
    let progress = IndexProgress::immediate();
    let engine = progress.attach(args.engine()?);
    let pushed = progress.block_on(engine.push_index(args.repo(), revision, cancel))?;
    print(args, &pushed, &pushed.warnings, format_push)
}

/// Pushes the repositories in a folder one after the other. What is done is done if one fails.
pub fn push_all(args: &IndexArgs, folder: &Path, cancel: &Cancel) -> Result<(), CliError> {
    let progress = IndexProgress::immediate();
    let engine = progress.attach(args.engine()?);
    let repos = repos::in_folder(folder)?;
    // What is wrong with the store is wrong for all.
    engine::block_on(engine.check_store(cancel))?;
    let mut failed = 0;
    for NamedRepo { name, folder } in repos {
        let push = async { Ok(engine.push_index(&folder, Some("HEAD"), cancel).await) };
        match progress.block_on(push)? {
            Ok(pushed) => {
                pushed.warnings.iter().for_each(|it| ui::warning(&format!("`{name}`: {it}")));
                match args.json {
                    true => files::print_json(&pushed)?,
                    false => ui::note(&format!("{}: {}", escaped(&name), format_push(&pushed))),
                }
            }
            Err(error) if error.is_cancelled() => return Err(error.into()),
            Err(error @ kitbag::Error::UnbornHead { .. }) => {
                ui::note(&format!("{}: nothing to push: {error}", escaped(&name)));
            }
            Err(error) => {
                failed += 1;
                ui::warning(&format!("`{name}` cannot be pushed: {error}"));
            }
        }
    }
    all_done(failed, "cannot be pushed")
}

pub fn pull(args: &IndexArgs, revision: Option<&str>, cancel: &Cancel) -> Result<(), CliError> {
    let progress = IndexProgress::immediate();
    let engine = progress.attach(args.engine()?);
    let pulled = progress.block_on(engine.pull_index(args.repo(), revision, cancel))?;
    print(args, &pulled, &pulled.warnings, format_pull)?;
    ui::warnings(&pulled.problems);
    // An index that could not be saved is useless to this command.
    pulled.unkept.as_ref().map_or(Ok(()), |reason| Err(CliError::run(reason.as_str(), None)))?;
    match pulled.problems.len() {
        0 => Ok(()),
        _ => Err(CliError::run("objects in the store are damaged or missing", None)),
    }
}

pub fn collect(
    args: &IndexArgs,
    days: u32,
    grace_hours: u32,
    cancel: &Cancel,
) -> Result<(), CliError> {
    let (max_age, grace) = (24 * days * HOUR, grace_hours * HOUR);
    let engine = args.engine()?;
    let collected = engine::block_on(engine.collect_store(grace, max_age, cancel))?;
    print(args, &collected, &[], format_gc)?;
    collected.problems.first().map_or(Ok(()), |problem| Err(CliError::run(problem.as_str(), None)))
}

pub fn status(args: &IndexArgs, cancel: &Cancel) -> Result<(), CliError> {
    let engine = args.engine()?;
    let status = engine::block_on(engine.shared_index_status(args.repo(), cancel))?;
    files::print_report(args.json, &status, &status.problems, format_status)
}

/// Prints JSON on standard output, or a summary on standard error.
fn print<T: serde::Serialize>(
    args: &IndexArgs,
    report: &T,
    warnings: &[String],
    format: impl FnOnce(&T) -> String,
) -> Result<(), CliError> {
    ui::warnings(warnings);
    if args.json {
        files::print_json(report)?;
    } else {
        ui::note(&format(report));
    }
    Ok(())
}

fn format_push(it: &IndexPush) -> String {
    let pushed = match it.pushed {
        0 => "nothing to push".to_owned(),
        pushed => format!(
            "pushed {} in {}",
            ui::counted(pushed, "content"),
            ui::counted(it.segments, "segment")
        ),
    };
    let work = format!(
        "{} from the store, {} analyzed",
        ui::thousands(it.pulled),
        ui::thousands(it.analyzed)
    );
    let sent = ui::size(it.traffic.sent);
    format!("{pushed} ({work}), {sent} sent; {}", ui::duration(it.ms))
}

fn format_pull(it: &IndexPull) -> String {
    let pulled = format!(
        "pulled {} of {} missing",
        ui::thousands(it.pulled),
        ui::counted(it.missing, "content")
    );
    let received = ui::size(it.traffic.received);
    let analyzed = ui::thousands(it.analyzed);
    format!("{pulled}, {received} received; {analyzed} analyzed here; {}", ui::duration(it.ms))
}

fn format_gc(it: &IndexGc) -> String {
    format!(
        "indexes: {}; {} in use ({}); deleted {}, {} and {} ({}); {} expired, {} merged",
        ui::thousands(it.indexes),
        ui::counted(it.segments, "segment"),
        ui::size(it.bytes),
        ui::counted(it.deleted_segments, "segment"),
        ui::counted(it.deleted_lists, "list"),
        ui::counted(it.deleted_objects, "other object"),
        ui::size(it.freed_bytes),
        ui::thousands(it.expired),
        ui::thousands(it.merged)
    )
}

fn format_status(it: &SharedIndexStatus) -> String {
    let line = |name: &str, value: &str| ui::line(&format!("{name:<10} {}", escaped(value)));
    let mut text = line("store", &it.store);
    text.push_str(&line("repository", &it.repository));
    text.push_str(&line("encrypted", if it.encrypted { "yes" } else { "no" }));
    text.push_str(&line("size", &ui::size(it.bytes)));
    text.push_str(&line("contents", &ui::thousands(it.contents)));
    text.push_str(&line("segments", &ui::thousands(it.segments)));
    text.push_str(&line("lists", &ui::thousands(it.lists)));
    text
}

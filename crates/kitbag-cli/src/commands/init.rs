//! `kitbag init`.

use crate::args::{ClientArg, InitArgs};
use crate::exit::Failure;
use crate::{files, ui};
use kitbag_mcp::init::{Change, Client, Entry, InitError, Places, Scope};
use serde::Serialize;
use std::path::PathBuf;

/// What was done about a client.
#[derive(Serialize)]
struct Done {
    client: &'static str,
    path: String,
    /// `added`, `changed`, `removed`, `unchanged` or `failed`; with `--dry-run` what would be done.
    action: &'static str,
    diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Writes the entries of clients, or takes them out again.
pub fn init(args: &InitArgs) -> Result<(), Failure> {
    let places = Places::of_user().ok_or_else(|| {
        Failure::usage("the user's folder is not known", Some("set HOME to an absolute path"))
    })?;
    let clients = clients(args, &places);
    if clients.is_empty() {
        let hint = "name one: kitbag init claude-code";
        return Err(Failure::usage("no client was found on this machine", Some(hint)));
    }
    let scope = scope(args)?;
    let entry = entry(args)?;
    let plan = |client: &Client| Change::plan(*client, &places, &scope, &entry, args.undo);
    let plans: Vec<Result<Change, InitError>> = clients.iter().map(plan).collect();
    // Of clients that were named, what is wrong with one is said before another is changed. Those
    // that were found have nothing to do with each other.
    if !args.all && plans.iter().any(Result::is_err) {
        let wrong = plans.into_iter().find_map(Result::err);
        return wrong.map_or(Ok(()), |error| Err(error.into()));
    }
    let (mut done, mut errors) = (Vec::new(), Vec::new());
    for (client, plan) in clients.iter().zip(plans) {
        let applied =
            plan.and_then(
                |change| {
                    if args.dry_run { Ok(change) } else { change.apply().map(|()| change) }
                },
            );
        match applied {
            Ok(change) => done.push(told(&change, args)),
            Err(error) if !args.all => return Err(error.into()),
            Err(error) => {
                done.push(failed(*client, client.file(&places, &scope), &error));
                errors.push(error);
            }
        }
    }
    if args.json {
        files::write(None, &files::json(&serde_json::json!({ "version": 1, "clients": done })))?;
    }
    left(&errors, clients.len())
}

/// Says that some of the clients that were found are as they were.
fn left(errors: &[InitError], clients: usize) -> Result<(), Failure> {
    let message = format!("{} of {clients} clients could not be changed", errors.len());
    match errors {
        [] => Ok(()),
        errors if errors.iter().all(InitError::is_usage) => Err(Failure::usage(message, None)),
        _ => Err(Failure::run(message, None)),
    }
}

fn clients(args: &InitArgs, places: &Places) -> Vec<Client> {
    if args.all {
        return Client::ALL.into_iter().filter(|client| client.is_found(places)).collect();
    }
    let mut clients: Vec<Client> = args.clients.iter().map(|&client| client.into()).collect();
    clients.dedup();
    clients
}

fn scope(args: &InitArgs) -> Result<Scope, Failure> {
    if !args.project {
        return Ok(Scope::User);
    }
    let root = kitbag::Root::open(&args.repo).map_err(kitbag::Error::from)?;
    Ok(Scope::Project(root.path().to_owned()))
}

/// What clients start: this program by its path, since few of them know the shell's; and in a file
/// that others share by its name, since theirs lies elsewhere.
fn entry(args: &InitArgs) -> Result<Entry, Failure> {
    let command = match &args.command {
        Some(command) => command.clone(),
        None if args.project => "kitbag".to_owned(),
        None => {
            let path = std::env::current_exe().map_err(|error| {
                let hint = "name it with --command";
                Failure::run(format!("where this program is, is not known: {error}"), Some(hint))
            })?;
            path.to_string_lossy().into_owned()
        }
    };
    Ok(Entry { command, arguments: vec!["mcp".to_owned()] })
}

/// Shows a change, and says what was done.
fn told(change: &Change, args: &InitArgs) -> Done {
    let action = match (args.undo, change.had_entry) {
        _ if change.is_nothing() => "unchanged",
        (true, _) => "removed",
        (false, true) => "changed",
        (false, false) => "added",
    };
    let diff = change.diff();
    let path = change.path.display().to_string();
    let title = change.client.title();
    if !args.json {
        let said = match action {
            "unchanged" if args.undo => format!("{title}: there is no entry in {path}"),
            "unchanged" => format!("{title}: {path} has the entry already"),
            _ if args.dry_run => format!("{title}: {path} would be changed"),
            "removed" => format!("{title}: the entry was taken out of {path}"),
            _ => format!("{title}: the entry was written to {path}"),
        };
        if !diff.is_empty() {
            ui::note(diff.trim_end());
        }
        ui::note(&said);
    }
    Done { client: title, path, action, diff, error: None }
}

/// Says why a client's file is as it was.
fn failed(client: Client, path: PathBuf, error: &InitError) -> Done {
    ui::error(&format!("{}: {error}", client.title()), error.hint());
    let (path, error) = (path.display().to_string(), Some(error.to_string()));
    Done { client: client.title(), path, action: "failed", diff: String::new(), error }
}

impl From<ClientArg> for Client {
    fn from(client: ClientArg) -> Self {
        match client {
            ClientArg::ClaudeCode => Self::ClaudeCode,
            ClientArg::Cursor => Self::Cursor,
            ClientArg::VsCode => Self::VsCode,
            ClientArg::Zed => Self::Zed,
            ClientArg::Codex => Self::Codex,
            ClientArg::Gemini => Self::Gemini,
            ClientArg::Opencode => Self::Opencode,
        }
    }
}

impl From<InitError> for Failure {
    fn from(error: InitError) -> Self {
        let message = error.to_string();
        if error.is_usage() {
            Self::usage(message, error.hint())
        } else {
            Self::run(message, error.hint())
        }
    }
}

//! `kitbag init`.

use crate::exit::CliError;
use crate::{files, ui};
use clap::{Args, ValueEnum};
use kitbag_mcp::init::{Client, ConfigDirs, ConfigEdit, InitError, Scope, ServerEntry};
use serde::Serialize;
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  kitbag init claude-code
  kitbag init --all --dry-run
  kitbag init vscode --project
  kitbag init cursor --undo";

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Clients to connect.
    #[arg(value_enum, required_unless_present = "all", conflicts_with = "all")]
    clients: Vec<ClientArg>,
    /// Connect all clients that are installed.
    #[arg(long)]
    all: bool,
    /// Write the repository's configuration, which is shared, instead of the user's.
    #[arg(long)]
    project: bool,
    /// Repository for --project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    repo: PathBuf,
    /// Remove the entry.
    #[arg(long)]
    undo: bool,
    /// Print the change without writing it.
    #[arg(long)]
    dry_run: bool,
    /// Program that the client starts [default: the path of this program].
    #[arg(long, value_name = "PATH")]
    command: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClientArg {
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    #[value(name = "vscode")]
    VsCode,
    /// Zed.
    Zed,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
}

/// The change to a client's configuration; with `--dry-run`, the change that would be made.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum InitAction {
    Added,
    Changed,
    Removed,
    Unchanged,
    Failed,
}

/// A client's entry in the JSON report.
#[derive(Serialize)]
struct ClientOutcome {
    client: &'static str,
    path: String,
    action: InitAction,
    diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub fn run(args: &InitArgs) -> Result<(), CliError> {
    let places = ConfigDirs::from_env().ok_or_else(|| {
        CliError::usage("the home folder is unknown", Some("set HOME to an absolute path"))
    })?;
    let clients = clients(args, &places);
    if clients.is_empty() {
        let hint = "name one: kitbag init claude-code";
        return Err(CliError::usage("no client found on this machine", Some(hint)));
    }
    let scope = scope(args)?;
    let entry = entry(args)?;
    let plan = |client: &Client| ConfigEdit::plan(*client, &places, &scope, &entry, args.undo);
    let plans: Vec<Result<ConfigEdit, InitError>> = clients.iter().map(plan).collect();
    // If one of the named clients cannot be changed, none is.
    if !args.all && plans.iter().any(Result::is_err) {
        let error = plans.into_iter().find_map(Result::err);
        return error.map_or(Ok(()), |error| Err(error.into()));
    }
    let (mut outcomes, mut errors) = (Vec::new(), Vec::new());
    for (client, plan) in clients.iter().zip(plans) {
        let apply = |change: ConfigEdit| {
            if args.dry_run { Ok(change) } else { change.apply().map(|()| change) }
        };
        match plan.and_then(apply) {
            Ok(change) => outcomes.push(report_change(&change, args)),
            Err(error) if !args.all => return Err(error.into()),
            Err(error) => {
                outcomes.push(report_error(*client, client.config_file(&places, &scope), &error));
                errors.push(error);
            }
        }
    }
    if args.json {
        files::print_json(&serde_json::json!({ "version": 1, "clients": outcomes }))?;
    }
    if errors.is_empty() {
        return Ok(());
    }
    let message = format!("{} of {} clients could not be changed", errors.len(), clients.len());
    Err(CliError::classified(errors.iter().all(InitError::is_usage), message, None))
}

fn clients(args: &InitArgs, places: &ConfigDirs) -> Vec<Client> {
    if args.all {
        return Client::ALL.into_iter().filter(|client| client.is_installed(places)).collect();
    }
    let mut clients: Vec<Client> = args.clients.iter().map(|&client| client.into()).collect();
    clients.dedup();
    clients
}

fn scope(args: &InitArgs) -> Result<Scope, CliError> {
    if !args.project {
        return Ok(Scope::User);
    }
    let root = kitbag::Root::open(&args.repo).map_err(kitbag::Error::from)?;
    Ok(Scope::Project(root.path().to_owned()))
}

/// The command that clients start: this program's path, since few clients use the shell's `PATH`. A
/// shared file has the name only, since the path differs between machines.
fn entry(args: &InitArgs) -> Result<ServerEntry, CliError> {
    let command = match &args.command {
        Some(command) => command.clone(),
        None if args.project => "kitbag".to_owned(),
        None => {
            let path = std::env::current_exe().map_err(|error| {
                let message = format!("cannot determine the path of this program: {error}");
                CliError::run(message, Some("pass it with --command"))
            })?;
            path.to_string_lossy().into_owned()
        }
    };
    Ok(ServerEntry { command, arguments: vec!["mcp".to_owned()] })
}

/// Prints a change and returns its report.
fn report_change(change: &ConfigEdit, args: &InitArgs) -> ClientOutcome {
    let action = match (args.undo, change.had_entry) {
        _ if change.is_noop() => InitAction::Unchanged,
        (true, _) => InitAction::Removed,
        (false, true) => InitAction::Changed,
        (false, false) => InitAction::Added,
    };
    let diff = change.diff();
    let path = change.path.display().to_string();
    let client = change.client.title();
    if !args.json {
        if !diff.is_empty() {
            ui::note(diff.trim_end());
        }
        ui::note(&match action {
            InitAction::Unchanged if args.undo => format!("{client}: no entry in {path}"),
            InitAction::Unchanged => format!("{client}: entry already in {path}"),
            _ if args.dry_run => format!("{client}: would change {path}"),
            InitAction::Removed => format!("{client}: removed the entry from {path}"),
            _ => format!("{client}: wrote the entry to {path}"),
        });
    }
    ClientOutcome { client, path, action, diff, error: None }
}

/// Prints an error and returns its report.
fn report_error(client: Client, path: PathBuf, error: &InitError) -> ClientOutcome {
    ui::error(&format!("{}: {error}", client.title()), error.hint());
    ClientOutcome {
        client: client.title(),
        path: path.display().to_string(),
        action: InitAction::Failed,
        diff: String::new(),
        error: Some(error.to_string()),
    }
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

impl From<InitError> for CliError {
    fn from(error: InitError) -> Self {
        let hint = error.hint().map(str::to_owned);
        Self::classified(error.is_usage(), error.to_string(), hint)
    }
}

//! `kitbag init`.

mod ask;
mod report;

use crate::exit::CliError;
use crate::{files, process, repos, ui};
use ask::Prompt;
use clap::{Args, ValueEnum};
use kitbag_mcp::init::{Client, ConfigDirs, InitError, Scope, ServerEntry, Setup, SetupPart};
use report::{InitAction, InitOutcome};
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  kitbag init
  kitbag init --yes
  kitbag init claude-code --instructions --agent
  kitbag init vscode --project --dry-run
  kitbag init --all --undo";

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Clients to connect [default: offer every installed client and part].
    #[arg(value_enum, conflicts_with = "all")]
    clients: Vec<ClientArg>,
    /// Connect all installed clients, without asking.
    #[arg(long)]
    all: bool,
    /// Also write instructions for the client's model, such as a section of AGENTS.md.
    #[arg(long)]
    instructions: bool,
    /// Also write a sub-agent that only searches, for clients that have sub-agents.
    #[arg(long)]
    agent: bool,
    /// Write everything that is offered, without asking: entry, instructions and sub-agent.
    #[arg(short, long)]
    yes: bool,
    /// Write the repository's files, which are shared, instead of the user's.
    #[arg(long)]
    project: bool,
    /// Repository for --project [default: that of the current folder].
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Remove the entry, the instructions and the sub-agent.
    #[arg(long)]
    undo: bool,
    /// Print the changes without writing them.
    #[arg(long)]
    dry_run: bool,
    /// Program that the client starts [default: the path of this program].
    #[arg(long, value_name = "PATH")]
    command: Option<String>,
    /// Print JSON, and never ask.
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
    /// Windsurf.
    Windsurf,
    /// Claude Desktop.
    ClaudeDesktop,
}

/// Whether changes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consent {
    Given,
    /// Ask on the terminal before each.
    Ask,
    /// Print them only.
    DryRun,
}

pub fn run(args: &InitArgs) -> Result<(), CliError> {
    let setup = setup(args)?;
    let clients = clients(args, &setup.dirs);
    if clients.is_empty() {
        let hint = "name one: kitbag init claude-code";
        return Err(CliError::usage("no client found on this machine", Some(hint)));
    }
    if !args.clients.is_empty() {
        check_named(args, &setup, &clients)?;
    }
    let consent = args.consent();
    if consent == Consent::Ask {
        ui::note(&introduction(&clients, args.undo));
    }
    let mut session = InitSession::new(args, &setup, consent);
    for &client in &clients {
        for part in args.parts() {
            session.set_up(client, part)?;
        }
    }
    let InitSession { outcomes, errors, .. } = session;
    if args.json {
        let is_dry_run = consent == Consent::DryRun;
        files::print_json(&serde_json::json!({
            "version": 1, "dry_run": is_dry_run, "clients": outcomes,
        }))?;
    } else if consent == Consent::DryRun && !args.dry_run {
        ui::note(&args.advice(outcomes.iter().any(InitOutcome::is_change)));
    } else if consent == Consent::Ask {
        let changed = outcomes.iter().filter(|it| it.is_change()).count();
        ui::note(&format!("\n{}", conclusion(changed, args.undo)));
    }
    if errors.is_empty() {
        return Ok(());
    }
    let mut failed: Vec<&str> =
        outcomes.iter().filter(|it| it.action == InitAction::Failed).map(|it| it.client).collect();
    failed.dedup();
    let message = format!("{} of {} clients could not be changed", failed.len(), clients.len());
    Err(CliError::classified(errors.iter().all(InitError::is_usage), message, None))
}

impl InitArgs {
    /// Whether clients or `--all` say what to write, as opposed to an offer.
    fn is_explicit(&self) -> bool {
        !self.clients.is_empty() || self.all
    }

    fn consent(&self) -> Consent {
        match self.dry_run {
            true => Consent::DryRun,
            false if self.is_explicit() || self.yes => Consent::Given,
            false if !self.json && ask::is_interactive() => Consent::Ask,
            false => Consent::DryRun,
        }
    }

    /// The parts to set up. They are removed in reverse order, so that folders are empty at the end.
    fn parts(&self) -> Vec<SetupPart> {
        if self.undo {
            return SetupPart::ALL.into_iter().rev().collect();
        }
        let is_narrowed = self.instructions || self.agent;
        let is_everything = !is_narrowed && (self.yes || !self.is_explicit());
        let is_wanted = |part: &SetupPart| match part {
            SetupPart::Entry => true,
            SetupPart::Instructions => is_everything || self.instructions,
            SetupPart::Agent => is_everything || self.agent,
        };
        SetupPart::ALL.into_iter().filter(is_wanted).collect()
    }

    /// Returns how to write what was only printed.
    fn advice(&self, has_changes: bool) -> String {
        match (has_changes, self.undo) {
            (false, _) => "nothing to change".to_owned(),
            (true, true) => "nothing was written; add --yes to remove this".to_owned(),
            (true, false) => {
                "nothing was written; add --yes to write this, or --all for the entries alone"
                    .to_owned()
            }
        }
    }
}

/// Returns the text before the first question.
fn introduction(clients: &[Client], undo: bool) -> String {
    let titles: Vec<&str> = clients.iter().map(|client| client.title()).collect();
    let safety = match undo {
        true => "Each file becomes what it was, unless someone else has changed it since.",
        false => {
            "Nothing is written without your consent, and `kitbag init --undo` restores every file."
        }
    };
    format!("Found {}.\n{safety}\nAnswers: {}.", titles.join(", "), ask::ANSWERS)
}

/// Returns the text after the last question.
fn conclusion(changed: usize, undo: bool) -> String {
    match (changed, undo) {
        (0, _) => "Nothing was changed.".to_owned(),
        (_, true) => format!("Restored {}.", ui::counted(changed, "file")),
        (_, false) => {
            let files = ui::counted(changed, "file");
            format!("Changed {files}. Restart the clients to connect them.")
        }
    }
}

fn setup(args: &InitArgs) -> Result<Setup, CliError> {
    let dirs = ConfigDirs::from_env().ok_or_else(|| {
        CliError::usage("the home folder is unknown", Some("set HOME to an absolute path"))
    })?;
    Ok(Setup { dirs, scope: scope(args)?, entry: entry(args)?, undo: args.undo })
}

fn clients(args: &InitArgs, dirs: &ConfigDirs) -> Vec<Client> {
    if args.clients.is_empty() {
        return Client::ALL.into_iter().filter(|client| client.is_installed(dirs)).collect();
    }
    let mut clients: Vec<Client> = args.clients.iter().map(|&client| client.into()).collect();
    clients.dedup();
    clients
}

fn scope(args: &InitArgs) -> Result<Scope, CliError> {
    if !args.project {
        return Ok(Scope::User);
    }
    let root =
        kitbag::Root::open(repos::folder(args.repo.as_deref())).map_err(kitbag::Error::from)?;
    Ok(Scope::Project(root.path().to_owned()))
}

/// The command that clients start: this program's path, since few clients use the shell's `PATH`. A
/// shared file has the name only, since the path differs between machines. A package runner's copy of the program
/// does not stay, so the runner is started again.
fn entry(args: &InitArgs) -> Result<ServerEntry, CliError> {
    let program = || {
        process::program().map_err(|error| {
            let message = format!("cannot determine the path of this program: {error}");
            CliError::run(message, Some("pass it with --command"))
        })
    };
    let mut words = match &args.command {
        Some(command) => vec![command.clone()],
        None => {
            let program = program()?;
            match runner(&program) {
                Some(runner) => runner.iter().copied().map(str::to_owned).collect(),
                None if args.project => vec!["kitbag".to_owned()],
                None => program,
            }
        }
    };
    let command = words.remove(0);
    words.push("mcp".to_owned());
    Ok(ServerEntry { command, arguments: words })
}

/// Returns the package runner that made the copy of a program that runs, if one did.
fn runner(program: &[String]) -> Option<&'static [&'static str]> {
    let mut parts = program.iter().flat_map(|word| word.split(['/', '\\']));
    parts.find_map(|part| match part {
        "_npx" => Some(&["npx", "--yes", "kitbag"][..]),
        // A folder of uv's cache. What `uv tool install` installs is elsewhere.
        "archive-v0" => Some(&["uvx", "kitbag"]),
        _ => None,
    })
}

/// Fails if one of the named clients cannot be changed; none is changed then.
fn check_named(args: &InitArgs, setup: &Setup, clients: &[Client]) -> Result<(), CliError> {
    for &client in clients {
        if setup.file(client, SetupPart::Entry).is_none() {
            let message = format!("{} has no configuration per project", client.title());
            return Err(CliError::usage(message, Some("leave out --project")));
        }
        for part in args.parts() {
            setup.plan(client, part)?;
        }
    }
    Ok(())
}

/// A run over all parts of all clients.
struct InitSession<'a> {
    args: &'a InitArgs,
    setup: &'a Setup,
    consent: Consent,
    prompt: Prompt,
    outcomes: Vec<InitOutcome>,
    errors: Vec<InitError>,
}

impl<'a> InitSession<'a> {
    fn new(args: &'a InitArgs, setup: &'a Setup, consent: Consent) -> Self {
        let prompt = Prompt::default();
        Self { args, setup, consent, prompt, outcomes: Vec::new(), errors: Vec::new() }
    }

    /// Writes or removes a part and reports it. An error ends the run only if the client was named.
    fn set_up(&mut self, client: Client, part: SetupPart) -> Result<(), CliError> {
        let is_narrowed = self.args.is_explicit() && !self.args.undo && !self.args.yes;
        let outcome = match self.change(client, part) {
            Ok(Some(outcome)) => outcome,
            // Only a part that was asked for is worth a line.
            Ok(None) if is_narrowed => InitOutcome::unsupported(client, part),
            Ok(None) => return Ok(()),
            Err(error) if !self.args.clients.is_empty() => return Err(error.into()),
            Err(error) => {
                let outcome = InitOutcome::failed(client, part, self.setup, &error);
                ui::error(&format!("{}: {error}", client.title()), error.hint());
                self.errors.push(error);
                outcome
            }
        };
        if !self.args.json {
            outcome.print(self.args.undo);
        }
        self.outcomes.push(outcome);
        Ok(())
    }

    /// Plans a part, shows the change and writes it if the user agrees. `None` if there is nothing to
    /// report.
    fn change(
        &mut self,
        client: Client,
        part: SetupPart,
    ) -> Result<Option<InitOutcome>, InitError> {
        let Some(edit) = self.setup.plan(client, part)? else { return Ok(None) };
        let action = match (self.args.undo, edit.had_part) {
            _ if edit.is_noop() => InitAction::Unchanged,
            (true, _) => InitAction::Removed,
            (false, true) => InitAction::Changed,
            (false, false) => InitAction::Added,
        };
        let mut outcome = InitOutcome::new(&edit, action, self.consent == Consent::DryRun);
        if !self.args.json && !outcome.diff.is_empty() {
            if self.consent == Consent::Ask {
                ui::note("");
            }
            ui::note(outcome.diff.trim_end());
        }
        if action == InitAction::Unchanged || self.consent == Consent::DryRun {
            return Ok(Some(outcome));
        }
        if self.consent == Consent::Ask && !self.prompt.agrees(&outcome.question(self.args.undo)) {
            outcome.action = InitAction::Declined;
            return Ok(Some(outcome));
        }
        edit.apply()?;
        Ok(Some(outcome))
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
            ClientArg::Windsurf => Self::Windsurf,
            ClientArg::ClaudeDesktop => Self::ClaudeDesktop,
        }
    }
}

impl From<InitError> for CliError {
    fn from(error: InitError) -> Self {
        let hint = error.hint().map(str::to_owned);
        Self::classified(error.is_usage(), error.to_string(), hint)
    }
}

#[cfg(test)]
mod tests {
    use super::runner;

    #[test]
    fn a_package_runner_is_started_again() {
        let started = |program: &str| runner(&[program.to_owned()]).map(|words| words.join(" "));
        let npx = ".npm/_npx/9f9c36b5/node_modules/@kitbag/linux-x64-gnu/kitbag";
        assert_eq!(started(npx).as_deref(), Some("npx --yes kitbag"));
        let npx = r"C:\Users\me\npm-cache\_npx\9f\node_modules\@kitbag\win32-x64\kitbag.exe";
        assert_eq!(started(npx).as_deref(), Some("npx --yes kitbag"));
        let uvx = ".cache/uv/archive-v0/-5B39haZj8TUJFAU/bin/kitbag";
        assert_eq!(started(uvx).as_deref(), Some("uvx kitbag"));
        assert_eq!(started(".local/share/uv/tools/kitbag/bin/kitbag"), None);
        assert_eq!(started(".cargo/bin/kitbag"), None);
    }
}

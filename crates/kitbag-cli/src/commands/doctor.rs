//! `kitbag doctor`.

use crate::args::RepoArgs;
use crate::exit::CliError;
use crate::terminal::escaped;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{Cancel, GitError, Root};
use kitbag_mcp::init::{Client, ConfigDirs, Scope};
use serde::Serialize;
use std::fs;
use std::path::Path;

pub const EXAMPLES: &str = "Examples:
  kitbag doctor
  kitbag doctor --repo ~/project --json";

/// Larger configuration files of clients are not read.
const MAX_CLIENT_FILE_BYTES: u64 = 4 << 20;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    common: RepoArgs,
}

/// Whether something works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckState {
    Ok,
    Warning,
    Problem,
}

/// A part of the setup, its state, and what to do about it.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: CheckState,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, state: CheckState::Ok, detail: detail.into(), hint: None }
    }

    fn warning(name: &'static str, detail: impl Into<String>, hint: &str) -> Self {
        let hint = Some(hint.to_owned());
        Self { name, state: CheckState::Warning, detail: detail.into(), hint }
    }

    fn problem(name: &'static str, detail: impl Into<String>, hint: Option<String>) -> Self {
        Self { name, state: CheckState::Problem, detail: detail.into(), hint }
    }
}

pub fn run(args: &DoctorArgs) -> Result<(), CliError> {
    let repo = args.common.repo();
    let checks: Vec<Check> = [program(), repository(repo), cache()]
        .into_iter()
        .chain(configuration(repo))
        .chain([index(repo), clients()])
        .collect();
    if args.common.json {
        files::print_json(&serde_json::json!({ "version": 1, "checks": checks }))?;
    } else {
        files::print(&checks.iter().map(format_check).collect::<String>())?;
    }
    let problems = checks.iter().filter(|check| check.state == CheckState::Problem).count();
    match problems {
        0 => Ok(()),
        count => Err(CliError::run(ui::counted(count, "problem"), None)),
    }
}

fn format_check(check: &Check) -> String {
    let state = match check.state {
        CheckState::Ok => "ok",
        CheckState::Warning => "warning",
        CheckState::Problem => "problem",
    };
    let mut text = ui::line(&format!("{:<14} {state:<8} {}", check.name, escaped(&check.detail)));
    let hint = check.hint.as_ref();
    text.extend(hint.map(|hint| ui::line(&format!("{:<23} {}", "", escaped(hint)))));
    text
}

fn program() -> Check {
    Check::ok("kitbag", env!("CARGO_PKG_VERSION"))
}

fn repository(repo: &Path) -> Check {
    let root = match Root::open(repo) {
        Ok(root) => root,
        Err(error) => {
            let hint = "name a folder with --repo".to_owned();
            return Check::problem("repository", error.to_string(), Some(hint));
        }
    };
    match kitbag::head_id(&root) {
        Ok(Some(id)) => {
            let short: String = id.to_string().chars().take(9).collect();
            Check::ok("repository", format!("`{}` at {short}", root.path().display()))
        }
        Ok(None) => Check::warning(
            "repository",
            format!("`{}` has no commits", root.path().display()),
            "commit something: history improves the ranking",
        ),
        Err(error @ GitError::NotARepository { .. }) => Check::warning(
            "repository",
            error.to_string(),
            "packs work without git, but without history, `--diff` and tracked hidden files",
        ),
        Err(error @ GitError::NotInstalled { .. }) => {
            Check::warning("repository", error.to_string(), "install git and put it on PATH")
        }
        Err(error) => {
            let hint = kitbag::Error::from(error);
            Check::problem("repository", hint.to_string(), hint.hint())
        }
    }
}

fn cache() -> Check {
    let Some(folder) = engine::cache_folder() else {
        let hint = "set XDG_CACHE_HOME or HOME to an absolute path";
        return Check::warning("cache", "no folder: every run indexes everything", hint);
    };
    let writable = fs::create_dir_all(&folder).and_then(|()| tempfile::tempfile_in(&folder));
    match writable {
        Ok(_) => Check::ok("cache", format!("`{}`", folder.display())),
        Err(error) => {
            let hint = "make it writable, or set XDG_CACHE_HOME";
            Check::warning("cache", format!("cannot write `{}`: {error}", folder.display()), hint)
        }
    }
}

fn configuration(repo: &Path) -> Vec<Check> {
    let name = "configuration";
    let settings = engine::open()
        .and_then(|engine| engine::block_on(engine.settings(repo, None, None, &Cancel::default())));
    match settings {
        Ok((_, warnings)) if warnings.is_empty() => vec![Check::ok(name, "valid")],
        Ok((_, warnings)) => {
            let hint = "`kitbag config show` lists every setting and its origin";
            warnings.into_iter().map(|warning| Check::warning(name, warning, hint)).collect()
        }
        Err(CliError::Configuration(error)) => {
            let problem =
                |it: &kitbag::ConfigProblem| Check::problem(name, it.to_string(), it.hint());
            error.problems.iter().map(problem).collect()
        }
        // The check of the repository reports an invalid folder.
        Err(_) => Vec::new(),
    }
}

fn index(repo: &Path) -> Check {
    let status = engine::open()
        .and_then(|engine| engine::block_on(engine.index_status(repo, &Cancel::default())));
    let Ok(status) = status else {
        return Check::warning("index", "unknown", "see the other checks");
    };
    if let Some(trouble) = status.indexes.iter().find_map(|index| index.trouble.as_ref()) {
        return Check::warning(
            "index",
            trouble,
            "`kitbag index clear` removes it; it is built again",
        );
    }
    match status.indexes.iter().map(|index| index.files).max() {
        Some(count) => Check::ok("index", ui::counted(count, "file")),
        None => Check::ok("index", "none yet; the first pack creates it"),
    }
}

fn clients() -> Check {
    let Some(dirs) = ConfigDirs::from_env() else {
        return Check::warning("clients", "the home folder is unknown", "set HOME");
    };
    let installed = Client::ALL.into_iter().filter(|client| client.is_installed(&dirs));
    let (mut connected, mut others) = (Vec::new(), Vec::new());
    for client in installed {
        // Some clients have only a file per project.
        let Some(file) = client.config_file(&dirs, &Scope::User) else { continue };
        let is_small = fs::metadata(&file).is_ok_and(|it| it.len() <= MAX_CLIENT_FILE_BYTES);
        let text =
            if is_small { fs::read_to_string(&file).unwrap_or_default() } else { String::new() };
        let list = if text.contains("kitbag") { &mut connected } else { &mut others };
        list.push(client.title());
    }
    match (connected.is_empty(), others.is_empty()) {
        (true, true) => Check::ok("clients", "none installed"),
        (_, true) => Check::ok("clients", format!("connected: {}", connected.join(", "))),
        _ => {
            let detail = format!("not connected: {}", others.join(", "));
            Check::warning("clients", detail, "connect them: kitbag init --all")
        }
    }
}

//! `kitbag config`.

use crate::args::parse_setting;
use crate::exit::CliError;
use crate::terminal::escaped;
use crate::{engine, files, repos, ui};
use clap::{Args, Subcommand};
use kitbag::{Cancel, ConfigError, ConfigReport, PROJECT_FILE, config_init};
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub const EXAMPLES: &str = "Examples:
  kitbag config
  kitbag config show context.budget
  kitbag config check
  kitbag config init";

#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    action: Option<ConfigAction>,
    /// Folder of the repository [default: that of the current folder].
    #[arg(long, value_name = "DIR", global = true)]
    repo: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Clone, Subcommand)]
enum ConfigAction {
    /// Show the effective settings and the source of each value (the default).
    #[command(after_help = "Example:\n  kitbag config show context.budget --profile inline-edit")]
    Show {
        /// Show only this setting, or the settings of this section.
        key: Option<String>,
        /// Branch, tag or commit to read the repository's file from, instead of the work tree.
        #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
        revision: Option<String>,
        /// Profile to apply.
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,
        /// Override a setting, such as `context.ranking.min_score=0.2`. Can be repeated.
        #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
        set: Vec<(String, String)>,
    },
    /// List all errors in the configuration.
    #[command(after_help = "Example:\n  kitbag config check --repo ~/project")]
    Check {
        /// Branch, tag or commit to read the repository's file from, instead of the work tree.
        #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
        revision: Option<String>,
    },
    /// Write a configuration file that documents every setting and sets none.
    #[command(after_help = "Example:\n  kitbag config init\n  kitbag config init --user")]
    Init {
        /// Write the user's file instead of the repository's.
        #[arg(long)]
        user: bool,
        /// Replace an existing file.
        #[arg(long)]
        force: bool,
        /// Print the configuration instead of writing it.
        #[arg(long, conflicts_with_all = ["user", "force"])]
        stdout: bool,
    },
}

pub fn run(args: &ConfigArgs) -> Result<(), CliError> {
    match &args.action {
        None => show(args, "", report(args, None, None, &[])?),
        Some(ConfigAction::Show { key, revision, profile, set }) => {
            let report = report(args, revision.as_deref(), profile.as_deref(), set)?;
            show(args, key.as_deref().unwrap_or_default(), report)
        }
        Some(ConfigAction::Check { revision }) => check(args, revision.as_deref()),
        Some(ConfigAction::Init { stdout: true, .. }) => files::print(&config_init()),
        Some(ConfigAction::Init { user, force, .. }) => init(args, *user, *force),
    }
}

fn show(args: &ConfigArgs, key: &str, report: ConfigReport) -> Result<(), CliError> {
    let report = report.only(key).map_err(CliError::Configuration)?;
    files::print_report(args.json, &report, &report.warnings, format_settings)
}

fn check(args: &ConfigArgs, revision: Option<&str>) -> Result<(), CliError> {
    let report = match report(args, revision, None, &[]) {
        Err(CliError::Configuration(error)) if args.json => {
            files::print_json(&problems(&error))?;
            return Err(CliError::Configuration(error));
        }
        report => report?,
    };
    if args.json {
        let ConfigReport { version, files, warnings, .. } = report;
        return files::print_json(&json!({
            "version": version, "ok": true, "files": files, "warnings": warnings, "problems": [],
        }));
    }
    ui::warnings(&report.warnings);
    let files = match report.files.as_slice() {
        [] => "no configuration file found".to_owned(),
        files => files.join(", "),
    };
    ui::note(&format!("no errors: {}", escaped(&files)));
    Ok(())
}

/// The JSON report of an invalid configuration.
fn problems(error: &ConfigError) -> Value {
    let problem = |it: &kitbag::ConfigProblem| json!({"place": it.origin.to_string(), "message": it.kind.to_string(), "hint": it.hint()});
    let problems: Vec<_> = error.problems.iter().map(problem).collect();
    json!({"version": kitbag::CONFIG_VERSION, "ok": false, "problems": problems})
}

fn report(
    args: &ConfigArgs,
    revision: Option<&str>,
    profile: Option<&str>,
    set: &[(String, String)],
) -> Result<ConfigReport, CliError> {
    let engine = engine::open_with(set)?;
    let repo = repos::folder(args.repo.as_deref());
    engine::block_on(engine.config_at(repo, revision, profile, &Cancel::default()))
}

/// Each setting with the source of its value in a comment.
fn format_settings(report: &ConfigReport) -> String {
    let settings: Vec<(String, &str)> = report
        .settings
        .iter()
        .map(|it| (format!("{}: {}", it.key, it.written), it.from.as_str()))
        .collect();
    let width = settings.iter().map(|line| line.0.chars().count()).max().unwrap_or(0);
    let line = |(setting, source): &(String, &str)| {
        let gap = " ".repeat(width - setting.chars().count());
        format!("{}{gap}  # {}\n", escaped(setting), escaped(source))
    };
    settings.iter().map(line).collect()
}

fn init(args: &ConfigArgs, user: bool, force: bool) -> Result<(), CliError> {
    let repo = repos::folder(args.repo.as_deref());
    let path = if user {
        let engine = engine::open()?;
        let hint = Some("set XDG_CONFIG_HOME or HOME");
        let unknown = || CliError::usage("the user's configuration folder is unknown", hint);
        engine.user_config().ok_or_else(unknown)?.to_owned()
    } else {
        kitbag::Root::open(repo).map_err(kitbag::Error::from)?;
        let path = repo.join(PROJECT_FILE);
        path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
    };
    if fs::symlink_metadata(&path).is_ok() && !force {
        let message = format!("`{}` already exists", path.display());
        return Err(CliError::usage(message, Some("use --force to replace it")));
    }
    create_folder(&path, (!user).then_some(repo))?;
    files::write(Some(&path), &config_init())?;
    let path = path.display().to_string();
    if args.json {
        return files::print_json(&json!({"version": kitbag::CONFIG_VERSION, "written": path}));
    }
    ui::note(&format!("wrote `{}`", escaped(&path)));
    Ok(())
}

/// Creates the folder of a file. Links must not lead out of `repo`.
fn create_folder(path: &Path, repo: Option<&Path>) -> Result<(), CliError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let failed = |error: io::Error| {
        CliError::run(format!("cannot create the folder `{}`: {error}", folder.display()), None)
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let Some(repo) = repo else { return Ok(()) };
    let is_inside = |path: &Path| -> io::Result<bool> {
        Ok(fs::canonicalize(path)?.starts_with(fs::canonicalize(repo)?))
    };
    if !is_inside(folder).map_err(failed)? || (path.exists() && !is_inside(path).map_err(failed)?) {
        let message = format!("`{}` links out of the repository", path.display());
        return Err(CliError::usage(message, Some("remove the link")));
    }
    Ok(())
}

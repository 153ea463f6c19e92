//! `kitbag config`.

use crate::args::{ConfigAction, ConfigArgs};
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::{Cancel, ConfigError, ConfigReport, PROJECT_FILE, config_init};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Shows, checks or begins a configuration.
pub fn config(args: &ConfigArgs) -> Result<(), Failure> {
    match &args.action {
        None => show(args, "", None, &[]),
        Some(ConfigAction::Show { key, profile, set }) => {
            show(args, key.as_deref().unwrap_or_default(), profile.as_deref(), set)
        }
        Some(ConfigAction::Check) => check(args),
        Some(ConfigAction::Init { stdout: true, .. }) => files::write(None, &config_init()),
        Some(ConfigAction::Init { user, force, .. }) => init(args, *user, *force),
    }
}

fn show(
    args: &ConfigArgs,
    key: &str,
    profile: Option<&str>,
    set: &[(String, String)],
) -> Result<(), Failure> {
    let report = report(args, profile, set)?.only(key).map_err(Failure::Configuration)?;
    let text = if args.json { files::json(&report) } else { listing(&report) };
    files::write(None, &text)?;
    for warning in &report.warnings {
        ui::warning(warning);
    }
    Ok(())
}

fn check(args: &ConfigArgs) -> Result<(), Failure> {
    let report = match report(args, None, &[]) {
        Err(Failure::Configuration(error)) if args.json => {
            files::write(None, &files::json(&told(&error)))?;
            return Err(Failure::Configuration(error));
        }
        report => report?,
    };
    if args.json {
        let ConfigReport { version, files, warnings, .. } = report;
        let report = json!({
            "version": version, "ok": true, "files": files, "warnings": warnings, "problems": [],
        });
        return files::write(None, &files::json(&report));
    }
    for warning in &report.warnings {
        ui::warning(warning);
    }
    let files = match report.files.as_slice() {
        [] => "there is no configuration file".to_owned(),
        files => files.join(", "),
    };
    ui::note(&format!("nothing is wrong: {}", ui::visible(&files)));
    Ok(())
}

/// What is wrong, as JSON.
fn told(error: &ConfigError) -> serde_json::Value {
    let problem = |it: &kitbag::ConfigProblem| json!({"place": it.place.to_string(), "message": it.fault.to_string(), "hint": it.hint()});
    let problems: Vec<_> = error.problems.iter().map(problem).collect();
    json!({"version": kitbag::CONFIG_VERSION, "ok": false, "problems": problems})
}

fn report(
    args: &ConfigArgs,
    profile: Option<&str>,
    set: &[(String, String)],
) -> Result<ConfigReport, Failure> {
    let engine = files::engine_with(set)?;
    files::wait_for(engine.config(&args.repo, profile, &Cancel::default()))
}

/// A line for each setting: the key, its value, and where that comes from.
fn listing(report: &ConfigReport) -> String {
    let settings: Vec<(String, &str)> = report
        .settings
        .iter()
        .map(|it| (format!("{}: {}", it.key, it.written), it.from.as_str()))
        .collect();
    let width = settings.iter().map(|line| line.0.chars().count()).max().unwrap_or(0);
    let line = |(setting, from): &(String, &str)| {
        let gap = " ".repeat(width - setting.chars().count());
        format!("{}{gap}  # {}\n", ui::visible(setting), ui::visible(from))
    };
    settings.iter().map(line).collect()
}

/// Writes a file to begin with.
fn init(args: &ConfigArgs, user: bool, force: bool) -> Result<(), Failure> {
    let path = if user {
        let engine = files::engine()?;
        let hint = Some("set XDG_CONFIG_HOME or HOME");
        let none = || Failure::usage("there is no folder for the user's configuration", hint);
        engine.user_config().ok_or_else(none)?.to_owned()
    } else {
        kitbag::Root::open(&args.repo).map_err(kitbag::Error::from)?;
        let path = args.repo.join(PROJECT_FILE);
        path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
    };
    if fs::symlink_metadata(&path).is_ok() && !force {
        let message = format!("there is a configuration already: {}", files::shown(&path));
        return Err(Failure::usage(message, Some("replace it with --force")));
    }
    make_folder(&path, (!user).then_some(&args.repo))?;
    files::write(Some(&path), &config_init())?;
    let path = path.display().to_string();
    if args.json {
        let report = json!({"version": kitbag::CONFIG_VERSION, "written": path});
        return files::write(None, &files::json(&report));
    }
    ui::note(&format!("wrote `{}`", ui::visible(&path)));
    Ok(())
}

/// Makes the folder that a file is in. A link in a repository must not lead out of it.
fn make_folder(path: &Path, repo: Option<&PathBuf>) -> Result<(), Failure> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let failed = |error: std::io::Error| {
        Failure::run(format!("cannot make the folder {}: {error}", files::shown(folder)), None)
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let Some(repo) = repo else { return Ok(()) };
    let inside = |path: &Path| -> std::io::Result<bool> {
        Ok(fs::canonicalize(path)?.starts_with(fs::canonicalize(repo)?))
    };
    if !inside(folder).map_err(failed)? || (path.exists() && !inside(path).map_err(failed)?) {
        let message = format!("a link out of the repository: {}", files::shown(path));
        return Err(Failure::usage(message, Some("remove the link")));
    }
    Ok(())
}

//! `kitbag usage`.

use crate::exit::CliError;
use crate::{engine, files, repos, ui};
use clap::Args;
use kitbag::{UsageReport, UsageRow, UsageTotals};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

pub const EXAMPLES: &str = "Examples:
  kitbag usage
  kitbag usage --days 7 --all
  kitbag usage --json";

const SECONDS_PER_DAY: i64 = 86_400;

#[derive(Debug, Args)]
pub struct UsageArgs {
    /// Repository whose calls are counted [default: that of the current folder].
    #[arg(long, value_name = "DIR", conflicts_with = "all")]
    repo: Option<PathBuf>,
    /// Count the calls of all repositories on this machine.
    #[arg(long)]
    all: bool,
    /// Count only the last days; 1 is today, in UTC.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    days: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Sums the recorded calls. Everything is read from this machine, and nothing is sent.
pub fn run(args: &UsageArgs) -> Result<(), CliError> {
    let repo = (!args.all).then(|| repos::folder(args.repo.as_deref()));
    let report = engine::open()?.usage(repo, args.days.map(since))?;
    if args.json {
        return files::print_json(&report);
    }
    ui::warnings(&report.warnings);
    if report.total.calls == 0 {
        ui::note("no calls are recorded");
        return Ok(());
    }
    files::write(None, &text(&report, args.all))
}

/// Returns the beginning of the first of the last `days` days, in seconds since the Unix epoch.
fn since(days: u32) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64;
    now - now.rem_euclid(SECONDS_PER_DAY) - (i64::from(days) - 1) * SECONDS_PER_DAY
}

fn text(report: &UsageReport, all: bool) -> String {
    let mut days = vec![header(&["day", "tool"])];
    days.extend(report.days.iter().map(|row| {
        let labels = vec![row.day.clone().unwrap_or_default(), tool(row)];
        [labels, cells(&row.totals)].concat()
    }));
    let total = vec!["total".to_owned(), String::new()];
    days.push([total, cells(&report.total)].concat());
    let mut text = ui::table(days);
    let has_days = report.days.iter().any(|row| row.day != report.days[0].day);
    if has_days {
        let mut tools = vec![header(&["tool"])];
        tools.extend(report.tools.iter().map(|row| [vec![tool(row)], cells(&row.totals)].concat()));
        text.push('\n');
        text.push_str(&ui::table(tools));
    }
    if report.agents.iter().any(|row| row.agent_id.is_some()) {
        let mut agents = vec![header(&["interface", "agent"])];
        agents.extend(report.agents.iter().map(|row| {
            let agent = row.agent_id.clone().unwrap_or_else(|| "-".to_owned());
            [vec![interface(row), agent], cells(&row.totals)].concat()
        }));
        text.push('\n');
        text.push_str(&ui::table(agents));
    }
    if all {
        text.push('\n');
        text.push_str(&ui::line(&format!("repositories: {}", report.repos.join(", "))));
    }
    text
}

fn header(first: &[&str]) -> Vec<String> {
    let columns = ["calls", "tasks", "tokens", "whole files", "saved"];
    first.iter().chain(&columns).map(|&it| it.to_owned()).collect()
}

fn interface(row: &UsageRow) -> String {
    row.interface.clone().unwrap_or_default()
}

/// Returns the interface and the tool, such as `mcp pack_context`.
fn tool(row: &UsageRow) -> String {
    match &row.tool {
        Some(tool) => format!("{} {tool}", interface(row)),
        None => interface(row),
    }
}

/// Returns the columns of sums. What is unknown is shown as `-`.
fn cells(totals: &UsageTotals) -> Vec<String> {
    let known = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let saved = totals.saved_tokens.map(|saved| match totals.whole_file_tokens {
        Some(whole) if whole > 0 => {
            format!("{saved} ({:.0} %)", saved as f64 / whole as f64 * 100.0)
        }
        _ => saved.to_string(),
    });
    vec![
        totals.calls.to_string(),
        totals.tasks.to_string(),
        totals.tokens.to_string(),
        known(totals.whole_file_tokens.map(|it| it.to_string())),
        known(saved),
    ]
}

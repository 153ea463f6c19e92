//! `kitbag tokens`.

use crate::args::ConfigurationArgs;
use crate::exit::CliError;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{CachedCounter, CounterRegistry, EngineSettings, is_within_one_percent, parse_budget};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const EXAMPLES: &str = "Examples:
  kitbag tokens src/main.rs
  git diff | kitbag tokens -
  kitbag tokens src/main.rs --tokenizer models/qwen3/tokenizer.json --claimed 1200";

/// Longest run of bytes without a break that is counted exactly, which takes a second or two.
const MAX_RUN_BYTES: usize = 4 << 20;

#[derive(Debug, Args)]
pub struct TokensArgs {
    /// Files to count, or `-` for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
    /// Branch, tag or commit to read the files from, instead of the work tree.
    #[arg(long = "ref", value_name = "COMMIT|BRANCH|TAG")]
    revision: Option<String>,
    /// Model whose tokenizer is used [default: as configured].
    #[arg(long, value_name = "NAME", conflicts_with = "tokenizer")]
    model: Option<String>,
    /// Tokenizer: `o200k_base`, `cl100k_base` or the path of a `tokenizer.json`; or an estimate:
    /// `claude`, `claude-4.7`, `gemini`, `characters` or `words`.
    #[arg(long, value_name = "NAME|PATH")]
    tokenizer: Option<String>,
    /// Fail unless the total is within 1 % of this number.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, allow_negative_numbers = true)]
    claimed: Option<usize>,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The count of one file.
#[derive(Serialize)]
struct FileCount {
    path: String,
    tokens: usize,
    #[serde(rename = "cached")]
    is_cached: bool,
}

pub fn run(args: &TokensArgs) -> Result<(), CliError> {
    let settled = engine::settings(&args.configuration, args.revision.as_deref())?;
    let counting = counting(args, &settled)?;
    let mut counts = Vec::new();
    for path in &args.files {
        let repo = args.configuration.repo.as_deref();
        let text = engine::read_text(repo, args.revision.as_deref(), path, files::MAX_BYTES)?;
        check_runs(path, &text, &counting)?;
        let hits = counting.stats().hits;
        let tokens = counting.count(&text);
        let is_cached = counting.stats().hits > hits;
        counts.push(FileCount { path: path.display().to_string(), tokens, is_cached });
    }
    let total: usize = counts.iter().map(|it| it.tokens).sum();
    if args.json {
        files::print_json(&report(args, &counts, total, &counting))?;
    } else {
        files::print(&format_counts(&counts, total, &counting))?;
        if let Some(error) = counting.counter().error_margin() {
            ui::note(&format!("{}: {error}", counting.counter().name()));
        }
    }
    match args.claimed.filter(|&claimed| !is_within_one_percent(total, claimed)) {
        Some(claimed) => {
            let (total, claimed) = (ui::counted(total, "token"), ui::thousands(claimed));
            Err(CliError::run(format!("{total}, not within 1 % of {claimed}"), None))
        }
        None => Ok(()),
    }
}

fn report(
    args: &TokensArgs,
    counts: &[FileCount],
    total: usize,
    counting: &CachedCounter,
) -> Value {
    let counter = counting.counter();
    let mut report = json!({
        "version": 1, "tokenizer": counter.name(), "exact": counter.is_exact(),
        "files": counts, "total_tokens": total, "cache_hit_rate": counting.stats().hit_rate(),
    });
    if let Some(error) = counter.error_margin() {
        report["error"] = error.into();
    }
    if let Some(claimed) = args.claimed {
        report["claimed"] = claimed.into();
        report["within_one_percent"] = is_within_one_percent(total, claimed).into();
    }
    report
}

fn format_counts(counts: &[FileCount], total: usize, counting: &CachedCounter) -> String {
    let counter = counting.counter();
    let exactness = if counter.is_exact() { "exact" } else { "estimated" };
    let row = |it: &FileCount| {
        let cached = if it.is_cached { ", cached" } else { "" };
        let tokenizer = format!("{} ({exactness}{cached})", counter.name());
        vec![it.tokens.to_string(), it.path.clone(), tokenizer]
    };
    let total = (counts.len() > 1).then(|| vec![total.to_string(), "total".into()]);
    ui::table(counts.iter().map(row).chain(total))
}

/// Rejects a text that an exact counter would need minutes and gigabytes for.
fn check_runs(path: &Path, text: &str, counting: &CachedCounter) -> Result<(), CliError> {
    if !counting.counter().is_exact() || !has_run_beyond(text, MAX_RUN_BYTES) {
        return Ok(());
    }
    let bytes = ui::thousands(MAX_RUN_BYTES);
    let name = files::display_name(path);
    let message = format!("{name} has a run of more than {bytes} bytes without a break");
    Err(CliError::usage(message, Some("estimate it with --tokenizer characters")))
}

/// Whether more than `limit` bytes in a row are letters, spaces or punctuation. Tokenizers split a
/// text before they look up tokens, but not within such a run. Digits are always split.
fn has_run_beyond(text: &str, limit: usize) -> bool {
    let is_punctuation = |c: char| c.is_ascii_punctuation() || c.is_ascii_control();
    let (mut run, mut last) = (0, None);
    text.chars().any(|c| {
        let current = (!c.is_numeric()).then(|| (c.is_whitespace(), is_punctuation(c)));
        run = if current.is_some() && current == last { run + c.len_utf8() } else { c.len_utf8() };
        last = current;
        run > limit
    })
}

fn counting(args: &TokensArgs, settled: &EngineSettings) -> Result<Arc<CachedCounter>, CliError> {
    let choice = match (&args.model, &args.tokenizer) {
        (Some(model), _) => {
            let model = kitbag::model(model).map_err(kitbag::Error::from)?;
            model.choice().map_err(kitbag::Error::from)?
        }
        (None, Some(name)) => engine::parse_tokenizer(name)?,
        (None, None) => settled.counter.clone(),
    };
    let counting = CounterRegistry::default().get(&choice, &settled.tokenizer, "");
    Ok(counting.map_err(kitbag::Error::from)?)
}

#[cfg(test)]
mod tests {
    use super::has_run_beyond;

    #[test]
    fn a_run_ends_where_tokenizers_split() {
        for (text, longest) in [("ab cde --=--  f", 5), ("1234567", 1), ("日本語 ab", 9)] {
            assert!(has_run_beyond(text, longest - 1) && !has_run_beyond(text, longest), "{text}");
        }
        assert!(!has_run_beyond("", 0));
    }
}

//! `kitbag tokens`.

use crate::args::TokensArgs;
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::{Counting, Countings, Settled, is_within_one_percent};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The longest run of bytes without a break that is counted exactly: a second or two.
const LONGEST_RUN: usize = 4 << 20;

/// Prints the tokens of each file, and of all together.
pub fn tokens(args: &TokensArgs) -> Result<(), Failure> {
    let settled = files::settled(&args.configured)?;
    let counting = counting(args, &settled)?;
    let mut rows: Vec<(String, usize, bool)> = Vec::new();
    for path in &args.files {
        let text =
            files::read_text(&files::within(&args.configured.repo, path), files::MOST_BYTES)?;
        check_runs(path, &text, &counting)?;
        let hits = counting.stats().hits;
        let tokens = counting.count(&text);
        rows.push((path.display().to_string(), tokens, counting.stats().hits > hits));
    }
    let total: usize = rows.iter().map(|row| row.1).sum();
    if args.json {
        files::write(None, &format!("{:#}\n", report(args, &rows, total, &counting)))?;
    } else {
        files::write(None, &listing(&rows, total, &counting))?;
        if let Some(error) = counting.counter().error() {
            ui::note(&format!("{}: {error}", counting.counter().name()));
        }
    }
    match args.claimed.filter(|&claimed| !is_within_one_percent(total, claimed)) {
        Some(claimed) => {
            let (total, claimed) = (ui::counted(total, "token"), ui::thousands(claimed));
            Err(Failure::run(format!("{total}, which is not within 1 % of {claimed}"), None))
        }
        None => Ok(()),
    }
}

fn report(
    args: &TokensArgs,
    rows: &[(String, usize, bool)],
    total: usize,
    counting: &Counting,
) -> Value {
    let counter = counting.counter();
    let each: Vec<_> = rows
        .iter()
        .map(|(path, tokens, cached)| json!({"path": path, "tokens": tokens, "cached": cached}))
        .collect();
    let mut report = json!({
        "version": 1, "tokenizer": counter.name(), "exact": counter.is_exact(),
        "files": each, "total_tokens": total, "cache_hit_rate": counting.stats().hit_rate(),
    });
    if let Some(error) = counter.error() {
        report["error"] = error.into();
    }
    if let Some(claimed) = args.claimed {
        report["claimed"] = claimed.into();
        report["within_one_percent"] = is_within_one_percent(total, claimed).into();
    }
    report
}

fn listing(rows: &[(String, usize, bool)], total: usize, counting: &Counting) -> String {
    let counter = counting.counter();
    let how = if counter.is_exact() { "exact" } else { "an estimate" };
    let line = |tokens: usize, path: &str, cached: bool| {
        let cached = if cached { ", cached" } else { "" };
        vec![tokens.to_string(), path.to_owned(), format!("{} ({how}{cached})", counter.name())]
    };
    let mut table: Vec<Vec<String>> =
        rows.iter().map(|(path, tokens, cached)| line(*tokens, path, *cached)).collect();
    if rows.len() > 1 {
        table.push(vec![total.to_string(), "total".into()]);
    }
    ui::table(&table)
}

/// Refuses a text that an exact counter would need minutes and gigabytes for.
fn check_runs(path: &Path, text: &str, counting: &Counting) -> Result<(), Failure> {
    if !counting.counter().is_exact() || !has_run_beyond(text, LONGEST_RUN) {
        return Ok(());
    }
    let bytes = ui::thousands(LONGEST_RUN);
    let message =
        format!("a run of more than {bytes} bytes without a break: {}", files::shown(path));
    Err(Failure::usage(message, Some("estimate it with --tokenizer characters")))
}

/// Whether more than `most` bytes in a row are letters, or spaces, or signs: vocabularies cut a
/// text before they look for tokens in it, but not within such a run. Digits are always cut.
fn has_run_beyond(text: &str, most: usize) -> bool {
    let class = |c: char| match c {
        c if c.is_whitespace() => Class::Space,
        c if c.is_ascii_punctuation() || c.is_ascii_control() => Class::Sign,
        c if c.is_numeric() => Class::Digit,
        _ => Class::Letter,
    };
    let (mut run, mut last) = (0, Class::Digit);
    text.chars().any(|c| {
        let now = class(c);
        run = if now == last && now != Class::Digit { run + c.len_utf8() } else { c.len_utf8() };
        last = now;
        run > most
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Sign,
    Digit,
    Letter,
}

fn counting(args: &TokensArgs, settled: &Settled) -> Result<Arc<Counting>, Failure> {
    let choice = match (&args.model, &args.tokenizer) {
        (Some(model), _) => {
            let model = kitbag::model(model).map_err(kitbag::Error::from)?;
            model.choice().map_err(kitbag::Error::from)?
        }
        (None, Some(name)) => files::tokenizer(name)?,
        (None, None) => settled.counter.clone(),
    };
    let counting = Countings::default().get(&choice, &settled.tokenizer, "");
    Ok(counting.map_err(kitbag::Error::from)?)
}

#[cfg(test)]
mod tests {
    use super::has_run_beyond;

    #[test]
    fn a_run_ends_where_vocabularies_cut() {
        for (text, longest) in [("ab cde --=--  f", 5), ("1234567", 1), ("日本語 ab", 9)] {
            assert!(has_run_beyond(text, longest - 1) && !has_run_beyond(text, longest), "{text}");
        }
        assert!(!has_run_beyond("", 0));
    }
}

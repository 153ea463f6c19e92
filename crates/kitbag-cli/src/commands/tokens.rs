//! `kitbag tokens`.

use crate::args::TokensArgs;
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::{Counting, Estimator, Vocabulary};
use serde_json::json;

/// Prints the tokens of each file, and of all together.
pub fn tokens(args: &TokensArgs) -> Result<(), Failure> {
    let counting = counting(args)?;
    let mut rows: Vec<(String, usize, bool)> = Vec::new();
    for path in &args.files {
        let text = files::read_text(path)?;
        let hits = counting.stats().hits;
        let tokens = counting.count(&text);
        rows.push((path.display().to_string(), tokens, counting.stats().hits > hits));
    }
    let total: usize = rows.iter().map(|row| row.1).sum();
    let counter = counting.counter();
    if args.json {
        let each: Vec<_> = rows
            .iter()
            .map(|(path, tokens, cached)| json!({"path": path, "tokens": tokens, "cached": cached}))
            .collect();
        let report = json!({
            "version": 1, "tokenizer": counter.name(), "exact": counter.is_exact(),
            "files": each, "total_tokens": total, "cache_hit_rate": counting.stats().hit_rate(),
        });
        return files::write(None, &format!("{report:#}\n"));
    }
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
    files::write(None, &ui::table(&table))
}

fn counting(args: &TokensArgs) -> Result<Counting, Failure> {
    let name = match (&args.model, &args.tokenizer) {
        (Some(model), _) => kitbag::model(model).map_err(kitbag::Error::from)?.counter.to_owned(),
        (None, Some(name)) => name.clone(),
        (None, None) => Vocabulary::O200kBase.name().to_owned(),
    };
    Counting::named(&name).ok_or_else(|| {
        let known = Vocabulary::ALL.map(Vocabulary::name).join("`, `");
        let estimators = Estimator::ALL.map(|e| kitbag::TokenCounter::name(&e).to_owned()).join("`, `");
        let hint = format!("there are `{known}`, `{estimators}`");
        Failure::usage(format!("unknown tokenizer `{name}`"), Some(&hint))
    })
}

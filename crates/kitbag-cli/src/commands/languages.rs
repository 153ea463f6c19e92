//! `kitbag languages`.

use crate::args::ConfigurationArgs;
use crate::exit::CliError;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{ChunkLimits, ChunkStrategy, Language};
use serde_json::json;

#[derive(Debug, Args)]
pub struct LanguagesArgs {
    #[command(flatten)]
    configuration: ConfigurationArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &LanguagesArgs) -> Result<(), CliError> {
    let limits = engine::settings(&args.configuration, None)?.settings.chunking;
    let languages = kitbag::languages();
    if args.json {
        let to_json = |it: &Language| {
            json!({"name": it.name(), "fence": it.fence(), "split": strategy_name(it, &limits),
                   "grammar": it.has_grammar(), "endings": it.extensions().collect::<Vec<_>>()})
        };
        let languages: Vec<_> = languages.iter().map(to_json).collect();
        return files::print_json(&json!({"version": 1, "languages": languages}));
    }
    let row = |language: &Language| {
        let endings = language.extensions().collect::<Vec<_>>().join(" ");
        vec![language.name().to_owned(), strategy_name(language, &limits).to_owned(), endings]
    };
    files::print(&ui::table(languages.iter().map(row)))
}

/// How files of a language are split under `limits`.
fn strategy_name(language: &Language, limits: &ChunkLimits) -> &'static str {
    let strategy = limits.languages.get(language.name()).unwrap_or(&limits.strategy);
    match (strategy, language.has_grammar(), language.has_structure()) {
        (ChunkStrategy::Tokens, _, _) => "tokens",
        (ChunkStrategy::Structure, true, _) => "grammar",
        (ChunkStrategy::Structure, false, true) => "headings",
        _ => "lines",
    }
}

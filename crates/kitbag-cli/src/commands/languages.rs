//! `kitbag languages`.

use crate::args::LanguagesArgs;
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::{ChunkLimits, Cut, Language};
use serde_json::json;

/// Prints the languages that are built in, and how they are cut.
pub fn languages(args: &LanguagesArgs) -> Result<(), Failure> {
    let limits = files::settled(&args.configured)?.settings.chunking;
    let how = |language: &Language| how(language, &limits);
    let languages = kitbag::languages();
    if args.json {
        let each: Vec<_> = languages
            .iter()
            .map(|language| {
                json!({"name": language.name(), "fence": language.fence(), "cut": how(language),
                       "grammar": language.has_grammar(), "endings": language.endings()})
            })
            .collect();
        return files::write(None, &format!("{:#}\n", json!({"version": 1, "languages": each})));
    }
    let row = |language: &Language| {
        let endings = language.endings().join(" ");
        vec![language.name().to_owned(), how(language).to_owned(), endings]
    };
    files::write(None, &ui::table(&languages.iter().map(row).collect::<Vec<_>>()))
}

/// How a language is cut, as it is configured.
fn how(language: &Language, limits: &ChunkLimits) -> &'static str {
    let cut = limits.languages.get(language.name()).unwrap_or(&limits.cut);
    match (cut, language.has_grammar(), language.has_structure()) {
        (Cut::Tokens, _, _) => "tokens",
        (Cut::Structure, true, _) => "grammar",
        (Cut::Structure, false, true) => "headings",
        _ => "lines",
    }
}

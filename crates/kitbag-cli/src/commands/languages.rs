//! `kitbag languages`.

use crate::args::LanguagesArgs;
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::Language;
use serde_json::json;

/// Prints the languages that are built in.
pub fn languages(args: &LanguagesArgs) -> Result<(), Failure> {
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

fn how(language: &Language) -> &'static str {
    match (language.has_grammar(), language.has_structure()) {
        (true, _) => "grammar",
        (false, true) => "headings",
        (false, false) => "lines",
    }
}

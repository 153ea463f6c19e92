//! Identifiers and files that a title names, as written: `FrobnicatorService`, `src/login.py`.

use super::lines::TaskLine;
use super::terms::is_compound;
use kitbag_text::{Language, identifiers};

/// Maximum number of names.
const MAX_NAMED: usize = 20;

/// Returns the distinct names in a title.
pub(super) fn named(title: &TaskLine) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if found.len() < MAX_NAMED && !found.iter().any(|it| it == name) {
            found.push(name.to_owned());
        }
    };
    for (at, run) in title.text.split('`').enumerate() {
        let is_quoted = at % 2 == 1;
        for word in run.split_whitespace() {
            let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
            if word.contains("://") || word.starts_with("www.") {
                continue;
            }
            if word.contains('.') && Language::for_path(word, None).is_some() {
                add(word);
                continue;
            }
            let names = identifiers(word).filter(|name| name.len() > 3);
            names.filter(|name| is_quoted || is_compound(name)).for_each(&mut add);
        }
    }
    found
}

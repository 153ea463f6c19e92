//! Similar names, for a name that is not defined.

use super::name::SymbolName;
use kitbag_index::IndexView;
use rustc_hash::FxHashMap;

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 5;

/// Least similarity of a suggestion, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.6;

/// Maximum number of chunks whose names are compared.
const MAX_CHUNKS: usize = 200_000;

/// Returns the defined names that are most similar, best first.
pub fn similar(name: &SymbolName, view: &IndexView) -> Vec<String> {
    let wanted = normalized(&name.base);
    let mut best: FxHashMap<String, f64> = FxHashMap::default();
    let mut chunks = 0;
    for file in 0..view.files().len() {
        let Some(doc) = view.stored_doc(file) else { continue };
        chunks += doc.chunks.len();
        if chunks > MAX_CHUNKS {
            break;
        }
        for symbol in doc.chunks.iter().flat_map(|chunk| &chunk.defines) {
            // Headings are not names.
            let is_name = !symbol.contains(char::is_whitespace);
            let Some(own) = SymbolName::parse(symbol).filter(|_| is_name) else { continue };
            let similarity = similarity(&wanted, &normalized(&own.base));
            if similarity >= MIN_SIMILARITY {
                best.insert(symbol.clone(), similarity);
            }
        }
    }
    let mut found: Vec<(String, f64)> = best.into_iter().collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.into_iter().take(MAX_SUGGESTIONS).map(|(symbol, _)| symbol).collect()
}

/// Returns a name in lower case without underscores, so that `getUser` equals `get_user`.
fn normalized(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

fn similarity(a: &str, b: &str) -> f64 {
    // A difference in length bounds the similarity, and is cheap to compute.
    let (short, long) = (a.len().min(b.len()) as f64, a.len().max(b.len()) as f64);
    if long == 0.0 || short / long < MIN_SIMILARITY / 2.0 {
        return 0.0;
    }
    let contained = if short >= 4.0 && (a.contains(b) || b.contains(a)) { 0.7 } else { 0.0 };
    strsim::normalized_damerau_levenshtein(a, b).max(contained)
}

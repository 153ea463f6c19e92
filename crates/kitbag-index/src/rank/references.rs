//! References between candidates: a name that few chunks have, defined in one file and used in
//! another. Matching files and tests vote for other files along these references.

use super::paths::file_stem;
use crate::record::split_symbol;
use crate::segment::StoredDoc;
use crate::terms::word_id;
use crate::view::IndexView;
use kitbag_text::is_stop_word;
use rustc_hash::FxHashMap;

/// Names in more chunks than this are too common to follow.
const MAX_USES: usize = 150;
/// Names defined by more candidates than this are ambiguous.
const MAX_DEFINERS: usize = 4;
/// Maximum number of names followed per file.
const MAX_NAMES_PER_FILE: usize = 80;

/// A chunk as the index of its candidate and its index in the file.
pub(super) type ChunkPlace = (u32, u32);

/// Uses of names that candidates define.
#[derive(Default)]
pub(super) struct References {
    /// From one file to another.
    pub between_files: Vec<NameReference>,
    /// From one chunk of a file to another.
    pub within_files: Vec<NameReference>,
}

/// A use in one chunk of a name that another chunk defines.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameReference {
    pub user: ChunkPlace,
    pub definer: ChunkPlace,
    /// Higher for rarer names.
    pub weight: f32,
}

/// Finds the references between some files, the candidates.
pub(super) fn references(
    view: &IndexView,
    files: &[usize],
    docs: &[Option<StoredDoc>],
) -> References {
    let candidates: FxHashMap<u32, u32> =
        files.iter().enumerate().map(|(at, &file)| (file as u32, at as u32)).collect();
    let mut references = References::default();
    for (id, definers) in definers(view, files, docs) {
        if definers.len() > MAX_DEFINERS {
            continue;
        }
        let Some(postings) = view.postings_up_to(id, MAX_USES) else { continue };
        let users: Vec<ChunkPlace> = postings
            .iter()
            .filter_map(|(file, posting)| Some((*candidates.get(file)?, posting.chunk)))
            .collect();
        let weight = 1.0 / (1.0 + postings.len() as f32).ln().max(0.7) / definers.len() as f32;
        for &definer in &definers {
            for &user in users.iter().filter(|user| **user != definer) {
                let list = if user.0 == definer.0 {
                    &mut references.within_files
                } else {
                    &mut references.between_files
                };
                list.push(NameReference { user, definer, weight });
            }
        }
    }
    references
}

/// Returns the chunks that define each name, one per file, in the order of the names' first
/// definition.
fn definers(
    view: &IndexView,
    files: &[usize],
    docs: &[Option<StoredDoc>],
) -> Vec<(u32, Vec<ChunkPlace>)> {
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    let mut definers: Vec<(u32, Vec<ChunkPlace>)> = Vec::new();
    for (candidate, doc) in docs.iter().enumerate() {
        let Some(doc) = doc else { continue };
        for (id, chunk) in defined_names(&view.files()[files[candidate]].path, doc) {
            let place = *places.entry(id).or_insert_with(|| {
                definers.push((id, Vec::new()));
                definers.len() - 1
            });
            let of_name = &mut definers[place].1;
            if of_name.last().is_none_or(|last| last.0 != candidate as u32) {
                of_name.push((candidate as u32, chunk));
            }
        }
    }
    definers
}

/// Returns the ids of the names that a file defines with their chunks: its symbols and its own name.
fn defined_names(path: &str, doc: &StoredDoc) -> Vec<(u32, u32)> {
    let symbols = doc.chunks.iter().enumerate().flat_map(|(at, chunk)| {
        chunk.defines.iter().map(move |symbol| (split_symbol(symbol).0.to_lowercase(), at as u32))
    });
    let is_distinctive =
        |name: &str| name.len() >= 4 && !is_stop_word(name) && name != "init" && name != "index";
    symbols
        .chain(std::iter::once((file_stem(path).to_lowercase(), 0)))
        .map(|(name, at)| (name.trim_matches('_').to_owned(), at))
        .filter(|(name, _)| is_distinctive(name))
        .take(MAX_NAMES_PER_FILE)
        .map(|(name, at)| (word_id(&name), at))
        .collect()
}

//! Who uses what whom defines: references between the files that were found.
//!
//! A name that few files have, defined in one file and used in another, is an edge from the user to
//! the definer. Files that matched vote along the edges, tests too.

use crate::record::name_of;
use crate::segment::Forward;
use crate::terms::word_id;
use crate::view::View;
use kitbag_text::is_common;
use rustc_hash::FxHashMap;

/// Names that more chunks have are everywhere and say nothing.
const MOST_USES: usize = 150;
/// Only so many names of a file are followed.
const MOST_NAMES: usize = 80;

/// A use of a name: by a chunk of one file, of what a chunk of another defines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    /// The places of the files among those that were found, and of the chunks in them.
    pub user: (u32, u32),
    pub definer: (u32, u32),
    /// How telling the name is.
    pub weight: f32,
}

/// The uses of each other's names among some files.
pub(crate) fn uses(view: &View, files: &[usize], forwards: &[Option<Forward>]) -> Vec<Use> {
    let places: FxHashMap<u32, u32> =
        files.iter().enumerate().map(|(place, &file)| (file as u32, place as u32)).collect();
    let mut definers: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
    let mut order: Vec<u32> = Vec::new();
    for (place, forward) in forwards.iter().enumerate() {
        let Some(forward) = forward else { continue };
        for (id, chunk) in names(&view.files()[files[place]].path, forward) {
            let of_name = definers.entry(id).or_insert_with(|| {
                order.push(id);
                Vec::new()
            });
            if of_name.last().is_none_or(|last| last.0 != place as u32) {
                of_name.push((place as u32, chunk));
            }
        }
    }
    let mut uses = Vec::new();
    for id in order {
        let of_name = &definers[&id];
        if of_name.len() > 4 {
            continue;
        }
        let Some(postings) = view.few_postings(id, MOST_USES) else { continue };
        let users: Vec<(u32, u32)> = postings
            .iter()
            .filter_map(|(file, posting)| Some((*places.get(file)?, posting.chunk)))
            .collect();
        let weight = 1.0 / (1.0 + postings.len() as f32).ln().max(0.7) / of_name.len() as f32;
        for &definer in of_name {
            let others = users.iter().filter(|user| user.0 != definer.0);
            uses.extend(others.map(|&user| Use { user, definer, weight }));
        }
    }
    uses
}

/// The names that a file defines, and the chunk of each: its symbols, and its own name.
fn names(path: &str, forward: &Forward) -> Vec<(u32, u32)> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let stem = file_name.split('.').next().unwrap_or(file_name).to_lowercase();
    let symbols = forward.chunks.iter().enumerate().flat_map(|(at, chunk)| {
        chunk.defines.iter().map(move |symbol| (name_of(symbol).0.to_lowercase(), at as u32))
    });
    let telling =
        |name: &str| name.len() >= 4 && !is_common(name) && name != "init" && name != "index";
    symbols
        .chain(std::iter::once((stem, 0)))
        .map(|(name, at)| (name.trim_matches('_').to_owned(), at))
        .filter(|(name, _)| telling(name))
        .take(MOST_NAMES)
        .map(|(name, at)| (word_id(&name), at))
        .collect()
}

//! The files and definitions that the rest of a repository depends on most.

use super::pagerank::{Edge, pagerank};
use super::{ChunkPlace, last_name, name_id};
use crate::file_kind::FileKind;
use crate::history::CommitHistory;
use crate::view::IndexView;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Names that more chunks contain are words of the language or of the project, not references.
const MAX_MENTIONS: usize = 3_000;
/// Names that more chunks define, such as `new`, say nothing about any of them.
const MAX_DEFINITIONS: usize = 10;
/// Shorter names collide with variables.
const MIN_NAME_CHARS: usize = 4;

/// Time in which the weight of a commit halves.
const HALF_LIFE_SECONDS: f64 = 365.0 * 86_400.0;

/// Activity of a file that no known commit touched.
const BASE_ACTIVITY: f64 = 0.3;

/// The importance of files and definitions.
#[derive(Debug, Clone, Default)]
pub struct Centrality {
    /// Importance of each file of the view; together they are at most 1.
    pub files: Vec<f64>,
    /// Definitions, the most important first.
    pub symbols: Vec<CentralSymbol>,
}

/// A definition and its importance.
#[derive(Debug, Clone, PartialEq)]
pub struct CentralSymbol {
    /// The chunk that defines it.
    pub place: ChunkPlace,
    /// Symbol path, such as `UserService.get_user`.
    pub symbol: String,
    /// The share of its file's importance that is due to it.
    pub importance: f64,
}

/// The places that define a name.
struct DefinedName {
    id: u32,
    /// Chunks and symbol paths, in the order of the files.
    definitions: Vec<(ChunkPlace, String)>,
    weight: f64,
}

/// References from a file to a name.
struct Reference {
    from: u32,
    /// Position of the name among the defined names.
    name: u32,
    weight: f64,
}

impl Centrality {
    /// Computes the importance of the code of a view at the time `now`.
    ///
    /// The importance of a file is the geometric mean of its PageRank and its size, times the number of
    /// commits that touched it, where old ones count less. The ten files that PageRank alone puts first had
    /// 30 % of the changes of the next 100 commits of twenty projects, the largest 41 %, those of this
    /// formula 45 % (docs/guides/overview.md).
    pub fn of(view: &IndexView, history: &CommitHistory, now: i64) -> Self {
        let names = defined_names(view);
        let references = references(view, &names);
        let edges = edges(&names, &references);
        let mut files = pagerank(view.files().len(), &edges);
        for (rank, file) in files.iter_mut().zip(view.files()) {
            let words: u64 = view.chunk_lengths(file).iter().map(|&it| u64::from(it)).sum();
            let is_code = file.kind == FileKind::Code;
            let mean = (*rank * words as f64).sqrt();
            *rank = if is_code { mean * activity(history, &file.path, now) } else { 0.0 };
        }
        let sum: f64 = files.iter().sum();
        files.iter_mut().for_each(|it| *it /= sum.max(f64::MIN_POSITIVE));
        let symbols = symbols(&names, &references, &files);
        Self { files, symbols }
    }
}

/// Returns the number of commits that touched a file, each weighted by its age, and a little more.
fn activity(history: &CommitHistory, path: &str, now: i64) -> f64 {
    let commits = history.path_id(path).map_or(&[][..], |id| history.touching(id));
    let weight = |&at: &u32| {
        let age = (now - history.commits()[at as usize].time).max(0);
        0.5f64.powf(age as f64 / HALF_LIFE_SECONDS)
    };
    BASE_ACTIVITY + commits.iter().map(weight).sum::<f64>()
}

/// Returns the names that code defines, sorted by id.
fn defined_names(view: &IndexView) -> Vec<DefinedName> {
    let is_code = |&file: &usize| view.files()[file].kind == FileKind::Code;
    let files: Vec<usize> = (0..view.files().len()).filter(is_code).collect();
    let definitions = files.par_iter().map(|&file| {
        let chunks = view.stored_doc(file).map(|doc| doc.chunks).unwrap_or_default();
        let mut found = Vec::new();
        for (chunk, it) in chunks.into_iter().enumerate() {
            // Only the first part of a split item has its signature.
            if it.part.is_some_and(|part| part.number > 1) {
                continue;
            }
            for symbol in it.defines {
                found.push((ChunkPlace { file, chunk }, symbol));
            }
        }
        found
    });
    let definitions: Vec<Vec<(ChunkPlace, String)>> = definitions.collect();
    let mut by_id: FxHashMap<u32, Vec<(ChunkPlace, String)>> = FxHashMap::default();
    for (place, symbol) in definitions.into_iter().flatten() {
        let name = last_name(&symbol);
        if name.chars().count() < MIN_NAME_CHARS {
            continue;
        }
        if let Some(id) = name_id(name) {
            by_id.entry(id).or_default().push((place, symbol));
        }
    }
    let mut names: Vec<DefinedName> = by_id
        .into_iter()
        .filter(|(_, definitions)| definitions.len() <= MAX_DEFINITIONS)
        .map(|(id, definitions)| {
            let weight = name_weight(last_name(&definitions[0].1)) / definitions.len() as f64;
            DefinedName { id, definitions, weight }
        })
        .collect();
    names.sort_unstable_by_key(|name| name.id);
    names
}

/// Weighs a name by how likely it is that a mention of it refers to its definition: compound names are
/// hardly ever ordinary words, and those in lowercase are often variables.
fn name_weight(name: &str) -> f64 {
    let is_compound = name.trim_matches('_').contains('_')
        || name
            .chars()
            .zip(name.chars().skip(1))
            .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let by_form = match (is_compound, name.starts_with(char::is_uppercase)) {
        (true, _) => 3.0,
        (false, true) => 1.0,
        (false, false) => 0.3,
    };
    if name.starts_with('_') { by_form * 0.1 } else { by_form }
}

/// Returns the references to the names, sorted by name and file.
fn references(view: &IndexView, names: &[DefinedName]) -> Vec<Reference> {
    let of_name = |(at, name): (usize, &DefinedName)| {
        let postings = view.postings_up_to(name.id, MAX_MENTIONS).unwrap_or_default();
        let mut counts: Vec<(u32, u32)> = Vec::new();
        for (file, posting) in postings {
            let outside_comments =
                posting.counts.body.saturating_sub(u32::from(posting.counts.comment));
            match counts.last_mut().filter(|last| last.0 == file) {
                Some(last) => last.1 += outside_comments,
                None => counts.push((file, outside_comments)),
            }
        }
        let is_referrer = |&(file, count): &(u32, u32)| {
            let kind = view.files()[file as usize].kind;
            count > 0 && matches!(kind, FileKind::Code | FileKind::Test)
        };
        let reference = |(file, count): (u32, u32)| {
            let is_test = view.files()[file as usize].kind == FileKind::Test;
            let weight = f64::from(count).sqrt() * name.weight * if is_test { 0.3 } else { 1.0 };
            Reference { from: file, name: at as u32, weight }
        };
        counts.into_iter().filter(is_referrer).map(reference).collect::<Vec<_>>()
    };
    let all: Vec<Vec<Reference>> = names.par_iter().enumerate().map(of_name).collect();
    all.into_iter().flatten().collect()
}

/// Turns references into edges between files, sorted and without those from a file to itself.
fn edges(names: &[DefinedName], references: &[Reference]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for reference in references {
        for (place, _) in &names[reference.name as usize].definitions {
            let to = place.file as u32;
            if to != reference.from {
                edges.push(Edge { from: reference.from, to, weight: reference.weight });
            }
        }
    }
    // The sort is stable, so equal edges stay in the order of the names.
    edges.sort_by_key(|edge| (edge.from, edge.to));
    edges.dedup_by(|next, kept| {
        let is_same = (next.from, next.to) == (kept.from, kept.to);
        kept.weight += if is_same { next.weight } else { 0.0 };
        is_same
    });
    edges
}

/// Divides the importance of files among their definitions, by the references to each.
fn symbols(names: &[DefinedName], references: &[Reference], files: &[f64]) -> Vec<CentralSymbol> {
    let mut incoming: FxHashMap<(ChunkPlace, u32), f64> = FxHashMap::default();
    let mut of_file = vec![0.0; files.len()];
    for reference in references {
        for (place, _) in &names[reference.name as usize].definitions {
            // Use within the file shows what matters in it, but less than use elsewhere.
            let own = if place.file as u32 == reference.from { 0.1 } else { 1.0 };
            let weight = reference.weight * own;
            *incoming.entry((*place, reference.name)).or_default() += weight;
            of_file[place.file] += weight;
        }
    }
    let mut symbols = Vec::new();
    for (at, name) in names.iter().enumerate() {
        for (place, symbol) in &name.definitions {
            let weight = incoming.get(&(*place, at as u32)).copied().unwrap_or_default();
            if weight > 0.0 && files[place.file] > 0.0 {
                let importance = files[place.file] * weight / of_file[place.file];
                symbols.push(CentralSymbol { place: *place, symbol: symbol.clone(), importance });
            }
        }
    }
    symbols.sort_by(|a, b| {
        let by_importance = b.importance.total_cmp(&a.importance);
        by_importance.then(a.place.cmp(&b.place)).then_with(|| a.symbol.cmp(&b.symbol))
    });
    symbols
}

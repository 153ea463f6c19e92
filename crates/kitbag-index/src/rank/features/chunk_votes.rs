//! Votes of the best-matching chunks for other chunks: those they use or are used by, and those of the
//! same class.

use super::Features;
use super::chunks::{ChunkFeatures, descending};
use crate::file_kind::FileKind;
use crate::rank::references::ChunkPlace;
use crate::record::split_symbol;
use rustc_hash::FxHashMap;

/// Number of best-matching chunks that vote for the chunks of other files.
const MAX_SEEDS: usize = 20;

/// Number of best-matching chunks of a file that vote for its other chunks.
const MAX_SEEDS_IN_FILE: usize = 5;

impl Features<'_> {
    /// Ranks all chunks by words, and lets the best ones vote.
    pub(super) fn set_votes(&self, places: &[ChunkPlace], all: &mut [ChunkFeatures]) {
        let scores: Vec<f32> = all.iter().map(|it| it.all_fields).collect();
        let order = descending(&scores);
        for (rank, &at) in order.iter().enumerate() {
            all[at].rank_overall = 1.0 / (1.0 + rank as f32 / 10.0);
        }
        let indexes: FxHashMap<ChunkPlace, usize> = places.iter().copied().zip(0..).collect();
        let weight = |rank: usize| 1.0 / (1.0 + rank as f32 / 5.0);
        let seeds: FxHashMap<ChunkPlace, f32> = order
            .iter()
            .take(MAX_SEEDS)
            .enumerate()
            .map(|(rank, &at)| (places[at], weight(rank)))
            .collect();
        for it in &self.references.between_files {
            if let (Some(weight), Some(&at)) = (seeds.get(&it.user), indexes.get(&it.definer)) {
                all[at].used += weight * it.weight;
            }
            if let (Some(weight), Some(&at)) = (seeds.get(&it.definer), indexes.get(&it.user)) {
                all[at].uses += weight * it.weight;
            }
            if let Some(&at) = indexes.get(&it.definer) {
                all[at].used_by_tests = all[at].used_by_tests.max(self.test_score(it.user));
            }
        }
        for file in places.chunk_by(|a, b| a.0 == b.0) {
            if let Some(&first) = indexes.get(&file[0]) {
                self.set_class_siblings(file, &mut all[first..first + file.len()]);
            }
        }
        self.set_references_in_files(places, &indexes, all);
    }

    /// Returns the word score of a chunk if it belongs to a test.
    fn test_score(&self, (candidate, chunk): ChunkPlace) -> f32 {
        let file = self.candidates[candidate as usize].file;
        let is_test = self.view.files()[file].kind == FileKind::Test;
        let evidence = self.chunk_evidence(file).get(chunk as usize);
        evidence.filter(|_| is_test).map_or(0.0, |it| it.all_fields)
    }

    /// Sets the references between the chunks of each file, relative to the largest of the file.
    fn set_references_in_files(
        &self,
        places: &[ChunkPlace],
        indexes: &FxHashMap<ChunkPlace, usize>,
        all: &mut [ChunkFeatures],
    ) {
        let seed = |it: &ChunkFeatures| {
            let is_seed = it.rank_in_file * MAX_SEEDS_IN_FILE as f32 >= 1.0;
            if is_seed { it.rank_in_file } else { 0.0 }
        };
        let seeds: Vec<f32> = all.iter().map(seed).collect();
        for it in &self.references.within_files {
            let ends = (indexes.get(&it.user), indexes.get(&it.definer));
            let (Some(&user), Some(&definer)) = ends else { continue };
            all[definer].used_in_file += seeds[user] * it.weight;
            all[user].uses_in_file += seeds[definer] * it.weight;
        }
        for file in places.chunk_by(|a, b| a.0 == b.0) {
            let Some(&first) = indexes.get(&file[0]) else { continue };
            let of_file = &mut all[first..first + file.len()];
            let used = of_file.iter().map(|it| it.used_in_file).fold(1e-6, f32::max);
            let uses = of_file.iter().map(|it| it.uses_in_file).fold(1e-6, f32::max);
            for it in of_file {
                it.used_in_file /= used;
                it.uses_in_file /= uses;
            }
        }
    }

    /// Sets the best score among the other chunks of a chunk's class, relative to the best of the file.
    fn set_class_siblings(&self, places: &[ChunkPlace], of_file: &mut [ChunkFeatures]) {
        let Some(doc) = self.docs[places[0].0 as usize].as_ref() else { return };
        let classes: Vec<&str> = doc
            .chunks
            .iter()
            .map(|chunk| chunk.symbol.as_deref().map_or("", |symbol| split_symbol(symbol).1))
            .collect();
        // The best two chunks of each class, because a chunk does not vote for itself.
        let mut best: FxHashMap<&str, [(f32, usize); 2]> = FxHashMap::default();
        for (at, (class, it)) in classes.iter().zip(of_file.iter()).enumerate() {
            let two = best.entry(class).or_insert([(0.0, usize::MAX); 2]);
            let score = it.share_of_best_chunk;
            if score > two[0].0 {
                *two = [(score, at), two[0]];
            } else if score > two[1].0 {
                two[1] = (score, at);
            }
        }
        for (at, (class, it)) in classes.iter().zip(of_file).enumerate() {
            if let Some([first, second]) = best.get(class).filter(|_| !class.is_empty()) {
                it.class_siblings = if first.1 == at { second.0 } else { first.0 };
            }
        }
    }
}

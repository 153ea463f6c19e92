//! Features of chunks; docs/factors.md describes them.

use super::Features;
use super::files::name_likeness;
use crate::rank::references::ChunkPlace;
use crate::record::split_symbol;
use crate::segment::StoredDoc;
use crate::terms::word_id;
use kitbag_text::{Chunk, ChunkKind};

features! {
    /// Names of the features of a chunk.
    ChunkFeatures, CHUNK_FEATURES:
    scaled: [
        all_fields, title, code, symbol, defined_names, compound_names, bigrams, trigrams, used,
        uses, neighbor, mentioned_names, used_by_tests,
    ],
    plain: [
        title_coverage, share_of_best_chunk, title_share_of_best_chunk, rank_in_file, rank_overall,
        length, is_function, is_class, is_header, is_code, is_lines, in_stack_frame,
        at_mentioned_line, chunks, position, name, name_title, scope, later_part, defines_name,
        task_coverage, distinctive, distinctive_title, distinctive_rank, used_in_file,
        uses_in_file, class_siblings, brevity, is_name,
    ],
}

/// A chunk that may be relevant to a task.
#[derive(Debug, Clone)]
pub struct ChunkCandidate {
    /// Index of the file in the candidates.
    pub candidate: usize,
    /// Index of the file in the view.
    pub file: usize,
    /// Index of the chunk in the file.
    pub chunk: usize,
    /// Features in the order of [`CHUNK_FEATURES`].
    pub features: Vec<f32>,
}

/// A line that a task mentions.
struct MentionedLine {
    line: u32,
    /// 1, or less for outer stack frames.
    weight: f32,
}

impl Features<'_> {
    /// Computes the features of the chunks of some candidates.
    pub fn chunks(&self, candidates: impl Iterator<Item = usize>) -> Vec<ChunkCandidate> {
        let mut places: Vec<ChunkPlace> = Vec::new();
        let mut all: Vec<ChunkFeatures> = Vec::new();
        for candidate in candidates {
            let Some(doc) = self.stored_doc(candidate) else { continue };
            let first = all.len();
            all.extend(self.chunk_features(self.candidates[candidate].file, doc));
            let overlaps = self.overlaps.get(candidate).map_or(&[][..], Vec::as_slice);
            for (features, overlap) in all[first..].iter_mut().zip(overlaps) {
                (features.bigrams, features.trigrams) = (overlap.bigrams, overlap.trigrams);
            }
            places.extend((0..all.len() - first).map(|chunk| (candidate as u32, chunk as u32)));
        }
        self.set_votes(&places, &mut all);
        ChunkFeatures::scale_to_best(&mut all);
        let candidate = |((candidate, chunk), features): (ChunkPlace, ChunkFeatures)| {
            let (candidate, chunk) = (candidate as usize, chunk as usize);
            let file = self.candidates[candidate].file;
            ChunkCandidate { candidate, file, chunk, features: features.to_vec() }
        };
        places.into_iter().zip(all).map(candidate).collect()
    }

    /// Computes the features of the chunks of a file, except for phrases and references.
    fn chunk_features(&self, file: usize, doc: &StoredDoc) -> Vec<ChunkFeatures> {
        let evidence = self.chunk_evidence(file);
        let best = evidence.iter().map(|it| it.all_fields).fold(0.0, f32::max).max(1e-6);
        let best_title = evidence.iter().map(|it| it.title).fold(0.0, f32::max).max(1e-6);
        let scores: Vec<f32> = evidence.iter().map(|it| it.all_fields).collect();
        let ranks = reciprocal_ranks(&scores);
        let distinctive: Vec<f32> = evidence.iter().map(|it| it.distinctive).collect();
        let distinctive_ranks = reciprocal_ranks(&distinctive);
        let most = distinctive.iter().copied().fold(1e-6, f32::max);
        let most_title = evidence.iter().map(|it| it.distinctive_title).fold(1e-6, f32::max);
        let lines = self.mentioned_lines(&self.view.files()[file].path);
        let count = evidence.len();
        let neighbor = |at: usize| {
            let before = at.checked_sub(1).map_or(0.0, |before| scores[before]);
            before.max(scores.get(at + 1).copied().unwrap_or(0.0))
        };
        let chunks = evidence.iter().zip(&doc.chunks).enumerate();
        chunks
            .map(|(at, (it, chunk))| ChunkFeatures {
                all_fields: it.all_fields,
                title: it.title,
                code: it.code,
                symbol: it.symbol,
                defined_names: it.defined_names,
                compound_names: it.compound_names,
                title_coverage: it.title_coverage,
                share_of_best_chunk: it.all_fields / best,
                title_share_of_best_chunk: it.title / best_title,
                rank_in_file: ranks[at],
                mentioned_names: it.mentioned_names,
                task_coverage: it.task_coverage,
                distinctive: it.distinctive / most,
                distinctive_title: it.distinctive_title / most_title,
                distinctive_rank: distinctive_ranks[at],
                chunks: (1.0 + count as f32).ln() / 5.0,
                position: at as f32 / count.max(1) as f32,
                neighbor: neighbor(at),
                ..self.structure_features(chunk, &lines)
            })
            .collect()
    }

    /// Computes the features that follow from the kind, the names and the lines of a chunk.
    fn structure_features(&self, chunk: &Chunk, mentioned: &[MentionedLine]) -> ChunkFeatures {
        let is_kind = |kind: ChunkKind| f32::from(chunk.kind == kind);
        let is_inside =
            |it: &&MentionedLine| (chunk.span.start..=chunk.span.end).contains(&it.line);
        let inside = mentioned.iter().filter(is_inside);
        let (mut name, mut name_title, mut scope) = (0.0f32, 0.0f32, 0.0f32);
        for symbol in &chunk.defines {
            let (last, before) = split_symbol(symbol);
            let (weight, title_weight) = self.name_weights(last);
            name = name.max(weight);
            name_title = name_title.max(title_weight);
            scope = scope.max(self.name_weights(split_symbol(before).0).0);
        }
        let defines_name = self.task.name.as_ref().map_or(0.0, |name| {
            chunk.defines.iter().map(|symbol| name_likeness(symbol, name)).fold(0.0, f32::max)
        });
        let (brevity, is_name) = self.task_shape();
        ChunkFeatures {
            defines_name,
            brevity,
            is_name,
            length: (1.0 + chunk.tokens as f32).ln() / 8.0,
            is_function: is_kind(ChunkKind::Function),
            is_class: is_kind(ChunkKind::Class),
            is_header: is_kind(ChunkKind::ClassHeader),
            is_code: is_kind(ChunkKind::Code) + is_kind(ChunkKind::Imports),
            is_lines: is_kind(ChunkKind::Lines),
            in_stack_frame: inside.clone().map(|it| it.weight).fold(0.0, f32::max),
            at_mentioned_line: f32::from(inside.count() > 0),
            name,
            name_title,
            scope,
            later_part: f32::from(chunk.part.is_some_and(|part| part.number > 1)),
            ..ChunkFeatures::default()
        }
    }

    /// Returns the weights of a name in the task and in its title.
    fn name_weights(&self, name: &str) -> (f32, f32) {
        let name = name.trim_matches('_');
        let id = word_id(&name.to_lowercase());
        let at = self.task.terms.iter().position(|term| term.id == id);
        let Some(at) = at.filter(|_| name.len() >= 3) else { return (0.0, 0.0) };
        let (idf, term) = (self.scaled_idf(at), &self.task.terms[at]);
        let weight = idf * if term.is_name { 1.0 } else { 0.5 };
        (weight, if term.title > 0.0 { idf } else { 0.0 })
    }

    fn mentioned_lines(&self, path: &str) -> Vec<MentionedLine> {
        let mentions = self.task.mentions_of(path).into_iter();
        mentions
            .filter_map(|(mention, _)| {
                let weight =
                    if mention.frame == 0 { 1.0 } else { 1.0 / (mention.frame as f32).sqrt() };
                Some(MentionedLine { line: mention.line?, weight })
            })
            .collect()
    }
}

/// Returns the indexes of scores, highest score first.
pub(super) fn descending(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order
}

/// Returns 1 for the highest score, 1/2 for the second, and so on.
fn reciprocal_ranks(scores: &[f32]) -> Vec<f32> {
    let mut ranks = vec![0.0; scores.len()];
    for (rank, at) in descending(scores).into_iter().enumerate() {
        ranks[at] = 1.0 / (1.0 + rank as f32);
    }
    ranks
}

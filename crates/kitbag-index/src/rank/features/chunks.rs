//! What a chunk is described by.

use super::Features;
use crate::record::name_of;
use crate::segment::Forward;
use crate::terms::word_id;
use kitbag_text::{Chunk, ChunkKind};
use rustc_hash::FxHashMap;

features! {
    /// What a chunk is described by.
    ChunkFeatures, CHUNK_FEATURES:
    fused, title, code, symbol, defined, joined, covered, share, share_title, share_rank,
    length, is_function, is_class, is_header, is_code, is_lines, framed, pointed, used,
    uses, two, three, chunks, position, name, name_title, scope, rank, neighbour,
    later_part,
}

/// A chunk that may be what the task is about.
#[derive(Debug, Clone)]
pub struct ChunkCandidate {
    /// The place of its file among the candidates.
    pub candidate: usize,
    /// The place of its file in the view.
    pub file: usize,
    /// Its place in the file.
    pub chunk: usize,
    /// Its features, in the order of [`CHUNK_FEATURES`].
    pub features: Vec<f32>,
}

impl Features<'_> {
    /// Describes the chunks of some candidates.
    pub fn chunks(&self, candidates: impl Iterator<Item = usize>) -> Vec<ChunkCandidate> {
        let mut all: Vec<(ChunkCandidate, ChunkFeatures)> = Vec::new();
        for candidate in candidates {
            let Some(forward) = self.forward(candidate) else { continue };
            let file = self.candidates[candidate].file;
            let mut described = self.describe_chunks(file, forward);
            let shared = self.shared.get(candidate).map_or(&[][..], Vec::as_slice);
            for (features, shared) in described.iter_mut().zip(shared) {
                (features.two, features.three) = (shared.two, shared.three);
            }
            for (chunk, features) in described.into_iter().enumerate() {
                let it = ChunkCandidate { candidate, file, chunk, features: Vec::new() };
                all.push((it, features));
            }
        }
        self.link_chunks(&mut all);
        normalise_chunks(&mut all);
        all.into_iter()
            .map(|(it, features)| ChunkCandidate { features: features.list(), ..it })
            .collect()
    }

    fn describe_chunks(&self, file: usize, forward: &Forward) -> Vec<ChunkFeatures> {
        let evidence = self.chunks_of(file);
        let best = evidence.iter().map(|it| it.fused).fold(0.0, f32::max).max(1e-6);
        let best_title = evidence.iter().map(|it| it.title).fold(0.0, f32::max).max(1e-6);
        let mut order: Vec<usize> = (0..evidence.len()).collect();
        order.sort_by(|&a, &b| evidence[b].fused.total_cmp(&evidence[a].fused).then(a.cmp(&b)));
        let mut rank_in_file = vec![0usize; evidence.len()];
        order.iter().enumerate().for_each(|(rank, &chunk)| rank_in_file[chunk] = rank);
        let spans = self.spans(&self.view.files()[file].path);
        let count = evidence.len();
        let around = |at: usize| {
            let before = at.checked_sub(1).map_or(0.0, |at| evidence[at].fused);
            before.max(evidence.get(at + 1).map_or(0.0, |it| it.fused))
        };
        evidence
            .iter()
            .zip(&forward.chunks)
            .enumerate()
            .map(|(at, (it, chunk))| {
                let mut features = self.describe_chunk(chunk, &spans);
                (features.fused, features.title, features.code) = (it.fused, it.title, it.code);
                (features.symbol, features.defined) = (it.symbol, it.defined);
                features.joined = it.joined;
                features.covered = it.covered;
                features.share = it.fused / best;
                features.share_title = it.title / best_title;
                features.share_rank = 1.0 / (1.0 + rank_in_file[at] as f32);
                features.chunks = (1.0 + count as f32).ln() / 5.0;
                features.position = at as f32 / count.max(1) as f32;
                features.neighbour = around(at);
                features
            })
            .collect()
    }

    /// What a chunk is, whatever words it has.
    fn describe_chunk(&self, chunk: &Chunk, spans: &[(u32, f32)]) -> ChunkFeatures {
        let flag = |kind: ChunkKind| f32::from(u8::from(chunk.kind == kind));
        let within = |line: u32| chunk.span.start <= line && line <= chunk.span.end;
        let pointed = spans.iter().filter(|(line, _)| within(*line));
        let framed = pointed.clone().map(|(_, depth)| *depth).fold(0.0, f32::max);
        let (mut name, mut name_title, mut scope) = (0.0f32, 0.0f32, 0.0f32);
        for symbol in &chunk.defines {
            let (last, before) = name_of(symbol);
            if let Some((weight, title)) = self.asked(last) {
                name = name.max(weight);
                name_title = name_title.max(title);
            }
            scope = scope.max(self.asked(name_of(before).0).map_or(0.0, |asked| asked.0));
        }
        ChunkFeatures {
            length: (1.0 + chunk.tokens as f32).ln() / 8.0,
            is_function: flag(ChunkKind::Function),
            is_class: flag(ChunkKind::Class),
            is_header: flag(ChunkKind::ClassHeader),
            is_code: flag(ChunkKind::Code),
            is_lines: flag(ChunkKind::Lines),
            framed,
            pointed: f32::from(u8::from(pointed.count() > 0)),
            name,
            name_title,
            scope,
            later_part: chunk.part.map_or(0.0, |part| f32::from(u8::from(part.number > 1))),
            ..ChunkFeatures::default()
        }
    }

    /// How much the task insists on a name: at all, and in its title.
    fn asked(&self, name: &str) -> Option<(f32, f32)> {
        let name = name.trim_matches('_');
        if name.len() < 3 {
            return None;
        }
        let id = word_id(&name.to_lowercase());
        let at = self.task.terms.iter().position(|term| term.id == id)?;
        let rare = (self.evidence.rarity.get(at)? / 5.0).min(1.5);
        let term = &self.task.terms[at];
        Some((
            rare * if term.is_name { 1.0 } else { 0.5 },
            if term.title > 0.0 { rare } else { 0.0 },
        ))
    }

    /// The lines of a file that the task points at, and how much: a frame by its depth.
    fn spans(&self, path: &str) -> Vec<(u32, f32)> {
        let lower = path.to_lowercase();
        let components: Vec<&str> = lower.split(['/', '.']).collect();
        let mentions = self.task.mentions.iter().filter(|it| it.matches(&components) > 0);
        mentions
            .filter_map(|it| {
                let depth = if it.depth == 0 { 1.0 } else { 1.0 / (it.depth as f32).sqrt() };
                Some((it.line?, depth))
            })
            .collect()
    }

    /// Chunks that use, or are used by, the chunks that have most of the task's words.
    fn link_chunks(&self, all: &mut [(ChunkCandidate, ChunkFeatures)]) {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|&a, &b| all[b].1.fused.total_cmp(&all[a].1.fused).then(a.cmp(&b)));
        for (rank, &at) in order.iter().enumerate() {
            all[at].1.rank = 1.0 / (1.0 + rank as f32 / 10.0);
        }
        let place = |it: &ChunkCandidate| (it.candidate as u32, it.chunk as u32);
        let places: FxHashMap<(u32, u32), usize> =
            all.iter().enumerate().map(|(at, (it, _))| (place(it), at)).collect();
        let top: FxHashMap<(u32, u32), f32> = order
            .iter()
            .take(20)
            .enumerate()
            .map(|(rank, &at)| (place(&all[at].0), 1.0 / (1.0 + rank as f32 / 5.0)))
            .collect();
        for it in &self.uses {
            if let (Some(weight), Some(&at)) = (top.get(&it.user), places.get(&it.definer)) {
                all[at].1.used += weight * it.weight;
            }
            if let (Some(weight), Some(&at)) = (top.get(&it.definer), places.get(&it.user)) {
                all[at].1.uses += weight * it.weight;
            }
        }
    }
}

fn normalise_chunks(all: &mut [(ChunkCandidate, ChunkFeatures)]) {
    let mut scale = |field: fn(&mut ChunkFeatures) -> &mut f32| {
        let best = all.iter_mut().map(|it| *field(&mut it.1)).fold(0.0, f32::max);
        if best > 0.0 {
            all.iter_mut().for_each(|it| *field(&mut it.1) /= best);
        }
    };
    // The neighbours' scores are measured like the chunk's own.
    scale(|it| &mut it.neighbour);
    scale(|it| &mut it.fused);
    scale(|it| &mut it.title);
    scale(|it| &mut it.code);
    scale(|it| &mut it.symbol);
    scale(|it| &mut it.defined);
    scale(|it| &mut it.joined);
    scale(|it| &mut it.two);
    scale(|it| &mut it.three);
    scale(|it| &mut it.used);
    scale(|it| &mut it.uses);
}

//! Describes the files and chunks that were found by plain numbers.

macro_rules! features {
    ($(#[$doc:meta])* $name:ident, $list:ident: $($feature:ident),+ $(,)?) => {
        $(#[$doc])*
        pub const $list: &[&str] = &[$(stringify!($feature)),+];

        #[derive(Debug, Clone, Copy, Default)]
        struct $name { $($feature: f32),+ }

        impl $name {
            fn list(&self) -> Vec<f32> { vec![$(self.$feature),+] }
        }
    };
}

mod chunks;
mod files;
mod votes;

pub use chunks::{CHUNK_FEATURES, ChunkCandidate};
pub use files::FILE_FEATURES;

use super::evidence::{ChunkEvidence, Evidence};
use super::graph::{Use, uses};
use super::history::HistoryEvidence;
use super::phrases::{Phrases, Shared};
use crate::history::Past;
use crate::segment::Forward;
use crate::task::Task;
use crate::view::View;
use kitbag_text::Text;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use votes::first_guess;

/// How many of them are looked at for references.
const MOST_LINKED: usize = 120;

/// A file that may be what the task is about.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its place in the view.
    pub file: usize,
    /// Its features, in the order of [`FILE_FEATURES`].
    pub features: Vec<f32>,
}

/// What a search knows besides the task and the tree's words.
pub struct Context<'a> {
    /// The history.
    pub past: &'a Past,
    /// The time from which ages are counted, in seconds since 1970.
    pub now: i64,
    /// Reads the file at a place of the view.
    pub read: &'a (dyn Fn(usize) -> Option<Text> + Sync),
}

/// Candidates and all that their chunks are described from.
pub struct Features<'a> {
    task: &'a Task,
    view: &'a View,
    evidence: Evidence,
    /// The candidates, best first by a first guess.
    pub candidates: Vec<Candidate>,
    forwards: Vec<Option<Forward>>,
    uses: Vec<Use>,
    /// What the chunks of the first candidates have of the task's phrases.
    shared: Vec<Vec<Shared>>,
}

impl<'a> Features<'a> {
    /// Finds candidates and describes them.
    pub fn gather(task: &'a Task, view: &'a View, context: &Context<'_>) -> Self {
        let past = context.past;
        let evidence = Evidence::gather(task, view);
        let history = HistoryEvidence::gather(task, view, past, context.now);
        let firsts = first_guess(task, view, &evidence, &history);
        let files: Vec<usize> = firsts.iter().map(|first| first.0).collect();
        let forwards = view.forward(&files);
        let linked = files.len().min(MOST_LINKED);
        let uses = uses(view, &files[..linked], &forwards[..linked]);
        let shared = shared(task, view, &evidence, &files, &forwards, context);
        let mut features =
            Self { task, view, evidence, candidates: Vec::new(), forwards, uses, shared };
        features.describe(&firsts, &history, past);
        features
    }

    /// What is known of a candidate's chunks.
    pub fn forward(&self, candidate: usize) -> Option<&Forward> {
        self.forwards[candidate].as_ref()
    }

    /// How rare each of the task's terms is, in their order.
    pub(crate) fn rarity(&self) -> &[f32] {
        &self.evidence.rarity
    }

    fn chunks_of(&self, file: usize) -> &[ChunkEvidence] {
        let it = &self.view.files()[file];
        let first = it.first_chunk as usize;
        &self.evidence.chunks[first..first + self.view.doc(it).chunks as usize]
    }
}

/// How many candidates are read for phrases.
const MOST_READ: usize = 60;

/// What the chunks of the first candidates have of the task's phrases.
fn shared(
    task: &Task,
    view: &View,
    evidence: &Evidence,
    files: &[usize],
    forwards: &[Option<Forward>],
    context: &Context<'_>,
) -> Vec<Vec<Shared>> {
    let rarities: FxHashMap<u32, f32> =
        task.terms.iter().map(|term| term.id).zip(evidence.rarity.iter().copied()).collect();
    let rarity = |id: u32| rarities.get(&id).copied();
    let phrases = Phrases::of(task.lines.iter().map(String::as_str), rarity);
    if phrases.is_empty() {
        return Vec::new();
    }
    files
        .par_iter()
        .zip(forwards)
        .take(MOST_READ)
        .map(|(&file, forward)| {
            let Some(forward) = forward else { return Vec::new() };
            let words = words_of(view, evidence, file);
            let may = |chunk: usize| words.get(chunk).is_some_and(|&it| phrases.may_be_in(it));
            let wanted: Vec<bool> = (0..forward.chunks.len()).map(may).collect();
            let none = vec![Shared::default(); wanted.len()];
            if !wanted.contains(&true) {
                return none;
            }
            let Some(text) = (context.read)(file) else { return none };
            let mut seen = Vec::new();
            let chunks = forward.chunks.iter().zip(wanted);
            chunks
                .map(|(chunk, wanted)| match wanted {
                    true => phrases.in_text(text.slice(chunk.span), &mut seen),
                    false => Shared::default(),
                })
                .collect()
        })
        .collect()
}

/// Which of the task's words the chunks of a file may have.
fn words_of<'a>(view: &View, evidence: &'a Evidence, file: usize) -> &'a [u128] {
    let it = &view.files()[file];
    let first = it.first_chunk as usize;
    &evidence.words[first..first + view.doc(it).chunks as usize]
}

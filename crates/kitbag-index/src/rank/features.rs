//! Describes the files and chunks that were found by plain numbers.

use super::evidence::{ChunkEvidence, Evidence, FileEvidence};
use super::graph::{Use, uses};
use super::history::{FileHistory, HistoryEvidence};
use super::phrases::{Phrases, Shared};
use crate::file_kind::FileKind;
use crate::history::Past;
use crate::record::name_of;
use crate::segment::Forward;
use crate::task::Task;
use crate::terms::{for_each_id, word_id};
use crate::view::View;
use kitbag_text::{Chunk, ChunkKind, Text};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// How many files are described.
const MOST_FILES: usize = 300;
/// How many of them are looked at for references.
const MOST_LINKED: usize = 120;
/// How many files, and how many tests, vote for others.
const SEEDS: usize = 10;

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

features! {
    /// What a file is described by.
    FileFeatures, FILE_FEATURES:
    fused, title, prose, code, symbol, symbol_title, signature, comment, path, path_title,
    defined, named, joined, covered, covered_all, chunk_covered, chunk_joined, chunk_first, chunk_second, chunk_third, chunk_title, chunk_symbol,
    chunk_defined, history, history_title, history_best, history_near, commits, month, year, last_ten, last_fifty, last_hundreds, two, three, chunk_two, chunk_three, mention, frame,
    stem_title, stem_task, stem_name, stem_quoted, stem_words, stem_words_title, scope, scope_stem, length, chunks, special, together, used, uses, tested, twin, folder,
    fused_rank, chunk_rank, title_rank, symbol_rank, path_rank, history_rank, depth,
}

features! {
    /// What a chunk is described by.
    ChunkFeatures, CHUNK_FEATURES:
    file_score, file_rank, fused, title, code, symbol, defined, joined, covered, share, share_title,
    share_rank, length, is_function, is_class, is_header, is_code, is_lines, framed, pointed,
    used, uses, two, three, chunks, position, name, name_title, scope, rank, neighbour, later_part,
}

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
        let shared = shared(task, &evidence, &files, &forwards, context);
        let mut features =
            Self { task, view, evidence, candidates: Vec::new(), forwards, uses, shared };
        features.describe(&firsts, &history, past);
        features
    }

    /// What is known of a candidate's chunks.
    pub fn forward(&self, candidate: usize) -> Option<&Forward> {
        self.forwards[candidate].as_ref()
    }

    fn describe(&mut self, firsts: &[(usize, f32)], history: &HistoryEvidence, past: &Past) {
        let seeds = seeds(self.view, firsts);
        let weighed: Vec<(usize, f32)> =
            seeds.code.iter().map(|&(place, weight)| (firsts[place].0, weight)).collect();
        let together = history.together(past, &weighed);
        let links = links(&self.uses, &seeds, firsts.len());
        let siblings = siblings(self.view, firsts);
        let twins = twins(self.view, firsts);
        let mut all: Vec<FileFeatures> = firsts
            .iter()
            .enumerate()
            .map(|(place, &(file, _))| {
                let mut it = self.words_of(file);
                it.take_history(&history.files[file]);
                it.together = together.get(&file).copied().unwrap_or(0.0);
                (it.used, it.uses, it.tested) = links[place];
                it.folder = siblings[place];
                it.twin = twins[place];
                it.take_phrases(self.shared.get(place).map_or(&[], Vec::as_slice));
                it
            })
            .collect();
        normalise(&mut all);
        let listed = firsts.iter().zip(&all);
        self.candidates = listed
            .map(|(first, features)| Candidate { file: first.0, features: features.list() })
            .collect();
    }

    /// What a file has of the task's words, paths and frames.
    fn words_of(&self, file: usize) -> FileFeatures {
        let FileEvidence {
            fused,
            title,
            prose,
            code,
            symbol,
            symbol_title,
            signature,
            comment,
            path,
            path_title,
            defined,
            named,
            joined,
            covered,
            covered_all,
        } = self.evidence.files[file];
        let it = &self.view.files()[file];
        let doc = self.view.doc(it);
        let chunks = self.chunks_of(file);
        let best = |value: &dyn Fn(&ChunkEvidence) -> f32| {
            let mut values: Vec<f32> = chunks.iter().map(value).collect();
            values.sort_unstable_by(|a, b| b.total_cmp(a));
            values.resize(3, 0.0);
            values
        };
        let first = best(&|chunk| chunk.fused);
        let (mention, frame) = self.mentioned(&it.path);
        let stem = self.stem(&it.path);
        let (scope, scope_stem) = self.scope(&it.path);
        FileFeatures {
            fused,
            title,
            prose,
            code,
            symbol,
            symbol_title,
            signature,
            comment,
            path,
            path_title,
            defined,
            named,
            joined,
            covered,
            covered_all,
            chunk_covered: best(&|chunk| chunk.covered)[0],
            chunk_joined: best(&|chunk| chunk.joined)[0],
            chunk_first: first[0],
            chunk_second: first[1],
            chunk_third: first[2],
            chunk_title: best(&|chunk| chunk.title)[0],
            chunk_symbol: best(&|chunk| chunk.symbol)[0],
            chunk_defined: best(&|chunk| chunk.defined)[0],
            mention,
            frame,
            stem_title: stem.title,
            stem_task: stem.task,
            stem_name: stem.name,
            stem_quoted: stem.quoted,
            stem_words: stem.words,
            stem_words_title: stem.words_title,
            scope,
            scope_stem,
            length: (1.0 + doc.lengths.body as f32).ln() / 10.0,
            chunks: (1.0 + doc.chunks as f32).ln() / 5.0,
            special: special(&it.path),
            depth: it.path.matches('/').count() as f32 / 5.0,
            ..FileFeatures::default()
        }
    }

    fn chunks_of(&self, file: usize) -> &[ChunkEvidence] {
        let it = &self.view.files()[file];
        let first = it.first_chunk as usize;
        &self.evidence.chunks[first..first + self.view.doc(it).chunks as usize]
    }

    /// How clearly the task names a file, and how deep in its stack trace.
    fn mentioned(&self, path: &str) -> (f32, f32) {
        if self.task.mentions.is_empty() {
            return (0.0, 0.0);
        }
        let lower = path.to_lowercase();
        let components: Vec<&str> = lower.split(['/', '.']).collect();
        let most = components.len().saturating_sub(1).clamp(1, 4) as f32;
        let (mut named, mut framed) = (0.0f32, 0.0f32);
        for mention in &self.task.mentions {
            let matched = mention.matches(&components) as f32;
            if matched > 0.0 {
                let clear = (matched / most).min(1.0);
                named = named.max(clear);
                if mention.depth > 0 {
                    framed = framed.max(clear / (mention.depth as f32).sqrt());
                }
            }
        }
        (named, framed)
    }

    /// How the task speaks of a file's own name.
    fn stem(&self, path: &str) -> Stem {
        let stem = stem_of(path);
        let mut found = Stem::default();
        let terms = &self.task.terms;
        let rare =
            |at: usize| (self.evidence.rarity.get(at).copied().unwrap_or(0.0) / 5.0).min(1.5);
        let flag = |value: bool, rare: f32| if value { rare } else { 0.0 };
        let id = word_id(stem.trim_matches('_'));
        if let Some(at) = terms.iter().position(|term| term.id == id) {
            let term = &terms[at];
            found.task = rare(at);
            found.title = flag(term.title > 0.0, found.task);
            found.name = flag(term.is_name, found.task);
            found.quoted = flag(term.is_name && term.title > 0.0, found.task);
        }
        let joined = self.task.joined.iter().any(|term| term.id == id);
        // All words of the name, wherever they stand.
        let words: Vec<&str> =
            stem.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1).collect();
        let mut ids: Vec<u32> = Vec::new();
        if words.len() > 1 {
            ids.extend(words.iter().map(|word| word_id(word)));
        } else {
            let name = path.rsplit('/').next().unwrap_or(path);
            for_each_id(name.split('.').next().unwrap_or(name), |id| ids.push(id));
            ids.retain(|&part| part != id || words.len() < 2);
        }
        let (mut sum, mut has, mut has_title) = (0.0, 0.0, 0.0);
        for id in &ids {
            let at = terms.iter().position(|term| term.id == *id);
            let weight = at.map_or(0.6, rare);
            sum += weight;
            has += flag(at.is_some(), weight);
            has_title += flag(at.is_some_and(|at| terms[at].title > 0.0), weight);
        }
        if ids.len() > 1 && sum > 0.0 {
            found.words = has / sum + flag(joined, 0.5);
            found.words_title = has_title / sum + flag(joined, 0.5);
        }
        found
    }

    /// Whether a folder, or the file itself, is called like the part of the project that the title
    /// begins with.
    fn scope(&self, path: &str) -> (f32, f32) {
        if self.task.scope.is_empty() {
            return (0.0, 0.0);
        }
        let lower = path.to_lowercase();
        let mut components: Vec<&str> = lower.split('/').collect();
        components.pop();
        let has = |name: &str| {
            let mut found = self.task.scope.contains(&word_id(name));
            for_each_id(name, |id| found |= self.task.scope.contains(&id));
            f32::from(u8::from(found))
        };
        let folders = components.iter().map(|folder| has(folder)).fold(0.0, f32::max);
        (folders, has(&stem_of(path)))
    }

    /// Describes the chunks of some candidates, which come best first with their scores.
    pub fn chunks(&self, ranked: &[(usize, f32)]) -> Vec<ChunkCandidate> {
        let mut all: Vec<(ChunkCandidate, ChunkFeatures)> = Vec::new();
        let best_score = ranked.first().map_or(0.0, |first| first.1);
        for (rank, &(candidate, score)) in ranked.iter().enumerate() {
            let Some(forward) = self.forward(candidate) else { continue };
            let file = self.candidates[candidate].file;
            let mut described = self.describe_chunks(file, forward);
            let shared = self.shared.get(candidate).map_or(&[][..], Vec::as_slice);
            for (features, shared) in described.iter_mut().zip(shared) {
                (features.two, features.three) = (shared.two, shared.three);
            }
            for (chunk, mut features) in described.into_iter().enumerate() {
                features.file_score = score - best_score;
                features.file_rank = 1.0 / (1.0 + rank as f32);
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

/// How a task speaks of a file's own name.
#[derive(Debug, Clone, Copy, Default)]
struct Stem {
    /// As a word of the title, of the task, as a name, as a name in the title.
    title: f32,
    task: f32,
    name: f32,
    quoted: f32,
    /// How many of its words are in the task, and in the title.
    words: f32,
    words_title: f32,
}

/// A file's name without its endings, in lower case.
fn stem_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name).to_lowercase()
}

impl FileFeatures {
    fn take_phrases(&mut self, shared: &[Shared]) {
        self.two = shared.iter().map(|it| it.two).sum();
        self.three = shared.iter().map(|it| it.three).sum();
        self.chunk_two = shared.iter().map(|it| it.two).fold(0.0, f32::max);
        self.chunk_three = shared.iter().map(|it| it.three).fold(0.0, f32::max);
    }

    fn take_history(&mut self, history: &FileHistory) {
        self.history = history.all;
        self.history_title = history.title;
        self.history_best = history.best;
        self.history_near = history.near;
        self.commits = (1.0 + history.commits).ln();
        self.month = history.month;
        self.year = history.year;
        self.last_ten = history.last_ten;
        self.last_fifty = history.last_fifty;
        self.last_hundreds = history.last_hundreds;
    }
}

/// How many candidates are read for phrases.
const MOST_READ: usize = 60;

/// What the chunks of the first candidates have of the task's phrases.
fn shared(
    task: &Task,
    evidence: &Evidence,
    files: &[usize],
    forwards: &[Option<Forward>],
    context: &Context<'_>,
) -> Vec<Vec<Shared>> {
    let rarities: FxHashMap<u32, f32> =
        task.terms.iter().map(|term| term.id).zip(evidence.rarity.iter().copied()).collect();
    let rarity = |id: u32| rarities.get(&id).copied().unwrap_or(0.1);
    let phrases = Phrases::of(task.lines.iter().map(String::as_str), rarity);
    if phrases.is_empty() {
        return Vec::new();
    }
    files
        .par_iter()
        .zip(forwards)
        .take(MOST_READ)
        .map(|(&file, forward)| {
            let (Some(forward), Some(text)) = (forward, (context.read)(file)) else {
                return Vec::new();
            };
            let mut seen = Vec::new();
            let chunks = forward.chunks.iter();
            chunks.map(|chunk| phrases.in_text(text.slice(chunk.span), &mut seen)).collect()
        })
        .collect()
}

/// The files worth describing, best first, by a first guess.
fn first_guess(
    task: &Task,
    view: &View,
    evidence: &Evidence,
    history: &HistoryEvidence,
) -> Vec<(usize, f32)> {
    let best = |values: &mut dyn Iterator<Item = f32>| values.fold(0.0, f32::max).max(1e-6);
    let files = &evidence.files;
    let best_fused = best(&mut files.iter().map(|it| it.fused));
    let best_title = best(&mut files.iter().map(|it| it.title));
    let best_chunk = best(&mut evidence.chunks.iter().map(|it| it.fused));
    let best_symbol = best(&mut files.iter().map(|it| it.symbol));
    let best_path = best(&mut files.iter().map(|it| it.path));
    let best_history = best(&mut history.files.iter().map(|it| it.all));
    let score = |(file, it): (usize, &crate::view::File)| {
        let words = &files[file];
        let first = it.first_chunk as usize;
        let chunks = &evidence.chunks[first..first + view.doc(it).chunks as usize];
        let chunk = chunks.iter().map(|chunk| chunk.fused).fold(0.0, f32::max);
        let sum = words.fused / best_fused
            + chunk / best_chunk
            + 0.3 * words.title / best_title
            + 0.3 * words.symbol / best_symbol
            + 0.3 * words.path / best_path
            + 0.3 * history.files[file].all / best_history;
        let named = names(task, &it.path);
        (file, (sum + if named { 1.0 } else { 0.0 }) * it.kind.worth(&task.about))
    };
    let mut all: Vec<(usize, f32)> = view.files().iter().enumerate().map(score).collect();
    all.retain(|it| it.1 > 0.0);
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(MOST_FILES);
    all
}

fn names(task: &Task, path: &str) -> bool {
    if task.mentions.is_empty() {
        return false;
    }
    let lower = path.to_lowercase();
    let components: Vec<&str> = lower.split(['/', '.']).collect();
    task.mentions.iter().any(|mention| mention.matches(&components) > 0)
}

/// The candidates that vote for others, by their place, with their weights.
struct Seeds {
    code: Vec<(usize, f32)>,
    tests: Vec<(usize, f32)>,
}

fn seeds(view: &View, firsts: &[(usize, f32)]) -> Seeds {
    let of_kind = |is_kind: &dyn Fn(FileKind) -> bool| {
        let mut found =
            firsts.iter().enumerate().filter(|(_, it)| is_kind(view.files()[it.0].kind));
        let best = found.clone().next().map_or(1.0, |(_, it)| it.1);
        let mut seeds = Vec::new();
        for (place, it) in found.by_ref().take(SEEDS) {
            seeds.push((place, it.1 / best));
        }
        seeds
    };
    Seeds {
        code: of_kind(&|kind| kind == FileKind::Code),
        tests: of_kind(&|kind| matches!(kind, FileKind::Test | FileKind::Documentation)),
    }
}

/// For each candidate: how much seeds use of it, how much it uses of seeds, how much tests use of it.
fn links(uses: &[Use], seeds: &Seeds, candidates: usize) -> Vec<(f32, f32, f32)> {
    let weights = |seeds: &[(usize, f32)]| seeds.iter().copied().collect::<FxHashMap<usize, f32>>();
    let (code, tests) = (weights(&seeds.code), weights(&seeds.tests));
    let mut links = vec![(0.0, 0.0, 0.0); candidates];
    for it in uses {
        let (user, definer) = (it.user.0 as usize, it.definer.0 as usize);
        if let Some(weight) = code.get(&user) {
            links[definer].0 += weight * it.weight;
        }
        if let Some(weight) = code.get(&definer) {
            links[user].1 += weight * it.weight;
        }
        if let Some(weight) = tests.get(&user) {
            links[definer].2 += weight * it.weight;
        }
    }
    links
}

/// How well the other candidates of a file's folder did.
fn siblings(view: &View, firsts: &[(usize, f32)]) -> Vec<f32> {
    let folder = |file: usize| {
        let path = view.files()[file].path.as_str();
        path.rsplit_once('/').map_or("", |(folder, _)| folder)
    };
    let mut sums: FxHashMap<&str, f32> = FxHashMap::default();
    for &(file, score) in firsts {
        *sums.entry(folder(file)).or_default() += score;
    }
    firsts.iter().map(|&(file, score)| sums[folder(file)] - score).collect()
}

/// How well the test that is called after a file did.
fn twins(view: &View, firsts: &[(usize, f32)]) -> Vec<f32> {
    let mut tests: FxHashMap<String, f32> = FxHashMap::default();
    for &(file, score) in firsts {
        let it = &view.files()[file];
        if it.kind == FileKind::Test {
            let best = tests.entry(test_subject(&it.path)).or_default();
            *best = best.max(score);
        }
    }
    let twin = |&(file, _): &(usize, f32)| {
        let it = &view.files()[file];
        let name = it.path.rsplit('/').next().unwrap_or(&it.path);
        let stem = name.split('.').next().unwrap_or(name).trim_matches('_').to_lowercase();
        if it.kind == FileKind::Test { 0.0 } else { tests.get(&stem).copied().unwrap_or(0.0) }
    };
    firsts.iter().map(twin).collect()
}

/// What a test is called after: its name without what makes it a test's.
fn test_subject(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let stem = stem.strip_prefix("test_").or_else(|| stem.strip_prefix("test")).unwrap_or(&stem);
    let ends = ["_test", "_tests", "_spec", "tests", "test", "spec"];
    let cut = ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    cut.trim_matches('_').to_owned()
}

/// Names that many files have, since they stand for their folder.
fn special(path: &str) -> f32 {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let names = [
        "__init__",
        "index",
        "mod",
        "lib",
        "main",
        "utils",
        "util",
        "helpers",
        "common",
        "constants",
        "types",
        "__main__",
        "setup",
        "version",
        "_version",
        "conf",
        "settings",
    ];
    f32::from(u8::from(names.contains(&stem)))
}

/// Divides each score by the best of its kind among the candidates.
fn normalise(all: &mut [FileFeatures]) {
    let mut scale = |field: fn(&mut FileFeatures) -> &mut f32| {
        let best = all.iter_mut().map(|it| *field(it)).fold(0.0, f32::max);
        if best > 0.0 {
            all.iter_mut().for_each(|it| *field(it) /= best);
        }
    };
    scale(|it| &mut it.fused);
    scale(|it| &mut it.title);
    scale(|it| &mut it.prose);
    scale(|it| &mut it.code);
    scale(|it| &mut it.symbol);
    scale(|it| &mut it.symbol_title);
    scale(|it| &mut it.signature);
    scale(|it| &mut it.comment);
    scale(|it| &mut it.path);
    scale(|it| &mut it.path_title);
    scale(|it| &mut it.defined);
    scale(|it| &mut it.named);
    scale(|it| &mut it.chunk_second);
    scale(|it| &mut it.chunk_third);
    scale(|it| &mut it.chunk_first);
    scale(|it| &mut it.chunk_title);
    scale(|it| &mut it.chunk_symbol);
    scale(|it| &mut it.chunk_defined);
    scale(|it| &mut it.history);
    scale(|it| &mut it.history_title);
    scale(|it| &mut it.history_best);
    scale(|it| &mut it.history_near);
    scale(|it| &mut it.joined);
    scale(|it| &mut it.chunk_joined);
    scale(|it| &mut it.two);
    scale(|it| &mut it.three);
    scale(|it| &mut it.chunk_two);
    scale(|it| &mut it.chunk_three);
    scale(|it| &mut it.last_ten);
    scale(|it| &mut it.last_fifty);
    scale(|it| &mut it.last_hundreds);
    scale(|it| &mut it.commits);
    scale(|it| &mut it.together);
    scale(|it| &mut it.used);
    scale(|it| &mut it.uses);
    scale(|it| &mut it.tested);
    scale(|it| &mut it.twin);
    scale(|it| &mut it.folder);
    reciprocal_ranks(all, |it| it.fused, |it, rank| it.fused_rank = rank);
    reciprocal_ranks(all, |it| it.chunk_first, |it, rank| it.chunk_rank = rank);
    reciprocal_ranks(all, |it| it.title, |it, rank| it.title_rank = rank);
    reciprocal_ranks(all, |it| it.symbol, |it, rank| it.symbol_rank = rank);
    reciprocal_ranks(all, |it| it.path, |it, rank| it.path_rank = rank);
    reciprocal_ranks(all, |it| it.history_best, |it, rank| it.history_rank = rank);
}

fn reciprocal_ranks(
    all: &mut [FileFeatures],
    value: fn(&FileFeatures) -> f32,
    put: fn(&mut FileFeatures, f32),
) {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| value(&all[b]).total_cmp(&value(&all[a])).then(a.cmp(&b)));
    for (rank, at) in order.into_iter().enumerate() {
        put(&mut all[at], 1.0 / (1.0 + rank as f32 / 3.0));
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

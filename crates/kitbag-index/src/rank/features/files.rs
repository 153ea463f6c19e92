//! What a file is described by.

use super::votes::{links, seeds, siblings, twins};
use super::{Candidate, Features};
use crate::history::Past;
use crate::rank::evidence::{ChunkEvidence, FileEvidence};
use crate::rank::history::{FileHistory, HistoryEvidence};
use crate::rank::phrases::Shared;
use crate::terms::{for_each_id, word_id};

features! {
    /// What a file is described by.
    FileFeatures, FILE_FEATURES:
    fused, title, prose, code, symbol, symbol_title, signature, comment, path, path_title,
    defined, named, joined, covered, covered_all, chunk_covered, chunk_joined, chunk_first,
    chunk_second, chunk_third, chunk_title, chunk_symbol, chunk_defined, history,
    history_title, history_best, history_near, commits, month, year, last_ten, last_fifty,
    last_hundreds, two, three, chunk_two, chunk_three, mention, mention_plain,
    mention_share, frame, guess, guess_rank, stem_title, stem_task, stem_name, stem_quoted,
    stem_words, stem_words_title, scope, scope_stem, length, chunks, special, together,
    used, uses, tested, twin, folder, fused_rank, chunk_rank, title_rank, symbol_rank,
    path_rank, history_rank, depth,
}

impl Features<'_> {
    /// Describes the candidates, which a first guess has ordered.
    pub(super) fn describe(
        &mut self,
        firsts: &[(usize, f32)],
        history: &HistoryEvidence,
        past: &Past,
    ) {
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
            .map(|(place, &(file, guess))| {
                let mut it = self.words_of(file);
                it.guess = guess;
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
        let mentioned = self.mentioned(&it.path);
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
            mention: mentioned.any,
            mention_plain: mentioned.plain,
            mention_share: mentioned.any,
            frame: mentioned.frame,
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

    /// How clearly the task names a file, and how deep in its stack trace.
    fn mentioned(&self, path: &str) -> Mentioned {
        let mut found = Mentioned::default();
        if self.task.mentions.is_empty() {
            return found;
        }
        let lower = path.to_lowercase();
        let components: Vec<&str> = lower.split(['/', '.']).collect();
        let most = components.len().saturating_sub(1).clamp(1, 4) as f32;
        for mention in &self.task.mentions {
            let matched = mention.matches(&components) as f32;
            if matched > 0.0 {
                let clear = (matched / most).min(1.0);
                found.any = found.any.max(clear);
                if mention.depth > 0 {
                    found.frame = found.frame.max(clear / (mention.depth as f32).sqrt());
                } else {
                    found.plain = found.plain.max(clear);
                }
            }
        }
        found
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
}

/// How clearly a task names a file: at all, outside of stack traces, and in one.
#[derive(Debug, Clone, Copy, Default)]
struct Mentioned {
    any: f32,
    plain: f32,
    frame: f32,
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
    scale(|it| &mut it.guess);
    let mentions: f32 = all.iter().map(|it| it.mention_share).sum();
    all.iter_mut().for_each(|it| it.mention_share /= mentions.max(1.0));
    reciprocal_ranks(all, |it| it.guess, |it, rank| it.guess_rank = rank);
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

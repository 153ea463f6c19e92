//! Features of files; docs/factors.md describes them.

use super::first_pass::ScoredFile;
use super::votes::{folder_sibling_scores, matching_test_scores, reference_votes, seeds};
use super::{Features, FileCandidate};
use crate::history::CommitHistory;
use crate::rank::evidence::ChunkEvidence;
use crate::rank::history::{FileHistory, HistoryEvidence};
use crate::rank::paths::{file_name, file_stem, parent};
use crate::rank::phrases::PhraseOverlap;
use crate::record::split_symbol;
use crate::segment::StoredDoc;
use crate::task::TaskName;
use crate::terms::{for_each_id, stem, word_id};
use kitbag_text::for_each_word;

features! {
    /// Names of the features of a file.
    FileFeatures, FILE_FEATURES:
    scaled: [
        all_fields, title, prose, code, symbol, symbol_title, signature, comment, path, path_title,
        defined_names, mentioned_names, compound_names, chunk_first, chunk_second, chunk_third,
        chunk_title, chunk_symbol, chunk_defined_names, chunk_compound_names, bigrams, trigrams,
        chunk_bigrams, chunk_trigrams, history, history_title, history_best_commit,
        history_similar_commits, commits, last_10_commits, last_50_commits, last_300_commits,
        co_changed, used, uses, used_by_tests, matching_test, folder_siblings, first_pass,
    ],
    plain: [
        title_coverage, task_coverage, chunk_title_coverage, recency_month, recency_year, mention,
        mention_plain, mention_share, stack_frame, first_pass_rank, stem_title, stem_task,
        stem_name, stem_title_name, stem_words, stem_words_title, scope, scope_stem, length, chunks,
        generic_name, all_fields_rank, chunk_rank, title_rank, symbol_rank, path_rank,
        history_rank, depth, stem_prefix, folder_prefix, stem_covered, defines_name, name_share,
        stem_is_name, brevity, is_name,
    ],
}

impl Features<'_> {
    /// Computes the features of the candidates that the first pass chose.
    pub(super) fn file_candidates(
        &self,
        chosen: &[ScoredFile],
        history: &HistoryEvidence,
        commits: &CommitHistory,
    ) -> Vec<FileCandidate> {
        let seeds = seeds(self.view, chosen);
        let seed_files: Vec<(usize, f32)> =
            seeds.code.iter().map(|&(at, weight)| (chosen[at].file, weight)).collect();
        let co_changed = history.co_changed(commits, &seed_files);
        let votes = reference_votes(&self.references.between_files, &seeds, chosen.len());
        let siblings = folder_sibling_scores(self.view, chosen);
        let tests = matching_test_scores(self.view, chosen);
        let title_words = self.title_words();
        let (brevity, is_name) = self.task_shape();
        let mut all: Vec<FileFeatures> = chosen
            .iter()
            .enumerate()
            .map(|(at, &ScoredFile { file, score })| {
                let mut features = FileFeatures {
                    first_pass: score,
                    co_changed: co_changed.get(&file).copied().unwrap_or(0.0),
                    used: votes[at].used,
                    uses: votes[at].uses,
                    used_by_tests: votes[at].used_by_tests,
                    folder_siblings: siblings[at],
                    matching_test: tests[at],
                    ..self.word_features(file)
                };
                self.set_prefixes(&self.view.files()[file].path, &title_words, &mut features);
                self.set_name(file, self.docs[at].as_ref(), &mut features);
                (features.brevity, features.is_name) = (brevity, is_name);
                features.set_history(&history.files[file]);
                features.set_phrases(self.overlaps.get(at).map_or(&[], Vec::as_slice));
                features
            })
            .collect();
        normalize(&mut all);
        chosen
            .iter()
            .zip(all)
            .map(|(it, features)| FileCandidate { file: it.file, features: features.to_vec() })
            .collect()
    }

    /// Computes the features that follow from the file alone and the words of the task.
    fn word_features(&self, file: usize) -> FileFeatures {
        let words = &self.evidence.files[file];
        let it = &self.view.files()[file];
        let chunks = self.chunk_evidence(file);
        let best = |value: fn(&ChunkEvidence) -> f32| chunks.iter().map(value).fold(0.0, f32::max);
        let mut chunk_scores: Vec<f32> = chunks.iter().map(|chunk| chunk.all_fields).collect();
        chunk_scores.sort_unstable_by(|a, b| b.total_cmp(a));
        chunk_scores.resize(3, 0.0);
        let stem = file_stem(&it.path);
        let mut features = FileFeatures {
            all_fields: words.all_fields,
            title: words.title,
            prose: words.prose,
            code: words.code,
            symbol: words.symbol,
            symbol_title: words.symbol_title,
            signature: words.signature,
            comment: words.comment,
            path: words.path,
            path_title: words.path_title,
            defined_names: words.defined_names,
            mentioned_names: words.mentioned_names,
            compound_names: words.compound_names,
            title_coverage: words.title_coverage,
            task_coverage: words.task_coverage,
            chunk_title_coverage: best(|chunk| chunk.title_coverage),
            chunk_compound_names: best(|chunk| chunk.compound_names),
            chunk_first: chunk_scores[0],
            chunk_second: chunk_scores[1],
            chunk_third: chunk_scores[2],
            chunk_title: best(|chunk| chunk.title),
            chunk_symbol: best(|chunk| chunk.symbol),
            chunk_defined_names: best(|chunk| chunk.defined_names),
            length: (1.0 + it.doc.lengths.body as f32).ln() / 10.0,
            chunks: (1.0 + it.doc.chunks as f32).ln() / 5.0,
            generic_name: f32::from(GENERIC_NAMES.split(' ').any(|name| name == stem)),
            depth: it.path.matches('/').count() as f32 / 5.0,
            ..FileFeatures::default()
        };
        self.set_mentions(&it.path, &mut features);
        self.set_stem(&it.path, &mut features);
        self.set_stem_words(&it.path, &mut features);
        self.set_scope(&it.path, &mut features);
        features
    }

    /// Sets how specifically the task mentions a file.
    fn set_mentions(&self, path: &str, features: &mut FileFeatures) {
        let components = path.split(['/', '.']).count();
        let max = components.saturating_sub(1).clamp(1, 4) as f32;
        for (mention, specificity) in self.task.mentions_of(path) {
            let clarity = (specificity as f32 / max).min(1.0);
            features.mention = features.mention.max(clarity);
            if mention.frame > 0 {
                let in_frame = clarity / (mention.frame as f32).sqrt();
                features.stack_frame = features.stack_frame.max(in_frame);
            } else {
                features.mention_plain = features.mention_plain.max(clarity);
            }
        }
        features.mention_share = features.mention;
    }

    /// Sets how the task uses a file's name as a word.
    fn set_stem(&self, path: &str, features: &mut FileFeatures) {
        let id = stem_id(path);
        let terms = &self.task.terms;
        let Some(at) = terms.iter().position(|term| term.id == id) else { return };
        let idf = self.scaled_idf(at);
        let idf_if = |holds: bool| if holds { idf } else { 0.0 };
        let (is_name, is_in_title) = (terms[at].is_name, terms[at].title > 0.0);
        features.stem_task = idf;
        features.stem_title = idf_if(is_in_title);
        features.stem_name = idf_if(is_name);
        features.stem_title_name = idf_if(is_name && is_in_title);
    }

    /// Sets the shares of the words of a file's name that the task and its title have.
    fn set_stem_words(&self, path: &str, features: &mut FileFeatures) {
        let stem = file_stem(path).to_lowercase();
        let words: Vec<&str> =
            stem.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1).collect();
        let mut ids: Vec<u32> = words.iter().map(|word| word_id(word)).collect();
        if words.len() <= 1 {
            // A name without separators may be in camel case.
            ids.clear();
            for_each_id(file_stem(path), |id| ids.push(id));
        }
        let (mut sum, mut in_task, mut in_title) = (0.0, 0.0, 0.0);
        for id in &ids {
            let at = self.task.terms.iter().position(|term| term.id == *id);
            let weight = at.map_or(0.6, |at| self.scaled_idf(at));
            sum += weight;
            if let Some(at) = at {
                in_task += weight;
                in_title += if self.task.terms[at].title > 0.0 { weight } else { 0.0 };
            }
        }
        if ids.len() > 1 && sum > 0.0 {
            let id = stem_id(path);
            let is_compound = self.task.compound_names.iter().any(|term| term.id == id);
            let bonus = if is_compound { 0.5 } else { 0.0 };
            features.stem_words = in_task / sum + bonus;
            features.stem_words_title = in_title / sum + bonus;
        }
    }

    /// Returns the words of the title that may match a path, without endings.
    fn title_words(&self) -> Vec<&str> {
        let terms = self.task.terms.iter().filter(|term| term.title > 0.0);
        terms.map(|term| stem(&term.word)).filter(|word| word.len() >= MIN_PREFIX_CHARS).collect()
    }

    /// Sets which words of the title begin a word of the file's name or folder, or the reverse.
    fn set_prefixes(&self, path: &str, title: &[&str], features: &mut FileFeatures) {
        let name = path_words(file_stem(path));
        let folder = path_words(parent(path).rsplit('/').next().unwrap_or_default());
        let share = |words: &[String]| {
            let found = title.iter().filter(|word| words.iter().any(|it| is_prefix(it, word)));
            found.count() as f32 / title.len().max(1) as f32
        };
        features.stem_prefix = share(&name);
        features.folder_prefix = share(&folder);
        let is_covered = name.iter().all(|it| title.iter().any(|word| is_prefix(it, word)));
        features.stem_covered = f32::from(is_covered && !name.is_empty());
    }

    /// Sets how a file relates to the name that the task consists of.
    fn set_name(&self, file: usize, doc: Option<&StoredDoc>, features: &mut FileFeatures) {
        let Some(name) = &self.task.name else { return };
        let path = &self.view.files()[file].path;
        let is_stem = without_separators(file_stem(path)) == without_separators(&name.last);
        features.stem_is_name = f32::from(is_stem || file_name(path) == name.text);
        let chunks = doc.map_or(&[][..], |doc| &doc.chunks);
        let (mut defined, mut inside) = (0.0f32, 0usize);
        for chunk in chunks {
            let likeness = chunk.defines.iter().map(|symbol| name_likeness(symbol, name));
            defined = defined.max(likeness.fold(0.0, f32::max));
            let symbol = chunk.symbol.as_deref().unwrap_or_default();
            inside += usize::from(symbol.split(['.', ':', '#', '/']).any(|it| it == name.last));
        }
        features.defines_name = defined;
        features.name_share = inside as f32 / chunks.len().max(1) as f32;
    }

    /// Returns how brief the task is, and 1 if it is a single name.
    pub(in crate::rank) fn task_shape(&self) -> (f32, f32) {
        (self.task.brevity(), f32::from(self.task.name.is_some()))
    }

    /// Sets whether a folder or the file has a name of the part of the project that the title begins
    /// with.
    fn set_scope(&self, path: &str, features: &mut FileFeatures) {
        let scope = &self.task.scope;
        if scope.is_empty() {
            return;
        }
        let is_in_scope = |name: &str| {
            let mut found = scope.contains(&word_id(name));
            for_each_id(name, |id| found |= scope.contains(&id));
            found
        };
        let lower = path.to_lowercase();
        features.scope = f32::from(parent(&lower).split('/').any(is_in_scope));
        features.scope_stem = f32::from(is_in_scope(file_stem(&lower)));
    }
}

/// Names that files in many folders have.
const GENERIC_NAMES: &str = "__init__ index mod lib main utils util helpers common constants types \
    __main__ setup version _version conf settings";

/// Minimum length of a word that may match the beginning of another.
const MIN_PREFIX_CHARS: usize = 3;
/// Minimum length of a word that may match the middle of a name without separators.
const MIN_INFIX_CHARS: usize = 5;

/// Returns the words of a file or folder name in lowercase, and the whole name if it has several.
fn path_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(name, |word| words.push(word.to_owned()));
    words.retain(|word| word.len() >= MIN_PREFIX_CHARS && !word.contains('_'));
    words
}

/// Whether a word of a path and a stemmed word of the task begin alike.
fn is_prefix(in_path: &str, word: &str) -> bool {
    let is_infix = word.len() >= MIN_INFIX_CHARS && in_path.contains(word);
    in_path.starts_with(word) || word.starts_with(stem(in_path)) || is_infix
}

/// Compares a symbol with the name that a task consists of: 1 if its last part is the same, less if
/// only the case differs, more if the part before it is the same too.
pub(super) fn name_likeness(symbol: &str, name: &TaskName) -> f32 {
    let (last, before) = split_symbol(symbol);
    let is_whole =
        !before.is_empty() && name.text.len() > name.last.len() && name.text.contains(before);
    let bonus = if is_whole { 0.25 } else { 0.0 };
    match last == name.last {
        true => 1.0 + bonus,
        false if last.eq_ignore_ascii_case(&name.last) => 0.5,
        false => 0.0,
    }
}

fn without_separators(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn stem_id(path: &str) -> u32 {
    word_id(file_stem(path).to_lowercase().trim_matches('_'))
}

impl FileFeatures {
    fn set_phrases(&mut self, overlaps: &[PhraseOverlap]) {
        self.bigrams = overlaps.iter().map(|it| it.bigrams).sum();
        self.trigrams = overlaps.iter().map(|it| it.trigrams).sum();
        self.chunk_bigrams = overlaps.iter().map(|it| it.bigrams).fold(0.0, f32::max);
        self.chunk_trigrams = overlaps.iter().map(|it| it.trigrams).fold(0.0, f32::max);
    }

    fn set_history(&mut self, history: &FileHistory) {
        self.history = history.messages;
        self.history_title = history.messages_title;
        self.history_best_commit = history.best_commit;
        self.history_similar_commits = history.similar_commits;
        self.commits = (1.0 + history.commits).ln();
        self.recency_month = history.recency_month;
        self.recency_year = history.recency_year;
        self.last_10_commits = history.last_10_commits;
        self.last_50_commits = history.last_50_commits;
        self.last_300_commits = history.last_300_commits;
    }
}

/// Makes features comparable between tasks: relative to the best candidate, or as a rank.
fn normalize(all: &mut [FileFeatures]) {
    FileFeatures::scale_to_best(all);
    let mentions: f32 = all.iter().map(|it| it.mention_share).sum();
    all.iter_mut().for_each(|it| it.mention_share /= mentions.max(1.0));
    reciprocal_ranks(all, |it| it.first_pass, |it, rank| it.first_pass_rank = rank);
    reciprocal_ranks(all, |it| it.all_fields, |it, rank| it.all_fields_rank = rank);
    reciprocal_ranks(all, |it| it.chunk_first, |it, rank| it.chunk_rank = rank);
    reciprocal_ranks(all, |it| it.title, |it, rank| it.title_rank = rank);
    reciprocal_ranks(all, |it| it.symbol, |it, rank| it.symbol_rank = rank);
    reciprocal_ranks(all, |it| it.path, |it, rank| it.path_rank = rank);
    reciprocal_ranks(all, |it| it.history_best_commit, |it, rank| it.history_rank = rank);
}

fn reciprocal_ranks(
    all: &mut [FileFeatures],
    value: fn(&FileFeatures) -> f32,
    set: fn(&mut FileFeatures, f32),
) {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| value(&all[b]).total_cmp(&value(&all[a])).then(a.cmp(&b)));
    for (rank, at) in order.into_iter().enumerate() {
        set(&mut all[at], 1.0 / (1.0 + rank as f32 / 3.0));
    }
}

//! Features of a task as a whole: how well it fits the repository, whichever file is meant. Unlike the
//! features of files they are not relative to the best candidate, so they can tell a task that has
//! nothing to do with the repository.

use super::Features;
use crate::file_kind::FileKind;
use crate::rank::evidence::{BM25_K1, ChunkEvidence, FileEvidence, Occurrence};
use crate::rank::history::HistoryEvidence;
use crate::task::TaskTerm;
use crate::terms::{for_each_id, word_id};

features! {
    /// Names of the features of a task.
    TaskFeatures, TASK_FEATURES:
    plain: [
        title_known, task_known, names_known, names_defined, names, title_defined,
        best_title_coverage, best_chunk_title_coverage, best_task_coverage, best_names,
        best_all_fields, best_chunk, bigrams, trigrams, compound_names, best_commit,
        mentions_found, mentions, words, unknown_words, files, title_excess, task_excess,
        names_excess, best_excess, telling_words, unknown_rare, unknown_common, rare_known,
        rare_defined, best_title_excess, brevity, is_name,
    ],
}

impl Features<'_> {
    /// Computes the features of the task, in the order of [`TASK_FEATURES`].
    pub(super) fn task_features(&self, history: &HistoryEvidence) -> Vec<f32> {
        let is_code = |file: usize| self.view.files()[file].kind == FileKind::Code;
        let code: Vec<usize> =
            self.candidates.iter().map(|it| it.file).filter(|&file| is_code(file)).collect();
        let best = |value: fn(&FileEvidence) -> f32| {
            code.iter().map(|&file| value(&self.evidence.files[file])).fold(0.0, f32::max)
        };
        let best_of_chunks = |value: fn(&ChunkEvidence) -> f32| {
            let chunks = code.iter().flat_map(|&file| self.chunk_evidence(file));
            chunks.map(value).fold(0.0, f32::max)
        };
        let overlaps = || self.overlaps.iter().flatten();
        let names = |term: &TaskTerm| if term.is_name { term.weight } else { 0.0 };
        let whole_task = self.sum(|term| term.weight, Occurrence::None).max(1e-6);
        let all_names = self.sum(names, Occurrence::None).max(1e-6);
        let unknown = self.evidence.occurrence.iter().filter(|it| **it == Occurrence::None);
        let mentions = self.task.mentions.iter().filter(|it| it.frame == 0).count();
        let (brevity, is_name) = self.task_shape();
        let excess = self.word_excess();
        TaskFeatures {
            title_known: self.share(|term| term.title, Occurrence::Used),
            task_known: self.share(|term| term.weight, Occurrence::Used),
            names_known: self.share(names, Occurrence::Used),
            names_defined: self.share(names, Occurrence::Defined),
            names: log(self.task.terms.iter().filter(|term| term.is_name).count()),
            title_defined: self.share(|term| term.title, Occurrence::Defined),
            best_title_coverage: best(|it| it.title_coverage),
            best_chunk_title_coverage: best_of_chunks(|it| it.title_coverage),
            best_task_coverage: best(|it| it.task_coverage),
            best_names: best(|it| it.mentioned_names) / all_names,
            best_all_fields: best(|it| it.all_fields) / whole_task / (BM25_K1 + 1.0),
            best_chunk: best_of_chunks(|it| it.all_fields) / whole_task / (BM25_K1 + 1.0),
            bigrams: overlaps().map(|it| it.bigrams).fold(0.0, f32::max).ln_1p(),
            trigrams: overlaps().map(|it| it.trigrams).fold(0.0, f32::max).ln_1p(),
            compound_names: best_of_chunks(|it| it.compound_names).ln_1p(),
            best_commit: history.files.iter().map(|it| it.best_commit).fold(0.0, f32::max).ln_1p(),
            mentions_found: self.mentions_found(mentions),
            mentions: log(mentions),
            words: log(self.task.terms.len()),
            unknown_words: log(unknown.count()),
            files: log(self.view.files().len()),
            title_excess: excess.title,
            task_excess: excess.task,
            names_excess: excess.names,
            best_excess: excess.best,
            telling_words: excess.telling_words,
            unknown_rare: excess.unknown_rare,
            unknown_common: excess.unknown_common,
            rare_known: excess.rare_known,
            rare_defined: excess.rare_defined,
            best_title_excess: excess.best_title,
            brevity,
            is_name,
        }
        .to_vec()
    }

    /// Returns the share of the terms, by weight and rarity, that occur as tellingly as `at_least`;
    /// 0 if no term has a weight.
    fn share(&self, weight: fn(&TaskTerm) -> f32, at_least: Occurrence) -> f32 {
        self.sum(weight, at_least) / self.sum(weight, Occurrence::None).max(1e-6)
    }

    fn sum(&self, weight: fn(&TaskTerm) -> f32, at_least: Occurrence) -> f32 {
        let terms = self.task.terms.iter().zip(&self.evidence.idf).zip(&self.evidence.occurrence);
        let found = terms.filter(|(_, occurrence)| **occurrence >= at_least);
        found.map(|((term, idf), _)| weight(term) * idf).sum()
    }

    /// Returns the share of the mentioned files, outside of stack traces, that exist.
    fn mentions_found(&self, mentions: usize) -> f32 {
        let mut found: Vec<&crate::task::Mention> = Vec::new();
        for candidate in &self.candidates {
            for (mention, _) in self.task.mentions_of(&self.view.files()[candidate.file].path) {
                if mention.frame == 0 && !found.iter().any(|it| std::ptr::eq(*it, mention)) {
                    found.push(mention);
                }
            }
        }
        found.len() as f32 / mentions.max(1) as f32
    }
}

/// Number of files from which the task model is trusted. It was trained on larger repositories; in a small
/// one, every word of the code is rare.
const MIN_TRUSTED_FILES: f64 = 60.0;

/// Upper limit of the chance that a task is about the repository if all names in its title are missing from
/// it and no other word points to it.
const MISSING_NAMES_FIT: f64 = 1e-4;

impl Features<'_> {
    /// Corrects the chance that the task is about the repository where the model cannot tell: in a small
    /// repository, unless none of the identifiers in the task occurs there, for a task about missing names,
    /// and for one in another language than English.
    pub(in crate::rank) fn trusted_fit(&self, fit: f64) -> f64 {
        if self.is_about_missing_names() {
            return fit.min(MISSING_NAMES_FIT);
        }
        // Words that are missing because they were not translated say nothing.
        if self.task.is_translated && self.has_telling_word(|_| true) {
            return 1.0;
        }
        let terms = self.task.terms.iter().zip(&self.evidence.occurrence);
        let mut names = terms.filter(|(term, _)| term.is_name).peekable();
        if names.peek().is_some() && names.all(|(_, occurrence)| *occurrence == Occurrence::None) {
            return fit;
        }
        let doubt = (self.view.files().len() as f64 / MIN_TRUSTED_FILES).min(1.0);
        1.0 - (1.0 - fit) * doubt
    }

    /// Returns whether all names in the title are missing and no other word is telling. The words of a
    /// missing name do not count: `FrobnicatorService` is not about other services.
    fn is_about_missing_names(&self) -> bool {
        let missing = self.missing_names();
        if missing.is_empty() || missing.len() < self.task.named.len() {
            return false;
        }
        let mut parts: Vec<u32> = Vec::new();
        missing.iter().for_each(|name| for_each_id(name, |id| parts.push(id)));
        !self.has_telling_word(|term| !parts.contains(&term.id))
    }

    /// Returns the identifiers and files that the title names and that occur nowhere.
    pub(in crate::rank) fn missing_names(&self) -> Vec<&str> {
        let is_missing = |name: &&String| {
            if name.contains('.') {
                let end = name.trim_start_matches("./").to_lowercase();
                return !self.view.files().iter().any(|it| it.path.to_lowercase().ends_with(&end));
            }
            let id = word_id(&name.trim_matches('_').to_lowercase());
            let at = self.task.terms.iter().position(|term| term.id == id);
            at.is_some_and(|at| self.evidence.occurrence[at] == Occurrence::None)
        };
        self.task.named.iter().filter(is_missing).map(String::as_str).collect()
    }
}

fn log(count: usize) -> f32 {
    (count as f32).ln_1p()
}

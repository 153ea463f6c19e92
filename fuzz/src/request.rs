//! Requests made from bytes: sources, task, budget and every setting of the packer.
//!
//! An input is a head of settings, the task up to the first record separator, and sources with
//! record separators between them. A source is five bytes of choices, a line with its path, and its
//! content.

use crate::Bytes;
use kitbag_core::{
    BudgetSettings, Cancel, Decision, DeduplicationSettings, Format, Formatting, Job, Overflow,
    PackError, Packed, SelectionSettings, Settings, Share, Weights, decide, pack,
};
use kitbag_text::{ChunkLimits, ChunkStrategy, Kind, Piece, Source, Text, chunk_text};
use kitbag_tokens::{CachedCounter, Vocabulary};
use std::sync::{Arc, LazyLock};

/// The ASCII record separator, between the texts of an input.
const SEPARATOR: u8 = 0x1e;

/// Maximum number of sources in a request.
const MAX_SOURCES: usize = 12;

const NOW: i64 = 1_700_000_000;

static COUNTERS: LazyLock<Vec<CachedCounter>> = LazyLock::new(|| {
    let names = ["o200k_base", "cl100k_base", "characters", "words"];
    names.iter().map(|name| CachedCounter::named(name).expect("a built-in counter")).collect()
});

/// One of the counters, by index.
pub fn counting(counter: usize) -> &'static CachedCounter {
    &COUNTERS[counter % COUNTERS.len()]
}

/// A request.
pub struct Case {
    pub sources: Vec<Source>,
    pub task: String,
    /// Maximum number of tokens.
    pub budget: usize,
    pub settings: Settings,
    counter: usize,
    now: Option<i64>,
}

impl Case {
    /// A request whose sources and settings all come from the input.
    pub fn new(mut bytes: Bytes<'_>) -> Self {
        let counter = bytes.below(4);
        let budget = budget(&mut bytes);
        let now = (bytes.byte() < 250).then_some(NOW);
        let mut settings = settings(&mut bytes);
        settings.formatting = formatting(&mut bytes);
        let max_chunks = settings.formatting.max_chunks;
        settings.formatting.max_chunks = max_chunks.map(|it| it.max(settings.selection.min_chunks));
        let task = bytes.text_until(SEPARATOR);
        let mut sources = Vec::new();
        while !bytes.is_empty() && sources.len() < MAX_SOURCES {
            sources.push(source(&mut bytes, &settings, counter));
        }
        Self { sources, task, budget, settings, counter, now }
    }

    /// A request with small files in three languages and default settings.
    pub fn small(budget: usize) -> Self {
        let file = |path: &str, content: &str| Source {
            path: path.to_owned(),
            kind: Kind::OpenFile,
            text: Arc::new(Text::new(content)),
            relevance: Some(0.5),
            timestamp: Some(NOW),
            expanded_context: None,
            pieces: None,
            tally: None,
            from: None,
            is_given: false,
        };
        let chunking = ChunkLimits { min_chunk_tokens: 5, ..ChunkLimits::default() };
        Self {
            sources: vec![
                file("src/a.rs", "fn login() {\n    work();\n}\n\nfn logout() {}\n"),
                file("b.py", "def f():\n    return 1\n"),
                file("é `x`.md", "# One\n\ntext\n\n## Two\n\n```\ncode\n```"),
            ],
            task: "why does login fail?".to_owned(),
            budget,
            settings: Settings { chunking, ..Settings::default() },
            counter: 0,
            now: Some(NOW),
        }
    }

    pub fn pack(&self) -> Result<Packed, PackError> {
        pack(self.job(&Cancel::default()), &mut ())
    }

    pub fn decide(&self) -> Result<Decision, PackError> {
        decide(self.job(&Cancel::default()), &mut ())
    }

    fn job<'a>(&'a self, cancel: &'a Cancel) -> Job<'a> {
        Job {
            sources: self.sources.clone(),
            task: &self.task,
            now: self.now,
            budget: self.budget,
            settings: &self.settings,
            counting: counting(self.counter),
            cancel,
        }
    }

    /// Counts a text, for vocabularies by other code than the packer's.
    pub fn recount(&self, text: &str) -> usize {
        let encoded = |vocabulary: Vocabulary| vocabulary.encode(text).len();
        match self.counter {
            0 => encoded(Vocabulary::O200kBase),
            1 => encoded(Vocabulary::Cl100kBase),
            _ => counting(self.counter).counter().count(text),
        }
    }
}

fn budget(bytes: &mut Bytes<'_>) -> usize {
    match bytes.number() as usize {
        0xffff => usize::MAX,
        number if number >= 0x8000 => number & 0xff,
        number => number & 0xfff,
    }
}

/// Splitting by structure, twice as often as the others.
pub fn strategy(bytes: &mut Bytes<'_>) -> ChunkStrategy {
    match bytes.below(4) {
        0 | 1 => ChunkStrategy::Structure,
        2 => ChunkStrategy::Lines,
        _ => ChunkStrategy::Tokens,
    }
}

fn settings(bytes: &mut Bytes<'_>) -> Settings {
    let strategy = strategy(bytes);
    let chunking = ChunkLimits {
        max_chunk_tokens: 1 + bytes.number() % 2_500,
        max_class_tokens: 1 + bytes.number() % 2_500,
        min_chunk_tokens: u32::from(bytes.byte()),
        lines_per_chunk: u32::from(bytes.byte()),
        fallback_on_error: bytes.byte() < 200,
        strategy,
        ..ChunkLimits::default()
    };
    let weights = [
        Weights::default(),
        Weights { relevance: 1.0, recency: 0.0, source: 0.0 },
        Weights { relevance: 0.0, recency: 1.0, source: 0.0 },
        Weights { relevance: 0.0, recency: 0.0, source: 1.0 },
    ][bytes.below(4)];
    let min_score = Some(bytes.share()).filter(|min| *min < 0.5);
    let deduplication = deduplication(bytes);
    let overflows = [Overflow::Outline, Overflow::Skip, Overflow::Truncate, Overflow::Proportional];
    let selection = SelectionSettings {
        overflow: overflows[bytes.below(4)],
        balance: bytes.byte() < 64,
        min_chunks: bytes.below(8),
        ..SelectionSettings::default()
    };
    let mut budget = BudgetSettings::default();
    for _ in 0..bytes.below(4) {
        let kind = bytes.below(Kind::ALL.len());
        let share = bytes.byte();
        let part = Share::Fraction(f64::from(share) / 255.0);
        let share = if share < 128 { Share::Tokens(usize::from(share) * 4) } else { part };
        budget.categories[kind] = Some(share);
    }
    Settings {
        chunking,
        weights,
        min_score,
        deduplication,
        selection,
        budget,
        ..Settings::default()
    }
}

fn deduplication(bytes: &mut Bytes<'_>) -> DeduplicationSettings {
    let [enabled, hash, overlap, near, spaces, comments, case, merge] = bytes.switches();
    DeduplicationSettings {
        enabled,
        content_hash_enabled: hash,
        overlap_detection_enabled: overlap,
        overlap_threshold: bytes.share(),
        near_enabled: near,
        near_threshold: bytes.share().max(0.01),
        normalize_whitespace: spaces,
        ignore_comments: comments,
        case_sensitive: case,
        merge_overlaps: merge,
        cache_max_size: bytes.below(9),
    }
}

fn formatting(bytes: &mut Bytes<'_>) -> Formatting {
    let [group_by_file, line_numbers, scores, detailed, headed, footed, parted, few] =
        bytes.switches();
    let format = Format::ALL[bytes.below(4)];
    let mut text = |wanted: bool| wanted.then(|| bytes.text_until(SEPARATOR));
    let (header, footer, separator) = (text(headed), text(footed), text(parted));
    let max_chunks = few.then(|| 1 + bytes.below(8));
    Formatting {
        format,
        header,
        footer,
        separator,
        group_by_file,
        line_numbers,
        scores,
        detailed,
        max_chunks,
        ..Formatting::default()
    }
}

fn source(bytes: &mut Bytes<'_>, settings: &Settings, counter: usize) -> Source {
    let kind = Kind::ALL[bytes.below(Kind::ALL.len())];
    let relevance = match bytes.byte() {
        0 => None,
        1 => Some(f64::NAN),
        byte => Some((f64::from(byte) - 2.0) / 250.0),
    };
    let timestamp = match bytes.byte() {
        0 => None,
        1 => Some(i64::MIN),
        2 => Some(i64::MAX),
        days => Some(NOW - i64::from(days) * 86_400),
    };
    let how = bytes.byte();
    let first_line = 1 + u32::from(bytes.byte());
    let path = bytes.text_until(b'\n');
    let text = Arc::new(Text::with_first_line(bytes.text_until(SEPARATOR), first_line));
    let pieces = (how & 3 == 1).then(|| pieces(&path, &text, how, settings, counter));
    let expanded = (how & 3 == 2).then(|| Arc::new(Text::new("around\n\nit, éverything\n`")));
    Source {
        path,
        kind,
        text,
        relevance,
        timestamp,
        expanded_context: expanded,
        pieces,
        tally: None,
        from: None,
        is_given: how & 128 != 0,
    }
}

/// Some of the chunks of the text, each with its own relevance.
fn pieces(path: &str, text: &Text, how: u8, settings: &Settings, counter: usize) -> Vec<Piece> {
    let chunked = chunk_text(path, text, &settings.chunking, counting(counter));
    let kept = chunked.chunks.into_iter().enumerate();
    let kept = kept.filter(|(index, _)| how >> (2 + index % 6) & 1 == 1);
    kept.map(|(index, chunk)| Piece { chunk, relevance: Some(1.0 / (1 + index) as f64) }).collect()
}

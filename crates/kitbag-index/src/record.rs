//! Records of contents: chunks, words by field, token counts. A record follows from the content, its
//! language and the settings alone, so it is stored by the content's key and serves every file and
//! commit with that content.

use crate::file_kind::ContentFlags;
use crate::imports::mark_imports;
use crate::terms::{WORDS_VERSION, for_each_id};
use kitbag_text::{
    Cancel, Cancelled, Chunk, ChunkLimits, ChunkedText, CommentScanner, Fallback, Language, Text,
};
use kitbag_tokens::{CachedCounter, Tally};
use rustc_hash::FxHashMap;

/// Bumped whenever the record of the same content would differ.
pub(crate) const RECORD_VERSION: u32 = 304 + WORDS_VERSION;

/// Settings that determine the records of contents.
pub struct AnalysisSettings<'a> {
    /// Limits on chunk sizes.
    pub limits: ChunkLimits,
    /// Token counter.
    pub counting: &'a CachedCounter,
}

impl AnalysisSettings<'_> {
    /// Returns the settings that a user can choose, as text: it names the folder of an index.
    pub fn variant(&self) -> String {
        Self::variant_of(self.counting.counter().name(), &self.limits)
    }

    /// Returns [`AnalysisSettings::variant`] with the versions of program and records. An index with
    /// another fingerprint has to be rebuilt.
    pub fn fingerprint(&self) -> String {
        Self::fingerprint_of(self.counting.counter().name(), &self.limits)
    }

    /// Returns the variant for a token counter by name.
    pub fn variant_of(counter: &str, limits: &ChunkLimits) -> String {
        format!("{counter} {limits:?}")
    }

    /// Returns the fingerprint for a token counter by name.
    pub fn fingerprint_of(counter: &str, limits: &ChunkLimits) -> String {
        let program = env!("CARGO_PKG_VERSION");
        let variant = Self::variant_of(counter, limits);
        format!("kitbag {program}, records {RECORD_VERSION}, {variant}")
    }
}

/// Occurrences of a word in a chunk, in total and by field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FieldCounts {
    /// Anywhere in the lines of the chunk.
    pub body: u32,
    /// In comments, capped at 7.
    pub comment: u8,
    /// In signatures without doc comments, capped at 3.
    pub signature: u8,
    /// In the names that the chunk defines, capped at 3.
    pub symbol: u8,
    /// In the names of enclosing items such as its class, capped at 1.
    pub scope: u8,
}

/// The words of a chunk with their counts, sorted by id.
pub type ChunkWords = Vec<(u32, FieldCounts)>;

/// Everything that the index stores about a content.
#[derive(Debug, Clone)]
pub struct ContentRecord {
    /// Flags read from the content.
    pub flags: ContentFlags,
    /// Chunks in the order of their lines.
    pub chunks: Vec<Chunk>,
    /// Words of each chunk.
    pub words: Vec<ChunkWords>,
    /// Token counts by line.
    pub tally: Tally,
    /// Why the content was split by lines, if it killed or stalled its parser. A record whose failure
    /// [depends on the machine](Fallback::depends_on_machine) must not be shared with others.
    pub parser_failure: Option<Fallback>,
}

impl ContentRecord {
    /// Chunks and counts the content of the file at `path`.
    pub fn analyze(
        path: &str,
        text: &Text,
        settings: &AnalysisSettings<'_>,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let (content, counting) = (text.content(), settings.counting);
        let is_cancelled = || cancel.is_cancelled();
        let tally = Tally::until(counting.counter(), content, text.row_starts(), &is_cancelled)
            .ok_or(Cancelled)?;
        let language = Language::for_text(path, text);
        let ChunkedText { mut chunks, fallback } =
            kitbag_text::chunk(text, language, &settings.limits, counting, &tally, cancel)?;
        mark_imports(&mut chunks, text);
        let mut comments = CommentScanner::new(language.map(Language::name));
        let words = chunks
            .iter()
            .map(|chunk| cancel.check().map(|()| count_words(text, chunk, &mut comments)))
            .collect::<Result<_, Cancelled>>()?;
        let parser_failure = fallback.filter(|fallback| fallback.is_parser_failure());
        Ok(Self { flags: ContentFlags::of(content), chunks, words, tally, parser_failure })
    }
}

/// Splits a symbol path into its last name and the path before it.
pub(crate) fn split_symbol(symbol: &str) -> (&str, &str) {
    let at = symbol.rfind(['.', ':', '#', '/']).map_or(0, |at| at + 1);
    (&symbol[at..], symbol[..at].trim_end_matches(['.', ':', '#', '/']))
}

fn count_words(text: &Text, chunk: &Chunk, comments: &mut CommentScanner) -> ChunkWords {
    let mut counts: FxHashMap<u32, FieldCounts> = FxHashMap::default();
    let mut outline = chunk.outline.iter().peekable();
    // A chunk too small for an outline has its signature on the lines with its name.
    let has_defined_name = |line: &str| {
        let mut names = chunk.defines.iter().map(|symbol| split_symbol(symbol).0);
        chunk.outline.is_empty() && names.any(|name| !name.is_empty() && line.contains(name))
    };
    for number in chunk.span.start..=chunk.span.end {
        let line = text.line(number);
        let is_comment = comments.is_comment(line);
        while outline.next_if(|span| span.end < number).is_some() {}
        let in_outline = outline.peek().is_some_and(|span| span.start <= number);
        let is_signature = !is_comment && (in_outline || has_defined_name(line));
        for_each_id(line, |id| {
            let count = counts.entry(id).or_default();
            count.body += 1;
            count.comment = (count.comment + u8::from(is_comment)).min(7);
            count.signature = (count.signature + u8::from(is_signature)).min(3);
        });
    }
    for symbol in &chunk.defines {
        let (name, scope) = split_symbol(symbol);
        for_each_id(name, |id| {
            let count = counts.entry(id).or_default();
            count.symbol = (count.symbol + 1).min(3);
        });
        for_each_id(scope, |id| counts.entry(id).or_default().scope = 1);
    }
    let mut words: ChunkWords = counts.into_iter().collect();
    words.sort_unstable_by_key(|word| word.0);
    words
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::terms::word_id;

    /// Analyses a content without a way to cancel.
    pub(crate) fn record(
        path: &str,
        content: &str,
        limits: ChunkLimits,
        counting: &CachedCounter,
    ) -> ContentRecord {
        let settings = AnalysisSettings { limits, counting };
        ContentRecord::analyze(path, &Text::new(content), &settings, &Cancel::default())
            .expect("never cancelled")
    }

    #[test]
    fn words_are_counted_by_field() {
        let text = "class Cache:\n    def load_page(self, page):\n        # refill the cache\n        \
             return fetch(page)\n";
        let counting = CachedCounter::named("o200k_base").expect("built in");
        let record = record("a.py", text, ChunkLimits::default(), &counting);
        let count = |word: &str| {
            let id = word_id(word);
            let entry = record.words[0].iter().find(|entry| entry.0 == id);
            entry.map_or(FieldCounts::default(), |entry| entry.1)
        };
        assert_eq!(count("page").body, 3);
        assert_eq!(count("load_page").symbol, 1);
        assert_eq!(count("refill").comment, 1);
        assert!(count("load_page").signature > 0 && count("fetch").signature == 0);
        assert_eq!(count("cache").scope, 1);
        assert_eq!(count("nothing"), FieldCounts::default());
    }

    #[test]
    fn symbol_paths_are_split_before_the_last_name() {
        assert_eq!(split_symbol("A.B.c"), ("c", "A.B"));
        assert_eq!(split_symbol("c"), ("c", ""));
        assert_eq!(split_symbol("a::b"), ("b", "a"));
    }
}

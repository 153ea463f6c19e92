//! What the index keeps of one file's content. It follows from the content and the language alone,
//! so it can be kept by the content's hash and used for every file and commit that has it.

use crate::file_kind::Looks;
use crate::terms::{WORDS_VERSION, for_each_id};
use kitbag_text::{Cancel, Cancelled, Chunk, ChunkLimits, Comments, Language, Text, chunk_until};
use kitbag_tokens::{Counting, Tally};
use rustc_hash::FxHashMap;

/// Changes whenever a record of the same content would come out differently.
pub const RECORD_VERSION: u32 = 300 + WORDS_VERSION;

/// How often a word occurs in a chunk: in all, and in each field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Anywhere in its lines.
    pub body: u32,
    /// In comments; 7 at most.
    pub comment: u8,
    /// In signatures, doc comments left out; 3 at most.
    pub signature: u8,
    /// In the names that it defines; 3 at most.
    pub symbol: u8,
    /// In the names of what it is in, such as its class; 1 at most.
    pub scope: u8,
}

/// A chunk's words, by id.
pub type ChunkWords = Vec<(u32, Counts)>;

/// What the index keeps of one file's content.
#[derive(Debug, Clone)]
pub struct Record {
    /// What the content says about its kind.
    pub looks: Looks,
    /// The chunks, in order.
    pub chunks: Vec<Chunk>,
    /// The words of each chunk.
    pub words: Vec<ChunkWords>,
    /// The token counts of its lines.
    pub tally: Tally,
}

impl Record {
    /// Cuts and reads the content of the file at `path`.
    pub fn of(path: &str, text: &Text, limits: &ChunkLimits, counting: &Counting) -> Self {
        Self::until(path, text, (limits, counting), &Cancel::default())
            .expect("a flag that nobody has is not raised")
    }

    /// The same, unless `cancel` says that nobody wants it any more.
    pub fn until(
        path: &str,
        text: &Text,
        (limits, counting): (&ChunkLimits, &Counting),
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let (content, starts, stop) = (text.content(), text.starts(), || cancel.is_cancelled());
        let tally = Tally::until(counting.counter(), content, starts, &stop).ok_or(Cancelled)?;
        let language = Language::of_text(path, text);
        let chunks = chunk_until(text, language, limits, (counting, &tally), cancel)?.chunks;
        let mut comments = Comments::new(language.map(Language::name));
        let read = |chunk: &Chunk| cancel.check().map(|()| words(text, chunk, &mut comments));
        let words = chunks.iter().map(read).collect::<Result<_, Cancelled>>()?;
        Ok(Self { looks: Looks::of(content), chunks, words, tally })
    }
}

/// The name that a symbol path ends in, and the path before it.
pub(crate) fn name_of(symbol: &str) -> (&str, &str) {
    let at = symbol.rfind(['.', ':', '#', '/']).map_or(0, |at| at + 1);
    (&symbol[at..], symbol[..at].trim_end_matches(['.', ':', '#', '/']))
}

fn words(text: &Text, chunk: &Chunk, comments: &mut Comments) -> ChunkWords {
    let mut counts: FxHashMap<u32, Counts> = FxHashMap::default();
    let mut outline = chunk.outline.iter().peekable();
    // What is too small for an outline has its signature where its name is.
    let names_one = |content: &str| {
        let mut names = chunk.defines.iter().map(|symbol| name_of(symbol).0);
        chunk.outline.is_empty() && names.any(|name| !name.is_empty() && content.contains(name))
    };
    for line in chunk.span.start..=chunk.span.end {
        let content = text.line(line);
        let is_comment = comments.is_comment(content);
        while outline.next_if(|span| span.end < line).is_some() {}
        let in_outline = outline.peek().is_some_and(|span| span.start <= line);
        let is_signature = !is_comment && (in_outline || names_one(content));
        for_each_id(content, |id| {
            let count = counts.entry(id).or_default();
            count.body += 1;
            count.comment = (count.comment + u8::from(is_comment)).min(7);
            count.signature = (count.signature + u8::from(is_signature)).min(3);
        });
    }
    for symbol in &chunk.defines {
        let (name, scope) = name_of(symbol);
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
mod tests {
    use super::*;
    use crate::terms::word_id;

    #[test]
    fn words_are_counted_by_field() {
        let text = Text::new(
            "class Cache:\n    def load_page(self, page):\n        # refill the cache\n        \
             return fetch(page)\n",
        );
        let counting = Counting::named("o200k_base").expect("built in");
        let record = Record::of("a.py", &text, &ChunkLimits::default(), &counting);
        let count = |word: &str| {
            let id = word_id(word);
            record.words[0].iter().find(|entry| entry.0 == id).map_or(Counts::default(), |it| it.1)
        };
        assert_eq!(count("page").body, 3);
        assert_eq!(count("load_page").symbol, 1);
        assert_eq!(count("refill").comment, 1);
        assert!(count("load_page").signature > 0 && count("fetch").signature == 0);
        assert_eq!(count("cache").scope, 1);
        assert_eq!(count("nothing"), Counts::default());
    }

    #[test]
    fn a_symbol_path_ends_in_a_name() {
        assert_eq!(name_of("A.B.c"), ("c", "A.B"));
        assert_eq!(name_of("c"), ("c", ""));
        assert_eq!(name_of("a::b"), ("b", "a"));
    }
}

//! The measured texts: real source code, a folder for each language.

use anyhow::{Context, Result, ensure};
use kitbag_text::{ChunkLimits, Kind, Piece, Source, Span, Text, chunk_text};
use kitbag_tokens::CachedCounter;
use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reference time for ages.
pub const NOW: i64 = 1_800_000_000;

/// Folder that is not source code.
const TRANSLATIONS: &str = "Translations";

/// Size of a typical source file.
const TYPICAL_FILE_BYTES: RangeInclusive<u64> = 5_000..=10_000;

/// Size of a typical chunk; the mean is about 200.
const TYPICAL_CHUNK_TOKENS: RangeInclusive<u32> = 100..=320;

const JOINED_BYTES: usize = 1_000_000;

/// Paths of the files by language. Contents are read when they are needed.
pub struct Corpus(BTreeMap<String, Vec<PathBuf>>);

impl Corpus {
    pub fn open(folder: &Path) -> Result<Self> {
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let languages = entries(folder)?.into_iter().map(|path| Ok((name(&path), entries(&path)?)));
        let mut languages = languages.collect::<Result<BTreeMap<_, _>>>()?;
        languages.remove(TRANSLATIONS);
        ensure!(!languages.is_empty(), "no texts in `{}`", folder.display());
        Ok(Self(languages))
    }

    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Source files, alternating between languages.
    fn mixed(&self) -> impl Iterator<Item = &PathBuf> {
        let source = || self.0.iter().filter(|(name, _)| *name != "Markdown").map(|(_, it)| it);
        let longest = source().map(Vec::len).max().unwrap_or_default();
        (0..longest).flat_map(move |turn| source().filter_map(move |files| files.get(turn)))
    }

    pub fn source_texts(&self) -> Result<Vec<String>> {
        self.mixed().map(|path| read(path)).collect()
    }

    /// Files of typical size in many languages.
    pub fn typical_files(&self, count: usize) -> Result<Vec<Source>> {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let typical = self.mixed().filter(|path| TYPICAL_FILE_BYTES.contains(&size(path)));
        let files = typical.take(count).enumerate().map(source).collect::<Result<Vec<_>>>()?;
        ensure!(files.len() == count, "only {} files of typical size", files.len());
        Ok(files)
    }

    /// Files split into `count` chunks of typical size.
    pub fn chunks(&self, count: usize, counting: &CachedCounter) -> Result<Vec<Source>> {
        let max = *TYPICAL_CHUNK_TOKENS.end();
        let limits =
            ChunkLimits { max_chunk_tokens: max, max_class_tokens: max, ..ChunkLimits::default() };
        let (mut sources, mut left) = (Vec::new(), count);
        for numbered in self.mixed().enumerate() {
            let mut source = source(numbered)?;
            let chunks = chunk_text(&source.path, &source.text, &limits, counting).chunks;
            let typical = chunks.into_iter().filter(|it| TYPICAL_CHUNK_TOKENS.contains(&it.tokens));
            let pieces = typical.map(|chunk| Piece { chunk, relevance: None });
            let pieces: Vec<Piece> = pieces.take(left).collect();
            left -= pieces.len();
            source.pieces = Some(pieces);
            sources.push(source);
        }
        ensure!(left == 0, "only {} chunks of typical size", count - left);
        Ok(sources)
    }

    /// The files of a language that have the ending of the first, concatenated to about 1 MB and
    /// repeated if needed, with a path of the language.
    pub fn joined(&self, language: &str) -> Result<(String, String)> {
        let files = &self.0[language];
        let ending = |path: &PathBuf| path.extension().map(ToOwned::to_owned);
        let files: Vec<&PathBuf> =
            files.iter().filter(|it| ending(it) == ending(&files[0])).collect();
        let mut joined = String::new();
        for path in files.iter().cycle().take(files.len() * 10) {
            let content = read(path)?;
            // What follows these marks is not parsed.
            let is_open = !content.contains("\n__END__") && !content.contains("?>");
            if is_open && joined.len() + content.len() <= JOINED_BYTES {
                let content = content.trim_start_matches('\u{feff}');
                let again = !joined.is_empty();
                joined.push_str(if again { content.trim_start_matches("<?php") } else { content });
                joined.push('\n');
            }
        }
        Ok((files[0].to_string_lossy().into_owned(), joined))
    }
}

/// Adds copies of an eighth of the files under other paths, and the second half of each chunk of
/// another eighth.
pub fn with_repeats(mut sources: Vec<Source>) -> Vec<Source> {
    for number in 0..sources.len() {
        let mut repeat = sources[number].clone();
        match number % 8 {
            0 => {
                repeat.path = format!("copies/{}", repeat.path);
                repeat.text = Arc::new(Text::clone(&repeat.text));
            }
            1 => {
                for Piece { chunk, .. } in repeat.pieces.iter_mut().flatten() {
                    let Span { start, end } = chunk.span;
                    chunk.span = Span::new(start + (end - start) / 2, end);
                    chunk.outline.clear();
                }
            }
            _ => continue,
        }
        sources.push(repeat);
    }
    sources
}

/// A whole file. Age and kind vary, as in a real request.
fn source((number, path): (usize, &PathBuf)) -> Result<Source> {
    let kind = Kind::ALL[number % Kind::ALL.len()];
    let text = Arc::new(Text::new(read(path)?));
    let timestamp = Some(NOW - number as i64 * 20_000);
    Ok(Source { timestamp, ..Source::new(path.to_string_lossy(), kind, text) })
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

/// Entries of a folder, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let listing =
        fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut paths = listing.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

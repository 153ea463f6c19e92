//! The texts that are measured on: real source, a folder for each language.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose texts are real, but not source.
const PROSE: [&str; 2] = ["Markdown", "Translations"];

/// All texts, by language.
pub struct Corpus(Vec<Language>);

/// The texts of one language.
pub struct Language {
    /// Its name, which is the folder's.
    pub name: String,
    /// Its files.
    pub files: Vec<File>,
}

/// One text.
pub struct File {
    /// The language's folder and the file's name.
    pub path: String,
    /// The whole of it.
    pub content: String,
}

impl File {
    /// Reads one text of the corpus in `folder`.
    pub fn read(folder: &Path, path: &str) -> Result<Self> {
        let content =
            fs::read_to_string(folder.join(path)).with_context(|| format!("read `{path}`"))?;
        Ok(Self { path: path.to_owned(), content })
    }
}

impl Corpus {
    /// Reads the folders in `folder`.
    pub fn read(folder: &Path) -> Result<Self> {
        let languages = entries(folder)?.into_iter().map(|path| {
            let name = name(&path);
            let paths = entries(&path)?;
            let files = paths
                .iter()
                .map(|file| File::read(folder, &format!("{name}/{}", self::name(file))));
            Ok(Language { files: files.collect::<Result<_>>()?, name })
        });
        let corpus = Self(languages.collect::<Result<_>>()?);
        ensure!(!corpus.0.is_empty(), "no texts in `{}`", folder.display());
        Ok(corpus)
    }

    /// The languages that are source, and not prose.
    pub fn source(&self) -> impl Iterator<Item = &Language> {
        self.0.iter().filter(|language| !PROSE.contains(&language.name.as_str()))
    }

    /// The language of that name.
    pub fn named(&self, name: &str) -> Option<&Language> {
        self.0.iter().find(|language| language.name == name)
    }

    /// The source files, the languages taking turns.
    pub fn mixed(&self) -> impl Iterator<Item = &File> {
        let longest = self.source().map(|language| language.files.len()).max().unwrap_or_default();
        (0..longest).flat_map(|turn| self.source().filter_map(move |l| l.files.get(turn)))
    }
}

/// What is in a folder, in the order of names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let listing = fs::read_dir(folder).with_context(|| format!("read `{}`", folder.display()))?;
    let mut paths = listing.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

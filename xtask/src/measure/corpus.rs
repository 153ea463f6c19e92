//! The measured texts: real source code, a folder for each language.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with prose, which is not source code.
const PROSE: [&str; 2] = ["Markdown", "Translations"];

pub struct Corpus(Vec<CorpusLanguage>);

/// The files of one language.
pub struct CorpusLanguage {
    /// Name of the folder.
    pub name: String,
    pub files: Vec<CorpusFile>,
}

pub struct CorpusFile {
    /// Folder of the language, and file name.
    pub path: String,
    pub content: String,
}

impl CorpusFile {
    pub fn read(folder: &Path, path: &str) -> Result<Self> {
        let content = fs::read_to_string(folder.join(path))
            .with_context(|| format!("cannot read `{path}`"))?;
        Ok(Self { path: path.to_owned(), content })
    }
}

impl Corpus {
    pub fn read(folder: &Path) -> Result<Self> {
        let languages = entries(folder)?.into_iter().map(|path| {
            let name = name(&path);
            let paths = entries(&path)?;
            let files = paths
                .iter()
                .map(|file| CorpusFile::read(folder, &format!("{name}/{}", self::name(file))));
            Ok(CorpusLanguage { files: files.collect::<Result<_>>()?, name })
        });
        let corpus = Self(languages.collect::<Result<_>>()?);
        ensure!(!corpus.0.is_empty(), "no texts in `{}`", folder.display());
        Ok(corpus)
    }

    /// Languages without prose.
    pub fn source(&self) -> impl Iterator<Item = &CorpusLanguage> {
        self.0.iter().filter(|language| !PROSE.contains(&language.name.as_str()))
    }

    pub fn named(&self, name: &str) -> Option<&CorpusLanguage> {
        self.0.iter().find(|language| language.name == name)
    }

    /// Source files, alternating between languages.
    pub fn mixed(&self) -> impl Iterator<Item = &CorpusFile> {
        let longest = self.source().map(|language| language.files.len()).max().unwrap_or_default();
        (0..longest).flat_map(|turn| self.source().filter_map(move |l| l.files.get(turn)))
    }
}

/// Entries of a folder, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let listing =
        fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut paths = listing.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

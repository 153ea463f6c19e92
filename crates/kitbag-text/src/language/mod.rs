//! Languages: how they are recognized, and the structure of their texts.
//!
//! One static table lists them all. Texts of a language with a grammar are split along their items,
//! texts with headings along their sections, and all others by lines.

mod data;
mod functional;
mod grammar;
mod list;
mod objects;
mod roles;
mod scripts;
mod systems;

pub(crate) use grammar::{CompiledGrammar, Grammar, child};
pub(crate) use roles::{NameSource, NodeRole};

use crate::text::Text;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A programming, markup or data language.
pub struct Language {
    name: &'static str,
    fence: &'static str,
    // Lists, separated by spaces.
    extensions: &'static str,
    file_names: &'static str,
    interpreters: &'static str,
    structure: LanguageStructure,
}

/// How the structure of a language's texts is found.
#[derive(Clone, Copy)]
pub(crate) enum LanguageStructure {
    /// No structure; texts are split by lines.
    Lines,
    /// Items found by a grammar.
    Items(&'static Grammar),
    /// Sections delimited by headings.
    Sections(HeadingStyle),
    /// Parts with code of another language.
    Embedded(EmbeddingStyle),
}

/// How code of another language is embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmbeddingStyle {
    /// All of the text is in tags at the top level, as in Vue.
    Sections,
    /// Scripts and styles are between markup, as in Svelte.
    Markup,
    /// Code is in the cells of a notebook.
    Cells,
}

/// Syntax of headings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadingStyle {
    /// `# Title`, or a title underlined with `===` or `---`.
    Markdown,
    /// A title underlined, and optionally overlined, with punctuation.
    Underlined,
    /// `== Title`.
    EqualSigns,
    /// `* Title`.
    Stars,
}

/// Returns all known languages.
pub fn languages() -> &'static [Language] {
    list::LANGUAGES
}

impl Language {
    /// Finds the language of a file by its name, its extension or the interpreter in its first line.
    pub fn for_path(path: &str, first_line: Option<&str>) -> Option<&'static Language> {
        let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        by_pattern(file_name)
            .or_else(|| by_extension(file_name))
            .or_else(|| by_pattern(&format!("#!{}", interpreter(first_line?)?)))
    }

    /// Finds the language of a file by its path and text. A `.h` header that contains C++ is C++.
    pub fn for_text(path: &str, text: &Text) -> Option<&'static Language> {
        let language = Self::for_path(path, Some(text.line(text.first_line())))?;
        if language.name == "c" && path.ends_with(".h") && contains_cpp(text.content()) {
            return Self::named("cpp");
        }
        Some(language)
    }

    /// Finds a language by name.
    pub fn named(name: &str) -> Option<&'static Language> {
        languages().iter().find(|language| language.name == name)
    }

    /// Name, such as `csharp`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Info string of Markdown code fences.
    pub fn fence(&self) -> &'static str {
        self.fence
    }

    /// File extensions, without the dot.
    pub fn extensions(&self) -> impl Iterator<Item = &'static str> {
        self.extensions.split_ascii_whitespace()
    }

    /// Whether its items are found by a grammar.
    pub fn has_grammar(&self) -> bool {
        matches!(self.structure, LanguageStructure::Items(_))
    }

    /// Whether its texts are split along items or sections rather than by lines.
    pub fn has_structure(&self) -> bool {
        !matches!(self.structure, LanguageStructure::Lines)
    }

    /// Whether its top level is data, of which entries are merged up to the size of a chunk.
    pub(crate) fn is_data(&self) -> bool {
        matches!(self.structure, LanguageStructure::Items(grammar) if grammar.quirks.is_data)
    }

    pub(crate) fn structure(&self) -> LanguageStructure {
        self.structure
    }

    fn patterns(&self) -> impl Iterator<Item = String> {
        let extensions = self.extensions().map(|extension| format!("*.{extension}"));
        let file_names = self.file_names.split_ascii_whitespace().map(str::to_owned);
        let interpreters = self.interpreters.split_ascii_whitespace();
        extensions.chain(file_names).chain(interpreters.map(|name| format!("#!{name}")))
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Language").field(&self.name).finish()
    }
}

/// Languages by file name (`Makefile`), extension (`*.rs`) and interpreter (`#!python`).
static BY_PATTERN: LazyLock<HashMap<String, &Language>> = LazyLock::new(|| {
    let all = languages().iter();
    all.flat_map(|language| language.patterns().map(move |pattern| (pattern, language))).collect()
});

fn by_pattern(pattern: &str) -> Option<&'static Language> {
    BY_PATTERN.get(pattern).copied()
}

fn by_extension(file_name: &str) -> Option<&'static Language> {
    let (stem, extension) = file_name.rsplit_once('.')?;
    by_pattern(&format!("*.{}", extension.to_ascii_lowercase())).or_else(|| match extension {
        // Templates and examples are in the language of the extension before.
        "in" | "template" | "tmpl" | "example" | "dist" | "sample" => by_extension(stem),
        _ => by_prefix(stem),
    })
}

/// Recognizes names such as `Dockerfile.dev`.
fn by_prefix(stem: &str) -> Option<&'static Language> {
    matches!(stem, "Dockerfile" | "Makefile" | "Containerfile").then(|| by_pattern(stem))?
}

/// Returns the interpreter in a `#!` line, without its version: `python` for `#!/usr/bin/env python3`.
fn interpreter(first_line: &str) -> Option<&str> {
    let command = first_line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let program = command
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Whether a header has a line that is only valid in C++.
fn contains_cpp(content: &str) -> bool {
    const CPP_ONLY: [&str; 7] =
        ["class ", "namespace ", "template", "public:", "private:", "protected:", "using "];
    content.lines().any(|line| {
        let line = line.trim_start();
        CPP_ONLY.iter().any(|prefix| line.starts_with(prefix))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str, first_line: &str) -> &'static str {
        Language::for_path(path, Some(first_line)).map_or("", Language::name)
    }

    #[test]
    fn languages_are_recognized_by_name_extension_and_interpreter() {
        assert_eq!(name("src/lib.rs", ""), "rust");
        assert_eq!(name("a/Makefile", ""), "makefile");
        assert_eq!(name("Dockerfile.dev", ""), "dockerfile");
        assert_eq!(name("bin/tool", "#!/usr/bin/env python3.12\n"), "python");
        assert_eq!(name("bin/tool", "#!/usr/bin/env -S node --flag\n"), "javascript");
        assert_eq!(name("bin/tool", "#!/bin/sh -e\n"), "bash");
        assert_eq!(name("Setup.PY", ""), "python");
        assert_eq!(name("config.toml.example", ""), "toml");
        assert_eq!(name("unknown.zzz", ""), "");
        assert_eq!(name("README", ""), "text");
    }

    // Shows: AC-115
    #[test]
    fn fence_hints_are_those_that_renderers_support() {
        let fence = |path| Language::for_path(path, None).map_or("", Language::fence);
        assert_eq!(fence("a.tsx"), "tsx");
        assert_eq!(fence("a.cs"), "csharp");
        assert_eq!(fence("a.hpp"), "cpp");
        assert_eq!(fence("a.proto"), "protobuf");
    }

    #[test]
    fn header_that_contains_cpp_is_cpp() {
        let language = |content: &str| {
            Language::for_text("a.h", &Text::new(content)).map_or("", Language::name)
        };
        assert_eq!(language("int f(void);\n"), "c");
        assert_eq!(language("#pragma once\nnamespace a {\n}\n"), "cpp");
    }

    #[test]
    fn no_two_languages_claim_the_same_file() {
        let mut seen = std::collections::BTreeMap::new();
        for language in languages() {
            for pattern in language.patterns() {
                let other = seen.insert(pattern.clone(), language.name);
                assert_eq!(other, None, "`{pattern}` is also {}", language.name);
            }
        }
    }
}

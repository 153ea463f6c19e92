//! Languages: how a file's language is recognised, and what is known of its structure.
//!
//! One static table holds them all. A language with a grammar is cut along its items, one with
//! headings along its sections, and any other by lines; a name and a fence hint they all have.

mod data;
mod grammar;
mod list;
mod objects;
mod scripts;
mod systems;

pub(crate) use grammar::{Compiled, Grammar, Name, Role, child};

use crate::Text;

/// A language that Kitbag knows by name.
pub struct Language {
    name: &'static str,
    fence: &'static str,
    endings: &'static [&'static str],
    file_names: &'static [&'static str],
    interpreters: &'static [&'static str],
    structure: Structure,
}

/// Where the structure of a language's texts comes from.
#[derive(Clone, Copy)]
pub(crate) enum Structure {
    /// There is none: lines.
    Lines,
    /// Items, found by a grammar.
    Items(&'static Grammar),
    /// Sections under headings.
    Sections(Headings),
}

/// How a headed text marks its headings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headings {
    /// `# Title`, or a title underlined with `===` or `---`.
    Markdown,
    /// A title underlined, and perhaps overlined, with punctuation.
    Underlined,
    /// `== Title`.
    EqualSigns,
    /// `* Title`.
    Stars,
}

/// Every language that is known by name.
pub fn languages() -> &'static [Language] {
    list::LANGUAGES
}

impl Language {
    /// The language of the file at `path`, by its name, its ending or the interpreter that its
    /// first line asks for.
    pub fn of(path: &str, first_line: Option<&str>) -> Option<&'static Language> {
        let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        by_file_name(file_name)
            .or_else(|| by_ending(file_name))
            .or_else(|| first_line.and_then(interpreter).and_then(by_interpreter))
    }

    /// The language of a file whose text is at hand: as [`Language::of`], and a header `.h` that
    /// speaks C++ is C++.
    pub fn of_text(path: &str, text: &Text) -> Option<&'static Language> {
        let language = Self::of(path, Some(text.line(text.first_line())))?;
        if language.name == "c" && path.ends_with(".h") && speaks_cpp(text.content()) {
            return Self::named("cpp");
        }
        Some(language)
    }

    /// The language of that name.
    pub fn named(name: &str) -> Option<&'static Language> {
        languages().iter().find(|language| language.name == name)
    }

    /// Its name, such as `csharp`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The hint that a Markdown fence around its code carries.
    pub fn fence(&self) -> &'static str {
        self.fence
    }

    /// The file endings that it goes by, without the dot.
    pub fn endings(&self) -> &'static [&'static str] {
        self.endings
    }

    /// Whether there is a grammar for it.
    pub fn has_grammar(&self) -> bool {
        matches!(self.structure, Structure::Items(_))
    }

    /// Whether its texts are cut along items or sections, and not by lines.
    pub fn has_structure(&self) -> bool {
        !matches!(self.structure, Structure::Lines)
    }

    pub(crate) fn structure(&self) -> Structure {
        self.structure
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Language").field(&self.name).finish()
    }
}

fn by_file_name(file_name: &str) -> Option<&'static Language> {
    languages().iter().find(|language| language.file_names.contains(&file_name))
}

fn by_ending(file_name: &str) -> Option<&'static Language> {
    let (stem, ending) = file_name.rsplit_once('.')?;
    let named = |language: &&Language| {
        language.endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
    };
    languages().iter().find(named).or_else(|| match ending {
        // Templates and examples are what stands before their last ending.
        "in" | "template" | "tmpl" | "example" | "dist" | "sample" => by_ending(stem),
        _ => by_prefix(stem),
    })
}

/// `Dockerfile.dev` is a `Dockerfile`.
fn by_prefix(stem: &str) -> Option<&'static Language> {
    matches!(stem, "Dockerfile" | "Makefile" | "Containerfile").then(|| by_file_name(stem))?
}

fn by_interpreter(interpreter: &str) -> Option<&'static Language> {
    languages().iter().find(|language| language.interpreters.contains(&interpreter))
}

/// The interpreter that a `#!` line asks for, without its version: `python` of
/// `#!/usr/bin/env python3`.
fn interpreter(first_line: &str) -> Option<&str> {
    let command = first_line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let program = command
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Whether a header has a line that only C++ has.
fn speaks_cpp(content: &str) -> bool {
    const SIGNS: [&str; 7] =
        ["class ", "namespace ", "template", "public:", "private:", "protected:", "using "];
    content.lines().any(|line| {
        let line = line.trim_start();
        SIGNS.iter().any(|sign| line.starts_with(sign))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str, first_line: &str) -> &'static str {
        Language::of(path, Some(first_line)).map_or("", Language::name)
    }

    #[test]
    fn files_are_known_by_name_ending_and_interpreter() {
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
    fn fences_carry_the_hint_that_renderers_know() {
        let fence = |path| Language::of(path, None).map_or("", Language::fence);
        assert_eq!(fence("a.tsx"), "tsx");
        assert_eq!(fence("a.cs"), "csharp");
        assert_eq!(fence("a.hpp"), "cpp");
        assert_eq!(fence("a.proto"), "protobuf");
    }

    #[test]
    fn a_header_that_speaks_cpp_is_cpp() {
        let language = |content: &str| {
            Language::of_text("a.h", &Text::new(content)).map_or("", Language::name)
        };
        assert_eq!(language("int f(void);\n"), "c");
        assert_eq!(language("#pragma once\nnamespace a {\n}\n"), "cpp");
    }

    #[test]
    fn no_two_languages_claim_the_same_file() {
        let mut seen = std::collections::BTreeMap::new();
        for language in languages() {
            let claims = language.endings.iter().map(|e| format!(".{e}"));
            let claims = claims.chain(language.file_names.iter().map(|n| (*n).to_owned()));
            for claim in claims.chain(language.interpreters.iter().map(|i| format!("#!{i}"))) {
                let other = seen.insert(claim.clone(), language.name);
                assert_eq!(other, None, "`{claim}` is also {}", language.name);
            }
        }
    }

    #[test]
    fn every_kind_in_the_tables_is_a_kind_of_its_grammar() {
        for language in languages() {
            let Structure::Items(grammar) = language.structure else { continue };
            assert_eq!(grammar.unknown_kinds(), Vec::<&str>::new(), "in {}", language.name);
        }
    }
}

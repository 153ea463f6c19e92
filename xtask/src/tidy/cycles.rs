//! Cycles between the modules of a crate.
//!
//! A reference is a path that begins with `crate::` or `super::`, resolved to the innermost module that
//! it names. A module may use its own parents and children; the type that both need may be in either.
//! A reference between other modules counts for the two siblings that contain them: `a::b::x` that uses
//! `a::c::y` makes `a::b` depend on `a::c`. No set of siblings may depend on each other. Names that a
//! module re-exports are not modules, so a path to one refers to the module that re-exports it.

use super::rust_file::{RustFile, Token};
use std::collections::{BTreeMap, BTreeSet};

/// Where one module refers to another, by the two names: first place, and number of places.
type ModuleReferences = BTreeMap<(String, String), (String, usize)>;

/// One violation for each set of modules that depend on each other. The indented lines list the
/// references between them.
pub fn violations(files: &[RustFile]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(&RustFile, Vec<&str>)>> = BTreeMap::new();
    for file in files {
        if let Some((krate, module)) = file.module() {
            crates.entry(krate).or_default().push((file, module));
        }
    }
    let mut violations = Vec::new();
    for (krate, files) in crates {
        let references = references(&files);
        for component in components(&references) {
            violations.push(describe(krate, &component, &references));
        }
    }
    violations
}

fn references(files: &[(&RustFile, Vec<&str>)]) -> ModuleReferences {
    let modules: BTreeSet<&[&str]> = files.iter().map(|(_, module)| module.as_slice()).collect();
    let mut references = ModuleReferences::new();
    for (file, module) in files {
        for (path, line) in paths(&file.tokens, module) {
            let mut prefixes = (0..=path.len()).rev().map(|end| &path[..end]);
            let target = prefixes.find(|prefix| modules.contains(prefix)).unwrap_or_default();
            let shared = module.iter().zip(target).take_while(|(a, b)| a == b).count();
            if shared < module.len() && shared < target.len() {
                let key = (module[..=shared].join("::"), target[..=shared].join("::"));
                let first = || (format!("{}:{line}", file.path), 0);
                references.entry(key).or_insert_with(first).1 += 1;
            }
        }
    }
    references
}

/// Paths from the crate's root that the file of `module` uses, with their lines.
fn paths<'a>(tokens: &'a [Token], module: &[&'a str]) -> Vec<(Vec<&'a str>, usize)> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut paths = Vec::new();
    for (start, token) in tokens.iter().enumerate() {
        let mut at = start;
        let depth = match token.text.as_str() {
            "crate" => 0,
            "super" if start < 2 || text(start - 2) != "super" => {
                let mut supers = 1;
                while text(at + 1) == "::" && text(at + 2) == "super" {
                    supers += 1;
                    at += 2;
                }
                (module.len() + token.inline_depth).saturating_sub(supers)
            }
            _ => continue,
        };
        // Paths to an inline module, or to the file's own module, stay within the file.
        if depth < module.len() && text(at + 1) == "::" {
            add_paths(&tokens[at + 2..], module[..depth].to_vec(), &mut paths);
        }
    }
    paths
}

/// Adds the paths of a use tree such as `a::{b, c::d}`, which begins in `prefix`. Returns the number of
/// its tokens.
fn add_paths<'a>(
    tokens: &'a [Token],
    mut prefix: Vec<&'a str>,
    paths: &mut Vec<(Vec<&'a str>, usize)>,
) -> usize {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.text == "{" {
            at += 1;
            while let Some(token) = tokens.get(at).filter(|token| token.text != "}") {
                at += match token.text.as_str() {
                    "," => 1,
                    _ => add_paths(&tokens[at..], prefix.clone(), paths),
                };
            }
            return at + 1;
        }
        prefix.push(&token.text);
        let is_last = tokens.get(at + 1).is_none_or(|next| next.text != "::");
        if is_last {
            paths.push((prefix, token.line));
            let is_renamed = tokens.get(at + 1).is_some_and(|next| next.text == "as");
            return if is_renamed { at + 3 } else { at + 1 };
        }
        at += 2;
    }
    at.max(1)
}

/// Sets of two or more modules of which each can reach all others.
fn components(references: &ModuleReferences) -> Vec<BTreeSet<&str>> {
    let modules: BTreeSet<&str> = references.keys().map(|(from, _)| from.as_str()).collect();
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        modules.iter().map(|&module| (module, reachable(module, references))).collect();
    let mut components: Vec<BTreeSet<&str>> = Vec::new();
    for (&module, targets) in &reached {
        if !targets.contains(module) || components.iter().any(|it| it.contains(module)) {
            continue;
        }
        let is_mutual =
            |target: &&&str| reached.get(**target).is_some_and(|it| it.contains(module));
        components.push(targets.iter().filter(is_mutual).copied().collect());
    }
    components
}

fn reachable<'a>(module: &str, references: &'a ModuleReferences) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![module];
    while let Some(next) = open.pop() {
        for (from, to) in references.keys() {
            if from == next && reached.insert(to.as_str()) {
                open.push(to);
            }
        }
    }
    reached
}

fn describe(krate: &str, component: &BTreeSet<&str>, references: &ModuleReferences) -> String {
    let names: Vec<&str> = component.iter().copied().collect();
    let mut text = format!("{krate}: modules form a cycle: {}", names.join(", "));
    for ((from, to), (place, count)) in references {
        if component.contains(from.as_str()) && component.contains(to.as_str()) {
            let more = if *count > 1 { format!(" and {} more", count - 1) } else { String::new() };
            text.push_str(&format!("\n    {from} -> {to}: {place}{more}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let parse = |(path, text): &(&str, &str)| {
            RustFile::parse(&format!("crates/x/src/{path}"), text).expect("the grammar is built in")
        };
        let files: Vec<RustFile> = files.iter().map(parse).collect();
        assert_eq!(violations(&files), expected);
    }

    #[test]
    fn a_cycle_is_reported_with_its_references() {
        check(
            &[
                ("lib.rs", "mod a; mod b; mod c; pub use a::A; use crate::c::C;"),
                ("a.rs", "use crate::{A, b::{B, c}};\nfn f() { crate::b::g(); }"),
                ("b/mod.rs", "mod d;"),
                ("b/d.rs", "use std::io;\nuse super::super::c::C;"),
                ("c.rs", "fn f() -> String { format!(\"{}\", crate::a::A) }"),
            ],
            &["crates/x: modules form a cycle: a, b, c\n    \
                a -> b: crates/x/src/a.rs:1 and 2 more\n    \
                b -> c: crates/x/src/b/d.rs:2\n    \
                c -> a: crates/x/src/c.rs:1"],
        );
    }

    #[test]
    fn siblings_at_any_depth_form_no_cycle() {
        check(
            &[
                ("a/mod.rs", "mod b; mod c; pub struct A; pub use b::B;"),
                ("a/b/mod.rs", "mod x;"),
                ("a/b/x.rs", "use std::io;\nuse super::super::{A, c::{self as d, C}, B};"),
                ("a/c.rs", "use crate::{a::{A, b::x::X}};"),
            ],
            &["crates/x: modules form a cycle: a::b, a::c\n    \
                a::b -> a::c: crates/x/src/a/b/x.rs:2 and 1 more\n    \
                a::c -> a::b: crates/x/src/a/c.rs:1"],
        );
    }

    #[test]
    fn parents_and_children_may_use_each_other() {
        check(
            &[
                ("a/mod.rs", "mod b; use crate::a::b::B; pub struct A;"),
                ("a/b.rs", "use super::A; mod inner { use super::B; use super::super::A; }"),
            ],
            &[],
        );
    }

    #[test]
    fn tests_comments_and_one_way_references_form_no_cycle() {
        check(
            &[
                ("a.rs", "use crate::b::B;"),
                (
                    "b.rs",
                    "//! See [`crate::a`].\n#[cfg(test)]\nmod tests { use crate::a::A; use super::*; }",
                ),
            ],
            &[],
        );
    }
}

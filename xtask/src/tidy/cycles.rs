//! Cycles between the top-level modules of a crate.
//!
//! A reference is a path that begins with `crate::`, or with enough `super::` to reach the crate's
//! root. Names that the root re-exports are not modules, so paths to them are not references.

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
    let modules: BTreeSet<&str> =
        files.iter().filter_map(|(_, module)| module.first().copied()).collect();
    let mut references = ModuleReferences::new();
    for (file, module) in files {
        let Some(&from) = module.first() else { continue };
        for (name, line) in root_names(&file.tokens, module.len()) {
            if name != from && modules.contains(name) {
                let first = || (format!("{}:{line}", file.path), 0);
                let key = (from.to_owned(), name.to_owned());
                references.entry(key).or_insert_with(first).1 += 1;
            }
        }
    }
    references
}

/// Names that a file in a module of `depth` looks up in the crate's root, with their lines.
fn root_names(tokens: &[Token], depth: usize) -> Vec<(&str, usize)> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut names = Vec::new();
    for (start, token) in tokens.iter().enumerate() {
        let mut at = start;
        let supers_to_root = depth + token.inline_depth;
        match token.text.as_str() {
            "crate" => at += 1,
            "super" if start < 2 || text(start - 2) != "super" => {
                let mut supers = 1;
                while text(at + 1) == "::" && text(at + 2) == "super" {
                    supers += 1;
                    at += 2;
                }
                if supers != supers_to_root {
                    continue;
                }
                at += 1;
            }
            _ => continue,
        }
        if text(at) != "::" {
            continue;
        }
        match tokens.get(at + 1) {
            Some(next) if next.text == "{" => names.extend(group_names(&tokens[at + 2..])),
            Some(next) => names.push((next.text.as_str(), next.line)),
            None => {}
        }
    }
    names
}

/// First names of the paths in `{a::b, c}`, whose opening brace is before `tokens`.
fn group_names(tokens: &[Token]) -> Vec<(&str, usize)> {
    let mut names = Vec::new();
    let (mut depth, mut is_first) = (1, true);
    for token in tokens {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," => is_first |= depth == 1,
            name if is_first && depth == 1 => {
                names.push((name, token.line));
                is_first = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
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
                a -> b: crates/x/src/a.rs:1 and 1 more\n    \
                b -> c: crates/x/src/b/d.rs:2\n    \
                c -> a: crates/x/src/c.rs:1"],
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

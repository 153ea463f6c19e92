//! Facts about one Rust file, read from its syntax tree. Test code is left out.

use anyhow::{Context, Result};
use tree_sitter::{Node, Parser};

/// A Rust file of the workspace without its tests.
#[derive(Debug, Default)]
pub struct RustFile {
    /// Path from the workspace's root.
    pub path: String,
    /// Leaves of the syntax tree, in order.
    pub tokens: Vec<Token>,
    /// Structs, enums, unions, traits and type aliases outside `impl` and `trait` blocks.
    pub types: Vec<TypeDefinition>,
    /// Modules declared by `#[cfg(test)] mod name;`.
    pub test_modules: Vec<String>,
}

/// A leaf of the syntax tree.
#[derive(Debug)]
pub struct Token {
    pub text: String,
    pub line: usize,
    /// Number of inline modules (`mod name { ... }`) around it.
    pub inline_depth: usize,
}

/// The name of a type and the line that defines it.
#[derive(Debug, PartialEq, Eq)]
pub struct TypeDefinition {
    pub name: String,
    pub line: usize,
}

impl RustFile {
    pub fn parse(path: &str, text: &str) -> Result<Self> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_rust::LANGUAGE.into())?;
        let tree = parser.parse(text, None).with_context(|| format!("cannot parse `{path}`"))?;
        let mut file = Self { path: path.to_owned(), ..Self::default() };
        file.visit(tree.root_node(), text, 0, false);
        Ok(file)
    }

    /// Crate folder and module path: `crates/a/src/b/c.rs` is `("crates/a", ["b", "c"])`. Returns
    /// `None` for files outside `src`, and for those under `src/bin`.
    pub fn module(&self) -> Option<(&str, Vec<&str>)> {
        let (krate, rest) = self.path.split_once("/src/")?;
        let mut names: Vec<&str> = rest.strip_suffix(".rs")?.split('/').collect();
        if matches!(names.last(), Some(&("mod" | "lib" | "main"))) {
            names.pop();
        }
        (names.first() != Some(&"bin")).then_some((krate, names))
    }

    fn visit(&mut self, node: Node<'_>, text: &str, inline_depth: usize, in_block: bool) {
        if node.child_count() == 0 {
            let token = Token { text: source(node, text), line: line(node), inline_depth };
            self.tokens.push(token);
            return;
        }
        let name = node.child_by_field_name("name").map(|name| source(name, text));
        match node.kind() {
            "struct_item" | "enum_item" | "union_item" | "trait_item" | "type_item" => {
                let line = line(node);
                self.types
                    .extend(name.filter(|_| !in_block).map(|name| TypeDefinition { name, line }));
            }
            _ => {}
        }
        let inline_depth = inline_depth + usize::from(node.kind() == "mod_item");
        let in_block = in_block || matches!(node.kind(), "impl_item" | "trait_item");
        let mut is_test = false;
        for child in node.children(&mut node.walk()) {
            match child.kind() {
                "attribute_item" => is_test |= marks_test(&source(child, text)),
                "line_comment" | "block_comment" => {}
                _ if is_test => {
                    is_test = false;
                    let is_declared =
                        child.kind() == "mod_item" && child.child_by_field_name("body").is_none();
                    let name = child.child_by_field_name("name").filter(|_| is_declared);
                    self.test_modules.extend(name.map(|name| source(name, text)));
                }
                _ => self.visit(child, text, inline_depth, in_block),
            }
        }
    }
}

fn source(node: Node<'_>, text: &str) -> String {
    text[node.byte_range()].to_owned()
}

fn line(node: Node<'_>) -> usize {
    node.start_position().row + 1
}

fn marks_test(attribute: &str) -> bool {
    attribute == "#[cfg(test)]"
        || attribute.starts_with("#[cfg(all(test,")
        || attribute.ends_with("test]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn associated_types_and_tests_are_left_out() {
        let text = "struct A;\nimpl X for A { type Item = u8; }\ntrait T { type Item; }\n\
            /// Docs.\n#[derive(Debug)]\npub(crate) enum B {}\n#[cfg(test)]\nmod tests {\n struct C;\n}\n\
            #[cfg(test)]\nmod faults;\ntype D = u8;\n";
        let file = RustFile::parse("crates/a/src/lib.rs", text).expect("the grammar is built in");
        let types: Vec<_> = file.types.iter().map(|it| (it.name.as_str(), it.line)).collect();
        assert_eq!(types, [("A", 1), ("T", 3), ("B", 6), ("D", 13)]);
        assert_eq!(file.test_modules, ["faults"]);
    }

    #[test]
    fn module_paths_follow_files() {
        let module = |path: &str| {
            let file = RustFile::parse(path, "").expect("the grammar is built in");
            file.module().map(|(krate, names)| format!("{krate} {}", names.join("::")))
        };
        assert_eq!(module("crates/a/src/lib.rs").as_deref(), Some("crates/a "));
        assert_eq!(module("crates/a/src/b/mod.rs").as_deref(), Some("crates/a b"));
        assert_eq!(module("crates/a/src/b/c.rs").as_deref(), Some("crates/a b::c"));
        assert_eq!(module("crates/a/tests/cli/main.rs"), None);
    }
}

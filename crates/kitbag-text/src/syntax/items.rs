//! Finding the item that a node is or contains.

use super::names::{bound_name, is_disguised_class, name_of, prototype_name};
use super::parser::rows;
use crate::language::{CompiledGrammar, NodeRole, child};
use tree_sitter::Node;

/// Maximum depth of nested wrappers that are searched for an item.
const MAX_WRAPPER_DEPTH: u32 = 6;

/// An item found in a node.
pub(super) struct FoundItem<'tree> {
    pub role: NodeRole,
    pub name: Option<String>,
    /// Node that contains the body.
    pub holder: Node<'tree>,
    /// Class that the holder, a function, returns.
    pub returned_class: Option<Node<'tree>>,
    /// Further constants of a declaration that has several.
    pub constants: Vec<FoundConstant>,
}

/// A constant found in a declaration.
pub(super) struct FoundConstant {
    pub row: u32,
    pub name: String,
}

/// Finds items by the tables of a grammar.
#[derive(Clone, Copy)]
pub(super) struct ItemFinder<'a> {
    pub grammar: &'a CompiledGrammar,
    pub content: &'a str,
}

impl<'tree> FoundItem<'tree> {
    fn new(role: NodeRole, name: Option<String>, holder: Node<'tree>) -> Self {
        Self { role, name, holder, returned_class: None, constants: Vec::new() }
    }
}

impl ItemFinder<'_> {
    /// Finds the item that `node` is or contains.
    pub fn find<'tree>(&self, node: Node<'tree>) -> Option<FoundItem<'tree>> {
        self.find_item(node, 0)
    }

    fn find_item<'tree>(&self, node: Node<'tree>, depth: u32) -> Option<FoundItem<'tree>> {
        let role = match self.role(node) {
            NodeRole::Wrapper => return self.find_in_wrapper(node, depth),
            NodeRole::Binding => return self.find_in_binding(node, depth),
            NodeRole::Prototype => {
                let name = prototype_name(self.grammar, node, self.content)?;
                return Some(FoundItem::new(NodeRole::Function, Some(name), node));
            }
            NodeRole::Class if self.grammar.quirks.requires_body => {
                self.grammar.body(node).map(|_| NodeRole::Class)?
            }
            NodeRole::Function if is_disguised_class(self.grammar, node, self.content) => {
                NodeRole::Class
            }
            NodeRole::Function if self.grammar.quirks.has_type_values => {
                return Some(self.function_or_class(node));
            }
            role if role.is_item() => role,
            _ => return None,
        };
        let name = name_of(self.grammar, node, self.content);
        let name = if role == NodeRole::Test { Some(test_name(name)) } else { name };
        Some(FoundItem::new(role, name, node))
    }

    /// Returns the class that a function consists of, as in `fn List(T: type) type { return struct {} }`,
    /// or else the function.
    fn function_or_class<'tree>(&self, node: Node<'tree>) -> FoundItem<'tree> {
        let name = name_of(self.grammar, node, self.content);
        let last_child = |node: Node<'tree>| node.named_child(last_index(node)?);
        let statement = self.grammar.body(node).and_then(last_child);
        let value = statement.and_then(last_child).and_then(last_child);
        let returned_class = value.filter(|value| self.role(*value) == NodeRole::Class);
        let role = if returned_class.is_some() { NodeRole::Class } else { NodeRole::Function };
        FoundItem { returned_class, ..FoundItem::new(role, name, node) }
    }

    /// Finds the first item among the children of a wrapper. If it is a constant, so are the constants
    /// after it.
    fn find_in_wrapper<'tree>(&self, node: Node<'tree>, depth: u32) -> Option<FoundItem<'tree>> {
        if depth > MAX_WRAPPER_DEPTH {
            return None;
        }
        let mut cursor = node.walk();
        let mut item: Option<FoundItem<'tree>> = None;
        for child in node.named_children(&mut cursor) {
            match &mut item {
                None => item = self.find_item(child, depth + 1),
                Some(first) if first.role == NodeRole::Named => {
                    first.constants.extend(self.find_constant(child));
                }
                Some(_) => break,
            }
        }
        item
    }

    fn find_constant(&self, node: Node<'_>) -> Option<FoundConstant> {
        let is_constant = self.role(node) == NodeRole::Named;
        let name = is_constant.then(|| name_of(self.grammar, node, self.content))??;
        Some(FoundConstant { row: rows(node).0, name })
    }

    /// Finds the item in the value of a binding, which has the name of the binding.
    fn find_in_binding<'tree>(&self, node: Node<'tree>, depth: u32) -> Option<FoundItem<'tree>> {
        let name = bound_name(self.grammar, node, self.content)?;
        let value = self.grammar.fields.values.into_iter().find_map(|field| child(node, field));
        let value = value.or_else(|| node.named_child(last_index(node)?));
        if value.is_some_and(|value| self.role(value) == NodeRole::Reference) {
            return None;
        }
        let holds_item = |value: &Node<'_>| {
            use NodeRole::{Class, Function, Record, Wrapper};
            matches!(self.role(*value), Function | Class | Record | Wrapper)
        };
        let value = value.filter(holds_item);
        let item = value.and_then(|value| self.find_item(value, depth + 1));
        let item = item.unwrap_or_else(|| FoundItem::new(NodeRole::Named, None, node));
        Some(FoundItem { name: Some(name), ..item })
    }

    fn role(&self, node: Node<'_>) -> NodeRole {
        self.grammar.role(node, self.content)
    }
}

/// Returns the symbol of a test, which differs from that of the code under test.
fn test_name(name: Option<String>) -> String {
    name.map_or_else(|| "test".to_owned(), |name| format!("test {name}"))
}

/// Returns the index of the last named child.
fn last_index(node: Node<'_>) -> Option<u32> {
    Some(node.named_child_count().checked_sub(1)? as u32)
}

//! Collects the units and definitions of a syntax tree.
//!
//! The traversal visits the children of containers, but not of functions or statements. The meaning of
//! nodes comes from the tables of the grammar; nothing here is specific to a language.

use super::names::{bound_name, is_disguised_class, join, name_of, prototype_name};
use super::units::{Definition, LevelBuilder, SyntaxUnit, TextStructure};
use crate::chunk::{ChunkKind, Fallback};
use crate::language::{CompiledGrammar, NodeRole, child};
use tree_sitter::{Node, Tree, TreeCursor};

/// Maximum depth of nested groups, which limits recursion. Hand-written code is far below it.
const MAX_GROUP_DEPTH: u32 = 100;

/// Maximum depth of nested wrappers that are searched for an item.
const MAX_WRAPPER_DEPTH: u32 = 6;

/// Collects the units and definitions of `tree`. Fails if items are nested deeper than `max_depth`.
pub(super) fn collect(
    grammar: &CompiledGrammar,
    tree: &Tree,
    content: &str,
    max_depth: u32,
) -> Result<TextStructure, Fallback> {
    let mut collector = ItemCollector {
        grammar,
        content,
        path: String::new(),
        definitions: Vec::new(),
        max_depth,
        is_too_deep: false,
    };
    let mut level = LevelBuilder::default();
    collector.children(&mut tree.walk(), &mut level, Depth::default());
    if collector.is_too_deep {
        return Err(Fallback::NestedTooDeeply);
    }
    let mut definitions = collector.definitions;
    definitions.sort_by_key(|definition| definition.row);
    Ok(TextStructure { units: level.finish(), definitions })
}

struct ItemCollector<'a> {
    grammar: &'a CompiledGrammar,
    content: &'a str,
    /// Symbol path of the current container.
    path: String,
    definitions: Vec<Definition>,
    max_depth: u32,
    is_too_deep: bool,
}

#[derive(Clone, Copy, Default)]
struct Depth {
    groups: u32,
    items: u32,
}

/// An item found in a node.
struct FoundItem<'tree> {
    role: NodeRole,
    name: Option<String>,
    /// Node that contains the body.
    holder: Node<'tree>,
}

impl ItemCollector<'_> {
    fn children(&mut self, cursor: &mut TreeCursor<'_>, level: &mut LevelBuilder, depth: Depth) {
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let node = cursor.node();
            if node.is_named() {
                self.visit(cursor, node, level, depth);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }

    fn visit(
        &mut self,
        cursor: &mut TreeCursor<'_>,
        node: Node<'_>,
        level: &mut LevelBuilder,
        depth: Depth,
    ) {
        let (first, last) = rows(node);
        match self.grammar.role(node) {
            NodeRole::Leading => level.leading(first, last),
            NodeRole::Trailing => level.trailing(first, last),
            NodeRole::Group if depth.groups < MAX_GROUP_DEPTH => {
                level.statement(first, first);
                self.children(cursor, level, Depth { groups: depth.groups + 1, ..depth });
                if last > first {
                    level.trailing(last, last);
                }
            }
            NodeRole::Group | NodeRole::Plain | NodeRole::Body => level.statement(first, last),
            _ => self.item(node, level, depth),
        }
    }

    /// Adds the item in `node`, or a statement if there is none.
    fn item(&mut self, node: Node<'_>, level: &mut LevelBuilder, depth: Depth) {
        let (row, last) = rows(node);
        let Some(item) = self.find_item(node, 0) else { return level.statement(row, last) };
        let first = level.take_leading(row);
        let symbol = item.name.as_deref().map(|name| join(&self.path, name));
        let body = self.body(item.holder);
        let index = self.definitions.len();
        self.definitions.push(Definition {
            first,
            row,
            signature_end: self.signature_end(item.holder, body).max(row).min(last),
            symbol: symbol.clone().filter(|_| item.role != NodeRole::Extension),
            is_outlined: item.role != NodeRole::Named,
        });
        let mut unit =
            SyntaxUnit { first, last, kind: chunk_kind(item.role), symbol, members: Vec::new() };
        if matches!(item.role, NodeRole::Class | NodeRole::Extension | NodeRole::Record) {
            unit.members = self.members(item.holder, body, unit.symbol.as_deref(), depth);
        }
        if item.role == NodeRole::Record && !unit.members.iter().any(SyntaxUnit::is_item) {
            unit.kind = ChunkKind::Code;
            unit.members.clear();
            self.definitions.truncate(index + 1);
            self.definitions[index].is_outlined = false;
        }
        level.push(unit);
    }

    fn members(
        &mut self,
        holder: Node<'_>,
        body: Option<Node<'_>>,
        symbol: Option<&str>,
        depth: Depth,
    ) -> Vec<SyntaxUnit> {
        let depth = Depth { items: depth.items + 1, ..depth };
        if depth.items > self.max_depth {
            self.is_too_deep = true;
            return Vec::new();
        }
        let outer = self.path.clone();
        if let Some(symbol) = symbol {
            symbol.clone_into(&mut self.path);
        }
        let mut level = LevelBuilder::default();
        let container =
            body.or_else(|| (self.grammar.role(holder) == NodeRole::Record).then_some(holder));
        if let Some(container) = container {
            self.children(&mut container.walk(), &mut level, depth);
        }
        self.path = outer;
        level.finish()
    }

    /// Finds the item that `node` is or contains.
    fn find_item<'tree>(&mut self, node: Node<'tree>, depth: u32) -> Option<FoundItem<'tree>> {
        let role = match self.grammar.role(node) {
            NodeRole::Wrapper => return self.find_in_wrapper(node, depth),
            NodeRole::Binding => return self.find_in_binding(node, depth),
            NodeRole::Prototype => {
                let name = prototype_name(self.grammar, node, self.content)?;
                return Some(FoundItem {
                    role: NodeRole::Function,
                    name: Some(name),
                    holder: node,
                });
            }
            NodeRole::Class if self.grammar.quirks.requires_body => {
                self.body(node).map(|_| NodeRole::Class)?
            }
            NodeRole::Function if is_disguised_class(self.grammar, node) => NodeRole::Class,
            role if is_item(role) => role,
            _ => return None,
        };
        let name = name_of(self.grammar, node, self.content);
        Some(FoundItem { role, name, holder: node })
    }

    /// Finds the first item among the children of a wrapper. If it is a constant, constants after it are
    /// recorded as definitions.
    fn find_in_wrapper<'tree>(
        &mut self,
        node: Node<'tree>,
        depth: u32,
    ) -> Option<FoundItem<'tree>> {
        if depth > MAX_WRAPPER_DEPTH {
            return None;
        }
        let mut cursor = node.walk();
        let mut item: Option<FoundItem<'tree>> = None;
        for child in node.named_children(&mut cursor) {
            match &item {
                None => item = self.find_item(child, depth + 1),
                Some(first) if first.role == NodeRole::Named => self.add_constant(child),
                Some(_) => break,
            }
        }
        item
    }

    /// Records a further constant of a declaration that has several.
    fn add_constant(&mut self, node: Node<'_>) {
        if self.grammar.role(node) != NodeRole::Named {
            return;
        }
        let Some(name) = name_of(self.grammar, node, self.content) else { return };
        let (row, _) = rows(node);
        self.definitions.push(Definition {
            first: row,
            row,
            signature_end: row,
            symbol: Some(join(&self.path, &name)),
            is_outlined: false,
        });
    }

    /// Finds the item in the value of a binding, which has the name of the binding.
    fn find_in_binding<'tree>(
        &mut self,
        node: Node<'tree>,
        depth: u32,
    ) -> Option<FoundItem<'tree>> {
        let name = bound_name(self.grammar, node, self.content)?;
        let value = self.grammar.fields.values.into_iter().find_map(|field| child(node, field));
        let value =
            value.or_else(|| node.named_child(node.named_child_count().checked_sub(1)? as u32));
        let holds_item = |value: &Node<'_>| {
            use NodeRole::{Class, Function, Record, Wrapper};
            matches!(self.grammar.role(*value), Function | Class | Record | Wrapper)
        };
        let value = value.filter(holds_item);
        let item = value.and_then(|value| self.find_item(value, depth + 1));
        let (role, holder) = item.map_or((NodeRole::Named, node), |item| (item.role, item.holder));
        Some(FoundItem { role, name: Some(name), holder })
    }

    fn body<'tree>(&self, holder: Node<'tree>) -> Option<Node<'tree>> {
        let body = child(holder, self.grammar.fields.body);
        if body.is_some() || !self.grammar.has_bodies {
            return body;
        }
        let mut cursor = holder.walk();
        holder.named_children(&mut cursor).find(|child| self.grammar.role(*child) == NodeRole::Body)
    }

    /// Returns the last row of an item's signature: the last row before its body, or of its docstring.
    fn signature_end(&self, holder: Node<'_>, body: Option<Node<'_>>) -> u32 {
        let Some(body) = body else {
            let (first, last) = rows(holder);
            return if self.grammar.role(holder) == NodeRole::Record { first } else { last };
        };
        if self.grammar.quirks.has_docstrings
            && let Some(first) = body.named_child(0)
            && (first.kind() == "string"
                || first.named_child(0).is_some_and(|c| c.kind() == "string"))
        {
            return rows(first).1;
        }
        let mut cursor = holder.walk();
        let before_body = holder.children(&mut cursor).take_while(|child| child.id() != body.id());
        before_body.last().map_or(rows(holder).0, |node| rows(node).1)
    }
}

/// Whether a node with `role` is an item by itself.
fn is_item(role: NodeRole) -> bool {
    use NodeRole::{Class, Extension, Function, Named, Record};
    matches!(role, Function | Class | Extension | Record | Named)
}

fn chunk_kind(role: NodeRole) -> ChunkKind {
    match role {
        NodeRole::Function => ChunkKind::Function,
        NodeRole::Class | NodeRole::Extension | NodeRole::Record => ChunkKind::Class,
        _ => ChunkKind::Code,
    }
}

/// Returns the first and last row of a node, excluding a row of which it includes only the beginning.
fn rows(node: Node<'_>) -> (u32, u32) {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    (start.row as u32, last as u32)
}

//! One walk over a syntax tree that finds its units and definitions.
//!
//! The walk goes along the children of containers and never into functions or statements. What a
//! node is comes from the language's table; there is no code for a single language here.

use super::names::{bound_name, is_disguised_class, join, name_of, prototype};
use super::units::{Definition, Level, Structure, Unit};
use crate::language::{Compiled, Role, child};
use crate::{ChunkKind, Fallback};
use tree_sitter::{Node, Tree, TreeCursor};

/// Groups within groups deeper than this are not looked into. No text that was written by hand
/// comes near it; the walk calls itself once for each.
const DEEPEST_GROUP: u32 = 100;

/// Wrappers within wrappers deeper than this hold no item.
const DEEPEST_WRAPPER: u32 = 6;

/// Finds the units and definitions of `tree`.
pub(super) fn collect(
    grammar: &Compiled,
    tree: &Tree,
    content: &str,
    max_depth: u32,
) -> Result<Structure, Fallback> {
    let mut collector = Collector {
        grammar,
        content,
        path: String::new(),
        definitions: Vec::new(),
        max_depth,
        too_deep: false,
    };
    let mut level = Level::default();
    collector.children(&mut tree.walk(), &mut level, Depth::default());
    if collector.too_deep {
        return Err(Fallback::NestedTooDeeply);
    }
    let mut definitions = collector.definitions;
    definitions.sort_by_key(|definition| definition.row);
    Ok(Structure { units: level.finish(), definitions })
}

struct Collector<'a> {
    grammar: &'a Compiled,
    content: &'a str,
    path: String,
    definitions: Vec<Definition>,
    max_depth: u32,
    too_deep: bool,
}

#[derive(Clone, Copy, Default)]
struct Depth {
    groups: u32,
    items: u32,
}

/// An item that was found in a node.
struct Found<'tree> {
    role: Role,
    name: Option<String>,
    /// The node that has the body.
    holder: Node<'tree>,
}

impl Collector<'_> {
    fn children(&mut self, cursor: &mut TreeCursor<'_>, level: &mut Level, depth: Depth) {
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
        level: &mut Level,
        depth: Depth,
    ) {
        let (first, last) = rows(node);
        match self.grammar.role(node) {
            Role::Lead => level.lead(first, last),
            Role::Tail => level.tail(first, last),
            Role::Group if depth.groups < DEEPEST_GROUP => {
                level.statement(first, first);
                self.children(cursor, level, Depth { groups: depth.groups + 1, ..depth });
                if last > first {
                    level.tail(last, last);
                }
            }
            Role::Group | Role::Plain | Role::Body => level.statement(first, last),
            Role::Function | Role::Class | Role::Extension | Role::Record => {
                self.item(node, level, depth)
            }
            Role::Named | Role::Prototype | Role::Wrapper | Role::Binding => {
                self.item(node, level, depth)
            }
        }
    }

    /// An item, or a statement that might have been one.
    fn item(&mut self, node: Node<'_>, level: &mut Level, depth: Depth) {
        let (row, last) = rows(node);
        let Some(found) = self.find(node, 0) else { return level.statement(row, last) };
        let first = level.take_lead(row);
        let symbol = found.name.as_deref().map(|name| join(&self.path, name));
        let body = self.body(found.holder);
        let place = self.definitions.len();
        self.definitions.push(Definition {
            first,
            row,
            signature: self.signature_end(found.holder, body).max(row).min(last),
            symbol: symbol.clone().filter(|_| found.role != Role::Extension),
            outlined: found.role != Role::Named,
        });
        let mut unit = Unit { first, last, kind: kind(found.role), symbol, members: Vec::new() };
        if matches!(found.role, Role::Class | Role::Extension | Role::Record) {
            unit.members = self.members(found.holder, body, unit.symbol.as_deref(), depth);
        }
        if found.role == Role::Record && !unit.members.iter().any(Unit::is_item) {
            unit.kind = ChunkKind::Code;
            unit.members.clear();
            self.definitions.truncate(place + 1);
            self.definitions[place].outlined = false;
        }
        level.push(unit);
    }

    fn members(
        &mut self,
        holder: Node<'_>,
        body: Option<Node<'_>>,
        symbol: Option<&str>,
        depth: Depth,
    ) -> Vec<Unit> {
        let depth = Depth { items: depth.items + 1, ..depth };
        if depth.items > self.max_depth {
            self.too_deep = true;
            return Vec::new();
        }
        let outer = self.path.clone();
        if let Some(symbol) = symbol {
            symbol.clone_into(&mut self.path);
        }
        let mut level = Level::default();
        let container =
            body.or_else(|| (self.grammar.role(holder) == Role::Record).then_some(holder));
        if let Some(container) = container {
            self.children(&mut container.walk(), &mut level, depth);
        }
        self.path = outer;
        level.finish()
    }

    /// The item that `node` is or holds.
    fn find<'tree>(&mut self, node: Node<'tree>, depth: u32) -> Option<Found<'tree>> {
        let role = self.grammar.role(node);
        match role {
            Role::Wrapper => self.wrapped(node, depth),
            Role::Binding => self.bound(node, depth),
            Role::Prototype => {
                let name = prototype(self.grammar, node, self.content)?;
                Some(Found { role: Role::Function, name: Some(name), holder: node })
            }
            Role::Class if self.grammar.traits.bodies_define && self.body(node).is_none() => None,
            Role::Function if is_disguised_class(self.grammar, node) => {
                let name = name_of(self.grammar, node, self.content);
                Some(Found { role: Role::Class, name, holder: node })
            }
            Role::Function | Role::Class | Role::Extension | Role::Record | Role::Named => {
                let name = name_of(self.grammar, node, self.content);
                Some(Found { role, name, holder: node })
            }
            _ => None,
        }
    }

    /// The first item among the children of a wrapper. Constants that follow a constant are
    /// definitions too.
    fn wrapped<'tree>(&mut self, node: Node<'tree>, depth: u32) -> Option<Found<'tree>> {
        if depth > DEEPEST_WRAPPER {
            return None;
        }
        let mut cursor = node.walk();
        let mut found: Option<Found<'tree>> = None;
        for child in node.named_children(&mut cursor) {
            match &found {
                None => found = self.find(child, depth + 1),
                Some(first) if first.role == Role::Named => self.further(child),
                Some(_) => break,
            }
        }
        found
    }

    /// Notes one more constant of a declaration that has several.
    fn further(&mut self, node: Node<'_>) {
        if self.grammar.role(node) != Role::Named {
            return;
        }
        let Some(name) = name_of(self.grammar, node, self.content) else { return };
        let (row, _) = rows(node);
        self.definitions.push(Definition {
            first: row,
            row,
            signature: row,
            symbol: Some(join(&self.path, &name)),
            outlined: false,
        });
    }

    /// A binding is what its value is; the name is the binding's.
    fn bound<'tree>(&mut self, node: Node<'tree>, depth: u32) -> Option<Found<'tree>> {
        let name = bound_name(self.grammar, node, self.content)?;
        let value = self.grammar.fields.values.into_iter().find_map(|field| child(node, field));
        let value =
            value.or_else(|| node.named_child(node.named_child_count().checked_sub(1)? as u32));
        let item = match value.map(|value| (value, self.grammar.role(value))) {
            Some((value, Role::Function | Role::Class | Role::Record | Role::Wrapper)) => {
                self.find(value, depth + 1)
            }
            _ => None,
        };
        let (role, holder) = item.map_or((Role::Named, node), |item| (item.role, item.holder));
        Some(Found { role, name: Some(name), holder })
    }

    fn body<'tree>(&self, holder: Node<'tree>) -> Option<Node<'tree>> {
        let body = child(holder, self.grammar.fields.body);
        if body.is_some() || !self.grammar.has_bodies {
            return body;
        }
        let mut cursor = holder.walk();
        holder.named_children(&mut cursor).find(|child| self.grammar.role(*child) == Role::Body)
    }

    /// The last row of an item's signature: where what precedes its body ends, and where the
    /// string ends that documents it.
    fn signature_end(&self, holder: Node<'_>, body: Option<Node<'_>>) -> u32 {
        let Some(body) = body else {
            let (first, last) = rows(holder);
            return if self.grammar.role(holder) == Role::Record { first } else { last };
        };
        if self.grammar.traits.docstrings
            && let Some(first) = body.named_child(0)
            && (first.kind() == "string"
                || first.named_child(0).is_some_and(|c| c.kind() == "string"))
        {
            return rows(first).1;
        }
        let mut cursor = holder.walk();
        let before = holder.children(&mut cursor).take_while(|child| child.id() != body.id());
        before.last().map_or(rows(holder).0, |node| rows(node).1)
    }
}

fn kind(role: Role) -> ChunkKind {
    match role {
        Role::Function => ChunkKind::Function,
        Role::Class | Role::Extension | Role::Record => ChunkKind::Class,
        _ => ChunkKind::Code,
    }
}

/// The first and the last row of a node. A node that ends with its line's newline ends there.
fn rows(node: Node<'_>) -> (u32, u32) {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    (start.row as u32, last as u32)
}

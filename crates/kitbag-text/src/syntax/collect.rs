//! Collects the units and definitions of a syntax tree.
//!
//! The traversal visits the children of containers, but not of functions or statements. The meaning of
//! nodes comes from the tables of the grammar; nothing here is specific to a language.

use super::items::{FoundItem, ItemFinder};
use super::parser::rows;
use super::symbols::{join, text};
use super::units::{Definition, LevelBuilder, SyntaxUnit, TextStructure};
use crate::chunk::{ChunkKind, Fallback};
use crate::language::{CompiledGrammar, NodeRole};
use tree_sitter::{Node, Tree, TreeCursor};

/// Maximum depth of nested groups, which limits recursion. Hand-written code is far below it.
const MAX_GROUP_DEPTH: u32 = 100;

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
        match self.role(node) {
            role if role.is_leading() => self.leading(node, level),
            NodeRole::Trailing => level.trailing(first, last),
            NodeRole::Adjacent => level.adjacent(first, last),
            NodeRole::Layout if depth.groups < MAX_GROUP_DEPTH => {
                self.children(cursor, level, Depth { groups: depth.groups + 1, ..depth });
            }
            NodeRole::Group if depth.groups < MAX_GROUP_DEPTH => {
                level.statement(first, first);
                self.children(cursor, level, Depth { groups: depth.groups + 1, ..depth });
                if last > first {
                    level.trailing(last, last);
                }
            }
            role if role.is_item_or_holds_one() => self.item(node, level, depth),
            _ => level.statement(first, last),
        }
    }

    /// Adds a comment or an attribute.
    fn leading(&self, node: Node<'_>, level: &mut LevelBuilder) {
        let (first, last) = rows(node);
        match self.role(node) {
            NodeRole::Documentation if follows_its_item(text(node, self.content)) => {
                level.adjacent(first, last);
            }
            NodeRole::Documentation | NodeRole::Attribute => level.attribute(first, last),
            _ => level.leading(first, last),
        }
    }

    /// Adds the item in `node`, or a statement if there is none.
    fn item(&mut self, node: Node<'_>, level: &mut LevelBuilder, depth: Depth) {
        let (row, last) = rows(node);
        let finder = ItemFinder { grammar: self.grammar, content: self.content };
        let Some(item) = finder.find(node) else { return level.statement(row, last) };
        for constant in &item.constants {
            self.definitions.push(Definition {
                first: constant.row,
                row: constant.row,
                signature_end: constant.row,
                symbol: Some(join(&self.path, &constant.name)),
                is_outlined: false,
            });
        }
        let symbol = item.name.as_deref().map(|name| join(&self.path, name));
        let is_clause = self.grammar.quirks.merges_clauses && item.role == NodeRole::Function;
        if is_clause && level.extend_function(symbol.as_deref(), last) {
            return;
        }
        let first = level.take_leading(row);
        let index = self.definitions.len();
        let defines_symbol = !matches!(item.role, NodeRole::Extension | NodeRole::Test);
        self.definitions.push(Definition {
            first,
            row,
            signature_end: self.signature_end(item.holder).max(row).min(last),
            symbol: symbol.clone().filter(|_| defines_symbol),
            is_outlined: item.role != NodeRole::Named,
        });
        let mut unit =
            SyntaxUnit { first, last, kind: chunk_kind(item.role), symbol, members: Vec::new() };
        if matches!(item.role, NodeRole::Class | NodeRole::Extension | NodeRole::Record) {
            unit.members = self.members(&item, unit.symbol.as_deref(), depth);
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
        item: &FoundItem<'_>,
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
        let body = item.returned_class.or_else(|| self.grammar.body(item.holder));
        let container = body.or_else(|| self.is_own_body(item.holder).then_some(item.holder));
        if let Some(container) = container {
            self.comments_before(container, &mut level);
            self.children(&mut container.walk(), &mut level, depth);
        }
        self.path = outer;
        level.finish()
    }

    /// Adds the comments before a body that has no opening delimiter.
    fn comments_before(&self, body: Node<'_>, level: &mut LevelBuilder) {
        let Some(holder) = body.parent().filter(|_| self.grammar.quirks.has_layout) else { return };
        let mut cursor = holder.walk();
        let children = holder.named_children(&mut cursor).take_while(|it| it.id() != body.id());
        for comment in children.filter(|it| self.role(*it).is_leading()) {
            self.leading(comment, level);
        }
    }

    /// Whether the members of a class or a record are its children.
    fn is_own_body(&self, holder: Node<'_>) -> bool {
        match self.role(holder) {
            NodeRole::Record => true,
            NodeRole::Class => self.grammar.quirks.has_type_values,
            _ => false,
        }
    }

    /// Returns the last row of an item's signature: the last row before its body, or of its docstring.
    fn signature_end(&self, holder: Node<'_>) -> u32 {
        let Some(body) = self.grammar.body(holder) else {
            let (first, last) = rows(holder);
            return if self.is_own_body(holder) { first } else { last };
        };
        if let Some(first) = body.named_child(0)
            && self.is_docstring(first)
        {
            return rows(first).1;
        }
        let is_signature =
            |it: &Node<'_>| !self.grammar.quirks.has_layout || !self.role(*it).is_leading();
        let mut cursor = holder.walk();
        let before_body = holder.children(&mut cursor).take_while(|child| child.id() != body.id());
        before_body.filter(is_signature).last().map_or(rows(holder).0, |node| rows(node).1)
    }

    /// Whether the first node of a body documents its item.
    fn is_docstring(&self, first: Node<'_>) -> bool {
        let is_string = |node: Node<'_>| node.kind() == "string";
        let begins_with_string = || is_string(first) || first.named_child(0).is_some_and(is_string);
        self.role(first) == NodeRole::Docstring
            || self.grammar.quirks.has_docstrings && begins_with_string()
    }

    fn role(&self, node: Node<'_>) -> NodeRole {
        self.grammar.role(node, self.content)
    }
}

/// Whether a documentation comment is about the item before it, as `-- ^` in Haskell.
fn follows_its_item(comment: &str) -> bool {
    comment.trim_start_matches(['-', '{', ' ']).starts_with('^')
}

fn chunk_kind(role: NodeRole) -> ChunkKind {
    match role {
        NodeRole::Function | NodeRole::Test => ChunkKind::Function,
        NodeRole::Class | NodeRole::Extension | NodeRole::Record => ChunkKind::Class,
        _ => ChunkKind::Code,
    }
}

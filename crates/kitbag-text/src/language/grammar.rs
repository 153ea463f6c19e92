//! Tables that define the meaning of a grammar's node kinds and where names are found.

use super::roles::{NameSource, NodeRole};
use std::num::NonZeroU16;
use std::sync::OnceLock;
use tree_sitter::Node;

type FieldId = NonZeroU16;

/// Roles and names of nodes by the word they begin with. `@` and `#` stand for all words that begin so.
type Keywords = &'static [(NodeRole, NameSource, &'static [&'static str])];

/// A grammar with its tables.
pub(crate) struct Grammar {
    language: fn() -> tree_sitter::Language,
    /// Node kinds by role.
    roles: &'static [(NodeRole, &'static [&'static str])],
    /// Names of kinds that do not have them in the field `name`.
    names: &'static [(&'static str, NameSource)],
    /// Words that decide on the role of [`NodeRole::Keyword`] nodes.
    keywords: Keywords,
    pub quirks: Quirks,
    compiled: OnceLock<CompiledGrammar>,
}

/// Peculiarities of a language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quirks {
    /// A string at the beginning of a body is documentation.
    pub has_docstrings: bool,
    /// A class without a body is only a reference, such as `struct stat` in C.
    pub requires_body: bool,
    /// The top level is data: entries are merged up to the size of a chunk.
    pub is_data: bool,
    /// The scanner may read out of bounds, and crash, on non-ASCII characters; their bytes are
    /// replaced by `x`.
    pub ascii_only: bool,
    /// Consecutive functions of the same name are clauses of one function.
    pub merges_clauses: bool,
    /// Bodies have no opening delimiter, so comments before a body belong to its first member.
    pub has_layout: bool,
    /// Types are values: a class has its members as children, and a function may return a class.
    pub has_type_values: bool,
}

impl Quirks {
    pub const NONE: Self = Self {
        has_docstrings: false,
        requires_body: false,
        is_data: false,
        ascii_only: false,
        merges_clauses: false,
        has_layout: false,
        has_type_values: false,
    };
}

/// The tables of a grammar, indexed by kind id.
pub(crate) struct CompiledGrammar {
    pub language: tree_sitter::Language,
    pub quirks: Quirks,
    pub fields: FieldIds,
    /// Whether any kind has the role [`NodeRole::Body`].
    pub has_bodies: bool,
    roles: Vec<NodeRole>,
    names: Vec<(NameSource, Option<FieldId>)>,
    keywords: Keywords,
}

/// Ids of the fields that the chunker uses, if the grammar has them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldIds {
    pub body: Option<FieldId>,
    /// Declarator of a C declaration.
    pub declarator: Option<FieldId>,
    pub name: Option<FieldId>,
    /// Receiver of a Go method.
    pub receiver: Option<FieldId>,
    /// Type of a parameter.
    pub kind: Option<FieldId>,
    /// Fields for the value of a binding, in order of preference.
    pub values: [Option<FieldId>; 2],
}

impl FieldIds {
    fn of(language: &tree_sitter::Language) -> Self {
        let field = |name| language.field_id_for_name(name);
        Self {
            body: field("body"),
            declarator: field("declarator"),
            name: field("name"),
            receiver: field("receiver"),
            kind: field("type"),
            values: [field("value"), field("right")],
        }
    }
}

/// Returns the child of `node` in `field`, if the grammar has that field.
pub(crate) fn child<'tree>(node: Node<'tree>, field: Option<FieldId>) -> Option<Node<'tree>> {
    node.child_by_field_id(field?.get())
}

impl Grammar {
    /// Creates the tables of a language without peculiarities.
    pub const fn new(
        language: fn() -> tree_sitter::Language,
        roles: &'static [(NodeRole, &'static [&'static str])],
        names: &'static [(&'static str, NameSource)],
    ) -> Self {
        Self::with_quirks(Quirks::NONE, language, roles, names)
    }

    pub const fn with_quirks(
        quirks: Quirks,
        language: fn() -> tree_sitter::Language,
        roles: &'static [(NodeRole, &'static [&'static str])],
        names: &'static [(&'static str, NameSource)],
    ) -> Self {
        Self::with_keywords(quirks, language, roles, names, &[])
    }

    pub const fn with_keywords(
        quirks: Quirks,
        language: fn() -> tree_sitter::Language,
        roles: &'static [(NodeRole, &'static [&'static str])],
        names: &'static [(&'static str, NameSource)],
        keywords: Keywords,
    ) -> Self {
        Self { language, roles, names, keywords, quirks, compiled: OnceLock::new() }
    }

    /// Returns the tables indexed by kind id, which are built on first use.
    pub fn compiled(&self) -> &CompiledGrammar {
        self.compiled.get_or_init(|| {
            let language = (self.language)();
            let kinds = 0..language.node_kind_count() as u16;
            let named = |id: &u16| language.node_kind_is_named(*id);
            let kind = |id: u16| language.node_kind_for_id(id).unwrap_or_default();
            let role = |id: u16| if named(&id) { self.role(kind(id)) } else { NodeRole::Plain };
            let name = |id: u16| match self.name(kind(id)) {
                name @ NameSource::Field(field) => (name, language.field_id_for_name(field)),
                name => (name, None),
            };
            let roles: Vec<NodeRole> = kinds.clone().map(role).collect();
            let names = kinds.map(name).collect();
            let (fields, has_bodies) = (FieldIds::of(&language), roles.contains(&NodeRole::Body));
            let (quirks, keywords) = (self.quirks, self.keywords);
            CompiledGrammar { language, quirks, fields, has_bodies, roles, names, keywords }
        })
    }

    fn role(&self, kind: &str) -> NodeRole {
        let row = self.roles.iter().find(|(_, kinds)| kinds.contains(&kind));
        row.map_or(NodeRole::Plain, |(role, _)| *role)
    }

    fn name(&self, kind: &str) -> NameSource {
        let row = self.names.iter().find(|(named, _)| *named == kind);
        row.map_or(NameSource::Field("name"), |(_, name)| *name)
    }
}

impl CompiledGrammar {
    /// Returns the role of `node` in `content`.
    pub fn role(&self, node: Node<'_>, content: &str) -> NodeRole {
        match self.kind_role(node) {
            NodeRole::Keyword => match self.keyword(node, content) {
                Some((role, _)) => role,
                None if self.body(node).is_some() => NodeRole::Record,
                None => NodeRole::Plain,
            },
            role => role,
        }
    }

    /// Returns where the name of `node` is found, with the id of its field.
    pub fn name_source(&self, node: Node<'_>, content: &str) -> (NameSource, Option<FieldId>) {
        if self.kind_role(node) == NodeRole::Keyword {
            return (
                self.keyword(node, content).map_or(NameSource::Unnamed, |(_, name)| name),
                None,
            );
        }
        let default = (NameSource::Field("name"), self.fields.name);
        self.names.get(usize::from(node.kind_id())).copied().unwrap_or(default)
    }

    /// Returns the body of an item.
    pub fn body<'tree>(&self, holder: Node<'tree>) -> Option<Node<'tree>> {
        let body = child(holder, self.fields.body);
        if body.is_some() || !self.has_bodies {
            return body;
        }
        let mut cursor = holder.walk();
        let mut children = holder.named_children(&mut cursor);
        children.find(|child| self.kind_role(*child) == NodeRole::Body)
    }

    fn kind_role(&self, node: Node<'_>) -> NodeRole {
        match self.roles.get(usize::from(node.kind_id())) {
            Some(role) => *role,
            None if node.is_error() => NodeRole::Group,
            None => NodeRole::Plain,
        }
    }

    fn keyword(&self, node: Node<'_>, content: &str) -> Option<(NodeRole, NameSource)> {
        let word = leading_word(content.get(node.start_byte()..)?);
        let find = |word: &str| {
            let row = self.keywords.iter().find(|(_, _, words)| words.contains(&word));
            row.map(|&(role, name, _)| (role, name))
        };
        find(word).or_else(|| find(word.get(..1).filter(|sigil| SIGILS.contains(sigil))?))
    }
}

/// Characters that a word may begin with.
const SIGILS: [&str; 2] = ["@", "#"];

/// Returns the word at the beginning of `text`: a path of identifiers, which may begin with a sigil.
fn leading_word(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let word = SIGILS.iter().find_map(|sigil| text.strip_prefix(*sigil)).unwrap_or(text);
    let rest = word.trim_start_matches(is_part);
    &text[..text.len() - rest.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{LanguageStructure, languages};

    /// Returns kinds in the tables that the grammar does not have: misspelled, or removed by an update.
    fn unknown_kinds(grammar: &Grammar) -> Vec<&'static str> {
        let language = (grammar.language)();
        let roles = grammar.roles.iter().flat_map(|(_, kinds)| kinds.iter().copied());
        let names = grammar.names.iter().map(|(kind, _)| *kind);
        let children = grammar.names.iter().filter_map(|(_, name)| match name {
            NameSource::Child(kind) => Some(*kind),
            _ => None,
        });
        let all = roles.chain(names).chain(children);
        all.filter(|kind| language.id_for_node_kind(kind, true) == 0).collect()
    }

    #[test]
    fn tables_name_only_node_kinds_of_their_grammar() {
        for language in languages() {
            let LanguageStructure::Items(grammar) = language.structure else { continue };
            assert_eq!(unknown_kinds(grammar), Vec::<&str>::new(), "in {}", language.name);
        }
    }
}

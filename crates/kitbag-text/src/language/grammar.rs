//! Tables that define the meaning of a grammar's node kinds and where names are found.

use std::num::NonZeroU16;
use std::sync::OnceLock;
use tree_sitter::Node;

type FieldId = NonZeroU16;

/// Meaning of a node kind. Kinds that are not in the table are [`NodeRole::Plain`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeRole {
    /// A statement whose children are not visited.
    Plain,
    /// A function, a method, or a property with accessors.
    Function,
    /// An item with members.
    Class,
    /// Adds members to an item defined elsewhere, such as an `impl` block.
    Extension,
    /// An object or table literal, which is a class if it contains functions.
    Record,
    /// A definition without structure, such as a constant or a type alias.
    Named,
    /// A declaration that is an item only if it declares a function.
    Prototype,
    /// Contains an item as a child, such as an `export`.
    Wrapper,
    /// A name and a value; an item if its value is one.
    Binding,
    /// Its children are on the level of the node itself.
    Group,
    /// The body of an item, in grammars without a field for it.
    Body,
    /// A comment or an attribute, which belongs to the node after it.
    Leading,
    /// Belongs to the node before it, such as the body of a here-document.
    Trailing,
}

/// Where the name of a node is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameSource {
    /// In the given field.
    Field(&'static str),
    /// In the first child.
    First,
    /// In the first child of the given kind.
    Child(&'static str),
    /// At the end of a chain of declarators, as in C.
    Declarator,
    /// In the field `name`, under the type of the field `receiver`, as in Go.
    Receiver,
    /// The name is always the same.
    Fixed(&'static str),
}

/// A grammar with its tables.
pub(crate) struct Grammar {
    language: fn() -> tree_sitter::Language,
    /// Node kinds by role.
    roles: &'static [(NodeRole, &'static [&'static str])],
    /// Names of kinds that do not have them in the field `name`.
    names: &'static [(&'static str, NameSource)],
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
}

impl Quirks {
    pub const NONE: Self =
        Self { has_docstrings: false, requires_body: false, is_data: false, ascii_only: false };
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
        Self { language, roles, names, quirks, compiled: OnceLock::new() }
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
            CompiledGrammar { language, quirks: self.quirks, fields, has_bodies, roles, names }
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
    pub fn role(&self, node: Node<'_>) -> NodeRole {
        match self.roles.get(usize::from(node.kind_id())) {
            Some(role) => *role,
            None if node.is_error() => NodeRole::Group,
            None => NodeRole::Plain,
        }
    }

    /// Returns where the name of `node` is found, with the id of its field.
    pub fn name_source(&self, node: Node<'_>) -> (NameSource, Option<FieldId>) {
        let default = (NameSource::Field("name"), self.fields.name);
        self.names.get(usize::from(node.kind_id())).copied().unwrap_or(default)
    }
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

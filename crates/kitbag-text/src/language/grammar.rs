//! What a grammar's node kinds are to the chunker: a table of roles, and where names stand.

use std::num::NonZeroU16;
use std::sync::OnceLock;
use tree_sitter::Node;

/// The number of a field of a grammar.
type FieldId = NonZeroU16;

/// What a node kind is to the chunker. Kinds that a table does not name are [`Role::Plain`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A statement like any other, never looked into.
    Plain,
    /// A function, a method, or a property with code of its own.
    Function,
    /// Something with members.
    Class,
    /// Adds members to what is defined elsewhere, such as an `impl` block.
    Extension,
    /// A table of values, which is a class if it holds functions.
    Record,
    /// Defines a name and has no structure: a constant, a type alias.
    Named,
    /// A declaration that is an item only if it declares a function.
    Prototype,
    /// The item is one of its children, such as the class of an `export`.
    Wrapper,
    /// A name and a value, which is an item if its value is one.
    Binding,
    /// Its children stand at the level of the node itself.
    Group,
    /// The body of an item, in grammars that have no field for it.
    Body,
    /// A comment or an attribute, which belongs to what follows it.
    Lead,
    /// Belongs to what precedes it, such as the body of a here-document.
    Tail,
}

/// Where the name of a kind of node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// In the field of that name.
    Field(&'static str),
    /// In the first child.
    First,
    /// In the first child of that kind.
    Child(&'static str),
    /// At the end of a chain of declarators, as in C.
    Declarator,
    /// In the field `name`, under the type of the field `receiver`, as in Go.
    Receiver,
    /// It is always this.
    Fixed(&'static str),
}

/// A grammar with the tables that the chunker reads it by.
pub(crate) struct Grammar {
    /// The parser.
    pub language: fn() -> tree_sitter::Language,
    /// The kinds that matter.
    pub roles: &'static [(Role, &'static [&'static str])],
    /// Where names stand, for kinds that do not have them in the field `name`.
    pub names: &'static [(&'static str, Name)],
    /// How its items differ from other languages'.
    pub traits: Traits,
    /// The tables by kind number, made when first asked for.
    pub compiled: OnceLock<Compiled>,
}

/// How a language's items differ from other languages'.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traits {
    /// A string that opens a body documents it.
    pub docstrings: bool,
    /// A class without a body only refers to one, as `struct stat` does in C.
    pub bodies_define: bool,
    /// Its top level is data: neighbours are joined as far as a chunk goes.
    pub data: bool,
    /// Its scanner may read outside its tables, and crash, at characters that are not ASCII: it is
    /// shown an `x` for each of their bytes.
    pub ascii_only: bool,
}

impl Traits {
    /// Those of most languages.
    pub const USUAL: Self =
        Self { docstrings: false, bodies_define: false, data: false, ascii_only: false };
}

/// A grammar's tables, by kind and field number.
pub(crate) struct Compiled {
    /// The parser's language.
    pub language: tree_sitter::Language,
    /// How its items differ from other languages'.
    pub traits: Traits,
    /// The fields that the chunker asks for.
    pub fields: Fields,
    /// Whether some kind has the role [`Role::Body`].
    pub has_bodies: bool,
    roles: Vec<Role>,
    names: Vec<(Name, Option<FieldId>)>,
}

/// The numbers of the fields that the chunker asks for, where a grammar has them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// The body of an item.
    pub body: Option<FieldId>,
    /// What a declaration declares, as in C.
    pub declarator: Option<FieldId>,
    /// The name of a method that has a receiver.
    pub name: Option<FieldId>,
    /// The receiver of a method, as in Go.
    pub receiver: Option<FieldId>,
    /// The type of a parameter.
    pub kind: Option<FieldId>,
    /// Where the value of a binding may stand, the best place first.
    pub values: [Option<FieldId>; 2],
}

impl Fields {
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

/// The child of `node` in `field`, if the grammar has that field.
pub(crate) fn child<'tree>(node: Node<'tree>, field: Option<FieldId>) -> Option<Node<'tree>> {
    node.child_by_field_id(field?.get())
}

impl Grammar {
    /// The tables by kind number.
    pub fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let language = (self.language)();
            let kinds = 0..language.node_kind_count() as u16;
            let named = |id: &u16| language.node_kind_is_named(*id);
            let kind = |id: u16| language.node_kind_for_id(id).unwrap_or_default();
            let role = |id: u16| if named(&id) { self.role(kind(id)) } else { Role::Plain };
            let name = |id: u16| match self.name(kind(id)) {
                name @ Name::Field(field) => (name, language.field_id_for_name(field)),
                name => (name, None),
            };
            let roles: Vec<Role> = kinds.clone().map(role).collect();
            let names = kinds.map(name).collect();
            let (fields, has_bodies) = (Fields::of(&language), roles.contains(&Role::Body));
            Compiled { language, traits: self.traits, fields, has_bodies, roles, names }
        })
    }

    fn role(&self, kind: &str) -> Role {
        let row = self.roles.iter().find(|(_, kinds)| kinds.contains(&kind));
        row.map_or(Role::Plain, |(role, _)| *role)
    }

    fn name(&self, kind: &str) -> Name {
        let row = self.names.iter().find(|(named, _)| *named == kind);
        row.map_or(Name::Field("name"), |(_, name)| *name)
    }

    /// Kinds of the tables that the grammar does not have: misspelt, or gone with an update.
    #[cfg(test)]
    pub fn unknown_kinds(&self) -> Vec<&'static str> {
        let language = (self.language)();
        let roles = self.roles.iter().flat_map(|(_, kinds)| kinds.iter().copied());
        let names = self.names.iter().map(|(kind, _)| *kind);
        let children = self.names.iter().filter_map(|(_, name)| match name {
            Name::Child(kind) => Some(*kind),
            _ => None,
        });
        let all = roles.chain(names).chain(children);
        all.filter(|kind| language.id_for_node_kind(kind, true) == 0).collect()
    }
}

impl Compiled {
    /// What `node` is to the chunker.
    pub fn role(&self, node: Node<'_>) -> Role {
        match self.roles.get(usize::from(node.kind_id())) {
            Some(role) => *role,
            None if node.is_error() => Role::Group,
            None => Role::Plain,
        }
    }

    /// Where the name of `node` stands, and the number of the field that it stands in.
    pub fn name(&self, node: Node<'_>) -> (Name, Option<FieldId>) {
        let usual = (Name::Field("name"), self.fields.name);
        self.names.get(usize::from(node.kind_id())).copied().unwrap_or(usual)
    }
}

//! Roles of node kinds, and places where names are found.

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
    /// A test, which has a name but defines no symbol.
    Test,
    /// A declaration that is an item only if it declares a function.
    Prototype,
    /// Contains an item as a child, such as an `export`.
    Wrapper,
    /// A name and a value; an item if its value is one.
    Binding,
    /// Its children are on the level of the node itself.
    Group,
    /// A group without delimiters: its first and last row belong to its children.
    Layout,
    /// The body of an item, in grammars without a field for it.
    Body,
    /// A comment or an attribute, which belongs to the node after it.
    Leading,
    /// A documentation comment, which belongs to the node before it if it begins with `^`, otherwise to the
    /// node after it, even if there are blank lines between them.
    Documentation,
    /// An attribute that belongs to the item after it even if there are blank lines between them, and
    /// that begins a new function where clauses of the same name are merged.
    Attribute,
    /// Belongs to the node before it, such as the body of a here-document.
    Trailing,
    /// Belongs to the node before it if that ends on the previous row, otherwise to the node after it.
    Adjacent,
    /// Documentation at the beginning of a body, which belongs to the signature.
    Docstring,
    /// A value defined elsewhere, such as an import; its name is not a definition.
    Reference,
    /// Its role depends on the word it begins with, such as `def` in Elixir.
    Keyword,
}

impl NodeRole {
    /// Whether a node with this role is an item by itself.
    pub fn is_item(self) -> bool {
        use NodeRole::{Class, Extension, Function, Named, Record, Test};
        matches!(self, Function | Class | Extension | Record | Named | Test)
    }

    /// Whether a node with this role belongs to the node after it.
    pub fn is_leading(self) -> bool {
        use NodeRole::{Attribute, Documentation, Leading};
        matches!(self, Leading | Documentation | Attribute)
    }

    /// Whether a node with this role may be an item or contain one.
    pub fn is_item_or_holds_one(self) -> bool {
        use NodeRole::{Binding, Prototype, Wrapper};
        self.is_item() || matches!(self, Prototype | Wrapper | Binding)
    }
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
    /// In the first argument of a call, as in Elixir's `def f(a)`.
    Argument,
    /// In the first argument and in the option `for`, as in Elixir's `defimpl Inspect, for: Set`.
    Implementation,
    /// In the function that is called, as in Elixir's `@limit 10`.
    Target,
    /// In an equation or a type signature, as in Haskell.
    Equation,
    /// In the class and its type, as in Haskell's `instance Show (Tree a)`.
    Instance,
    /// In the field `name` of a signature, as in Dart.
    Signature,
    /// In the type and the labels of a block, as in HCL's `resource "disk" "data" {`.
    Labels,
    /// In a string or an identifier, as in Zig's `test "name"`.
    Title,
    /// The name is always the same.
    Fixed(&'static str),
    /// It has no name.
    Unnamed,
}

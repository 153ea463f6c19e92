//! Names of functions that are defined by equations, and of instances, as in Haskell.

use super::symbols::{bounded, join, text};
use tree_sitter::Node;

/// Maximum number of nodes between an equation and the name in it.
const MAX_STEPS: usize = 16;

/// Returns the name in an equation or a type signature: `f` in `f x = 1` and `f, g :: Int`, `<>` in
/// `(<>) :: a` and `a <> b = 1`, `P` in `pattern P a = Q a`.
pub(super) fn equation_name(node: Node<'_>, content: &str) -> Option<String> {
    let mut at = ["name", "names", "synonym"]
        .iter()
        .find_map(|field| node.child_by_field_name(field))
        .or_else(|| node.named_child(0))?;
    for _ in 0..MAX_STEPS {
        at = match at.kind() {
            "variable" | "operator" | "constructor" | "constructor_operator" => {
                return bounded(text(at, content));
            }
            "infix" => at.child_by_field_name("operator")?,
            "binding_list" | "prefix_id" | "infix_id" | "equation" | "signature" | "apply"
            | "parens" => at.named_child(0)?,
            _ => return None,
        };
    }
    None
}

/// Returns the name of a class and of the type that is its instance: `Show.Tree` in
/// `instance Show a => Show (Tree a)`.
pub(super) fn instance_name(node: Node<'_>, content: &str) -> Option<String> {
    let class = bounded(last_part(text(node.child_by_field_name("name")?, content)))?;
    match node.child_by_field_name("patterns").and_then(|it| it.named_child(0)).and_then(head) {
        Some(head) => bounded(&join(&class, last_part(text(head, content)))),
        None => Some(class),
    }
}

/// Returns the type constructor that a type begins with.
fn head(mut at: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_STEPS {
        at = match at.kind() {
            "name" | "qualified" => return Some(at),
            "parens" | "apply" => at.named_child(0)?,
            _ => return None,
        };
    }
    None
}

/// Returns a name without the modules that qualify it.
fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

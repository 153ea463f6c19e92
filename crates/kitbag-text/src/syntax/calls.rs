//! Names of items that are calls, as in Elixir.

use super::symbols::{bounded, join, text, title};
use tree_sitter::Node;

/// Maximum number of nodes between the argument of a call and the name in it.
const MAX_STEPS: usize = 16;

/// Returns the name that the first argument of a call defines: `f` in `def f(a) when a > 1` and in
/// `@callback f(a) :: b`, `Plug.Conn` in `defmodule Plug.Conn do`.
pub(super) fn argument_name(node: Node<'_>, content: &str) -> Option<String> {
    let mut at = arguments(node)?.named_child(0)?;
    for _ in 0..MAX_STEPS {
        at = match at.kind() {
            "binary_operator" => {
                let operator = text(at.child_by_field_name("operator")?, content);
                if !matches!(operator, "when" | "::" | "=") {
                    return bounded(operator);
                }
                at.child_by_field_name("left")?
            }
            "call" => at.child_by_field_name("target")?,
            "string" => return title(at, content),
            "identifier" | "alias" => return bounded(text(at, content)),
            "dot" => return bounded(text(at, content).trim_start_matches("__MODULE__.")),
            _ => return None,
        };
    }
    None
}

/// Returns the module that `defimpl Inspect, for: Plug.Conn` defines.
pub(super) fn implementation_name(node: Node<'_>, content: &str) -> Option<String> {
    let protocol = argument_name(node, content)?;
    let arguments = arguments(node)?;
    let mut cursor = arguments.walk();
    let options = arguments.named_children(&mut cursor).find(|it| it.kind() == "keywords");
    let option = options.and_then(|options| options.named_child(0)).filter(|option| {
        option.child_by_field_name("key").is_some_and(|key| text(key, content).trim() == "for:")
    });
    let value = option.and_then(|option| option.child_by_field_name("value"));
    match value.filter(|value| value.kind() == "alias") {
        Some(value) => bounded(&join(&protocol, text(value, content))),
        None => Some(protocol),
    }
}

/// Returns the name of an attribute: `limit` in `@limit 10`. An attribute whose value is a module, such as
/// `@before_compile Plug.Builder`, defines no name.
pub(super) fn target_name(node: Node<'_>, content: &str) -> Option<String> {
    if arguments(node)?.named_child(0)?.kind() == "alias" {
        return None;
    }
    bounded(text(call(node)?.child_by_field_name("target")?, content))
}

fn arguments(node: Node<'_>) -> Option<Node<'_>> {
    let call = call(node)?;
    let mut cursor = call.walk();
    call.named_children(&mut cursor).find(|child| child.kind() == "arguments")
}

/// Returns the call that `node` is, or that its `@` applies to.
fn call(node: Node<'_>) -> Option<Node<'_>> {
    let call = node.child_by_field_name("operand").unwrap_or(node);
    (call.kind() == "call").then_some(call)
}

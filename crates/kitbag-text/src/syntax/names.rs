//! Names of items.

use super::calls::{argument_name, implementation_name, target_name};
use super::equations::{equation_name, instance_name};
use super::symbols::{bounded, clean, clean_key, join, text, title};
use crate::language::{CompiledGrammar, NameSource, child};
use tree_sitter::Node;

/// Returns the name of `node`.
pub(super) fn name_of(grammar: &CompiledGrammar, node: Node<'_>, content: &str) -> Option<String> {
    let clean = if grammar.quirks.is_data { clean_key } else { clean };
    match grammar.name_source(node, content) {
        (NameSource::First, _) => clean(text(node.named_child(0)?, content)),
        (NameSource::Field(_), field) => clean(text(child(node, field)?, content)),
        (NameSource::Child(kind), _) => clean(text(child_of_kind(node, kind)?, content)),
        (NameSource::Declarator, _) => clean(text(declared(grammar, node)?.0, content)),
        (NameSource::Receiver, _) => method_name(grammar, node, content),
        (NameSource::Argument, _) => argument_name(node, content),
        (NameSource::Implementation, _) => implementation_name(node, content),
        (NameSource::Target, _) => target_name(node, content),
        (NameSource::Equation, _) => equation_name(node, content),
        (NameSource::Instance, _) => instance_name(node, content),
        (NameSource::Signature, _) => signature_name(grammar, node, content),
        (NameSource::Labels, _) => labels(node, content),
        (NameSource::Title, _) => title(node.named_child(0)?, content),
        (NameSource::Fixed(name), _) => Some(name.to_owned()),
        (NameSource::Unnamed, _) => None,
    }
}

/// Whether a function definition is really a class: in C++, the grammar mistakes the macro in
/// `class EXPORT Name {` for a return type.
pub(super) fn is_disguised_class(grammar: &CompiledGrammar, node: Node<'_>, content: &str) -> bool {
    grammar.name_source(node, content).0 == NameSource::Declarator
        && declared(grammar, node).is_some_and(|(_, is_function)| !is_function)
}

/// Returns the name of the function that a declaration declares, if any.
pub(super) fn prototype_name(
    grammar: &CompiledGrammar,
    node: Node<'_>,
    content: &str,
) -> Option<String> {
    let (name, is_function) = declared(grammar, node)?;
    if is_function { clean(text(name, content)) } else { None }
}

/// Returns the name on the left of a binding if it is a path of identifiers, without prefixes such as
/// `module.exports`.
pub(super) fn bound_name(
    grammar: &CompiledGrammar,
    node: Node<'_>,
    content: &str,
) -> Option<String> {
    let name = name_of(grammar, node, content)?;
    let name = name.replace(".prototype.", ".");
    let name = ["module.exports.", "exports.", "module.", "self.", "this."]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(&name);
    let is_path = name.chars().all(|c| c.is_alphanumeric() || "_.$@#-".contains(c));
    is_path.then(|| name.to_owned())
}

/// Returns the name of a Go method, prefixed by the type of its receiver.
fn method_name(grammar: &CompiledGrammar, node: Node<'_>, content: &str) -> Option<String> {
    let fields = &grammar.fields;
    let name = clean(text(child(node, fields.name)?, content))?;
    let receiver = child(node, fields.receiver).and_then(|receiver| receiver.named_child(0));
    let kind = receiver.and_then(|parameter| child(parameter, fields.kind));
    match kind.and_then(|kind| clean(text(kind, content))) {
        Some(kind) => Some(join(&kind, &name)),
        None => Some(name),
    }
}

/// Maximum number of signatures inside each other.
const MAX_SIGNATURES: usize = 4;

/// Returns the name in the signature of a Dart function.
fn signature_name(grammar: &CompiledGrammar, node: Node<'_>, content: &str) -> Option<String> {
    let mut at = node;
    for _ in 0..MAX_SIGNATURES {
        if let Some(name) = child(at, grammar.fields.name) {
            return clean(text(name, content));
        }
        let mut cursor = at.walk();
        let is_signature = |child: &Node<'_>| child.kind().ends_with("signature");
        at = at.named_children(&mut cursor).find(is_signature)?;
    }
    None
}

/// Returns the type and the labels of an HCL block, joined by dots.
fn labels(node: Node<'_>, content: &str) -> Option<String> {
    let mut cursor = node.walk();
    let words = node.named_children(&mut cursor);
    let words = words.take_while(|child| matches!(child.kind(), "identifier" | "string_lit"));
    let words: Vec<String> = words.filter_map(|word| clean_key(text(word, content))).collect();
    bounded(&words.join("."))
}

/// Follows a chain of C declarators. Returns the declared name and whether it is a function.
fn declared<'tree>(grammar: &CompiledGrammar, node: Node<'tree>) -> Option<(Node<'tree>, bool)> {
    let mut is_function = false;
    let mut at = child(node, grammar.fields.declarator)?;
    for _ in 0..16 {
        is_function |= at.kind() == "function_declarator";
        let next = child(at, grammar.fields.declarator).or_else(|| match at.kind() {
            "reference_declarator" | "parenthesized_declarator" | "attributed_declarator" => {
                at.named_child(0)
            }
            _ => None,
        });
        match next {
            Some(next) => at = next,
            None => return Some((at, is_function)),
        }
    }
    None
}

fn child_of_kind<'tree>(node: Node<'tree>, kind: &str) -> Option<Node<'tree>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() == kind)
}

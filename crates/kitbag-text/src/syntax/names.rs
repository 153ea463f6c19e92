//! Names of items and their form in symbol paths.

use crate::language::{CompiledGrammar, NameSource, child};
use tree_sitter::Node;

/// Maximum length of a name in bytes; longer ones are not usable as symbols.
const MAX_NAME_BYTES: usize = 120;

/// Returns the name of `node`.
pub(super) fn name_of(grammar: &CompiledGrammar, node: Node<'_>, content: &str) -> Option<String> {
    let clean = if grammar.quirks.is_data { clean_key } else { clean };
    match grammar.name_source(node) {
        (NameSource::First, _) => clean(text(node.named_child(0)?, content)),
        (NameSource::Field(_), field) => clean(text(child(node, field)?, content)),
        (NameSource::Child(kind), _) => clean(text(child_of_kind(node, kind)?, content)),
        (NameSource::Declarator, _) => clean(text(declared(grammar, node)?.0, content)),
        (NameSource::Receiver, _) => method_name(grammar, node, content),
        (NameSource::Fixed(name), _) => Some(name.to_owned()),
    }
}

/// Whether a function definition is really a class: in C++, the grammar mistakes the macro in
/// `class EXPORT Name {` for a return type.
pub(super) fn is_disguised_class(grammar: &CompiledGrammar, node: Node<'_>) -> bool {
    grammar.name_source(node).0 == NameSource::Declarator
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

pub(super) fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

/// Converts a name to its form in a symbol path: without type arguments and quotes, separated by `.`.
pub(super) fn clean(name: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_plain) {
        return Some(name.to_owned());
    }
    let first_line = name.trim().lines().next()?.trim();
    let first_line = without_reference(first_line.trim_matches(['"', '`']));
    let cleaned = if first_line.contains("operator") {
        first_line.replace("::", ".")
    } else {
        let plain = without_arguments(first_line).replace("::", ".");
        let end = plain.find(['=', '(', '{', ';', ',']).unwrap_or(plain.len());
        let end = plain.find(": ").map_or(end, |colon| colon.min(end));
        plain[..end].trim().replace([':'], ".")
    };
    let cleaned = cleaned.trim_matches('.');
    (!cleaned.is_empty() && cleaned.len() <= MAX_NAME_BYTES).then(|| cleaned.to_owned())
}

/// Returns a data key or a selector without its quotes.
fn clean_key(key: &str) -> Option<String> {
    let key = key.trim().lines().next()?.trim().trim_matches(['"', '\'']);
    (!key.is_empty() && key.len() <= MAX_NAME_BYTES).then(|| key.to_owned())
}

/// Strips sigils, lifetimes, `mut` and `dyn` from the beginning of `name`.
fn without_reference(name: &str) -> &str {
    let name = name.trim_start_matches(['&', '*']);
    match name.strip_prefix('\'') {
        Some(rest) if rest.ends_with('\'') => rest.trim_end_matches('\''),
        Some(rest) => rest.split_once(' ').map_or(rest, |(_lifetime, name)| name),
        None => name,
    }
    .trim_start_matches("mut ")
    .trim_start_matches("dyn ")
}

/// Removes text between `<` and `>`, and after `[`.
fn without_arguments(name: &str) -> String {
    let mut depth = 0u32;
    let mut kept = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            '[' if !kept.is_empty() => break,
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    if kept.is_empty() { name.to_owned() } else { kept }
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

fn text<'a>(node: Node<'_>, content: &'a str) -> &'a str {
    content.get(node.byte_range()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn names_are_reduced_to_their_path() {
        let cleaned = |name| clean(name).unwrap_or_default();
        assert_eq!(cleaned("Foo<T>::bar"), "Foo.bar");
        assert_eq!(cleaned("&'a Foo<'a>"), "Foo");
        assert_eq!(cleaned("'key'"), "key");
        assert_eq!(cleaned("*Server[K, V]"), "Server");
        assert_eq!(cleaned("M:method"), "M.method");
        assert_eq!(cleaned("count: Int"), "count");
        assert_eq!(cleaned("\"key\""), "key");
        assert_eq!(cleaned("Foo::operator<"), "Foo.operator<");
        assert_eq!(cleaned("[]"), "[]");
        assert_eq!(clean("  "), None);
    }
}

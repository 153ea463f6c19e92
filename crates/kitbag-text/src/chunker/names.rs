//! Names: where an item's name stands, and what of it goes into a symbol path.

use crate::language::{Compiled, Name, child};
use tree_sitter::Node;

/// Longer names are not names.
const LONGEST_NAME: usize = 120;

/// The name of `node`, as `grammar` tells where it stands.
pub(super) fn name_of(grammar: &Compiled, node: Node<'_>, content: &str) -> Option<String> {
    let clean = if grammar.traits.data { clean_key } else { clean };
    match grammar.name(node) {
        (Name::First, _) => clean(text(node.named_child(0)?, content)),
        (Name::Field(_), field) => clean(text(child(node, field)?, content)),
        (Name::Child(kind), _) => clean(text(child_of_kind(node, kind)?, content)),
        (Name::Declarator, _) => clean(text(declared(grammar, node)?.0, content)),
        (Name::Receiver, _) => received(grammar, node, content),
        (Name::Fixed(name), _) => Some(name.to_owned()),
    }
}

/// Whether a definition by declarator defines no function: in C++ a class whose macro the grammar
/// takes for a type, as in `class EXPORT Name {`.
pub(super) fn is_disguised_class(grammar: &Compiled, node: Node<'_>) -> bool {
    grammar.name(node).0 == Name::Declarator
        && declared(grammar, node).is_some_and(|(_, is_function)| !is_function)
}

/// The function that a declaration declares, if it declares one.
pub(super) fn prototype(grammar: &Compiled, node: Node<'_>, content: &str) -> Option<String> {
    let (name, is_function) = declared(grammar, node)?;
    if is_function { clean(text(name, content)) } else { None }
}

/// The name on the left of a binding: a path of identifiers, without what every module has.
pub(super) fn bound_name(grammar: &Compiled, node: Node<'_>, content: &str) -> Option<String> {
    let name = name_of(grammar, node, content)?;
    let name = name.replace(".prototype.", ".");
    let name = ["module.exports.", "exports.", "module.", "self.", "this."]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(&name);
    let is_path = name.chars().all(|c| c.is_alphanumeric() || "_.$@#-".contains(c));
    is_path.then(|| name.to_owned())
}

/// `name` under `parent`.
pub(super) fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

/// What of a name goes into a path: no type arguments, no quotes, `.` between its parts.
pub(super) fn clean(name: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_plain) {
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
    (!cleaned.is_empty() && cleaned.len() <= LONGEST_NAME).then(|| cleaned.to_owned())
}

/// A key of data, or a selector, is taken as it stands, without its quotes.
fn clean_key(key: &str) -> Option<String> {
    let key = key.trim().lines().next()?.trim().trim_matches(['"', '\'']);
    (!key.is_empty() && key.len() <= LONGEST_NAME).then(|| key.to_owned())
}

/// `name` without the sigils, lifetimes and `mut` before it.
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

/// `name` without anything between `<` and `>`, or after `[`.
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

/// A Go method under the type of its receiver.
fn received(grammar: &Compiled, node: Node<'_>, content: &str) -> Option<String> {
    let fields = &grammar.fields;
    let name = clean(text(child(node, fields.name)?, content))?;
    let receiver = child(node, fields.receiver).and_then(|receiver| receiver.named_child(0));
    let kind = receiver.and_then(|parameter| child(parameter, fields.kind));
    match kind.and_then(|kind| clean(text(kind, content))) {
        Some(kind) => Some(join(&kind, &name)),
        None => Some(name),
    }
}

/// Follows a chain of C declarators to the declared name, and tells whether it is a function's.
fn declared<'tree>(grammar: &Compiled, node: Node<'tree>) -> Option<(Node<'tree>, bool)> {
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

/// The first child of that kind.
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
    fn names_lose_what_is_not_a_name() {
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

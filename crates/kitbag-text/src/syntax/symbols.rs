//! The form of names in symbol paths.

use tree_sitter::Node;

/// Maximum length of a name in bytes; longer ones are not usable as symbols.
const MAX_NAME_BYTES: usize = 120;

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
pub(super) fn clean_key(key: &str) -> Option<String> {
    let key = key.trim().lines().next()?.trim().trim_matches(['"', '\'']);
    bounded(key)
}

/// Returns the name of a test: an identifier, or the content of a string.
pub(super) fn title(node: Node<'_>, content: &str) -> Option<String> {
    let is_title = matches!(node.kind(), "string" | "identifier");
    if is_title { clean_key(text(node, content)) } else { None }
}

/// Returns `name` if it has the length of a symbol.
pub(super) fn bounded(name: &str) -> Option<String> {
    (1..=MAX_NAME_BYTES).contains(&name.len()).then(|| name.to_owned())
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

pub(super) fn text<'a>(node: Node<'_>, content: &'a str) -> &'a str {
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

//! Titles of issues and commits: `fix(parser): ...`, `lease: rename ...`, `[Bug] ...`.

pub(super) struct ParsedTitle<'a> {
    /// The part of the project that it begins with, or empty.
    pub scope: &'a str,
    /// The title without the kind of change.
    pub text: &'a str,
    /// The title without the kind of change and the scope.
    pub without_scope: &'a str,
    /// Whether it begins with a kind of change or a scope.
    pub has_prefix: bool,
}

/// Words for a kind of change, which say nothing about its place.
const CHANGE_KINDS: &str = "breaking bug bugfix build chore ci doc docs enhancement feat feature fix \
    fixed fixes improvement misc new perf question refactor request revert style test tests update \
    upgrade wip";

impl<'a> ParsedTitle<'a> {
    pub fn parse(title: &'a str) -> Self {
        let title = title.trim_start_matches('#').trim();
        if let Some((inside, rest)) = title.strip_prefix('[').and_then(|it| it.split_once(']')) {
            return Self::with_prefix(inside, rest.trim_start_matches([':', ' ']), title);
        }
        match title.split_once(": ") {
            Some((prefix, rest)) if is_prefix(prefix) => Self::with_prefix(prefix, rest, title),
            _ => Self { scope: "", text: title, without_scope: title, has_prefix: false },
        }
    }

    fn with_prefix(prefix: &'a str, rest: &'a str, title: &'a str) -> Self {
        let (head, scope) = prefix.split_once('(').unwrap_or((prefix, ""));
        let head = head.trim_end_matches('!');
        let is_kind = |word: &str| CHANGE_KINDS.split(' ').any(|kind| kind == word.to_lowercase());
        if head.split_whitespace().all(is_kind) {
            let scope = scope.trim_end_matches(['!', ')']);
            return Self { scope, text: rest, without_scope: rest, has_prefix: true };
        }
        Self { scope: prefix, text: title, without_scope: rest, has_prefix: true }
    }
}

/// Whether the text before a colon names a part of the project rather than being a sentence.
fn is_prefix(prefix: &str) -> bool {
    prefix.len() <= 50
        && prefix.split_whitespace().count() <= 3
        && !prefix.contains(['"', '\'', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_kinds_are_dropped_and_scopes_kept() {
        for (title, scope, text) in [
            ("fix(parser): a crash", "parser", "a crash"),
            ("Fix: a crash", "", "a crash"),
            ("feat!: new flag", "", "new flag"),
            ("lease: rename it", "lease", "lease: rename it"),
            ("[Bug]: a crash", "", "a crash"),
            ("[grid] a crash", "grid", "[grid] a crash"),
            ("login fails", "", "login fails"),
            ("When I do this and that: a crash", "", "When I do this and that: a crash"),
        ] {
            let found = ParsedTitle::parse(title);
            assert_eq!((found.scope, found.text), (scope, text), "{title}");
        }
    }
}

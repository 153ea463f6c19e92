//! Titles as people write them: `fix(parser): ...`, `lease: rename ...`, `[Bug] ...`.

/// A title, taken apart.
pub(super) struct Title<'a> {
    /// The part of the project that it begins with; empty where it names none.
    pub scope: &'a str,
    /// What it says, without the kind of change.
    pub text: &'a str,
}

/// Words that say what kind of change it is, and nothing about where.
const KINDS: &[&str] = &[
    "breaking",
    "bug",
    "bugfix",
    "build",
    "chore",
    "ci",
    "doc",
    "docs",
    "enhancement",
    "feat",
    "feature",
    "fix",
    "fixed",
    "fixes",
    "improvement",
    "misc",
    "new",
    "perf",
    "question",
    "refactor",
    "request",
    "revert",
    "style",
    "test",
    "tests",
    "update",
    "upgrade",
    "wip",
];

impl<'a> Title<'a> {
    pub fn of(title: &'a str) -> Self {
        let title = title.trim_start_matches('#').trim();
        if let Some((inside, rest)) = title.strip_prefix('[').and_then(|it| it.split_once(']')) {
            return Self::with(inside, rest.trim_start_matches([':', ' ']), title);
        }
        match title.split_once(": ") {
            Some((prefix, rest)) if is_prefix(prefix) => Self::with(prefix, rest, title),
            _ => Self { scope: "", text: title },
        }
    }

    fn with(prefix: &'a str, rest: &'a str, title: &'a str) -> Self {
        let (head, scope) = prefix.split_once('(').unwrap_or((prefix, ""));
        let head = head.trim_end_matches('!');
        if head.split_whitespace().all(|word| KINDS.contains(&word.to_lowercase().as_str())) {
            return Self { scope: scope.trim_end_matches(['!', ')']), text: rest };
        }
        Self { scope: prefix, text: title }
    }
}

/// Whether what stands before a colon names a part of the project, and is no sentence.
fn is_prefix(prefix: &str) -> bool {
    prefix.len() <= 50
        && prefix.split_whitespace().count() <= 3
        && !prefix.contains(['"', '\'', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_change_are_dropped_and_scopes_kept() {
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
            let found = Title::of(title);
            assert_eq!((found.scope, found.text), (scope, text), "{title}");
        }
    }
}

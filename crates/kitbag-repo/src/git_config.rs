//! Reads `core.worktree` from a git configuration file.
//!
//! Whether a repository belongs to a work tree is decided before git is started, so git cannot be asked.
//! Values that git itself would not write are rejected.

/// Returns the last value of `core.worktree`.
pub(crate) fn core_worktree(config: &str) -> Option<String> {
    let (mut is_core, mut value) = (false, None);
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_core = section.split(']').next().is_some_and(|it| it.eq_ignore_ascii_case("core"));
        } else if is_core
            && let Some((key, text)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            value = Some(unquote(text.trim()));
        }
    }
    value.flatten()
}

/// Removes quotes and escapes; `None` for a value with comments, or continued in the next line.
fn unquote(text: &str) -> Option<String> {
    let is_quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
    let inner = if is_quoted { &text[1..text.len() - 1] } else { text };
    let mut value = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next()? {
                escaped @ ('\\' | '"') => value.push(escaped),
                _ => return None,
            },
            '"' => return None,
            '#' | ';' if !is_quoted => return None,
            other => value.push(other),
        }
    }
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktree_of_the_core_section_is_found() {
        let read = |text: &str| core_worktree(text);
        let config =
            "[core]\n\tbare = false\n\tworktree = ../../../sub\n[remote \"x\"]\n\turl = y\n";
        assert_eq!(read(config).as_deref(), Some("../../../sub"));
        assert_eq!(read("[CORE]\nWorkTree=\"a # \\\"b\"\n").as_deref(), Some("a # \"b"));
        assert_eq!(read("[core]\nworktree = a\nworktree = b\n").as_deref(), Some("b"));
        assert_eq!(read("[core \"x\"]\nworktree = a\n"), None);
        assert_eq!(read("[other]\nworktree = a\n"), None);
        assert_eq!(read("[core]\nworktree = a # comment\n"), None);
        assert_eq!(read("[core]\nworktree = a\\\nb\n"), None);
        assert_eq!(read("[core]\nworktree =\n"), None);
    }
}

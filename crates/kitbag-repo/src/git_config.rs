//! Reads `core.worktree` and the included files from a git configuration file.
//!
//! Whether a repository belongs to a work tree, and whether git would wait for a pipe, is decided before git
//! is started, so git cannot be asked. Values that git itself would not write are rejected.

/// Returns the last value of `core.worktree`.
pub(crate) fn core_worktree(config: &str) -> Option<String> {
    let is_core = |section: &str| section.eq_ignore_ascii_case("core");
    values(config, is_core, "worktree").last().flatten()
}

/// Returns the last URL of the remote `origin`.
pub(crate) fn origin_url(config: &str) -> Option<String> {
    let is_origin = |section: &str| {
        let name = section.strip_prefix("remote").map(|name| name.trim().trim_matches('"'));
        name == Some("origin")
    };
    values(config, is_origin, "url").last().flatten()
}

/// Iterates over the values of `include.path` and `includeIf.*.path`, whatever the condition.
pub(crate) fn included_paths(config: &str) -> impl Iterator<Item = String> {
    let is_include = |section: &str| {
        let name = section.split([' ', '\t', '"']).next().unwrap_or_default();
        name.eq_ignore_ascii_case("include") || name.eq_ignore_ascii_case("includeIf")
    };
    values(config, is_include, "path").flatten()
}

/// Iterates over the values of a key in some sections; `None` for a value that git would not write.
fn values(
    config: &str,
    is_section: impl Fn(&str) -> bool,
    name: &str,
) -> impl Iterator<Item = Option<String>> {
    let mut is_inside = false;
    config.lines().map(str::trim).filter_map(move |line| {
        let mut setting = line;
        if let Some(section) = line.strip_prefix('[') {
            // A subsection in quotes may contain a bracket.
            let end = section.rfind(']').unwrap_or(section.len());
            is_inside = is_section(&section[..end]);
            setting = section.get(end + 1..).unwrap_or_default();
        }
        let (key, text) = setting.split_once('=').filter(|_| is_inside)?;
        key.trim().eq_ignore_ascii_case(name).then(|| unquote(text.trim()))
    })
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

    #[test]
    fn included_files_are_found() {
        let config = "[include]\n\tpath = a\n[IncludeIf \"gitdir:/x]/\"]\npath=\"b c\"\n[core]\npath = d\n\
                      [include] path = e\n";
        assert_eq!(included_paths(config).collect::<Vec<_>>(), ["a", "b c", "e"]);
    }
}

//! Front matter: the YAML between two lines `---` at the beginning of a Markdown file.
//!
//! Some tools write globs into it that are no YAML (`globs: **/*.ts`); those are put in quotes
//! before they are read, so that they mean what they were meant to.

use crate::config::yaml::{self, Content, Fault, Node};

/// A Markdown file in its two parts.
pub(super) struct Front<'a> {
    /// What stands between the lines `---`, if there are two.
    pub yaml: Option<&'a str>,
    /// What comes after it.
    pub body: &'a str,
    /// The line of the file that the body begins at, from 1.
    pub body_line: usize,
}

/// Front matter begins on the second line of its file.
pub(super) const FIRST_LINE: usize = 1;

/// The keys that hold globs.
const GLOB_KEYS: [&str; 3] = ["globs", "applyTo", "paths"];

/// Parts a file.
pub(super) fn split(text: &str) -> Front<'_> {
    let whole = Front { yaml: None, body: text, body_line: 1 };
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return whole };
    let mut at = first.len();
    for (number, line) in lines.enumerate() {
        if matches!(line.trim_end(), "---" | "...") {
            let yaml = Some(&text[first.len()..at]);
            let body = &text[at + line.len()..];
            return Front { yaml, body, body_line: number + 3 };
        }
        at += line.len();
    }
    whole
}

/// Reads front matter. Places count from its first line: [`FIRST_LINE`] is to be added.
pub(super) fn read(yaml: &str) -> Result<Option<Node>, Fault> {
    yaml::parse(yaml)
}

/// The same after globs and descriptions that are no YAML were put in quotes.
pub(super) fn read_leniently(yaml: &str) -> Result<Option<Node>, Fault> {
    let lines: Vec<String> = yaml.lines().map(quoted).collect();
    yaml::parse(&(lines.join("\n") + "\n"))
}

/// What is under a key.
pub(super) fn member<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    let Content::Section(members) = &node.content else { return None };
    members.iter().find(|member| member.key == key).map(|member| &member.node)
}

/// The text of a node that is one; nothing for an empty one.
pub(super) fn text(node: &Node) -> Option<&str> {
    match &node.content {
        Content::Scalar { text, is_quoted: false }
            if matches!(text.as_str(), "" | "~" | "null") =>
        {
            None
        }
        Content::Scalar { text, .. } if text.trim().is_empty() => None,
        Content::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

/// The texts of a node that is one or a list of them.
pub(super) fn texts(node: &Node) -> Vec<String> {
    match &node.content {
        Content::List(items) => items.iter().filter_map(text).map(str::to_owned).collect(),
        _ => text(node).map(str::to_owned).into_iter().collect(),
    }
}

/// The globs of a node: a list, or a text with commas between them.
pub(super) fn globs(node: &Node) -> Vec<String> {
    texts(node).iter().flat_map(|text| split_globs(text)).collect()
}

/// Cuts at commas that are in no braces.
fn split_globs(text: &str) -> Vec<String> {
    let mut globs = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                globs.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = globs.last_mut() {
            last.push(c);
        }
    }
    let trimmed = globs.iter().map(|glob| glob.trim().trim_matches(['"', '\'']));
    trimmed.filter(|glob| !glob.is_empty()).map(str::to_owned).collect()
}

/// A line in which a value that is no YAML stands in quotes.
fn quoted(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let (margin, rest) = line.split_at(indent);
    if let Some(item) = rest.strip_prefix("- ") {
        let item = item.trim();
        return if begins_oddly(item) { format!("{margin}- {}", quote(item)) } else { line.into() };
    }
    let Some((key, value)) = rest.split_once(':') else { return line.to_owned() };
    let value = value.trim();
    let is_glob = GLOB_KEYS.contains(&key);
    let is_open = value.starts_with(['"', '\'', '[', '>', '|']);
    let is_odd = begins_oddly(value) || (is_glob && value.starts_with('{'));
    let is_prose =
        key == "description" && !is_open && (value.contains(": ") || value.contains(" #"));
    if is_odd || is_prose {
        return format!("{margin}{key}: {}", quote(value));
    }
    match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(items) if is_glob => {
            let items: Vec<String> = split_globs(items).iter().map(|item| quote(item)).collect();
            format!("{margin}{key}: [{}]", items.join(", "))
        }
        _ => line.to_owned(),
    }
}

/// Whether a plain value of YAML may not begin so.
fn begins_oddly(value: &str) -> bool {
    value.starts_with(['*', '&', '!', '%', '@', '`'])
}

fn quote(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_parted_at_its_lines() {
        let parts = |text: &str| {
            let front = split(text);
            (front.yaml.map(str::to_owned), front.body.to_owned(), front.body_line)
        };
        let some = |yaml: &str, body: &str, line| (Some(yaml.to_owned()), body.to_owned(), line);
        assert_eq!(parts("---\na: 1\n---\nbody\n"), some("a: 1\n", "body\n", 4));
        assert_eq!(parts("---\r\na: 1\r\n---\r\nbody"), some("a: 1\r\n", "body", 4));
        assert_eq!(parts("---\n---\n"), some("", "", 3));
        for text in ["body\n---\n", "--- \na: 1\n", "", "---"] {
            assert_eq!(parts(text), (None, text.to_owned(), 1));
        }
    }

    #[test]
    fn globs_that_are_no_yaml_are_read_as_they_are_meant() {
        let read = |yaml: &str| {
            let node = read_leniently(yaml).expect("YAML").expect("a node");
            globs(member(&node, "globs").expect("a key"))
        };
        assert_eq!(read("globs: **/*.ts,src/*.{js,jsx}\n"), ["**/*.ts", "src/*.{js,jsx}"]);
        assert_eq!(read("globs: [\"a/**\", **/b.rs]\n"), ["a/**", "**/b.rs"]);
        assert_eq!(read("globs:\n  - **/*.py\n  - 'it''s'\n"), ["**/*.py", "it's"]);
        assert_eq!(read("globs: {a,b}/**\n"), ["{a,b}/**"]);
        assert_eq!(read("globs: \"x, y\"\ndescription: Use when: asked #1\n"), ["x", "y"]);
        assert!(read("globs:\n").is_empty());
    }
}

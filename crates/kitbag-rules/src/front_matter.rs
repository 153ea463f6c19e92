//! Front matter: the YAML between two `---` lines at the start of a Markdown file.
//!
//! Some tools write globs that are not valid YAML (`globs: **/*.ts`). Lenient parsing quotes those
//! first.

use kitbag_config::yaml::{self, YamlError, YamlNode};

/// A Markdown file, split into front matter and body.
pub(crate) struct FrontMatter<'a> {
    /// The text between the `---` lines, if there are two.
    pub yaml: Option<&'a str>,
    pub body: &'a str,
    /// First line of the body, from 1.
    pub body_line: usize,
}

/// Number of lines before the front matter's YAML, to be added to its positions.
pub(crate) const LINES_BEFORE: usize = 1;

/// Keys whose values are globs.
const GLOB_KEYS: [&str; 3] = ["globs", "applyTo", "paths"];

pub(crate) fn split(text: &str) -> FrontMatter<'_> {
    let none = FrontMatter { yaml: None, body: text, body_line: 1 };
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return none };
    let mut end = first.len();
    for (number, line) in lines.enumerate() {
        if matches!(line.trim_end(), "---" | "...") {
            let yaml = Some(&text[first.len()..end]);
            let body = &text[end + line.len()..];
            return FrontMatter { yaml, body, body_line: number + 3 };
        }
        end += line.len();
    }
    none
}

/// Parses front matter after quoting globs and descriptions that are not valid YAML.
pub(crate) fn parse_leniently(yaml: &str) -> Result<Option<YamlNode>, YamlError> {
    let lines: Vec<String> = yaml.lines().map(quote_line).collect();
    yaml::parse(&(lines.join("\n") + "\n"))
}

/// Returns the globs of a node: a list, or a text with commas between them.
pub(crate) fn globs(node: &YamlNode) -> Vec<String> {
    node.texts().iter().flat_map(|text| split_globs(text)).collect()
}

/// Splits at commas outside braces.
fn split_globs(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let trimmed = parts.map(|glob| glob.trim().trim_matches(['"', '\'']));
    trimmed.filter(|glob| !glob.is_empty()).map(str::to_owned).collect()
}

/// Quotes the value of a line if it is not valid YAML.
fn quote_line(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let (margin, rest) = line.split_at(indent);
    if let Some(item) = rest.strip_prefix("- ") {
        let item = item.trim();
        let is_valid = !starts_with_indicator(item);
        return if is_valid { line.to_owned() } else { format!("{margin}- {}", quote(item)) };
    }
    let Some((key, value)) = rest.split_once(':') else { return line.to_owned() };
    let value = value.trim();
    let is_glob = GLOB_KEYS.contains(&key);
    let is_open = value.starts_with(['"', '\'', '[', '>', '|']);
    let is_prose =
        key == "description" && !is_open && (value.contains(": ") || value.contains(" #"));
    if starts_with_indicator(value) || (is_glob && value.starts_with('{')) || is_prose {
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

/// Whether a value starts with a character that no plain YAML scalar may start with.
fn starts_with_indicator(value: &str) -> bool {
    value.starts_with(['*', '&', '!', '%', '@', '`'])
}

fn quote(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_split_at_the_marker_lines() {
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
    fn unquoted_globs_are_accepted() {
        let read = |yaml: &str| {
            let node = parse_leniently(yaml).expect("valid YAML").expect("a node");
            globs(node.get("globs").expect("the key"))
        };
        assert_eq!(read("globs: **/*.ts,src/*.{js,jsx}\n"), ["**/*.ts", "src/*.{js,jsx}"]);
        assert_eq!(read("globs: [\"a/**\", **/b.rs]\n"), ["a/**", "**/b.rs"]);
        assert_eq!(read("globs:\n  - **/*.py\n  - 'it''s'\n"), ["**/*.py", "it's"]);
        assert_eq!(read("globs: {a,b}/**\n"), ["{a,b}/**"]);
        assert_eq!(read("globs: \"x, y\"\ndescription: Use when: asked #1\n"), ["x", "y"]);
        assert!(read("globs:\n").is_empty());
    }
}

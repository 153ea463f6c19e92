//! The starter file: every setting with its documentation and default, commented out.

use crate::table::{self, AccessRule, Setting};
use crate::value::to_yaml;
use std::fmt::Write;
use textwrap::{Options, WordSplitter};

const HEAD: &str = "\
# Configuration of Kitbag. Every setting is optional and shown with its default. To change one,
# remove the `#` and edit the value. `kitbag config check` reports errors, and `kitbag config show`
# prints the effective values and their origins.
";

/// The names shown where a part of a key has many.
const EXAMPLE_NAMES: [&str; 3] = ["python", "search", "search_result"];

/// Returns a configuration file that documents every setting and sets none.
pub fn config_init() -> String {
    let mut text = HEAD.to_owned();
    let mut open: Vec<String> = Vec::new();
    for setting in table::settings() {
        for (number, key) in shown_keys(setting).iter().enumerate() {
            let mut parts: Vec<String> = key.split('.').map(str::to_owned).collect();
            let Some(name) = parts.pop() else { continue };
            open_sections(&mut text, &mut open, &parts);
            let margin = "  ".repeat(open.len());
            if number == 0 {
                let is_user_only = setting.has(AccessRule::UserOnly);
                let note = if is_user_only { " Only in the user-wide file." } else { "" };
                let doc = format!("{}{note}", setting.doc());
                text.push_str(&comment(&doc, &margin));
            }
            let default = to_yaml(&setting.default_of(key));
            let _ = write!(text, "{margin}#{name}: {default}");
            if setting.is_optional() {
                let _ = write!(text, "  # for example {}", to_yaml(&setting.example()));
            }
            text.push('\n');
        }
    }
    text
}

/// Writes the headings of the sections in `path` that are not open, and closes the others.
fn open_sections(text: &mut String, open: &mut Vec<String>, path: &[String]) {
    let common = open.iter().zip(path).take_while(|(a, b)| a == b).count();
    open.truncate(common);
    for part in &path[common..] {
        let margin = "  ".repeat(open.len());
        text.push('\n');
        open.push(part.clone());
        let key = open.join(".");
        let doc = table::SECTIONS.iter().find(|section| section.key == key);
        if let Some(section) = doc {
            text.push_str(&comment(section.doc, &margin));
        }
        let _ = writeln!(text, "{margin}{part}:");
    }
}

/// Wraps a text into lines of comments.
fn comment(text: &str, margin: &str) -> String {
    let indent = format!("{margin}# ");
    let options = Options::new(96).initial_indent(&indent).subsequent_indent(&indent);
    textwrap::fill(text, options.word_splitter(WordSplitter::NoHyphenation)) + "\n"
}

/// Returns all keys of a setting if their defaults differ, else one example.
fn shown_keys(setting: &Setting) -> Vec<String> {
    let keys = setting.keys();
    if setting.differs_by_name() || keys.len() == 1 {
        return keys;
    }
    let is_example = |key: &&String| key.split('.').any(|part| EXAMPLE_NAMES.contains(&part));
    keys.iter().find(is_example).or(keys.first()).cloned().into_iter().collect()
}

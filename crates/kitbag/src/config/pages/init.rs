//! A configuration to begin with: every setting that has an effect, explained, with its default.

use super::wrapped;
use crate::config::table::{self, Mark, Setting};
use std::fmt::Write;

const HEAD: &str = "\
# Kitbag's configuration. Every setting is optional: those that begin with `#` show what holds
# where nothing is set. Remove the `#` and change the value. `kitbag config check` tells what is
# wrong, and `kitbag config show` what holds and why.
";

const WIDTH: usize = 96;

/// The name that stands for the others where a part of a key has many.
const EXAMPLE_NAMES: [&str; 3] = ["python", "search", "search_result"];

/// A configuration file in which every setting is explained and none is set.
pub fn config_init() -> String {
    let mut text = HEAD.to_owned();
    let mut open: Vec<String> = Vec::new();
    for setting in table::settings() {
        for (number, key) in shown_keys(setting).iter().enumerate() {
            let mut parts: Vec<String> = key.split('.').map(str::to_owned).collect();
            let Some(name) = parts.pop() else { continue };
            sections(&mut text, &mut open, parts);
            let margin = "  ".repeat(open.len());
            if number == 0 {
                let user =
                    if setting.has(Mark::UserOnly) { " In the user's own file." } else { "" };
                let doc = format!("{}{user}", setting.doc());
                text.push_str(&wrapped(&doc, &format!("{margin}# "), WIDTH));
            }
            let default = setting.default_of(key);
            let _ = write!(text, "{margin}#{name}: {default}");
            if setting.is_optional() {
                let _ = write!(text, "  # for example {}", setting.example());
            }
            text.push('\n');
        }
    }
    text
}

/// Closes the sections that a setting is not in, and opens those that it is in.
fn sections(text: &mut String, open: &mut Vec<String>, wanted: Vec<String>) {
    let same = open.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
    open.truncate(same);
    for part in &wanted[same..] {
        let margin = "  ".repeat(open.len());
        text.push('\n');
        open.push(part.clone());
        let key = open.join(".");
        let doc = table::SECTIONS.iter().find(|section| section.key == key);
        if let Some(section) = doc {
            text.push_str(&wrapped(section.doc, &format!("{margin}# "), WIDTH));
        }
        let _ = writeln!(text, "{margin}{part}:");
    }
}

/// The keys that are shown of a setting: all where they differ, else one that stands for them.
fn shown_keys(setting: &Setting) -> Vec<String> {
    let keys = setting.keys();
    if setting.differs_by_name() || keys.len() == 1 {
        return keys;
    }
    let is_example = |key: &&String| key.split('.').any(|part| EXAMPLE_NAMES.contains(&part));
    keys.iter().find(is_example).or(keys.first()).cloned().into_iter().collect()
}

//! Places mentioned in the text of a task: `src/a.py:12`, `a.py line 12`, and URLs on code hosts
//! with a line, such as `.../blob/main/src/a.py#L12`.

use super::{Diagnostic, Severity};
use kitbag_text::{file_of_url, for_each_url};

/// Maximum number of places to read.
const MAX_MENTIONS: usize = 20;

/// Maximum length of a line, in bytes. Longer lines are data.
const MAX_LINE_BYTES: usize = 4_000;

pattern!(PLACE, r"([\w./\\-]*[\w-]\.[A-Za-z]\w*)`?(?::|#L|,? (?:at |on )?line )(\d{1,7})\b");

/// Returns the places mentioned in a text, except for those in `known`.
pub(super) fn read(text: &str, known: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in text.lines().filter(|line| line.len() <= MAX_LINE_BYTES) {
        let mut add = |path: &str, line: u32| {
            let is_same =
                |other: &Diagnostic| other.line == line && name(&other.path) == name(path);
            if line > 0 && found.len() < MAX_MENTIONS && !known.iter().chain(&found).any(is_same) {
                found.push(place(path, line));
            }
        };
        for_each_url(line, |before, address| {
            for place in PLACE.captures_iter(before) {
                if let Ok(line) = place[2].parse() {
                    add(&place[1], line);
                }
            }
            if let Some((path, Some(line))) = address.and_then(file_of_url) {
                add(path, line);
            }
        });
    }
    found
}

fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn place(path: &str, line: u32) -> Diagnostic {
    let (path, severity, tool) = (path.to_owned(), Severity::Note, "task".to_owned());
    Diagnostic { path, line, severity, tool, ..Diagnostic::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(String, u32)> {
        read(text, &[]).into_iter().map(|it| (it.path, it.line)).collect()
    }

    #[test]
    fn places_are_recognized_in_many_forms() {
        for (text, path, line) in [
            ("see src/a.py:12 for it", "src/a.py", 12),
            ("in `a.py` line 12", "a.py", 12),
            ("`src/a.py:12`", "src/a.py", 12),
            ("a.py, line 12.", "a.py", 12),
            ("a-b.test.ts#L12", "a-b.test.ts", 12),
            ("(https://github.com/o/n/blob/v1/src/a.py#L12-L20)", "src/a.py", 12),
        ] {
            assert_eq!(places(text), [(path.to_owned(), line)], "{text}");
        }
    }

    #[test]
    fn other_text_is_ignored_and_each_place_is_read_once() {
        assert!(
            places("at 10:30, 1.2:3, version 3.10, a.py, a.py:0 and http://host.com:80/x")
                .is_empty()
        );
        assert_eq!(places("a.py:3 and src/a.py:3").len(), 1);
        assert_eq!(places(&"a.py:1 b.py:2 ".repeat(9)).len(), 2);
        let many: String = (1..100).map(|line| format!("a.py:{line}\n")).collect();
        assert_eq!(places(&many).len(), MAX_MENTIONS);
        assert!(read("at run (srv/a.js:3:5)", &[place("/app/srv/a.js", 3)]).is_empty());
    }
}

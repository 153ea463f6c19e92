//! The files that a task speaks of: paths, file names, dotted modules, hyphenated names, frames.

use super::lines::{Line, Part};

/// A file that a task speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The components of its path or dotted name, in lower case; the ending is the last of them. A
    /// name with hyphens is one alone.
    pub components: Vec<String>,
    /// The line, where one is named.
    pub line: Option<u32>,
    /// Its place in a stack trace, the innermost 1; 0 where it is none.
    pub depth: u32,
}

impl Mention {
    /// How much it tells about the file with these components, ending last: 0 where it does not
    /// mean it, 1 for its name alone or its module alone, and one more for each folder.
    pub fn matches(&self, path: &[&str]) -> u32 {
        let shared = |a: &[&str], b: &[String]| {
            a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
        };
        // `src/auth/login.py`, `login.py`: at least name and ending.
        let with_ending = shared(path, &self.components);
        if with_ending >= 2 {
            return with_ending as u32 - 1;
        }
        // `auth.login`, perhaps with names after it: at least folder and name.
        let Some(stem) = path.split_last().map(|(_, stem)| stem) else { return 0 };
        // `no-unused-vars`: few languages allow it as a name in code, so it is a file's.
        if let [name] = self.components.as_slice() {
            return u32::from(stem.last() == Some(&name.as_str()));
        }
        let ends = (2..=self.components.len()).rev();
        let best = ends.map(|end| shared(stem, &self.components[..end])).max().unwrap_or(0);
        if best >= 2 { best as u32 - 1 } else { 0 }
    }
}

/// The mentions in a task, each once, frames from the innermost.
pub(super) fn mentions(lines: &[Line]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let frames = lines.iter().filter(|line| line.part == Part::Frame).count() as u32;
    // Python's traces end with the innermost frame, all others begin with it.
    let ends_inside = lines.iter().any(|line| line.text.starts_with("File \""));
    let mut frame = 0;
    for line in lines {
        let mut depth = 0;
        if line.part == Part::Frame {
            depth = if ends_inside { frames - frame } else { frame + 1 };
            frame += 1;
        }
        for mention in of_line(&line.text) {
            let mention = Mention { depth, ..mention };
            let same = |other: &Mention| {
                other.components == mention.components && other.line == mention.line
            };
            match found.iter().position(same) {
                Some(at) if depth > 0 && (found[at].depth == 0 || depth < found[at].depth) => {
                    found[at].depth = depth;
                }
                None if found.len() < MOST => found.push(mention),
                _ => {}
            }
        }
    }
    found
}

/// Only so many are kept.
const MOST: usize = 300;

fn of_line(text: &str) -> impl Iterator<Item = Mention> + '_ {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '\\');
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find(is_part)?;
            let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |end| start + end);
            at = end;
            if let Some(components) = components(&text[start..end]) {
                let line = line_after(&text[end..]);
                return Some(Mention { components, line, depth: 0 });
            }
        }
    })
}

/// The components of a path or of a dotted name, or a name with hyphens.
fn components(run: &str) -> Option<Vec<String>> {
    let run = run.trim_matches(['.', '/', '-', '\\']);
    if run.len() > 300 {
        return None;
    }
    if !run.contains(['.', '/', '\\']) {
        let mut parts = run.split('-');
        let is_word = |part: &str| part.contains(char::is_alphabetic);
        let is_name = run.contains('-') && parts.all(is_word);
        return is_name.then(|| vec![run.to_lowercase()]);
    }
    let lower = run.to_lowercase();
    let parts: Vec<String> =
        lower.split(['/', '.', '\\']).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let is_number = |part: &String| part.bytes().all(|byte| byte.is_ascii_digit());
    (parts.len() >= 2 && !parts.iter().all(is_number)).then_some(parts)
}

/// The line number that follows a path: `:12`, `(12)`, `#L12`, `", line 12`, ` line 12`.
fn line_after(rest: &str) -> Option<u32> {
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    let rest = rest.strip_prefix('`').unwrap_or(rest);
    let marks = [", line ", ":line ", " line ", " at line ", " on line ", ":", "(", "#L"];
    let number = marks.iter().find_map(|mark| rest.strip_prefix(mark))?;
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok().filter(|&line| line > 0)
}

#[cfg(test)]
mod tests {
    use super::super::lines::read_lines;
    use super::*;

    fn all(task: &str) -> Vec<Mention> {
        mentions(&read_lines(task))
    }

    fn matches(task: &str, path: &str) -> u32 {
        let components: Vec<&str> = path.split(['/', '.']).collect();
        all(task).iter().map(|mention| mention.matches(&components)).max().unwrap_or(0)
    }

    #[test]
    fn files_are_named_by_path_or_by_dotted_name() {
        let task = "see https://host/o/n/blob/main/src/Auth/login.py#L4 and app.models.User";
        assert_eq!(matches(task, "src/auth/login.py"), 3);
        assert_eq!(matches(task, "other/login.py"), 1);
        assert_eq!(matches(task, "app/models.py"), 1);
        assert_eq!(matches(task, "src/auth/login.pyi"), 2);
        assert_eq!(matches(task, "other/login.rs"), 0);
        assert_eq!(matches(task, "models.py"), 0);
        assert_eq!(matches("login", "login.py"), 0);
        assert_eq!(all(task)[0].line, Some(4));
    }

    #[test]
    fn a_name_with_hyphens_is_that_of_a_file() {
        let task =
            "feat: allow void in Array-Callback-Return (#17), by --config-file or well-known";
        assert_eq!(matches(task, "lib/rules/array-callback-return.js"), 1);
        assert_eq!(matches(task, "lib/config-file.ts"), 1);
        assert_eq!(matches(task, "lib/rules/array-callback-return.test.js"), 0);
        assert_eq!(matches(task, "array-callback-return/index.js"), 0);
        assert_eq!(matches(task, "lib/rules/callback-return.js"), 0);
        assert!(all("void (#17) 2026-11-16 a--b").is_empty());
    }

    #[test]
    fn frames_have_their_place_from_the_innermost() {
        let python = "t\nTraceback\n  File \"a/outer.py\", line 1, in f\n  File \"a/inner.py\", line 22, in g\n";
        let found = all(python);
        assert_eq!((found[0].depth, found[0].line), (2, Some(1)));
        assert_eq!((found[1].depth, found[1].line), (1, Some(22)));
        let java = "t\nat a.b.Inner.run(Inner.java:12)\nat a.b.Outer.run(Outer.java:3)\n";
        let inner = all(java).into_iter().find(|it| it.components == ["inner", "java"]);
        assert_eq!(inner.map(|it| (it.depth, it.line)), Some((1, Some(12))));
    }
}

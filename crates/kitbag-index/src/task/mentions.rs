//! Files that a task mentions: paths, file names, dotted modules, hyphenated names, stack frames.

use super::lines::{LineKind, TaskLine};
use kitbag_text::leading_line;

/// A file that a task mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Components of the path or dotted name in lower case, with the extension last. A hyphenated
    /// name, or one such as `Dockerfile`, is a single component; that of a hidden file has an empty
    /// one before it.
    pub components: Vec<String>,
    /// Line number, if given.
    pub line: Option<u32>,
    /// Position in a stack trace, 1 for the innermost frame; 0 outside of stack traces.
    pub frame: u32,
}

impl Mention {
    /// Returns how specifically this mention names the file with these path components, extension
    /// last: 0 if not at all, 1 for its name or module alone, and one more for each folder.
    pub fn specificity(&self, path: &[&str]) -> u32 {
        let shared = |a: &[&str], b: &[String]| {
            a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
        };
        // `src/auth/login.py`, `login.py`: at least name and extension.
        let with_extension = shared(path, &self.components);
        if with_extension >= 2 {
            return with_extension as u32 - 1;
        }
        let Some((last, stem)) = path.split_last() else { return 0 };
        // `no-unused-vars`: few languages allow hyphens in identifiers, so it names a file. `Dockerfile`
        // has no extension, and `profile` is a word.
        if let [name] = self.components.as_slice() {
            let is_stem = name.contains('-') && stem.last() == Some(&name.as_str());
            return u32::from(is_stem || last == name);
        }
        // `auth.login`, possibly followed by names: at least folder and name.
        let ends = (2..=self.components.len()).rev();
        let best = ends.map(|end| shared(stem, &self.components[..end])).max().unwrap_or(0);
        if best >= 2 { best as u32 - 1 } else { 0 }
    }
}

/// Returns the distinct mentions in a task.
pub(super) fn mentions(lines: &[TaskLine]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let frames = lines.iter().filter(|line| line.kind == LineKind::Frame).count() as u32;
    // Python's traces end with the innermost frame; all others begin with it.
    let is_innermost_last = lines.iter().any(|line| line.text.starts_with("File \""));
    let mut seen_frames = 0;
    for line in lines {
        let mut frame = 0;
        if line.kind == LineKind::Frame {
            frame = if is_innermost_last { frames - seen_frames } else { seen_frames + 1 };
            seen_frames += 1;
        }
        for mention in of_line(&line.text) {
            let mention = Mention { frame, ..mention };
            let is_same = |other: &Mention| {
                other.components == mention.components && other.line == mention.line
            };
            match found.iter().position(is_same) {
                Some(at) if frame > 0 && (found[at].frame == 0 || frame < found[at].frame) => {
                    found[at].frame = frame;
                }
                None if found.len() < MAX_MENTIONS => found.push(mention),
                _ => {}
            }
        }
    }
    found
}

const MAX_MENTIONS: usize = 300;

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
                return Some(Mention { components, line, frame: 0 });
            }
        }
    })
}

/// Splits a path or dotted name into components; a hyphenated name is one component.
fn components(run: &str) -> Option<Vec<String>> {
    let whole = run.trim_end_matches(['.', '/', '-', '\\']);
    let run = run.trim_matches(['.', '/', '-', '\\']);
    if run.len() > 300 {
        return None;
    }
    if !run.contains(['.', '/', '\\']) {
        // `.gitignore`, but not `.5` or `...more`.
        let is_hidden =
            whole.strip_prefix('.') == Some(run) && run.starts_with(char::is_alphabetic);
        if is_hidden {
            return Some(vec![String::new(), run.to_lowercase()]);
        }
        if run.len() >= "Gemfile".len() && run.to_lowercase().ends_with("file") {
            return Some(vec![run.to_lowercase()]);
        }
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

/// Parses the line number that follows a path: `:12`, `(12)`, `#L12`, `", line 12`, ` line 12`.
fn line_after(rest: &str) -> Option<u32> {
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    let rest = rest.strip_prefix('`').unwrap_or(rest);
    let marks = [", line ", ":line ", " line ", " at line ", " on line ", ":", "(", "#L"];
    leading_line(marks.iter().find_map(|mark| rest.strip_prefix(mark))?)
}

#[cfg(test)]
mod tests {
    use super::super::lines::classify_lines;
    use super::*;

    fn all(task: &str) -> Vec<Mention> {
        mentions(&classify_lines(task))
    }

    fn specificity(task: &str, path: &str) -> u32 {
        let components: Vec<&str> = path.split(['/', '.']).collect();
        all(task).iter().map(|mention| mention.specificity(&components)).max().unwrap_or(0)
    }

    #[test]
    fn files_are_named_by_path_or_by_dotted_name() {
        let task = "see https://host/o/n/blob/main/src/Auth/login.py#L4 and app.models.User";
        assert_eq!(specificity(task, "src/auth/login.py"), 3);
        assert_eq!(specificity(task, "other/login.py"), 1);
        assert_eq!(specificity(task, "app/models.py"), 1);
        assert_eq!(specificity(task, "src/auth/login.pyi"), 2);
        assert_eq!(specificity(task, "other/login.rs"), 0);
        assert_eq!(specificity(task, "models.py"), 0);
        assert_eq!(specificity("login", "login.py"), 0);
        assert_eq!(all(task)[0].line, Some(4));
    }

    #[test]
    fn a_hyphenated_name_mentions_a_file() {
        let task =
            "feat: allow void in Array-Callback-Return (#17), by --config-file or well-known";
        assert_eq!(specificity(task, "lib/rules/array-callback-return.js"), 1);
        assert_eq!(specificity(task, "lib/config-file.ts"), 1);
        assert_eq!(specificity(task, "lib/rules/array-callback-return.test.js"), 0);
        assert_eq!(specificity(task, "array-callback-return/index.js"), 0);
        assert_eq!(specificity(task, "lib/rules/callback-return.js"), 0);
        assert!(all("void (#17) 2026-11-16 a--b").is_empty());
    }

    #[test]
    fn files_without_an_extension_are_mentioned_by_name() {
        let task = "the Dockerfile and .prettierignore, a profile; `makefile`";
        assert_eq!(specificity(task, "Dockerfile".to_lowercase().as_str()), 1);
        assert_eq!(specificity(task, "tools/dev/dockerfile"), 1);
        assert_eq!(specificity(task, ".prettierignore"), 1);
        assert_eq!(specificity(task, "web/.prettierignore"), 1);
        assert_eq!(specificity(task, "makefile"), 1);
        assert_eq!(specificity(task, "dockerfile/parse.py"), 0);
        assert_eq!(specificity(task, "src/dockerfile.go"), 0);
        assert_eq!(specificity(task, "src/profile.rs"), 0);
        assert_eq!(specificity("add lib/a to .gitattributes.", ".gitattributes"), 1);
        assert_eq!(specificity("version .5 ...more", "more"), 0);
    }

    #[test]
    fn frames_are_numbered_from_the_innermost() {
        let python = "t\nTraceback\n  File \"a/outer.py\", line 1, in f\n  File \"a/inner.py\", line 22, in g\n";
        let found = all(python);
        assert_eq!((found[0].frame, found[0].line), (2, Some(1)));
        assert_eq!((found[1].frame, found[1].line), (1, Some(22)));
        let java = "t\nat a.b.Inner.run(Inner.java:12)\nat a.b.Outer.run(Outer.java:3)\n";
        let inner = all(java).into_iter().find(|it| it.components == ["inner", "java"]);
        assert_eq!(inner.map(|it| (it.frame, it.line)), Some((1, Some(12))));
    }
}

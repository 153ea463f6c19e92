//! Commands in Markdown pages, compared with their output.
//!
//! A block of the language `console` has commands after `$ `, each followed by its output. A line
//! `...` matches any lines, and `...` at the end of a line matches the rest of it. A command without
//! output in the page may print anything.

/// A parsed page.
pub struct Console<'a> {
    parts: Vec<Part<'a>>,
}

enum Part<'a> {
    /// A line that is neither command nor output.
    Text(&'a str),
    /// The lines of a command, and the output in the page.
    Command { lines: Vec<&'a str>, shown: Vec<&'a str> },
}

impl<'a> Console<'a> {
    pub fn read(page: &'a str) -> Self {
        let mut parts = Vec::new();
        let mut fence = None;
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            let ticks = line.trim_end_matches("console");
            let is_fence = ticks.len() >= 3 && ticks.bytes().all(|it| it == b'`');
            if fence == Some(line) {
                fence = None;
            } else if fence.is_none() && is_fence && line.ends_with("console") {
                fence = Some(ticks);
            } else if fence.is_some() && line.starts_with("$ ") {
                let mut command = vec![line];
                while command.last().is_some_and(|it| it.ends_with('\\')) {
                    command.extend(lines.next());
                }
                parts.push(Part::Command { lines: command, shown: Vec::new() });
                continue;
            } else if let (Some(_), Some(Part::Command { shown, .. })) = (fence, parts.last_mut()) {
                shown.push(line);
                continue;
            }
            parts.push(Part::Text(line));
        }
        Self { parts }
    }

    /// Writes the page with new outputs. `run` gets each command and its output in the page; `None`
    /// keeps that.
    pub fn rewrite(&self, mut run: impl FnMut(&str, &[&str]) -> Option<String>) -> String {
        let mut page = String::new();
        let mut add = |line: &str| {
            page.push_str(line);
            page.push('\n');
        };
        for part in &self.parts {
            let (lines, shown) = match part {
                Part::Text(line) => {
                    add(line);
                    continue;
                }
                Part::Command { lines, shown } => (lines, shown),
            };
            lines.iter().for_each(|line| add(line));
            let command = lines.join("\n");
            match run(command.trim_start_matches("$ "), shown) {
                Some(printed) => printed.lines().for_each(&mut add),
                None => shown.iter().for_each(|line| add(line)),
            }
        }
        page
    }
}

/// Whether `shown` matches what was printed.
pub fn is_shown(shown: &[&str], printed: &str) -> bool {
    let printed: Vec<&str> = printed.lines().collect();
    shown.is_empty() || matches(shown, &printed)
}

fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], printed) => printed.is_empty(),
        (["...", rest @ ..], printed) => {
            (0..=printed.len()).any(|from| matches(rest, &printed[from..]))
        }
        ([line, rest @ ..], [first, more @ ..]) => {
            let is_same = match line.strip_suffix("...") {
                Some(beginning) => first.starts_with(beginning),
                None => line == first,
            };
            is_same && matches(rest, more)
        }
        (_, []) => false,
    }
}

/// Replaces ids and times of packs by fixed ones, and removes trailing whitespace.
pub fn normalized(text: &str) -> String {
    let word = |whole: &str| {
        let word = whole.trim_end_matches(':');
        let is_id = word.len() == 8 && word.bytes().all(|it| it.is_ascii_hexdigit());
        let is_time = word.len() == 20 && word.ends_with('Z') && word.contains('T');
        match (is_id, is_time) {
            (true, _) => whole.replace(word, "5b633569"),
            (_, true) => whole.replace(word, "2026-11-16T08:00:00Z"),
            _ => whole.to_owned(),
        }
    };
    let line = |line: &str| {
        let words: Vec<String> = line.split(' ').map(word).collect();
        words.join(" ").trim_end().to_owned()
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn pages_are_parsed_and_written_back() {
    let page = "text\n````console\n$ one\n```\nout\n$ two \\\n    more\n````\n$ no command\n";
    let mut seen = Vec::new();
    let again = Console::read(page).rewrite(|command, shown| {
        seen.push((command.to_owned(), shown.join("|")));
        None
    });
    assert_eq!(again, page);
    let expected = [("one", "```|out"), ("two \\\n    more", "")];
    assert_eq!(seen, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    let changed = Console::read(page).rewrite(|_, _| Some("new".to_owned()));
    assert_eq!(
        changed,
        "text\n````console\n$ one\nnew\n$ two \\\n    more\nnew\n````\n$ no command\n"
    );
}

#[test]
fn only_elided_parts_may_differ() {
    assert!(is_shown(&["a", "b"], "a\nb\n"));
    assert!(is_shown(&[], "anything\n"));
    assert!(is_shown(&["a", "...", "d"], "a\nb\nc\nd\n"));
    assert!(is_shown(&["a", "..."], "a\n"));
    assert!(is_shown(&["took..."], "took 5 ms\n"));
    assert!(!is_shown(&["a"], "a\nb\n"));
    assert!(!is_shown(&["a", "b"], "a\n"));
    assert!(!is_shown(&["a", "...", "d"], "a\nb\n"));
    assert!(!is_shown(&["took..."], "it took 5 ms\n"));
}

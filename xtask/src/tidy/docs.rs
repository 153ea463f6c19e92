//! How doc comments begin.

/// Doc comments of the workspace, and those that begin with "What".
#[derive(Debug, Default)]
pub struct DocOpenings {
    pub total: usize,
    pub violations: Vec<String>,
}

impl DocOpenings {
    /// Adds the doc comments of a Rust file. A doc comment is a run of `///` or `//!` lines.
    pub fn add(&mut self, path: &str, text: &str) {
        let mut previous = None;
        for (number, line) in text.lines().enumerate() {
            let current = marker(line);
            if let Some((marker, opening)) = current
                && previous != Some(marker)
            {
                self.total += 1;
                if opening.split(|c: char| !c.is_alphanumeric()).next() == Some("What") {
                    let place = format!("{path}:{}", number + 1);
                    self.violations.push(format!("{place}: doc comment begins with \"What\""));
                }
            }
            previous = current.map(|(marker, _)| marker);
        }
    }
}

fn marker(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    let rest = |marker| Some((marker, line.strip_prefix(marker)?.trim_start()));
    if line.starts_with("////") { None } else { rest("///").or_else(|| rest("//!")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_line_of_a_doc_comment_counts() {
        let mut docs = DocOpenings::default();
        docs.add("a.rs", "//! What it is.\n\n/// A thing.\n/// What for.\nstruct A;\n//// What\n");
        docs.add("b.rs", "    /// What's left.\n    b: u8,\n    /// Whatever.\n    c: u8,\n");
        assert_eq!(docs.total, 4);
        let expected = ["a.rs:1", "b.rs:1"];
        let places = docs.violations.iter().map(|it| it.split(": ").next().unwrap_or_default());
        assert_eq!(places.collect::<Vec<_>>(), expected);
    }
}

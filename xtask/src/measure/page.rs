//! The page: what was asked, what was found, and how.

use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::process::Command;

/// The most characters of a line of prose.
const WIDTH: usize = 116;

/// One part of the page.
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// What was measured and how, and the table.
    pub text: String,
    /// Its rows of the summary.
    pub verdicts: Vec<Verdict>,
}

/// One row of the summary.
pub struct Verdict {
    what: String,
    design: String,
    aim: String,
    best: String,
    median: String,
    met: &'static str,
}

impl Verdict {
    /// Something that shall take at most `aim`, and by the designs at most `design`, in `unit`.
    pub fn at_most(what: &str, unit: &str, design: f64, aim: f64, best: f64, median: f64) -> Self {
        let met = if best <= aim {
            "yes"
        } else if best <= design {
            "the designs' only"
        } else {
            "**no**"
        };
        let show = |value: f64| format!("{} {unit}", number(value));
        Self {
            what: what.to_owned(),
            design: format!("≤ {design} {unit}"),
            aim: format!("≤ {aim} {unit}"),
            best: show(best),
            median: show(median),
            met,
        }
    }

    /// Something that shall be at least `aim` times as fast as its rival.
    pub fn faster(what: &str, aim: f64, best: f64, median: f64) -> Self {
        Self {
            what: what.to_owned(),
            design: "-".to_owned(),
            aim: format!("≥ {aim}"),
            best: format!("{best:.2}"),
            median: format!("{median:.2}"),
            met: if best >= aim { "yes" } else { "**no**" },
        }
    }
}

/// A number with as many digits as mean something.
pub fn number(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// The whole page.
pub fn render(sections: &[Section]) -> Result<String> {
    let mut page = format!(
        "# Performance\n\n\
         `scripts/measure` wrote this page; run it to measure again. It fetches what it needs by name from the \
         package registries, builds the release program, and measures everything below in one run, each thing \
         beside its rival or its floor. The texts are real source from published packages.\n\n\
         Measured on {}, {} CPUs, {}. The machine had other work to do. *Best* is the shortest of several \
         repetitions and says what the program needs; *median* says what it got. What runs on one thread is \
         given in CPU time, the rest as the clock showed it. Whether an aim is met goes by the best.\n\n\
         | what | designs | aim | best | median | met |\n|---|---:|---:|---:|---:|---|\n",
        output("date", &["-u", "+%Y-%m-%d"])?,
        std::thread::available_parallelism()?,
        output("rustc", &["--version"])?,
    );
    for Verdict { what, design, aim, best, median, met } in
        sections.iter().flat_map(|section| &section.verdicts)
    {
        writeln!(page, "| {what} | {design} | {aim} | {best} | {median} | {met} |")?;
    }
    for Section { title, text, .. } in sections {
        write!(page, "\n## {title}\n\n{}\n", text.trim_end())?;
    }
    Ok(page.lines().map(wrap).collect())
}

/// A line of prose as lines that fit the page; tables and headings as they are.
fn wrap(line: &str) -> String {
    if line.starts_with(['|', '#']) {
        return format!("{line}\n");
    }
    let (mut wrapped, mut width) = (String::new(), 0);
    for word in line.split_whitespace() {
        let length = word.chars().count();
        if width > 0 {
            let breaks = width + 1 + length > WIDTH;
            wrapped.push(if breaks { '\n' } else { ' ' });
            width = if breaks { 0 } else { width + 1 };
        }
        wrapped.push_str(word);
        width += length;
    }
    wrapped + "\n"
}

fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let done = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("start `{program}`"))?;
    ensure!(done.status.success(), "`{program}` failed");
    Ok(String::from_utf8(done.stdout)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aim_is_met_by_the_best_and_the_designs_stand_behind_it() {
        let met = |best| Verdict::at_most("it", "ms", 200.0, 100.0, best, 900.0).met;
        assert_eq!((met(100.0), met(200.0), met(200.1)), ("yes", "the designs' only", "**no**"));
        let faster = |best| Verdict::faster("it", 3.0, best, 1.0).met;
        assert_eq!((faster(3.0), faster(2.9)), ("yes", "**no**"));
    }

    #[test]
    fn prose_is_wrapped_and_tables_are_not() {
        let long = "word ".repeat(30);
        let wrapped = wrap(&long);
        assert_eq!(wrapped.lines().count(), 2);
        assert!(wrapped.lines().all(|line| line.len() <= WIDTH));
        assert_eq!(wrap(&format!("| {long}|")), format!("| {long}|\n"));
        assert_eq!(wrap(""), "\n");
    }

    #[test]
    fn numbers_have_the_digits_that_mean_something() {
        assert_eq!([123.4, 12.34, 1.234].map(number), ["123", "12.3", "1.23"]);
    }
}

//! Time to split a file of 1 MB into chunks with exact token counts.

use super::clock::{Times, repeat};
use super::corpus::{Corpus, CorpusFile};
use super::page::{ReportSection, Verdict, number};
use anyhow::{Context, Result};
use kitbag_text::{ChunkLimits, Fallback, Text, chunk_text};
use kitbag_tokens::CachedCounter;
use std::fmt::Write as _;

const REPETITIONS: usize = 9;
const FILE_BYTES: usize = 1_000_000;

/// Limit of the designs for a file.
const DESIGN_MS: f64 = 200.0;

/// Our own target for a file.
const TARGET_MS: f64 = 100.0;

/// A measured language.
struct Subject {
    name: &'static str,
    /// Ending of the files that are used.
    ending: &'static str,
    /// Grammar for the lower bound; Markdown is parsed without one.
    grammar: Option<fn() -> tree_sitter::Language>,
}

const fn subject(
    name: &'static str,
    ending: &'static str,
    grammar: fn() -> tree_sitter::Language,
) -> Subject {
    Subject { name, ending, grammar: Some(grammar) }
}

const SUBJECTS: &[Subject] = &[
    subject("Python", ".py", || tree_sitter_python::LANGUAGE.into()),
    subject("JavaScript", ".js", || tree_sitter_javascript::LANGUAGE.into()),
    subject("TypeScript", ".ts", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
    subject("Java", ".java", || tree_sitter_java::LANGUAGE.into()),
    subject("Go", ".go", || tree_sitter_go::LANGUAGE.into()),
    subject("Rust", ".rs", || tree_sitter_rust::LANGUAGE.into()),
    subject("C", ".c", || tree_sitter_c::LANGUAGE.into()),
    subject("C++", ".cc", || tree_sitter_cpp::LANGUAGE.into()),
    subject("C#", ".cs", || tree_sitter_c_sharp::LANGUAGE.into()),
    subject("Ruby", ".rb", || tree_sitter_ruby::LANGUAGE.into()),
    subject("PHP", ".php", || tree_sitter_php::LANGUAGE_PHP.into()),
    Subject { name: "Markdown", ending: ".md", grammar: None },
];

struct ChunkingTimes {
    name: &'static str,
    chunks: usize,
    fallback: Option<Fallback>,
    tally: Times,
    parse: Option<Times>,
    whole: Times,
}

/// Measures a file of each language.
pub fn section(corpus: &Corpus) -> Result<ReportSection> {
    let found = SUBJECTS.iter().map(|s| measure(s, corpus)).collect::<Result<Vec<_>>>()?;
    let mut table = String::from(
        "| language | chunks | tally | parse | whole, best | whole, median | clock, median | met |\n\
         |---|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for ChunkingTimes { name, chunks, fallback, tally, parse, whole } in &found {
        let met = match (whole.best_cpu(), fallback) {
            (_, Some(fallback)) => &*format!("split by lines: {fallback}"),
            (best, _) if best <= TARGET_MS => "100 ms",
            (best, _) if best <= DESIGN_MS => "200 ms",
            _ => "**no**",
        };
        let parse = parse.as_ref().map_or("-".to_owned(), |parse| number(parse.best_cpu()));
        let [tally, best] = [tally, whole].map(|times| number(times.best_cpu()));
        let [median, clock] = [whole.median_cpu(), whole.median()].map(number);
        writeln!(
            table,
            "| {name} | {chunks} | {tally} | {parse} | {best} | {median} | {clock} | {met} |"
        )?;
    }
    let text = format!(
        "Real files of a language, concatenated to 1 MB of text (the Ruby files three times); one thread, milliseconds of \
         CPU time except in the column *clock*, {REPETITIONS} repetitions. *Tally* is the exact count of every line (`o200k_base`); *parse* is \
         tree-sitter alone, the lower bound of splitting by syntax; *whole* is both plus splitting, for a text without cached \
         counts.\n\n{table}\n{}",
        sentence(&found)
    );
    Ok(ReportSection { title: "Chunking a file of 1 MB", text, verdicts: verdicts(&found) })
}

/// Lists the languages by the limit that they meet.
fn sentence(found: &[ChunkingTimes]) -> String {
    let names = |low: f64, high: f64| {
        let within =
            found.iter().filter(|f| f.whole.best_cpu() > low && f.whole.best_cpu() <= high);
        let names: Vec<&str> = within.map(|f| f.name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    format!(
        "Within 100 ms: {}. Within 200 ms only: {}. Over 200 ms: {}.\n",
        names(0.0, TARGET_MS),
        names(TARGET_MS, DESIGN_MS),
        names(DESIGN_MS, f64::INFINITY)
    )
}

/// Rows for the fastest and the slowest language.
fn verdicts(found: &[ChunkingTimes]) -> Vec<Verdict> {
    let by_time =
        |a: &&ChunkingTimes, b: &&ChunkingTimes| a.whole.best_cpu().total_cmp(&b.whole.best_cpu());
    let ends = [found.iter().min_by(by_time), found.iter().max_by(by_time)];
    let verdict = |found: &ChunkingTimes| {
        let what = format!("1 MB of {}, chunked", found.name);
        Verdict::at_most(
            &what,
            "ms",
            DESIGN_MS,
            TARGET_MS,
            found.whole.best_cpu(),
            found.whole.median_cpu(),
        )
    };
    ends.into_iter().flatten().map(verdict).collect()
}

fn measure(subject: &Subject, corpus: &Corpus) -> Result<ChunkingTimes> {
    let Subject { name, ending, grammar } = *subject;
    let language = corpus.named(name).with_context(|| format!("no texts in {name}"))?;
    let text = Text::new(join(&language.files, ending));
    let path = format!("file{ending}");
    let fresh = || CachedCounter::named("o200k_base").expect("it is built in");
    let limits = ChunkLimits::default();
    let chunked = chunk_text(&path, &text, &limits, &fresh());
    let cut = |counting: CachedCounter| chunk_text(&path, &text, &limits, &counting);
    Ok(ChunkingTimes {
        name,
        chunks: chunked.chunks.len(),
        fallback: chunked.fallback,
        tally: repeat(REPETITIONS, fresh, |counting| {
            counting.tally(text.content(), text.row_starts())
        }),
        parse: grammar.map(|grammar| parse(grammar(), text.content())).transpose()?,
        whole: repeat(REPETITIONS, fresh, cut),
    })
}

/// Measures tree-sitter alone.
fn parse(grammar: tree_sitter::Language, content: &str) -> Result<Times> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar)?;
    // Dropping the tree is part of the cost.
    Ok(repeat(REPETITIONS, || (), |()| drop(parser.parse(content, None))))
}

/// Concatenates files to about [`FILE_BYTES`], repeating them if needed. Files with content that is
/// valid only at the end of a file are skipped.
fn join(files: &[CorpusFile], ending: &str) -> String {
    let mut joined = String::new();
    let alone =
        |file: &&CorpusFile| !file.content.contains("\n__END__") && !file.content.contains("?>");
    let files: Vec<&CorpusFile> =
        files.iter().filter(|file| file.path.ends_with(ending)).filter(alone).collect();
    for file in files.iter().cycle().take(files.len() * 10) {
        if joined.len() + file.content.len() > FILE_BYTES {
            continue;
        }
        let content = file.content.trim_start_matches('\u{feff}');
        let again = !joined.is_empty();
        joined.push_str(if again { content.trim_start_matches("<?php") } else { content });
        joined.push('\n');
    }
    joined
}

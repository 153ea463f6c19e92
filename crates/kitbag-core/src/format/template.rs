//! Templates of the user's own.
//!
//! A template sees what is shown, what was asked for, and nothing else: no file, no clock. Its work
//! is bounded by counted steps, so that a result never depends on the time that it takes.
//! `docs/formats.md` lists what it can use.

use super::markdown::fence;
use super::{Block, Press, Run, escape_path};
use crate::sheet::Sheet;
use kitbag_tokens::Measure;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value, context};
use std::collections::BTreeMap;
use std::{fmt, io};

/// The steps that a template may take for one text: some hundred for each line of the largest.
const MOST_STEPS: u64 = 20_000_000;

/// The bytes that a text may have: no window takes as many.
const MOST_BYTES: usize = 64 << 20;

/// The name that the template has inside.
const INSIDE: &str = "template";

/// A template, as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// What errors call it: its file.
    pub name: String,
    /// Its text.
    pub source: String,
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct TemplateError {
    /// The template's name.
    pub name: String,
    /// The line that it is in, where that is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, line, message } = self;
        match line {
            Some(line) => write!(f, "{name}:{line}: {message}"),
            None => write!(f, "{name}: {message}"),
        }
    }
}

impl Template {
    /// Checks its syntax.
    pub fn check(&self) -> Result<(), TemplateError> {
        Compiled::new(self).map(|_| ())
    }
}

/// A template that is ready to be rendered.
pub struct Compiled<'a> {
    template: &'a Template,
    environment: Environment<'a>,
}

impl<'a> Compiled<'a> {
    /// Reads the template's syntax.
    pub fn new(template: &'a Template) -> Result<Self, TemplateError> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build();
        environment.set_syntax(syntax.map_err(|error| wrong(template, &error))?);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_debug(true);
        environment.set_fuel(Some(MOST_STEPS));
        let added = environment.add_template(INSIDE, &template.source);
        added.map_err(|error| wrong(template, &error))?;
        Ok(Self { template, environment })
    }

    /// The whole text.
    pub fn render<'b>(
        &self,
        press: &Press<'_>,
        blocks: impl Iterator<Item = Block<'b>>,
    ) -> Result<String, TemplateError> {
        let template = self.environment.get_template(INSIDE);
        let mut text = Bounded::default();
        let rendered = template
            .and_then(|it| it.render_captured_to(everything(press, blocks), &mut text).map(|_| ()));
        rendered.map_err(|error| wrong(self.template, &error))?;
        Ok(String::from_utf8_lossy(&text.0).into_owned())
    }
}

/// A text that grows up to [`MOST_BYTES`].
#[derive(Default)]
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > MOST_BYTES - self.0.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All that a template sees.
fn everything<'b>(press: &Press<'_>, blocks: impl Iterator<Item = Block<'b>>) -> Value {
    let formatting = press.formatting;
    let (mut files, mut chunks, mut rows) = (Vec::new(), Vec::new(), Measure::default());
    for Block { sheet, runs } in blocks {
        for run in runs {
            rows += sheet.measure(press.counting, run.rows.clone());
        }
        let values: Vec<Value> = runs.iter().map(|run| chunk(sheet, run)).collect();
        chunks.extend(values.iter().cloned());
        files.push(file(sheet, runs, values));
    }
    let mut variables: BTreeMap<String, Value> =
        formatting.variables.iter().map(|(name, value)| (name.clone(), value.into())).collect();
    let tokens = press.counting.counter().tokens(rows);
    variables.insert("TotalTokens".to_owned(), tokens.into());
    variables.insert("FragmentCount".to_owned(), chunks.len().into());
    let own = context! {
        files, chunks,
        task => press.task,
        budget => press.budget,
        header => formatting.header_text().unwrap_or_default(),
        footer => formatting.footer_text().unwrap_or_default(),
        separator => formatting.separator_lines(),
        line_numbers => formatting.line_numbers,
        scores => formatting.scores,
        detailed => formatting.detailed,
        variables => Value::from(variables.clone()),
    };
    context! { ..own, ..Value::from(variables) }
}

fn file(sheet: &Sheet, runs: &[Run], values: Vec<Value>) -> Value {
    let best = |value: fn(&Run) -> f64| runs.iter().map(value).fold(0.0, f64::max);
    let ranges: Vec<String> = runs.iter().map(|run| sheet.span(&run.rows).to_string()).collect();
    context! {
        path => escape_path(&sheet.path),
        title => title(sheet, runs),
        language => sheet.fence,
        ranges => ranges.join(", "),
        relevance => best(|run| run.relevance),
        score => best(|run| run.score),
        runs => values,
    }
}

/// What a section with the file is called: as its best part's provider says.
fn title(sheet: &Sheet, runs: &[Run]) -> String {
    let best = runs.iter().reduce(|best, run| if run.score > best.score { run } else { best });
    let from = best.and_then(|run| run.from.as_ref()).filter(|from| !from.title.is_empty());
    from.map_or_else(|| escape_path(&sheet.path), |from| from.title.clone())
}

/// What the symbol of a run is, in a word.
fn symbol_kind(run: &Run) -> &'static str {
    match run.symbol.as_ref().map(|(kind, _)| *kind) {
        Some("class_header") => "class",
        Some("function") => "function",
        Some("class") => "class",
        Some("section") => "section",
        Some(_) => "in",
        None => "",
    }
}

fn chunk(sheet: &Sheet, run: &Run) -> Value {
    let span = sheet.span(&run.rows);
    let mut content = sheet.slice(run.rows.clone()).to_owned();
    let fence = fence(&content);
    if !content.ends_with('\n') {
        content.push('\n');
    }
    context! {
        path => escape_path(&sheet.path),
        language => sheet.fence,
        start_line => span.start,
        end_line => span.end,
        lines => span.to_string(),
        outline => run.outline,
        part => run.broken(),
        truncated => run.cut,
        relevance => run.relevance,
        score => run.score,
        provider => run.from.as_ref().map_or("", |from| &from.provider),
        prose => run.from.as_ref().is_some_and(|from| from.prose),
        symbol => run.symbol.as_ref().map_or_else(String::new, |(_, name)| escape_path(name)),
        symbol_kind => symbol_kind(run),
        fence, content,
    }
}

/// An error with its place, and the expression that it is about.
fn wrong(template: &Template, error: &minijinja::Error) -> TemplateError {
    let mut message = match error.kind() {
        ErrorKind::OutOfFuel => "it takes too many steps".to_owned(),
        ErrorKind::WriteFailure => format!("its text is larger than {} MB", MOST_BYTES >> 20),
        kind => kind.to_string(),
    };
    if let Some(detail) = error.detail().filter(|_| error.kind() != ErrorKind::WriteFailure) {
        message = format!("{message}: {detail}");
    }
    let about = error.range().and_then(|range| template.source.get(range));
    if let Some(about) = about.filter(|about| !about.is_empty() && !about.contains('\n')) {
        message = format!("{message}, at `{about}`");
    }
    TemplateError { name: template.name.clone(), line: error.line(), message }
}

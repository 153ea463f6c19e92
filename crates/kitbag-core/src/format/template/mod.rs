//! Templates of the user's own.
//!
//! A template sees what is shown, what was asked for, and nothing else: no file, no clock. Its work
//! is bounded by counted steps and its memory by weighed values, so that a result never depends on
//! the time that it takes or on the machine. `docs/formats.md` lists what it can use.

mod guard;
mod limits;
mod meter;

use super::markdown::fence;
use super::{Block, Press, Run, escape_path};
use crate::sheet::Sheet;
use kitbag_text::Cancel;
use kitbag_tokens::Measure;
use limits::Refusal;
use meter::Meter;
use minijinja::machinery::{CodeGenerator, Instructions, eval, make_string_output, parse};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value, context};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The steps that a template may take for one text, checks among them: a hundred for each line of
/// the largest.
const MOST_STEPS: u64 = 10_000_000;

/// What is told of an error in a pack without a file.
const WHEN_EMPTY: &str = " (in a pack without files, which a template must do for too)";

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
        Compiled::new(self, &Cancel::default()).map(|_| ())
    }
}

/// A template that is ready to be rendered.
pub struct Compiled<'a> {
    template: &'a Template,
    environment: Environment<'a>,
    instructions: Instructions<'a>,
    blocks: BTreeMap<&'a str, Instructions<'a>>,
    meter: Arc<Meter>,
}

impl<'a> Compiled<'a> {
    /// Reads the template's syntax. Rendering stops when `cancel` says so.
    pub fn new(template: &'a Template, cancel: &Cancel) -> Result<Self, TemplateError> {
        let wrong = |error| wrong(template, &error);
        let refused = |refusal| refused(template, refusal);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()
            .map_err(wrong)?;
        limits::check(&template.source, syntax.clone()).map_err(refused)?;
        let parsed = parse(&template.source, INSIDE, syntax).map_err(wrong)?;
        let mut generator = CodeGenerator::new(INSIDE, &template.source);
        generator.compile_stmt(&parsed);
        let (instructions, blocks) = generator.finish();
        let blocks = blocks.into_iter().map(|(name, it)| Ok((name, guard::guarded(&it)?)));
        let blocks = blocks.collect::<Result<_, Refusal>>().map_err(refused)?;
        let meter = Arc::new(Meter::new(cancel));
        let environment = environment(&meter);
        let instructions = guard::guarded(&instructions).map_err(refused)?;
        Ok(Self { template, environment, instructions, blocks, meter })
    }

    /// The whole text. An error that a pack without files may be the reason of says so: packs begin empty.
    pub fn render<'b>(
        &self,
        press: &Press<'_>,
        blocks: impl Iterator<Item = Block<'b>>,
    ) -> Result<String, TemplateError> {
        self.meter.reset();
        let mut blocks = blocks.peekable();
        let is_empty = blocks.peek().is_none();
        let seen = everything(press, blocks);
        let mut text = String::new();
        let mut output = make_string_output(&mut text);
        let (environment, instructions) = (&self.environment, &self.instructions);
        let rendered =
            eval(environment, instructions, seen, &self.blocks, &mut output, AutoEscape::None);
        match rendered {
            Ok(_) => Ok(text),
            Err(error) => {
                let kinds = [ErrorKind::UndefinedError, ErrorKind::InvalidOperation];
                let by_what_is_in = kinds.contains(&error.kind());
                let mut error = wrong(self.template, &error);
                if is_empty && by_what_is_in {
                    error.message.push_str(WHEN_EMPTY);
                }
                Err(error)
            }
        }
    }
}

/// What the engine offers to a template: nothing that is not the same every time, nothing that is
/// worked out only when it is needed.
fn environment<'a>(meter: &Arc<Meter>) -> Environment<'a> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_debug(true);
    environment.set_fuel(Some(MOST_STEPS));
    environment.remove_global("debug");
    environment.remove_filter("chain");
    guard::install(&mut environment, meter);
    environment
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

/// What is told before a template is compiled.
fn refused(template: &Template, refusal: Refusal) -> TemplateError {
    let Refusal { line, detail } = refusal;
    let message = format!("{}: {detail}", ErrorKind::InvalidOperation);
    TemplateError { name: template.name.clone(), line, message }
}

/// An error with its place, and the expression that it is about.
fn wrong(template: &Template, error: &minijinja::Error) -> TemplateError {
    let mut message = match error.kind() {
        ErrorKind::OutOfFuel => "it takes too many steps".to_owned(),
        kind => kind.to_string(),
    };
    if let Some(detail) = error.detail() {
        message = format!("{message}: {detail}");
    }
    let about = error.range().and_then(|range| template.source.get(range));
    if let Some(about) = about.filter(|about| !about.is_empty() && !about.contains('\n')) {
        message = format!("{message}, at `{about}`");
    }
    TemplateError { name: template.name.clone(), line: error.line(), message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Formatting;
    use kitbag_tokens::Counting;

    /// A loop without end stops at its next turn, long before its steps are used up.
    #[test]
    fn a_rendering_stops_when_it_is_cancelled() {
        let turns = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
        let template = Template { name: "mine.j2".into(), source: turns.into() };
        let cancel = Cancel::default();
        let compiled = Compiled::new(&template, &cancel).expect("it is a template");
        let counting = Counting::named("words").expect("a built-in counter");
        let formatting = Formatting::default();
        let press = Press {
            sheets: &[],
            counting: &counting,
            formatting: &formatting,
            task: "",
            budget: 100,
            cancel: &cancel,
        };
        cancel.cancel();
        let error = compiled.render(&press, std::iter::empty()).expect_err("it never ends");
        assert!(error.message.contains("cancelled"), "{error}");
    }
}

//! User templates.
//!
//! A template sees the pack and the request, but no files and no clock; `docs/formats.md` lists its
//! variables. Its work is limited by counted steps and its memory by measuring values, so that a
//! result never depends on time or on the machine.
//!
//! The engine's own limits do not bound memory: fuel counts instructions, and 30 iterations of
//! `{% set n.x = n.x ~ n.x %}`, under 300 steps, take 5 GB, with nothing in the public interface that
//! could check the size of an operand. So [`guard`] inserts checks into the compiled instructions,
//! which requires the feature `unstable_machinery` and a pinned version of MiniJinja.

mod guard;
mod limits;
mod meter;

use super::markdown::fence;
use super::{FileBlock, LineRun, RenderContext, escape_path};
use crate::source_file::SourceFile;
use kitbag_text::Cancel;
use kitbag_tokens::Measure;
use meter::MemoryMeter;
use minijinja::machinery::{CodeGenerator, Instructions, eval, make_string_output, parse};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value, context};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of instructions for one text, including checks: about a hundred for each line of the
/// largest packs.
const MAX_STEPS: u64 = 10_000_000;

/// Follows errors that may be caused by a pack without files. The first rendering is always empty.
const EMPTY_PACK_HINT: &str = " (in a pack without files, which a template must handle)";

/// Name of the template inside the engine.
const ENGINE_NAME: &str = "template";

/// The source of a user template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Name in errors, usually the file.
    pub name: String,
    /// Source text.
    pub source: String,
}

/// An error in a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{} {message}", .line.map(|line| format!("{line}:")).unwrap_or_default())]
pub struct TemplateError {
    /// Name of the template.
    pub name: String,
    /// Line of the error, if known.
    pub line: Option<usize>,
    /// Description of the error.
    pub message: String,
}

impl Template {
    /// Checks the syntax and the static limits.
    pub fn check(&self) -> Result<(), TemplateError> {
        CompiledTemplate::new(self, &Cancel::default()).map(|_| ())
    }

    /// Returns the error for a template that exceeds a limit before it is rendered.
    fn rejected(&self, line: Option<usize>, detail: &str) -> TemplateError {
        let message = format!("{}: {detail}", ErrorKind::InvalidOperation);
        TemplateError { name: self.name.clone(), line, message }
    }
}

/// A template that is ready to be rendered.
pub struct CompiledTemplate<'a> {
    template: &'a Template,
    environment: Environment<'a>,
    instructions: Instructions<'a>,
    blocks: BTreeMap<&'a str, Instructions<'a>>,
    meter: Arc<MemoryMeter>,
}

impl<'a> CompiledTemplate<'a> {
    /// Compiles a template. `cancel` stops its rendering.
    pub fn new(template: &'a Template, cancel: &Cancel) -> Result<Self, TemplateError> {
        let invalid = |error| engine_error(template, &error);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()
            .map_err(invalid)?;
        limits::check(template, syntax.clone())?;
        let parsed = parse(&template.source, ENGINE_NAME, syntax).map_err(invalid)?;
        let mut generator = CodeGenerator::new(ENGINE_NAME, &template.source);
        generator.compile_stmt(&parsed);
        let (instructions, blocks) = generator.finish();
        let instructions = guard::guarded(template, &instructions)?;
        let blocks = blocks
            .into_iter()
            .map(|(name, block)| Ok((name, guard::guarded(template, &block)?)))
            .collect::<Result<_, TemplateError>>()?;
        let meter = Arc::new(MemoryMeter::new(cancel));
        let environment = environment(&meter);
        Ok(Self { template, environment, instructions, blocks, meter })
    }

    /// Renders the whole text.
    pub fn render<'b>(
        &self,
        context: &RenderContext<'_>,
        blocks: impl Iterator<Item = FileBlock<'b>>,
    ) -> Result<String, TemplateError> {
        self.meter.reset();
        let mut blocks = blocks.peekable();
        let is_empty = blocks.peek().is_none();
        let variables = variables(context, blocks);
        let mut text = String::new();
        let rendered = eval(
            &self.environment,
            &self.instructions,
            variables,
            &self.blocks,
            &mut make_string_output(&mut text),
            AutoEscape::None,
        );
        let Err(error) = rendered else { return Ok(text) };
        let may_depend_on_files =
            matches!(error.kind(), ErrorKind::UndefinedError | ErrorKind::InvalidOperation);
        let mut error = engine_error(self.template, &error);
        if is_empty && may_depend_on_files {
            error.message.push_str(EMPTY_PACK_HINT);
        }
        Err(error)
    }
}

/// Creates an environment without nondeterministic or lazily evaluated features.
fn environment<'a>(meter: &Arc<MemoryMeter>) -> Environment<'a> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_debug(true);
    environment.set_fuel(Some(MAX_STEPS));
    environment.remove_global("debug");
    environment.remove_filter("chain");
    guard::install(&mut environment, meter);
    environment
}

/// Returns the variables of a template.
fn variables<'b>(
    context: &RenderContext<'_>,
    blocks: impl Iterator<Item = FileBlock<'b>>,
) -> Value {
    let formatting = context.formatting;
    let (mut files, mut chunks, mut rows) = (Vec::new(), Vec::new(), Measure::default());
    for FileBlock { file, runs } in blocks {
        for run in runs {
            rows += file.measure(context.counting, run.rows.clone());
        }
        let values: Vec<Value> = runs.iter().map(|run| chunk_value(file, run)).collect();
        chunks.extend(values.iter().cloned());
        files.push(file_value(file, runs, values));
    }
    let mut variables: BTreeMap<String, Value> =
        formatting.variables.iter().map(|(name, value)| (name.clone(), value.into())).collect();
    let tokens = context.counting.counter().tokens(rows);
    variables.insert("TotalTokens".to_owned(), tokens.into());
    variables.insert("FragmentCount".to_owned(), chunks.len().into());
    let built_in = context! {
        files, chunks,
        task => context.task,
        budget => context.budget,
        header => formatting.header_text().unwrap_or_default(),
        footer => formatting.footer_text().unwrap_or_default(),
        separator => formatting.separator_lines(),
        line_numbers => formatting.line_numbers,
        scores => formatting.scores,
        detailed => formatting.detailed,
        variables => Value::from(variables.clone()),
    };
    context! { ..built_in, ..Value::from(variables) }
}

fn file_value(file: &SourceFile, runs: &[LineRun], values: Vec<Value>) -> Value {
    let best = |value: fn(&LineRun) -> f64| runs.iter().map(value).fold(0.0, f64::max);
    let ranges: Vec<String> = runs.iter().map(|run| file.span(&run.rows).to_string()).collect();
    context! {
        path => escape_path(&file.path),
        title => section_title(file, runs),
        language => file.fence,
        ranges => ranges.join(", "),
        relevance => best(|run| run.relevance),
        score => best(|run| run.score),
        runs => values,
    }
}

/// Returns the title given by the provider of the best run, or the path.
fn section_title(file: &SourceFile, runs: &[LineRun]) -> String {
    let best = runs.iter().reduce(|best, run| if run.score > best.score { run } else { best });
    let from = best.and_then(|run| run.from.as_ref()).filter(|from| !from.title.is_empty());
    from.map_or_else(|| escape_path(&file.path), |from| from.title.clone())
}

/// Returns the kind of a run's symbol, as shown before its name.
fn symbol_kind(run: &LineRun) -> &'static str {
    match run.symbol.as_ref().map(|(kind, _)| *kind) {
        Some("class_header" | "class") => "class",
        Some("function") => "function",
        Some("section") => "section",
        Some(_) => "in",
        None => "",
    }
}

fn chunk_value(file: &SourceFile, run: &LineRun) -> Value {
    let span = file.span(&run.rows);
    let mut content = file.slice(run.rows.clone()).to_owned();
    let fence = fence(&content);
    if !content.ends_with('\n') {
        content.push('\n');
    }
    context! {
        path => escape_path(&file.path),
        language => file.fence,
        start_line => span.start,
        end_line => span.end,
        lines => span.to_string(),
        outline => run.has_outline,
        part => run.part_label(),
        truncated => run.truncated_rows,
        relevance => run.relevance,
        score => run.score,
        provider => run.from.as_ref().map_or("", |from| &from.provider),
        prose => run.from.as_ref().is_some_and(|from| from.is_prose),
        symbol => run.symbol.as_ref().map_or_else(String::new, |(_, name)| escape_path(name)),
        symbol_kind => symbol_kind(run),
        fence, content,
    }
}

/// Converts an engine error, adding the expression that caused it.
fn engine_error(template: &Template, error: &minijinja::Error) -> TemplateError {
    let mut message = match error.kind() {
        ErrorKind::OutOfFuel => "the template takes too many steps".to_owned(),
        kind => kind.to_string(),
    };
    if let Some(detail) = error.detail() {
        message = format!("{message}: {detail}");
    }
    let expression = error.range().and_then(|range| template.source.get(range));
    if let Some(expression) = expression.filter(|it| !it.is_empty() && !it.contains('\n')) {
        message = format!("{message}, at `{expression}`");
    }
    TemplateError { name: template.name.clone(), line: error.line(), message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Formatting;
    use kitbag_tokens::CachedCounter;

    /// A long loop stops in its next iteration, long before its steps are used up.
    #[test]
    fn rendering_stops_when_cancelled() {
        let source = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
        let template = Template { name: "mine.j2".into(), source: source.into() };
        let cancel = Cancel::default();
        let compiled = CompiledTemplate::new(&template, &cancel).expect("a valid template");
        let counting = CachedCounter::named("words").expect("a built-in counter");
        let formatting = Formatting::default();
        let context = RenderContext {
            files: &[],
            counting: &counting,
            formatting: &formatting,
            task: "",
            budget: 100,
            cancel: &cancel,
        };
        cancel.cancel();
        let error =
            compiled.render(&context, std::iter::empty()).expect_err("the pack is cancelled");
        assert!(error.message.contains("cancelled"), "{error}");
    }
}

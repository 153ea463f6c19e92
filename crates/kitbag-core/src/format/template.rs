//! User templates.
//!
//! A template sees the pack and the request, but no files and no clock; `docs/formats.md` lists its
//! variables. Its steps and its output are counted, so that a result never depends on time or on the
//! machine. The memory of its values is not limited: only the user can choose a template.

use super::markdown::fence;
use super::numbered::write_number;
use super::{FileBlock, LineRun, RenderContext, escape_path};
use crate::source_file::SourceFile;
use kitbag_text::{Cancel, ChunkKind};
use kitbag_tokens::Measure;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value, context};
use std::collections::BTreeMap;
use std::io;

/// Maximum size of a template, in bytes.
const MAX_SOURCE_BYTES: usize = 1 << 20;

/// Maximum size of a tag, in bytes, because the compiler recurses into expressions.
const MAX_TAG_BYTES: usize = 4_000;

/// Maximum number of instructions for one text: about a hundred for each line of the largest packs.
const MAX_STEPS: u64 = 10_000_000;

/// Maximum size of one text, in bytes.
const MAX_OUTPUT_BYTES: usize = 64 << 20;

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
    /// Checks the syntax and the size.
    pub fn check(&self) -> Result<(), TemplateError> {
        CompiledTemplate::new(self).map(|_| ())
    }

    fn check_size(&self) -> Result<(), TemplateError> {
        let error = |line, message| TemplateError { name: self.name.clone(), line, message };
        if self.source.len() > MAX_SOURCE_BYTES {
            let max = MAX_SOURCE_BYTES >> 10;
            return Err(error(None, format!("the template is larger than {max} kB")));
        }
        let bytes = self.source.as_bytes();
        for (start, _) in self.source.match_indices("{{").chain(self.source.match_indices("{%")) {
            let tag = &bytes[start..bytes.len().min(start + MAX_TAG_BYTES)];
            let is_closed = tag.windows(2).any(|end| matches!(end, b"}}" | b"%}"));
            if tag.len() == MAX_TAG_BYTES && !is_closed {
                let line = 1 + self.source[..start].matches('\n').count();
                let message = format!("a tag is larger than {MAX_TAG_BYTES} bytes");
                return Err(error(Some(line), message));
            }
        }
        Ok(())
    }
}

/// A template that is ready to be rendered.
pub struct CompiledTemplate<'a> {
    template: &'a Template,
    environment: Environment<'a>,
}

impl<'a> CompiledTemplate<'a> {
    pub fn new(template: &'a Template) -> Result<Self, TemplateError> {
        template.check_size()?;
        let invalid = |error| engine_error(template, &error);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()
            .map_err(invalid)?;
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_debug(true);
        environment.set_fuel(Some(MAX_STEPS));
        // The output of `debug` is not deterministic.
        environment.remove_global("debug");
        environment.set_syntax(syntax);
        environment.add_template(ENGINE_NAME, &template.source).map_err(invalid)?;
        Ok(Self { template, environment })
    }

    /// Renders the whole text.
    pub fn render<'b>(
        &self,
        context: &RenderContext<'_>,
        blocks: impl Iterator<Item = FileBlock<'b>>,
    ) -> Result<String, TemplateError> {
        let mut blocks = blocks.peekable();
        let is_empty = blocks.peek().is_none();
        let variables = variables(context, blocks);
        let mut output = LimitedOutput { bytes: Vec::new(), cancel: context.cancel };
        let template = self.environment.get_template(ENGINE_NAME);
        let rendered =
            template.and_then(|it| it.render_captured_to(variables, &mut output).map(|_| ()));
        let Err(error) = rendered else {
            return Ok(String::from_utf8(output.bytes).expect("a template writes strings"));
        };
        let may_depend_on_files =
            matches!(error.kind(), ErrorKind::UndefinedError | ErrorKind::InvalidOperation);
        let mut error = engine_error(self.template, &error);
        if is_empty && may_depend_on_files {
            error.message.push_str(EMPTY_PACK_HINT);
        }
        Err(error)
    }
}

/// Collects the text, and fails if it becomes too large or the pack is cancelled.
struct LimitedOutput<'a> {
    bytes: Vec<u8>,
    cancel: &'a Cancel,
}

impl io::Write for LimitedOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.cancel.check().map_err(io::Error::other)?;
        if self.bytes.len() + bytes.len() > MAX_OUTPUT_BYTES {
            let max = MAX_OUTPUT_BYTES >> 20;
            return Err(io::Error::other(format!("the text is larger than {max} MB")));
        }
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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
        let values: Vec<Value> = {
            let value = |run| chunk_value(file, run, formatting.number_lines);
            runs.iter().map(value).collect()
        };
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
        Some(ChunkKind::ClassHeader | ChunkKind::Class) => "class",
        Some(ChunkKind::Function) => "function",
        Some(ChunkKind::Section) => "section",
        Some(_) => "in",
        None => "",
    }
}

fn chunk_value(file: &SourceFile, run: &LineRun, is_numbered: bool) -> Value {
    let span = file.span(&run.rows);
    let fence = fence(file.slice(run.rows.clone()));
    let mut content = String::new();
    for row in run.rows.clone() {
        if is_numbered {
            write_number(file, row, &mut content);
        }
        content.push_str(file.slice(row..row + 1));
    }
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
    let cause = std::error::Error::source(error);
    let mut message = match (error.kind(), error.detail(), cause) {
        (ErrorKind::OutOfFuel, ..) => "the template takes too many steps".to_owned(),
        (ErrorKind::WriteFailure, _, Some(cause)) => cause.to_string(),
        (kind, Some(detail), _) => format!("{kind}: {detail}"),
        (kind, None, _) => kind.to_string(),
    };
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

    #[test]
    fn rendering_stops_when_cancelled() {
        let source = "{% for a in range(9999) %}{{ a }}{% endfor %}";
        let template = Template { name: "mine.j2".into(), source: source.into() };
        let compiled = CompiledTemplate::new(&template).expect("a valid template");
        let counting = CachedCounter::named("words").expect("a built-in counter");
        let cancel = Cancel::default();
        cancel.cancel();
        let context = RenderContext {
            files: &[],
            counting: &counting,
            formatting: &Formatting::default(),
            task: "",
            budget: 100,
            cancel: &cancel,
        };
        let error =
            compiled.render(&context, std::iter::empty()).expect_err("the pack is cancelled");
        assert_eq!(error.message, "cancelled");
    }
}

//! JUnit XML, as written by pytest, Node, Maven, Gradle, PHPUnit, gotestsum and many others.
//!
//! The text of a failure is usually a stack trace, whose frames are the places. Otherwise, the
//! places are lines that begin with `file:line`, then the attributes of the test, then its class.
//! Document type declarations are rejected to prevent entity expansion.

use super::collect::{self, Collector};
use super::{Diagnostic, DiagnosticsError, Input, frames};
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

pub(super) fn read(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    let mut xml = Reader::from_str(input.text);
    xml.config_mut().expand_empty_elements = true;
    let mut report = JunitReader::default();
    loop {
        let start = xml.buffer_position();
        let event = xml.read_event();
        let at_start = |message: String| malformed(input, start, message);
        match event.map_err(|error| malformed(input, xml.error_position(), error.to_string()))? {
            Event::Start(element) if !report.accepts(&element) => {
                return Err(input.unknown_format());
            }
            Event::Start(element) => report.open(&element).map_err(at_start)?,
            Event::End(_) => report.close(into),
            Event::Text(text) => report.text(&text.xml10_content()),
            Event::CData(text) => report.text(&text.xml10_content()),
            Event::GeneralRef(name) => report.text(&resolved(&name).map_err(at_start)?),
            Event::DocType(_) => {
                let (line, column) = line_column(input.text, start);
                let name = input.name.to_owned();
                return Err(DiagnosticsError::Declaration { name, line, column });
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match report.elements.last() {
        Some(open) => {
            Err(malformed(input, xml.buffer_position(), format!("`{open}` is not closed")))
        }
        None if !report.has_root => Err(input.unknown_format()),
        None => Ok(()),
    }
}

#[derive(Default)]
struct JunitReader {
    has_root: bool,
    /// The names of the open elements, outermost first.
    elements: Vec<String>,
    test: TestCase,
    failure: Option<TestFailure>,
}

#[derive(Default)]
struct TestCase {
    name: String,
    class: String,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Default)]
struct TestFailure {
    message: String,
    kind: Option<String>,
    text: String,
}

impl JunitReader {
    fn accepts(&self, element: &BytesStart<'_>) -> bool {
        !self.elements.is_empty() || matches!(element.name().0, "testsuites" | "testsuite")
    }

    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let name = element.name().0;
        self.has_root = true;
        self.elements.push(name.to_owned());
        match name {
            "testcase" => {
                let place = |wanted| {
                    let found = attribute(element, wanted)?;
                    Ok::<_, String>(found.map(|path| collect::path(&path).to_owned()))
                };
                self.test = TestCase {
                    name: collect::name(&attribute(element, "name")?.unwrap_or_default()),
                    class: place("classname")?.unwrap_or_default(),
                    file: place("file")?,
                    line: attribute(element, "line")?.and_then(|line| line.parse().ok()),
                };
            }
            "failure" | "error" => {
                self.failure = Some(TestFailure {
                    message: attribute(element, "message")?.unwrap_or_default(),
                    kind: attribute(element, "type")?.filter(|kind| !kind.is_empty()),
                    text: String::new(),
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(failure) = &mut self.failure {
            failure.text.push_str(text);
        }
    }

    fn close(&mut self, into: &mut Collector) {
        let Some(name) = self.elements.pop() else { return };
        if matches!(name.as_str(), "failure" | "error")
            && let Some(failure) = self.failure.take()
        {
            push(&self.test, &failure, into);
        }
    }
}

fn push(test: &TestCase, failure: &TestFailure, into: &mut Collector) {
    let first_line = failure.text.trim().lines().next().unwrap_or_default();
    let reason = if failure.message.is_empty() { first_line } else { &failure.message };
    let message =
        if test.name.is_empty() { reason.to_owned() } else { format!("{}: {reason}", test.name) };
    let message = collect::message(&message);
    let traces = frames::traces(&failure.text);
    for trace in &traces {
        into.extend(trace.diagnostics(&message, Some("junit")));
    }
    if traces.iter().any(|trace| !trace.frames.is_empty()) {
        return;
    }
    let code = failure.kind.as_deref().map(collect::name);
    let mut places = places(&failure.text);
    if places.is_empty() {
        // A class such as `com.acme.ShopTest` or `tests.test_cart` identifies its file.
        let path = test.file.clone().unwrap_or_else(|| test.class.clone());
        places.push((path, test.line.unwrap_or(1)));
    }
    for (path, line) in places {
        into.push(Diagnostic {
            path,
            line,
            code: code.clone(),
            message: message.clone(),
            tool: "junit".to_owned(),
            ..Diagnostic::default()
        });
    }
}

pattern!(
    PLACE,
    r"^(?<path>(?:[A-Za-z]:[\\/])?[^\s:]+\.[A-Za-z]\w*):(?<line>\d+)(?::\d+)?(?::\s|$)"
);

/// Finds lines such as `/srv/tests/CartTest.php:14` from PHPUnit and `cart_test.go:12: wrong total`
/// from Go.
fn places(text: &str) -> Vec<(String, u32)> {
    let lines = text.lines().filter(|line| line.len() < 2_000);
    let found = lines.filter_map(|line| {
        let found = PLACE.captures(line.trim())?;
        Some((found["path"].to_owned(), found["line"].parse().ok()?))
    });
    found.take(20).collect()
}

fn attribute(element: &BytesStart<'_>, wanted: &str) -> Result<Option<String>, String> {
    let found = element.try_get_attribute(wanted).map_err(|error| error.to_string())?;
    let value = found.map(|found| found.normalized_value(XmlVersion::Implicit1_0));
    Ok(value.transpose().map_err(|error| error.to_string())?.map(|value| value.into_owned()))
}

/// Resolves a reference such as `&amp;` or `&#10;`. Without a declaration, only predefined entities
/// and character references exist.
fn resolved(name: &BytesRef<'_>) -> Result<String, String> {
    if let Some(character) = name.resolve_char_ref().map_err(|error| error.to_string())? {
        return Ok(character.to_string());
    }
    let known = resolve_predefined_entity(name);
    known.map(str::to_owned).ok_or_else(|| format!("`&{};` is not declared", &**name))
}

fn malformed(input: &Input<'_>, offset: u64, message: String) -> DiagnosticsError {
    let (line, column) = line_column(input.text, offset);
    let name = input.name.to_owned();
    DiagnosticsError::Malformed { name, line, column, syntax: "XML", message }
}

/// Converts a byte offset to a line and a column, both counted from 1.
fn line_column(text: &str, offset: u64) -> (usize, usize) {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
    let before = &text.as_bytes()[..offset];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    (line, String::from_utf8_lossy(&before[start..]).chars().count() + 1)
}

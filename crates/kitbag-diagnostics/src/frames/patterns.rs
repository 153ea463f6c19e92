//! Line patterns of stack frames in each language.

use super::{StackFrame, TraceLanguage};
use regex::Captures;

/// The role of a line in a trace.
pub(super) enum Line {
    Frame(StackFrame),
    /// A frame of the language runtime, or one without a file.
    Runtime,
    /// A frame that begins a trace, with the message if the line contains it.
    First(StackFrame, Option<String>),
    /// The place that Node prints before the message.
    Header(StackFrame),
}

/// Parses a line, given the line before it.
type Form = fn(&str, &str) -> Option<Line>;

/// Patterns of lines that begin with `at`.
const AT: [Form; 4] = [csharp, jvm, rust, javascript];

/// All other patterns, each with a literal that must be in the line. Most lines are not frames, and
/// the literal rules them out cheaply.
const OTHER: [(&str, Form); 8] = [
    ("File \"", python),
    (".py", pytest),
    ("panicked at ", rust_panic),
    (".go:", go),
    (":in ", ruby),
    (" in ", php_first),
    ("): ", php),
    (".", javascript_header),
];

/// Parses a trimmed line. Some languages print the function name on the line before.
pub(super) fn read(line: &str, before: &str) -> Option<Line> {
    // Longer lines are data, such as minified code.
    if line.len() > 2_000 {
        return None;
    }
    if line.starts_with("at ") {
        let found = AT.iter().find_map(|form| form(line, before));
        return Some(found.unwrap_or(Line::Runtime));
    }
    if !line.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let forms = OTHER.iter().filter(|(part, _)| line.contains(part));
    forms.map(|(_, form)| form).find_map(|form| form(line, before))
}

pattern!(PYTHON, r#"^File "(?<path>[^"]+)", line (?<line>\d+)(?:, in (?<symbol>.+))?$"#);
pattern!(
    PYTEST,
    r"^(?<path>(?:[A-Za-z]:)?[^\s:]+\.pyi?):(?<line>\d+):(?: in (?<symbol>\S+)| [\w.]+)?$"
);
pattern!(
    CSHARP,
    r"^at (?<symbol>.+?) ?\(.*\)(?: \[0x[0-9a-f]+\])? in (?<path>.+):(?:line )?(?<line>\d+)$"
);
pattern!(
    JVM,
    r"^at (?<module>(?:[\w.$@-]*/+)*)(?<symbol>[^\s()/]+)\((?<path>[\w$.-]+\.(?:java|kt|kts|scala|groovy)):(?<line>\d+)\)"
);
pattern!(
    RUST_PANIC,
    r"^thread '.*?'(?: \(\d+\))? panicked at (?:'(?<message>.*)', )?(?<path>.+?\.rs):(?<line>\d+):(?<column>\d+):?$"
);
pattern!(RUST, r"^at (?<path>\S.*\.rs):(?<line>\d+)(?::(?<column>\d+))?$");
pattern!(GO, r"^(?<path>\S.*\.go):(?<line>\d+)(?<offset> \+0x[0-9a-f]+)?$");
pattern!(
    RUBY,
    r"^(?:\d+: )?(?:from )?(?<path>(?:[A-Za-z]:)?[^\s:`'][^:`']*):(?<line>\d+):in [`'](?<symbol>.+?)'(?:: (?<message>.*))?$"
);
pattern!(
    PHP_FIRST,
    r"(?:(?:Fatal error|Parse error|Warning|Notice|Deprecated):\s+|^Next |^Uncaught )(?<message>\S.*?) in (?<path>\S.*\.(?:php|phtml|inc))(?::| on line )(?<line>\d+)$"
);
pattern!(PHP, r"^#\d+ (?<path>.+?)\((?<line>\d+)\): (?<symbol>[^()]+)\(");
pattern!(
    NODE,
    r"^at (?:async )?(?:(?<symbol>.+?) \()?(?<path>\S.*?):(?<line>\d+):(?<column>\d+)\)?$"
);
pattern!(
    NODE_HEADER,
    r"^(?<path>(?:/|[A-Za-z]:[\\/]|file://).+\.(?:[cm]?[jt]s|[jt]sx)):(?<line>\d+)$"
);

fn python(line: &str, _: &str) -> Option<Line> {
    let found = PYTHON.captures(line)?;
    let frame = frame(&found, TraceLanguage::Python)?;
    // `<frozen importlib._bootstrap>`, `<string>` and `<stdin>` are not files.
    Some(if frame.path.starts_with('<') { Line::Runtime } else { Line::Frame(frame) })
}

fn pytest(line: &str, _: &str) -> Option<Line> {
    Some(Line::Frame(frame(&PYTEST.captures(line)?, TraceLanguage::Python)?))
}

fn csharp(line: &str, _: &str) -> Option<Line> {
    let frame = frame(&CSHARP.captures(line)?, TraceLanguage::CSharp)?;
    // Mono prints the hash of an assembly that has no debug information.
    Some(if frame.path.starts_with('<') { Line::Runtime } else { Line::Frame(frame) })
}

fn jvm(line: &str, _: &str) -> Option<Line> {
    let found = JVM.captures(line)?;
    let mut frame = frame(&found, TraceLanguage::Java)?;
    let symbol = frame.symbol.as_deref()?;
    let is_runtime = |name: &str| {
        ["java.", "javax.", "jdk.", "sun.", "kotlin.", "scala."]
            .iter()
            .any(|own| name.starts_with(own))
    };
    if is_runtime(&found["module"]) || is_runtime(symbol) {
        return Some(Line::Runtime);
    }
    // The last two names are the class and the method. The package before them is the folder.
    if let Some(package) = symbol.rsplitn(3, '.').nth(2) {
        frame.path = format!("{}/{}", package.replace('.', "/"), frame.path);
    }
    if frame.path.ends_with(".kt") || frame.path.ends_with(".kts") {
        frame.language = TraceLanguage::Kotlin;
    }
    Some(Line::Frame(frame))
}

fn rust_panic(line: &str, _: &str) -> Option<Line> {
    let found = RUST_PANIC.captures(line)?;
    let message = found.name("message").map(|message| message.as_str().to_owned());
    Some(Line::First(frame(&found, TraceLanguage::Rust)?, message))
}

fn rust(line: &str, before: &str) -> Option<Line> {
    let mut frame = frame(&RUST.captures(line)?, TraceLanguage::Rust)?;
    if frame.path.starts_with("/rustc/") || frame.path.contains("/library/std/src/") {
        return Some(Line::Runtime);
    }
    // `3: shop::cart::price`; full backtraces have an address before the name.
    let symbol = before.split_once(": ").filter(|(at, _)| at.parse::<u32>().is_ok());
    frame.symbol = symbol.map(|(_, symbol)| {
        let symbol = symbol.trim();
        symbol.split_once(" - ").map_or(symbol, |(_, symbol)| symbol).to_owned()
    });
    Some(Line::Frame(frame))
}

fn go(line: &str, before: &str) -> Option<Line> {
    let found = GO.captures(line)?;
    let mut frame = frame(&found, TraceLanguage::Go)?;
    let symbol = before.strip_prefix("created by ").unwrap_or(before);
    let symbol = symbol.split_once(" in goroutine ").map_or(symbol, |(symbol, _)| symbol);
    let is_call = symbol.ends_with(')') || before.starts_with("created by ");
    if !is_call && found.name("offset").is_none() {
        return None;
    }
    // The last parentheses are the arguments, as opposed to a receiver such as `(*Cart)`.
    let name = symbol.strip_suffix(')').and_then(|call| call.rfind('(')).map(|at| &symbol[..at]);
    frame.symbol = Some(name.unwrap_or(symbol).to_owned()).filter(|name| !name.is_empty());
    let is_runtime = frame.symbol.as_deref().is_some_and(|name| name.starts_with("runtime."));
    Some(if is_runtime { Line::Runtime } else { Line::Frame(frame) })
}

fn ruby(line: &str, _: &str) -> Option<Line> {
    let found = RUBY.captures(line)?;
    let frame = frame(&found, TraceLanguage::Ruby)?;
    Some(match found.name("message") {
        Some(message) => Line::First(frame, Some(message.as_str().to_owned())),
        None => Line::Frame(frame),
    })
}

fn php_first(line: &str, _: &str) -> Option<Line> {
    let found = PHP_FIRST.captures(line)?;
    let message = found["message"].trim_start_matches("Uncaught ").to_owned();
    Some(Line::First(frame(&found, TraceLanguage::Php)?, Some(message)))
}

fn php(line: &str, _: &str) -> Option<Line> {
    Some(Line::Frame(frame(&PHP.captures(line)?, TraceLanguage::Php)?))
}

fn javascript(line: &str, _: &str) -> Option<Line> {
    let frame = frame(&NODE.captures(line)?, TraceLanguage::JavaScript)?;
    let path = frame.path.as_str();
    let is_runtime = path.starts_with("node:")
        || path.starts_with("internal/")
        || path.contains("<anonymous>")
        || !path.contains(['.', '/', '\\']);
    Some(if is_runtime { Line::Runtime } else { Line::Frame(frame) })
}

fn javascript_header(line: &str, _: &str) -> Option<Line> {
    Some(Line::Header(frame(&NODE_HEADER.captures(line)?, TraceLanguage::JavaScript)?))
}

fn frame(found: &Captures<'_>, language: TraceLanguage) -> Option<StackFrame> {
    let text = |name: &str| found.name(name).map(|part| part.as_str());
    Some(StackFrame {
        path: text("path")?.to_owned(),
        line: text("line")?.parse().ok().filter(|&line| line > 0)?,
        column: text("column").and_then(|column| column.parse().ok()),
        symbol: text("symbol").map(str::to_owned),
        language,
    })
}

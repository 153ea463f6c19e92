//! JSON lines from cargo (`--message-format=json`) or rustc (`--error-format=json`).

use super::collect::Collector;
use super::{Diagnostic, DiagnosticsError, Input, Severity, json};
use serde::Deserialize;
use serde::de::IgnoredAny;

pub(super) fn read(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    for (lines, line) in input.text.lines().enumerate() {
        if !line.starts_with('{') {
            continue;
        }
        let wrong = |error: serde_json::Error| json::malformed(input, "cargo JSON", lines, &error);
        // Other lines describe artifacts and build scripts, or are printed by a program that ran.
        if !line.contains("\"spans\"") {
            serde_json::from_str::<IgnoredAny>(line).map_err(wrong)?;
        } else if line.contains("\"manifest_path\"") {
            let CargoMessage { message, manifest_path } =
                serde_json::from_str(line).map_err(wrong)?;
            push(message, Some(&manifest_path), into);
        } else {
            push(serde_json::from_str(line).map_err(wrong)?, None, into);
        }
    }
    Ok(())
}

fn push(message: RustcMessage, manifest: Option<&str>, into: &mut Collector) {
    let Some(span) = message.spans.iter().find(|span| span.is_primary) else {
        return into.skip();
    };
    let place = span.in_own_code();
    let label = span.label.as_deref().filter(|label| !message.message.contains(label));
    into.push(Diagnostic {
        path: from_workspace(manifest, &place.file_name),
        line: place.line_start,
        column: Some(place.column_start),
        end_line: Some(place.line_end),
        severity: Severity::of_level(&message.level),
        code: message.code.map(|code| code.code),
        message: match label {
            Some(label) => format!("{}: {label}", message.message),
            None => message.message,
        },
        tool: "rustc".to_owned(),
        depth: 0,
    });
}

/// Resolves a path against the workspace root. Cargo does not report the root, so it is inferred
/// from the manifest: the package folder ends with the components that the path begins with.
fn from_workspace(manifest: Option<&str>, file: &str) -> String {
    let is_absolute = file.starts_with(['/', '\\', '<']) || file.get(1..2) == Some(":");
    let folder = manifest.and_then(|path| path.rfind(['/', '\\']).map(|end| &path[..end]));
    let Some(folder) = folder.filter(|_| !is_absolute) else { return file.to_owned() };
    let folders: Vec<&str> = folder.split(['/', '\\']).collect();
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let shared = (0..parts.len()).rev().find(|&count| folders.ends_with(&parts[..count]));
    let workspace = &folders[..folders.len() - shared.unwrap_or(0)];
    format!("{}/{}", workspace.join("/"), parts.join("/"))
}

/// A message from rustc, as wrapped by cargo.
#[derive(Deserialize)]
struct CargoMessage {
    message: RustcMessage,
    manifest_path: String,
}

#[derive(Deserialize)]
struct RustcMessage {
    message: String,
    level: String,
    code: Option<Code>,
    spans: Vec<RustcSpan>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct RustcSpan {
    file_name: String,
    line_start: u32,
    line_end: u32,
    column_start: u32,
    is_primary: bool,
    label: Option<String>,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: RustcSpan,
}

impl RustcSpan {
    /// Returns the place where user code invokes the macro, if the span is in a macro of the
    /// standard library or the compiler.
    fn in_own_code(&self) -> &Self {
        let mut span = self;
        while let Some(expansion) = span.expansion.as_ref().filter(|_| span.is_foreign()) {
            span = &expansion.span;
        }
        span
    }

    fn is_foreign(&self) -> bool {
        self.file_name.starts_with('<') || self.file_name.contains("/rustc/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_against_the_workspace_of_the_manifest() {
        let cases = [
            ("/srv/p/Cargo.toml", "src/a.rs", "/srv/p/src/a.rs"),
            ("/srv/p/crates/a/Cargo.toml", "crates/a/src/a.rs", "/srv/p/crates/a/src/a.rs"),
            ("C:\\p\\crates\\a\\Cargo.toml", "crates\\a\\src\\a.rs", "C:/p/crates/a/src/a.rs"),
            ("/srv/p/a/Cargo.toml", "/rustc/abc/library/a.rs", "/rustc/abc/library/a.rs"),
        ];
        for (manifest, file, expected) in cases {
            assert_eq!(from_workspace(Some(manifest), file), expected);
        }
        assert_eq!(from_workspace(None, "src/a.rs"), "src/a.rs");
    }
}

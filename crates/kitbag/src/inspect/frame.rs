//! The header, footer, separator and template of a recorded pack.
//!
//! A record stores only their hashes. The texts are taken from the caller, the configuration or the
//! template file, provided that they still match.

use crate::redaction::without_secrets;
use kitbag_config::EngineSettings;
use kitbag_core::{Format, Formatting, Template};
use kitbag_record::Record;
use kitbag_record::RecordError;
use kitbag_record::hash;
use kitbag_repo::Root;
use std::path::Path;

/// Maximum size of a template, in bytes.
const MOST_TEMPLATE_BYTES: u64 = 1 << 20;

/// Texts supplied again by the caller, and an optional output format that replaces the pack's.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    pub format: Option<Format>,
    pub header: Option<&'a String>,
    pub footer: Option<&'a String>,
}

/// Restores the formatting of a record. Also returns the names of texts that are unavailable.
pub fn formatting(
    record: &Record,
    given: Given<'_>,
    settled: &EngineSettings,
    root: &Root,
) -> Result<(Formatting, Vec<&'static str>), RecordError> {
    let (text, own) = (&record.text, &settled.settings.formatting);
    let mut missing = Vec::new();
    let mut again =
        |name: &'static str, given: Option<&String>, own: Option<&String>, was: &Option<String>| {
            if given.is_some() {
                return given.cloned();
            }
            let was = was.as_ref()?;
            let own = own.map(|text| as_packed(record, text));
            let same = own.filter(|text| hash(text.as_bytes()) == *was);
            if same.is_none() {
                missing.push(name);
            }
            same
        };
    let header = again("header", given.header, own.header.as_ref(), &text.header);
    let footer = again("footer", given.footer, own.footer.as_ref(), &text.footer);
    let separator = again("separator", None, own.separator.as_ref(), &text.separator);
    let named = text.format.parse().ok();
    let template = match (given.format, named) {
        (None, None) => Some(template(record, root)?),
        _ => None,
    };
    let plain = Formatting::default();
    let formatting = Formatting {
        format: given.format.or(named).unwrap_or_default(),
        template,
        header,
        footer,
        separator,
        group_by_file: text.group_by_file,
        line_numbers: text.line_numbers,
        scores: text.scores,
        detailed: text.detailed,
        sections: text.sections,
        min_boundary_len: text.boundary.unwrap_or(plain.min_boundary_len),
        max_chunks: None,
        ..plain
    };
    Ok((formatting, missing))
}

/// Redacts a text if the pack was redacted, so that it can be compared with the recorded hash.
fn as_packed(record: &Record, text: &str) -> String {
    match record.request.redact {
        true => without_secrets(text).into_owned(),
        false => text.to_owned(),
    }
}

/// Loads the template of the pack and checks that it has not changed.
fn template(record: &Record, root: &Root) -> Result<Template, RecordError> {
    let text = &record.text;
    let name = text.template.clone().unwrap_or_default();
    let wrong = |why| RecordError::Template { name: name.clone(), why };
    let of_root = root.read(&name, MOST_TEMPLATE_BYTES).ok();
    let bytes = of_root.or_else(|| std::fs::read(Path::new(&name)).ok());
    let bytes = bytes.ok_or_else(|| wrong("is not there any more"))?;
    let source = as_packed(record, &String::from_utf8_lossy(&bytes));
    if text.template_sha256.as_deref() != Some(&hash(source.as_bytes())) {
        return Err(wrong("has changed since"));
    }
    Ok(Template { name, source })
}

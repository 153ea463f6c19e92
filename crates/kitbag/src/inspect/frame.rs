//! The header, footer, separator and template of a recorded pack.
//!
//! A record stores only their hashes. The texts are taken from the caller, the configuration or the
//! template file, provided that they still match.

use super::Inspection;
use super::export::ExportRequest;
use crate::redaction::without_secrets;
use kitbag_core::{Formatting, Template};
use kitbag_record::{FrameText, RecordError, hash};

/// Maximum size of a template, in bytes.
pub(crate) const MAX_TEMPLATE_BYTES: u64 = 1 << 20;

/// A text that the user supplied, or its hash.
type OptionalText = Option<String>;

/// The formatting of a record, and the texts that are no longer available.
pub struct RestoredFormatting {
    pub formatting: Formatting,
    pub missing: Vec<FrameText>,
}

impl Inspection<'_> {
    /// Restores the formatting of the record.
    pub(super) fn formatting(
        &self,
        request: &ExportRequest,
    ) -> Result<RestoredFormatting, RecordError> {
        let (text, own) = (&self.record.text, &self.settings.settings.formatting);
        let mut missing = Vec::new();
        let mut restore =
            |part, given: &OptionalText, own: &OptionalText, recorded: &OptionalText| {
                if given.is_some() || recorded.is_none() {
                    return given.clone();
                }
                let own = own.as_ref().map(|text| self.as_packed(text));
                let same = own.filter(|text| Some(hash(text.as_bytes())) == *recorded);
                if same.is_none() {
                    missing.push(part);
                }
                same
            };
        let header = restore(FrameText::Header, &request.header, &own.header, &text.header);
        let footer = restore(FrameText::Footer, &request.footer, &own.footer, &text.footer);
        let separator = restore(FrameText::Separator, &None, &own.separator, &text.separator);
        let format = request.format.or(text.format.parse().ok());
        let template = if format.is_none() { Some(self.template()?) } else { None };
        let plain = Formatting::default();
        let formatting = Formatting {
            format: format.unwrap_or_default(),
            template,
            header,
            footer,
            separator,
            group_by_file: text.group_by_file,
            line_numbers: text.line_numbers,
            scores: text.scores,
            detailed: text.detailed,
            number_lines: text.number_lines,
            with_task: false,
            sections: text.sections,
            min_boundary_len: text.boundary.unwrap_or(plain.min_boundary_len),
            max_chunks: None,
            ..plain
        };
        Ok(RestoredFormatting { formatting, missing })
    }

    /// Redacts a text if the pack was redacted, so that it can be compared with the recorded hash.
    fn as_packed(&self, text: &str) -> String {
        match self.record.request.redact {
            true => without_secrets(text).into_owned(),
            false => text.to_owned(),
        }
    }

    /// Loads the template of the pack and checks that it has not changed.
    fn template(&self) -> Result<Template, RecordError> {
        let text = &self.record.text;
        let name = text.template.clone().unwrap_or_default();
        let wrong = |why| RecordError::Template { name: name.clone(), why };
        let of_root = self.root.read(&name, MAX_TEMPLATE_BYTES).ok();
        let bytes = of_root.or_else(|| std::fs::read(&name).ok());
        let bytes = bytes.ok_or_else(|| wrong("no longer exists"))?;
        let source = self.as_packed(&String::from_utf8_lossy(&bytes));
        if text.template_sha256.as_deref() != Some(&hash(source.as_bytes())) {
            return Err(wrong("has changed since"));
        }
        Ok(Template { name, source })
    }
}

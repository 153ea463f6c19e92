//! Redaction of names when a record is shown. The record itself has the names by which files are read again.

use crate::{Record, SourceItem};
use kitbag_text::redact_str;

impl Record {
    /// Replaces secrets in paths and globs, unless the pack was made without redaction.
    pub fn redact_names(&mut self) {
        let request = &mut self.request;
        if !request.redact {
            return;
        }
        let lists = [
            &mut request.references,
            &mut request.open_files,
            &mut request.include,
            &mut request.exclude,
            &mut request.deny,
        ];
        lists.into_iter().flatten().chain(&mut request.document).for_each(redact_name);
        self.sources.iter_mut().for_each(|it| redact_name(&mut it.path));
        for exclusion in &mut self.excluded {
            redact_name(&mut exclusion.path);
            redact_name(&mut exclusion.detail);
        }
    }
}

impl SourceItem {
    /// Replaces secrets in the path and the detail, as the pack did.
    pub(crate) fn redact_names(&mut self) {
        std::iter::once(&mut self.path).chain(&mut self.detail).for_each(redact_name);
    }
}

fn redact_name(name: &mut String) {
    if let Some(redacted) = redact_str(name) {
        *name = redacted;
    }
}

//! Formats, templates and sections.

mod assembling;
mod cut;
mod docs;
mod examples;
mod formatting;
mod hostile;
mod numbered;
mod sections;
mod templates;

use super::request::pack_with;
use kitbag_core::{Format, Formatting, Settings};
use kitbag_text::Source;

fn settings(formatting: Formatting) -> Settings {
    Settings { formatting, ..Settings::default() }
}

/// A format with default options.
fn plainly(format: Format) -> Formatting {
    Formatting { format, ..Formatting::default() }
}

/// Packs everything and returns the text.
fn text(sources: Vec<Source>, formatting: Formatting) -> String {
    pack_with(sources, 100_000, &settings(formatting)).text
}

//! The formats design: its examples, its scenarios, and the page that shows them.

mod assembling;
mod cut;
mod docs;
mod examples;
mod formatting;
mod hostile;
mod sections;
mod templates;

use super::request::pack_with;
use kitbag_core::{Format, Formatting, Settings};
use kitbag_text::Source;

/// Settings with a formatting.
fn settings(formatting: Formatting) -> Settings {
    Settings { formatting, ..Settings::default() }
}

/// A format with nothing else set.
fn plainly(format: Format) -> Formatting {
    Formatting { format, ..Formatting::default() }
}

/// The finished text, with a budget for everything.
fn text(sources: Vec<Source>, formatting: Formatting) -> String {
    pack_with(sources, 100_000, &settings(formatting)).text
}

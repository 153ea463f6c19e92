//! The state of the caller's editor: the document, the cursor, the selection, and the heading or
//! symbol at the cursor.

use crate::request::Cursor;
use kitbag_core::Excluded;
use kitbag_text::{Redaction, Span, Text};
use std::sync::Arc;

/// The open document and the caller's position in it.
pub(crate) struct Editor {
    pub path: String,
    pub text: Arc<Text>,
    /// The cursor, clamped to the lines of the document.
    pub cursor: Option<Cursor>,
    pub selection: Option<Selected>,
    /// The symbol path or heading at the cursor, with the lines of that item.
    pub heading: Option<(String, Span)>,
    pub redactions: Vec<Redaction>,
}

pub(crate) struct Selected {
    pub span: Span,
    pub text: Arc<Text>,
}

/// The result of opening the document of a request.
#[derive(Default)]
pub(crate) struct Opened {
    pub editor: Option<Arc<Editor>>,
    pub rejected: Vec<Excluded>,
    pub warnings: Vec<String>,
    /// Whether something was omitted for lack of time.
    pub is_cut: bool,
}

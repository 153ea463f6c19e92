//! What stands around the chunks: the template that a request brings or the configuration names, and
//! the texts before, between and after the files.

use crate::config::Settled;
use crate::error::Error;
use crate::redaction::without_secrets;
use crate::request::Request;
use kitbag_core::{Formatting, Settings, Template};
use kitbag_repo::Root;

/// The most bytes of a template.
const MOST_TEMPLATE_BYTES: u64 = 1 << 20;

/// The settings of a request, with its frame. Where secrets are replaced, they are replaced in the
/// frame too: whatever file was named as a template, nothing of it leaves as it is. Comes with what
/// the caller should know.
pub(super) fn framed(
    request: &Request,
    settled: &Settled,
    root: &Root,
    redact: bool,
) -> Result<(Settings, Option<String>), Error> {
    let mut settings = settled.settings.clone();
    if request.template.is_some() {
        settings.formatting.template.clone_from(&request.template);
    } else if request.settings.is_none()
        && let Some(path) = &settled.template
    {
        let bytes = root.read(path, MOST_TEMPLATE_BYTES)?;
        let source = String::from_utf8_lossy(&bytes).into_owned();
        settings.formatting.template = Some(Template { name: path.clone(), source });
    }
    let is_changed = redact && redact_frame(&mut settings.formatting);
    let told = "secrets in the template, the header, the footer or the separator were replaced";
    Ok((settings, is_changed.then(|| told.to_owned())))
}

/// Replaces the secrets in a frame; tells whether there were any.
fn redact_frame(formatting: &mut Formatting) -> bool {
    let Formatting { header, footer, separator, template, .. } = formatting;
    let source = template.iter_mut().map(|template| &mut template.source);
    let texts = [header, footer, separator].into_iter().flatten().chain(source);
    let mut is_changed = false;
    for text in texts {
        let clean = without_secrets(text).into_owned();
        is_changed |= clean != *text;
        *text = clean;
    }
    is_changed
}

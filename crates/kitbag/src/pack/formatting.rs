//! The template, header, footer and separator of a pack.

use crate::error::Error;
use crate::inspect::MAX_TEMPLATE_BYTES;
use crate::redaction::without_secrets;
use crate::request::Request;
use kitbag_config::EngineSettings;
use kitbag_core::{Formatting, Settings, Template};
use kitbag_repo::Root;

/// Returns the settings with the template of the request or of the configuration, and a warning if
/// secrets were replaced in it. Any file may be named as a template, so it is redacted as sources are.
pub(super) fn apply_template(
    request: &Request,
    config: &EngineSettings,
    root: &Root,
    redact: bool,
) -> Result<(Settings, Option<String>), Error> {
    let mut settings = config.settings.clone();
    if request.template.is_some() {
        settings.formatting.template.clone_from(&request.template);
    } else if request.settings.is_none()
        && let Some(path) = &config.template
    {
        let bytes = root.read(path, MAX_TEMPLATE_BYTES)?;
        let source = String::from_utf8_lossy(&bytes).into_owned();
        settings.formatting.template = Some(Template { name: path.clone(), source });
    }
    let task = request.task.trim();
    if settings.formatting.with_task && !task.is_empty() {
        let header = settings.formatting.header.take().filter(|it| !it.trim().is_empty());
        let header = header.map(|header| format!("{}\n\n", header.trim_end())).unwrap_or_default();
        settings.formatting.header = Some(format!("{header}{task}"));
    }
    let is_changed = redact && redact_formatting(&mut settings.formatting);
    let warning = "secrets in the template, header, footer or separator were replaced";
    Ok((settings, is_changed.then(|| warning.to_owned())))
}

/// Replaces secrets, and returns whether there were any.
fn redact_formatting(formatting: &mut Formatting) -> bool {
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

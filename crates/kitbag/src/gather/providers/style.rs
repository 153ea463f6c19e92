//! The project's conventions, as documented in its own files.

use crate::gather::inputs::{Gatherer, Inputs};
use crate::gather::provider::{Gathered, Gathering, Provider, ProviderError};
use crate::request::SourceLine;
use kitbag_repo::PathError;
use kitbag_text::Kind;
use std::path::Path;

/// Files that document conventions, the most binding first.
const GUIDES: [&str; 8] = [
    "AGENTS.md",
    "CLAUDE.md",
    "STYLE.md",
    "STYLEGUIDE.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
    "docs/CONTRIBUTING.md",
    ".editorconfig",
];

pub(super) struct Style;

impl Provider for Style {
    fn id(&self) -> &str {
        "style"
    }

    fn title(&self) -> &str {
        "Style"
    }

    fn description(&self) -> &str {
        "The project's conventions: AGENTS.md, CLAUDE.md, CONTRIBUTING.md, .editorconfig and the \
         guides that are configured."
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let mut gathered = Gathered::default();
        let gatherer = Gatherer {
            root: &gathering.root,
            limits: &gathering.chunking,
            counting: &gathering.counting,
            redact: gathering.redact,
        };
        let configured = gathering.guides.iter().map(|guide| (guide.as_str(), true));
        let guides = configured.chain(GUIDES.map(|guide| (guide, false)));
        let mut seen: Vec<String> = Vec::new();
        for (place, (guide, is_named)) in guides.enumerate() {
            gathering.cancel.check()?;
            let path = match gathering.root.resolve(Path::new(guide)) {
                Ok(path) => path,
                Err(PathError::NotFound { .. }) if !is_named => continue,
                Err(error) => {
                    if is_named {
                        gathered = gathered.with_warning(format!("guide: {error}"));
                    }
                    continue;
                }
            };
            if seen.contains(&path) {
                continue;
            }
            let mut inputs = Inputs::default();
            let line = SourceLine {
                path: path.clone(),
                kind: Some(Kind::Style),
                relevance: Some(1.0 / (1.0 + place as f64 / 20.0)),
                ..SourceLine::default()
            };
            gatherer.line(line, &mut inputs);
            seen.push(path);
            gathered.inputs.sources.append(&mut inputs.sources);
            gathered.inputs.rejected.append(&mut inputs.rejected);
            gathered.inputs.redactions.append(&mut inputs.redactions);
        }
        gathered.is_undated = true;
        Ok(gathered)
    }
}

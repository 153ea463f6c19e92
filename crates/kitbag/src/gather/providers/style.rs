//! The project's conventions, as documented in its own files.

use super::BuiltIn;
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use crate::request::SourceLine;
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

pub(super) const STYLE: BuiltIn = BuiltIn {
    id: "style",
    title: "Style",
    description: "The project's conventions: AGENTS.md, CLAUDE.md, CONTRIBUTING.md, .editorconfig and \
                  configured guides.",
    needs: Needs::Nothing,
    applies: |_| true,
    has_input: |_| false,
    starts_early: |_| false,
    gather,
};

fn gather(gathering: &Gathering) -> Result<Gathered, ProviderError> {
    let mut gathered = Gathered { is_undated: true, ..Gathered::default() };
    let configured = gathering.guides.iter().map(|guide| (guide.as_str(), true));
    let guides = configured.chain(GUIDES.map(|guide| (guide, false)));
    let mut seen: Vec<String> = Vec::new();
    for (place, (guide, is_configured)) in guides.enumerate() {
        gathering.cancel.check()?;
        match gathering.root.resolve(Path::new(guide)) {
            Ok(path) if !seen.contains(&path) => {
                let line = SourceLine {
                    path: path.clone(),
                    kind: Some(Kind::Style),
                    relevance: Some(1.0 / (1.0 + place as f64 / 20.0)),
                    ..SourceLine::default()
                };
                gathering.gatherer().line(line, &mut gathered.inputs);
                seen.push(path);
            }
            Err(error) if is_configured => gathered.warnings.push(format!("guide: {error}")),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(gathered)
}

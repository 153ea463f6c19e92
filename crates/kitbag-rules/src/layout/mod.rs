//! Rendering of an assembly as text within a token budget: situation, contexts, behavior rules, rules
//! that apply, rules to consider, facts and history.
//!
//! `groups` creates the sections, each with its provenance. A context that does not fit is shortened
//! to its essentials: name, goal and kind of work.

mod groups;

use crate::assemble::Assembly;
use groups::{SectionGroup, section_groups};
use serde::Serialize;

/// The kind of a section, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// The situation of the agent.
    Situation,
    /// A context that applies.
    Context,
    /// Behavior rules of a context.
    Behavior,
    /// A rule of another convention, or a file that a rule injects.
    Rule,
    /// A rule whose condition is undecided.
    Offered,
    /// Facts about the assembly.
    Facts,
    /// Relevant history.
    History,
}

impl SectionKind {
    fn heading(self) -> &'static str {
        match self {
            Self::Situation => "## Current situation\n",
            Self::Context => "## Active contexts\n",
            Self::Behavior => "## Behavior rules\n",
            Self::Rule => "## Rules that apply\n",
            Self::Offered => "## Rules to consider\nTheir conditions are undecided.\n",
            Self::Facts => "## Assembly\n",
            Self::History => "## Relevant history\n",
        }
    }
}

/// A part of the text and its provenance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleSection {
    /// What the text is about.
    pub kind: SectionKind,
    /// Name of the context or rule, or title of the history item; fixed for other kinds.
    pub name: String,
    /// File that it comes from, relative to the root, if any.
    pub path: Option<String>,
    /// Line in that file, from 1.
    pub line: usize,
    /// Chain of files that import it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// Priority; higher values come first.
    pub priority: f64,
    /// Time of the last change, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// Whether it is complete.
    pub form: SectionForm,
    /// Text, in whole lines.
    pub text: String,
}

impl RuleSection {
    /// Whether the section has anything that a reader can follow. A context may have only its name and the reason why it
    /// is there, and the situation and the facts only repeat the request.
    pub fn has_advice(&self) -> bool {
        match self.kind {
            SectionKind::Situation | SectionKind::Facts => false,
            SectionKind::Context => self.text.lines().count() > 2,
            _ => true,
        }
    }
}

/// Completeness of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionForm {
    /// The full section.
    Full,
    /// Only the essentials of a context.
    Essential,
}

/// An item of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryItem {
    /// Title, on one line.
    pub title: String,
    /// Time in seconds since 1970.
    pub timestamp: Option<i64>,
    /// File that it concerns.
    pub path: Option<String>,
}

/// An assembly rendered within a token budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RulesLayout {
    /// All sections, as a model reads them.
    pub text: String,
    /// Number of tokens of the text.
    pub tokens: usize,
    /// Sections of the text, in order.
    pub sections: Vec<RuleSection>,
    /// Sections that did not fit, highest priority first.
    pub left_out: Vec<OmittedSection>,
}

/// A section that did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OmittedSection {
    /// What the text is about.
    pub kind: SectionKind,
    /// Name of the context or rule, or title of the history item; fixed for other kinds.
    pub name: String,
    /// File that it comes from.
    pub path: Option<String>,
    /// Number of tokens that it would have added.
    pub tokens: usize,
}

impl Assembly {
    /// Renders at most `budget` tokens. Takes the situation first, then contexts by priority, then rules in
    /// order. Sections that do not fit are skipped; contexts are shortened to their essentials first.
    pub fn layout(
        &self,
        history: &[HistoryItem],
        budget: usize,
        count: &dyn Fn(&str) -> usize,
    ) -> RulesLayout {
        let mut builder = LayoutBuilder { budget, count, taken: Vec::new(), tokens: 0 };
        let mut left_out = Vec::new();
        for SectionGroup { full, essential } in section_groups(self, history) {
            let Err(tokens) = builder.take(&full) else { continue };
            if builder.take(&essential).is_err() {
                left_out.extend(full.first().map(|section| OmittedSection::new(section, tokens)));
            }
        }
        builder.finish(left_out)
    }
}

impl OmittedSection {
    fn new(section: &RuleSection, tokens: usize) -> Self {
        let RuleSection { kind, name, path, .. } = section;
        Self { kind: *kind, name: name.clone(), path: path.clone(), tokens }
    }
}

/// Maximum number of tokens by which the text may be smaller than the sum of its sections: about one for
/// each heading.
const SLACK: usize = 12;

/// Collects sections that fit into the budget.
struct LayoutBuilder<'a> {
    budget: usize,
    count: &'a dyn Fn(&str) -> usize,
    /// Sections in the order in which they were taken.
    taken: Vec<RuleSection>,
    /// Sum of the counts of all sections and headings.
    tokens: usize,
}

impl LayoutBuilder<'_> {
    /// Takes sections if all of them fit; otherwise returns the number of tokens that they would add.
    fn take(&mut self, new: &[RuleSection]) -> Result<(), usize> {
        let mut tokens = 0;
        for (number, section) in new.iter().enumerate() {
            let before = self.taken.iter().chain(&new[..number]);
            if !before.into_iter().any(|it| it.kind == section.kind) {
                tokens += (self.count)(section.kind.heading()) + 1;
            }
            tokens += (self.count)(&section.text);
        }
        let sum = self.tokens + tokens;
        if new.is_empty() || sum > self.budget.saturating_add(SLACK) {
            return Err(tokens);
        }
        let before = self.taken.len();
        self.taken.extend_from_slice(new);
        // Sections may have fewer tokens together, so near the budget the whole text is counted.
        self.tokens = if sum > self.budget { (self.count)(&self.render().1) } else { sum };
        if self.tokens > self.budget {
            self.taken.truncate(before);
            self.tokens = sum - tokens;
            return Err(tokens);
        }
        Ok(())
    }

    /// Returns the sections in order of the text, and the text.
    fn render(&self) -> (Vec<RuleSection>, String) {
        let mut sections = self.taken.clone();
        sections.sort_by_key(|section| section.kind);
        let text = render(&sections);
        (sections, text)
    }

    /// Returns the layout. Counts of sections may not add up to that of the text; if it is too large, the
    /// sections taken last are removed.
    fn finish(mut self, mut left_out: Vec<OmittedSection>) -> RulesLayout {
        loop {
            let (sections, text) = self.render();
            let tokens = (self.count)(&text);
            if tokens <= self.budget || sections.is_empty() {
                return RulesLayout { text, tokens, sections, left_out };
            }
            if let Some(last) = self.taken.pop() {
                left_out.push(OmittedSection::new(&last, (self.count)(&last.text)));
            }
        }
    }
}

/// Renders ordered sections, each kind under its heading.
fn render(sections: &[RuleSection]) -> String {
    let mut text = String::new();
    let mut last = None;
    for section in sections {
        if last != Some(section.kind) {
            if last.is_some() {
                text.push('\n');
            }
            text.push_str(section.kind.heading());
            last = Some(section.kind);
        }
        text.push_str(&section.text);
    }
    text
}

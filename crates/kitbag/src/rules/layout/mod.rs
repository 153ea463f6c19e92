//! What applies, as text: the situation, the active contexts, their behaviour rules, the rules that
//! apply, those to consider, facts of the assembly, and relevant history.
//!
//! `blocks` writes the pieces, each with its provenance; here they are fitted into a budget. A
//! context that does not fit whole keeps its essentials: its name, its goal and the kind of work.

mod blocks;

use super::assemble::Assembly;
use blocks::{Block, blocks};
use serde::Serialize;

/// What a section is about, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// What the agent is doing.
    Situation,
    /// A context that applies.
    Context,
    /// The behaviour rules of a context.
    Behavior,
    /// A rule of another convention, or a file that a rule injects.
    Rule,
    /// A rule that nobody could decide.
    Offered,
    /// What the assembly is made of.
    Facts,
    /// What happened before.
    History,
}

impl SectionKind {
    /// The heading above its sections.
    fn heading(self) -> &'static str {
        match self {
            Self::Situation => "## Current situation\n",
            Self::Context => "## Active contexts\n",
            Self::Behavior => "## Behavior rules\n",
            Self::Rule => "## Rules that apply\n",
            Self::Offered => {
                "## Rules to consider\nNobody could tell whether their conditions hold.\n"
            }
            Self::Facts => "## Assembly\n",
            Self::History => "## Relevant history\n",
        }
    }
}

/// A piece of the text, with where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// What it is about.
    pub kind: SectionKind,
    /// What it is called.
    pub name: String,
    /// The file that it comes from, relative to the root, where there is one.
    pub path: Option<String>,
    /// The line of that file that it comes from, from 1.
    pub line: usize,
    /// The files by which it came, the first one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// How important it is.
    pub priority: f64,
    /// When it last changed, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// How much of it is there.
    pub form: Form,
    /// Its text, whole lines.
    pub text: String,
}

/// How much of something is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// All of it.
    Full,
    /// The essentials of a context.
    Essential,
}

/// Something that happened, for the layout's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryItem {
    /// What happened, on one line.
    pub title: String,
    /// When, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// The file that it is about.
    pub path: Option<String>,
}

/// The text of an assembly within a budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layout {
    /// The text.
    pub text: String,
    /// Its tokens.
    pub tokens: usize,
    /// What it is made of, in its order.
    pub sections: Vec<Section>,
    /// What did not fit, the most important first.
    pub left_out: Vec<LeftOut>,
}

/// Something that did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// What it is about.
    pub kind: SectionKind,
    /// What it is called.
    pub name: String,
    /// The file that it comes from.
    pub path: Option<String>,
    /// The tokens that it would have added.
    pub tokens: usize,
}

impl Assembly {
    /// Everything that applies, whole, in the order of the text.
    pub fn sections(&self, history: &[HistoryItem]) -> Vec<Section> {
        blocks(self, history).into_iter().flat_map(|block| block.full).collect()
    }

    /// The text of at most `budget` tokens. What is most important comes first: the situation, the
    /// contexts by their priority, then rules in their order; what does not fit is passed over, and
    /// of a context its essentials are tried.
    pub fn layout(
        &self,
        history: &[HistoryItem],
        budget: usize,
        count: &dyn Fn(&str) -> usize,
    ) -> Layout {
        let mut fitting = Fitting { budget, count, taken: Vec::new(), tokens: 0 };
        let mut left_out = Vec::new();
        for Block { full, essential } in blocks(self, history) {
            let Err(tokens) = fitting.take(&full) else { continue };
            if fitting.take(&essential).is_err() {
                left_out.extend(full.first().map(|section| LeftOut::of(section, tokens)));
            }
        }
        let (sections, text, tokens) = fitting.finish(&mut left_out);
        Layout { text, tokens, sections, left_out }
    }
}

impl LeftOut {
    fn of(section: &Section, tokens: usize) -> Self {
        let Section { kind, name, path, .. } = section;
        Self { kind: *kind, name: name.clone(), path: path.clone(), tokens }
    }
}

/// How many tokens less than the sum of their counts pieces may cost together: about one for each
/// heading.
const SLACK: usize = 12;

/// Sections that fit so far, in the order in which they were taken.
struct Fitting<'a> {
    budget: usize,
    count: &'a dyn Fn(&str) -> usize,
    taken: Vec<Section>,
    /// The sum of the counts of all pieces, headings included.
    tokens: usize,
}

impl Fitting<'_> {
    /// Takes sections in if all of them fit; else tells how many tokens they would add.
    fn take(&mut self, new: &[Section]) -> Result<(), usize> {
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
        // Pieces may cost a little less together: where that decides, the whole is counted.
        self.tokens = if sum > self.budget { (self.count)(&self.render().1) } else { sum };
        if self.tokens > self.budget {
            self.taken.truncate(before);
            self.tokens = sum - tokens;
            return Err(tokens);
        }
        Ok(())
    }

    /// The sections in their order, and their text.
    fn render(&self) -> (Vec<Section>, String) {
        let mut sections = self.taken.clone();
        sections.sort_by_key(|section| section.kind);
        let text = render(&sections);
        (sections, text)
    }

    /// The sections in their order, their text and its tokens. Counts of pieces need not sum up to
    /// that of the whole: should it be too large, what was taken last goes.
    fn finish(mut self, left_out: &mut Vec<LeftOut>) -> (Vec<Section>, String, usize) {
        loop {
            let (sections, text) = self.render();
            let tokens = (self.count)(&text);
            if tokens <= self.budget {
                return (sections, text, tokens);
            }
            match self.taken.pop() {
                Some(last) => left_out.push(LeftOut::of(&last, (self.count)(&last.text))),
                None => return (Vec::new(), String::new(), 0),
            }
        }
    }
}

/// The text of sections that are in their order, each kind under its heading.
fn render(sections: &[Section]) -> String {
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

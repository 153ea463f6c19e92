//! The head of a pack: its contents, with the reasons in words, what was left out, and what to do next.

use crate::request::Request;
use crate::search::why::{ExplainedLines, Reasons};
use kitbag_core::{ChunkForm, Excluded, HeadInput, HeadWriter, Included, Reason, escape_path};
use kitbag_text::{Kind, plural};
use std::fmt::Write;
use std::sync::Arc;

/// Maximum number of chunks that are listed as left out.
const MAX_LEFT_OUT: usize = 4;

/// Maximum number of places that are listed as already sent.
const MAX_SENT: usize = 12;

/// Maximum number of phrases in the reason of a chunk.
const MAX_PHRASES: usize = 2;

/// Maximum number of characters of a symbol.
const MAX_SYMBOL_CHARS: usize = 60;

/// Maximum number of warnings.
const MAX_WARNINGS: usize = 4;

/// Number of characters above which some clients of the server cut the result of a tool.
const CLIENT_LIMIT: usize = 40_000;

/// Largest budget that is suggested.
const MAX_SUGGESTED_BUDGET: usize = 32_000;

/// Writes the head of a pack.
pub(super) struct PackHead {
    /// Whether the contents are listed; otherwise only what was sent before.
    pub has_contents: bool,
    pub session: Option<String>,
    /// Whether an agent reads the pack that can call the tools of the server.
    pub for_tools: bool,
    pub budget: usize,
    /// Folder that the user works in, whose files are preferred.
    pub folder: Option<String>,
    pub reasons: Option<Arc<Reasons>>,
    pub warnings: Vec<String>,
}

impl PackHead {
    /// Returns the writer for a request, or `None` if its pack has no head.
    pub fn of(request: &Request, has_contents: bool, budget: usize) -> Option<Self> {
        let session = request.session.clone();
        (has_contents || session.is_some()).then(|| Self {
            has_contents,
            session,
            for_tools: request.via == "mcp",
            budget,
            folder: request.folder.clone(),
            reasons: None,
            warnings: Vec::new(),
        })
    }

    fn contents(&self, included: &[Included], max_items: usize, text: &mut String) {
        let mut files: Vec<&str> = included.iter().map(|item| item.path.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        let (excerpts, files) = (plural(included.len(), "excerpt"), plural(files.len(), "file"));
        let _ = writeln!(text, "Contents: {excerpts} from {files}, best first.");
        for item in included.iter().take(max_items) {
            let _ = writeln!(text, "- {}", self.item(item));
        }
        let more = included.len().saturating_sub(max_items);
        if more > 0 && max_items > 0 {
            let _ = writeln!(text, "- {more} more");
        }
    }

    fn item(&self, item: &Included) -> String {
        let lines = (item.span.start, item.span.end);
        let mut line = place(&item.path, Some(lines), self.symbol(item));
        line.push_str(match item.form {
            ChunkForm::Full => "",
            ChunkForm::Outline => " (signatures only)",
            ChunkForm::Truncated => " (cut off)",
        });
        let why = self.why(item);
        if !why.is_empty() {
            let _ = write!(line, ": {}", why.join("; "));
        }
        line
    }

    /// Returns the symbol of a chunk. Small neighbors share a chunk; it goes by the name of the one that
    /// matches the task best.
    fn symbol<'a>(&self, item: &'a Included) -> Option<&'a str> {
        let own = item.symbol.as_deref()?;
        let Some(reasons) = &self.reasons else { return Some(own) };
        let is_member = |name: &str| name.strip_prefix(own).is_some_and(|it| it.starts_with('.'));
        let siblings = item.defines.iter().map(String::as_str).filter(|it| !is_member(it));
        let best = siblings.fold((own, reasons.affinity(own)), |best, name| {
            let affinity = reasons.affinity(name);
            if affinity > best.1 { (name, affinity) } else { best }
        });
        Some(best.0)
    }

    fn why(&self, item: &Included) -> Vec<String> {
        let provider = item.from.as_ref().map_or("", |from| from.provider.as_str());
        if let Some(reasons) = self.reasons.as_ref().filter(|_| provider == "search") {
            let mut why = reasons.of(&ExplainedLines {
                path: &item.path,
                symbol: item.symbol.as_deref(),
                lines: (item.span.start, item.span.end),
                text: &item.text,
            });
            why.truncate(MAX_PHRASES);
            return why;
        }
        let why = match item.kind {
            Kind::Reference => "you named it",
            Kind::OpenFile => "an open file",
            Kind::ToolResult => "a tool result",
            Kind::Diagnostics => "a diagnostic",
            _ => return Vec::new(),
        };
        vec![why.to_owned()]
    }

    fn left_out(&self, excluded: &[Excluded], max_items: usize, text: &mut String) -> bool {
        // The contents matter more than what is not there.
        let max_listed = MAX_LEFT_OUT.min(max_items / 2);
        let is_over = |out: &&Excluded| out.reason == Reason::Budget;
        let all: Vec<&Excluded> = excluded.iter().filter(is_over).collect();
        if all.is_empty() {
            return false;
        }
        let listed = all.iter().take(max_listed).map(|out| {
            let lines = out.span.map(|span| (span.start, span.end));
            format!("{} ({} tokens)", place(&out.path, lines, out.symbol.as_deref()), out.tokens)
        });
        let mut listed: Vec<String> = listed.collect();
        let more = all.len().saturating_sub(max_listed);
        if more > 0 {
            let tokens: usize = all.iter().skip(max_listed).map(|out| out.tokens).sum();
            listed.push(format!("{more} more ({tokens} tokens)"));
        }
        let _ = writeln!(text, "Left out for the budget: {}.", listed.join(", "));
        true
    }

    fn sent(&self, excluded: &[Excluded], text: &mut String) {
        let is_sent = |out: &&Excluded| out.reason == Reason::AlreadySent;
        let mut sent: Vec<(&str, u32, u32)> = excluded
            .iter()
            .filter(is_sent)
            .filter_map(|out| out.span.map(|span| (out.path.as_str(), span.start, span.end)))
            .collect();
        if sent.is_empty() {
            return;
        }
        sent.sort_unstable();
        let ranges = sent.chunk_by(|a, b| a.0 == b.0 && b.1 <= a.2 + 2);
        let ranges: Vec<String> = ranges
            .map(|run| {
                let end = run.iter().map(|it| it.2).max().unwrap_or(run[0].2);
                place(run[0].0, Some((run[0].1, end)), None)
            })
            .collect();
        let more = ranges.len().saturating_sub(MAX_SENT);
        let mut line = ranges.iter().take(MAX_SENT).cloned().collect::<Vec<_>>().join(", ");
        if more > 0 {
            let _ = write!(line, ", and {more} more places");
        }
        let _ = writeln!(text, "Already sent: {line}. `repeat: true` sends it again.");
    }

    /// Returns the name of a chunk that matches the task best; the best chunk's if none matches.
    fn symbol_to_follow<'a>(&self, included: &'a [Included]) -> Option<&'a str> {
        let names = included.iter().filter_map(|item| self.symbol(item).and_then(last_name));
        let affinity = |name: &str| self.reasons.as_ref().map_or(0.0, |it| it.affinity(name));
        let mut best: Option<(&str, f32)> = None;
        for name in names {
            let affinity = affinity(name);
            if best.is_none_or(|(_, most)| affinity > most) {
                best = Some((name, affinity));
            }
        }
        best.map(|(name, _)| name)
    }

    /// Suggests calls of the server's tools.
    fn next(&self, input: HeadInput<'_>, has_left_out: bool, text: &mut String) {
        let mut next: Vec<String> = Vec::new();
        if has_left_out && self.budget < MAX_SUGGESTED_BUDGET {
            let budget = (self.budget * 2).min(MAX_SUGGESTED_BUDGET);
            next.push(format!("`budget: {budget}` for what was left out"));
        }
        if let Some(symbol) = self.symbol_to_follow(input.included) {
            next.push(format!("`find_symbol` with a name such as `{symbol}` for its callers"));
        }
        if input.included.is_empty() {
            next.push("`search_code` with other words".to_owned());
        }
        if !next.is_empty() {
            let _ = writeln!(text, "Next: {}.", next.join("; "));
        }
        let chars = input.body.chars().count();
        if chars > CLIENT_LIMIT {
            let last = input.included.len();
            let _ = writeln!(
                text,
                "This result has {chars} characters and {last} excerpts. If parts are missing, your client \
                 cuts long results: call again with half the `budget`, or a narrower `task`."
            );
        }
    }
}

impl HeadWriter for PackHead {
    fn write(&self, input: HeadInput<'_>, max_items: usize) -> String {
        let mut text = String::new();
        if self.has_contents {
            if let Some(folder) = &self.folder {
                let folder = escape_path(folder);
                let _ = writeln!(text, "Files in `{folder}`, where the user is, are preferred.");
            }
            for warning in self.warnings.iter().take(MAX_WARNINGS) {
                let _ = writeln!(text, "Note: {warning}.");
            }
            if !input.included.is_empty() {
                self.contents(input.included, max_items, &mut text);
            }
        }
        let has_left_out = self.has_contents && self.left_out(input.excluded, max_items, &mut text);
        if self.session.is_some() {
            self.sent(input.excluded, &mut text);
        }
        if self.has_contents && self.for_tools {
            self.next(input, has_left_out, &mut text);
        }
        text
    }
}

/// Returns a place on one line, such as `src/a.rs:3-9 login`.
fn place(path: &str, lines: Option<(u32, u32)>, symbol: Option<&str>) -> String {
    let mut place = escape_path(path);
    if let Some((start, end)) = lines {
        let _ = match start == end {
            true => write!(place, ":{start}"),
            false => write!(place, ":{start}-{end}"),
        };
    }
    if let Some(symbol) = symbol {
        let symbol: String =
            symbol.chars().filter(|c| !c.is_control()).take(MAX_SYMBOL_CHARS).collect();
        let _ = write!(place, " {symbol}");
    }
    place
}

/// Returns the last name of a symbol path, if it is an identifier.
fn last_name(symbol: &str) -> Option<&str> {
    let name = symbol.rsplit(['.', ':', '#', '/', ' ']).next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some(name)
}

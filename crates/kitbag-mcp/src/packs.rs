//! The packs that a client asked for lately, as resources.
//!
//! A client sees its own packs only. One with a session has a store of its own; those without share a
//! store that is never listed, in which a pack is found by a name that cannot be guessed.

use kitbag::Report;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What the names of packs begin with.
const SCHEME: &str = "kitbag://packs/";

/// What the name of a pack's report ends with.
const REPORT: &str = "/report";

/// The template that names of packs follow.
pub const TEMPLATE: &str = "kitbag://packs/{id}";

/// The template that names of their reports follow.
pub const REPORT_TEMPLATE: &str = "kitbag://packs/{id}/report";

/// The most packs that are kept for a client.
const MOST: usize = 64;

/// The most bytes that they may have together.
const MOST_BYTES: usize = 64 << 20;

/// A pack that was made for a client.
#[derive(Debug, PartialEq, Eq)]
pub struct Pack {
    /// Tells it from others; it cannot be guessed.
    pub id: String,
    /// The first line of the task.
    pub title: String,
    /// The tokens of its text.
    pub tokens: usize,
    /// Its text.
    pub text: String,
    /// The kind of its text.
    pub mime: &'static str,
    /// Everything there is to say about it, without the text, as JSON.
    pub report: String,
}

impl Pack {
    /// A pack to keep.
    pub fn new(task: &str, report: &Report) -> Self {
        let mut told = serde_json::to_value(report).unwrap_or_default();
        if let Some(fields) = told.as_object_mut() {
            fields.remove("content");
        }
        Self {
            id: uuid::Uuid::new_v4().simple().to_string(),
            title: title(task),
            tokens: report.total_tokens,
            text: report.content.clone().unwrap_or_default(),
            mime: mime(report.stats.format),
            report: told.to_string(),
        }
    }

    /// The name of its text.
    pub fn uri(&self) -> String {
        format!("{SCHEME}{}", self.id)
    }

    /// The name of its report.
    pub fn report_uri(&self) -> String {
        format!("{SCHEME}{}{REPORT}", self.id)
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.report.len()
    }
}

/// Which part of a pack a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The text.
    Text,
    /// The report.
    Report,
}

/// Reads a pack's name.
pub fn read_uri(uri: &str) -> Option<(&str, Part)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (id, part) = match rest.strip_suffix(REPORT) {
        Some(id) => (id, Part::Report),
        None => (rest, Part::Text),
    };
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some((id, part))
}

/// Packs, the newest first.
#[derive(Debug, Default)]
pub struct Packs {
    kept: Mutex<VecDeque<Arc<Pack>>>,
}

impl Packs {
    /// Keeps a pack; the oldest go where there are too many, or where they are too large.
    pub fn keep(&self, pack: Arc<Pack>) {
        let mut kept = self.lock();
        kept.push_front(pack);
        let mut bytes: usize = kept.iter().map(|pack| pack.bytes()).sum();
        while kept.len() > MOST || (bytes > MOST_BYTES && kept.len() > 1) {
            bytes -= kept.pop_back().map_or(0, |pack| pack.bytes());
        }
    }

    /// The pack with this id.
    pub fn find(&self, id: &str) -> Option<Arc<Pack>> {
        self.lock().iter().find(|pack| pack.id == id).cloned()
    }

    /// All packs, the newest first.
    pub fn all(&self) -> Vec<Arc<Pack>> {
        self.lock().iter().cloned().collect()
    }

    /// A thread that panicked cannot have left the list half-changed: each change is one step.
    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<Pack>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn title(task: &str) -> String {
    let line = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("a pack");
    line.chars().filter(|c| !c.is_control()).take(80).collect()
}

fn mime(format: &str) -> &'static str {
    match format {
        "markdown" => "text/markdown",
        "xml" => "application/xml",
        "json" => "application/json",
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(id: &str, bytes: usize) -> Arc<Pack> {
        let text = "x".repeat(bytes);
        let (title, report) = (String::new(), String::new());
        Arc::new(Pack { id: id.to_owned(), title, tokens: 0, text, mime: "text/plain", report })
    }

    fn ids(packs: &Packs) -> Vec<String> {
        packs.all().iter().map(|pack| pack.id.clone()).collect()
    }

    #[test]
    fn the_oldest_packs_go_first() {
        let packs = Packs::default();
        for number in 0..MOST + 2 {
            packs.keep(pack(&number.to_string(), 1));
        }
        let ids = ids(&packs);
        assert_eq!((ids.len(), ids[0].as_str(), ids[MOST - 1].as_str()), (MOST, "65", "2"));
        assert!(packs.find("1").is_none());
    }

    #[test]
    fn large_packs_push_others_out_but_the_newest_stays() {
        let packs = Packs::default();
        packs.keep(pack("a", MOST_BYTES / 2));
        packs.keep(pack("b", MOST_BYTES / 2));
        assert_eq!(ids(&packs), ["b", "a"]);
        packs.keep(pack("c", MOST_BYTES + 1));
        assert_eq!(ids(&packs), ["c"]);
    }

    #[test]
    fn names_are_read_back_and_others_are_not() {
        let pack = pack("00ff", 0);
        assert_eq!(read_uri(&pack.uri()), Some(("00ff", Part::Text)));
        assert_eq!(read_uri(&pack.report_uri()), Some(("00ff", Part::Report)));
        for other in ["kitbag://packs/", "kitbag://packs/../x", "file:///etc/passwd", ""] {
            assert_eq!(read_uri(other), None, "{other}");
        }
    }

    #[test]
    fn a_title_is_one_line_of_the_task() {
        assert_eq!(title("\n  why?\nmore"), "why?");
        assert_eq!(title(""), "a pack");
        assert_eq!(title(&"long ".repeat(50)).chars().count(), 80);
    }
}

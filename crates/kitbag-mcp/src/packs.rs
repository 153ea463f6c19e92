//! The packs that a client asked for lately, as resources.
//!
//! A client sees its own packs only. One with a session has a store of its own; those without share a
//! store that is never listed, in which a pack is found by a name that cannot be guessed.

use kitbag::Report;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the names of packs begin with.
const SCHEME: &str = "kitbag://packs/";

/// What the name of a pack's report ends with.
const REPORT: &str = "/report";

/// The template that names of packs follow.
pub const TEMPLATE: &str = "kitbag://packs/{id}";

/// The template that names of their reports follow.
pub const REPORT_TEMPLATE: &str = "kitbag://packs/{id}/report";

/// How much is kept.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// The most packs of a client.
    packs: usize,
    /// The most bytes that they may have together, if it is not one pack alone.
    bytes: usize,
    /// The same for those of all clients.
    bytes_of_all: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { packs: 64, bytes: 64 << 20, bytes_of_all: 256 << 20 }
    }
}

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

/// The packs of all clients of a server.
#[derive(Debug, Default)]
pub struct Shelves {
    bounds: Bounds,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// How many clients there were.
    clients: u64,
    /// The packs of each, the newest first.
    shelves: BTreeMap<u64, VecDeque<Arc<Pack>>>,
}

/// The packs of one client. They go with it.
#[derive(Debug)]
pub struct Packs {
    client: u64,
    all: Arc<Shelves>,
}

impl Shelves {
    /// A place for the packs of a new client.
    pub fn of_client(self: &Arc<Self>) -> Packs {
        let mut kept = self.lock();
        kept.clients += 1;
        Packs { client: kept.clients, all: Arc::clone(self) }
    }

    /// A thread that panicked cannot have left the list half-changed: each change is one step.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Packs {
    /// Keeps a pack; the oldest go where there are too many, or where they are too large. Where those
    /// of all clients are, the client with the most gives way.
    pub fn keep(&self, pack: Arc<Pack>) {
        let Bounds { packs, bytes: most, bytes_of_all } = self.all.bounds;
        let mut kept = self.all.lock();
        let own = kept.shelves.entry(self.client).or_default();
        own.push_front(pack);
        while own.len() > packs || (bytes(own) > most && own.len() > 1) {
            own.pop_back();
        }
        while kept.shelves.values().map(bytes).sum::<usize>() > bytes_of_all {
            let others = kept.shelves.iter_mut();
            let may_give = others.filter(|(client, own)| **client != self.client || own.len() > 1);
            let Some((_, largest)) = may_give.max_by_key(|(_, own)| bytes(own)) else { break };
            largest.pop_back();
            kept.shelves.retain(|_, own| !own.is_empty());
        }
    }

    /// The pack with this id.
    pub fn find(&self, id: &str) -> Option<Arc<Pack>> {
        self.all().into_iter().find(|pack| pack.id == id)
    }

    /// All packs, the newest first.
    pub fn all(&self) -> Vec<Arc<Pack>> {
        let kept = self.all.lock();
        kept.shelves.get(&self.client).into_iter().flatten().cloned().collect()
    }
}

impl Drop for Packs {
    fn drop(&mut self) {
        self.all.lock().shelves.remove(&self.client);
    }
}

fn bytes(shelf: &VecDeque<Arc<Pack>>) -> usize {
    shelf.iter().map(|pack| pack.bytes()).sum()
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

    fn shelves() -> Arc<Shelves> {
        let bounds = Bounds { packs: 3, bytes: 100, bytes_of_all: 400 };
        Arc::new(Shelves { bounds, kept: Mutex::default() })
    }

    #[test]
    fn the_oldest_packs_go_first() {
        let packs = shelves().of_client();
        for id in ["a", "b", "c", "d", "e"] {
            packs.keep(pack(id, 1));
        }
        assert_eq!(ids(&packs), ["e", "d", "c"]);
        assert!(packs.find("b").is_none());
    }

    #[test]
    fn large_packs_push_others_out_but_the_newest_stays() {
        let packs = shelves().of_client();
        packs.keep(pack("a", 50));
        packs.keep(pack("b", 50));
        assert_eq!(ids(&packs), ["b", "a"]);
        packs.keep(pack("c", 101));
        assert_eq!(ids(&packs), ["c"]);
    }

    #[test]
    fn the_client_with_the_most_gives_way_where_all_have_too_much() {
        let all = shelves();
        let clients: Vec<Packs> = (0..5).map(|_| all.of_client()).collect();
        clients[4].keep(pack("small", 1));
        for (number, client) in clients[..4].iter().enumerate() {
            client.keep(pack(&format!("old-{number}"), 50 - number));
            client.keep(pack(&format!("new-{number}"), 50 - number));
        }
        clients[4].keep(pack("large", 25));
        assert_eq!(ids(&clients[0]), ["new-0"]);
        assert_eq!(ids(&clients[1]), ["new-1", "old-1"]);
        assert_eq!(ids(&clients[4]), ["large", "small"]);
        let held = all.lock().shelves.values().map(bytes).sum::<usize>();
        assert!(held <= 400, "{held}");
        clients[4].keep(pack("huge", 401));
        assert_eq!(ids(&clients[4]), ["huge"]);
        assert_eq!(all.lock().shelves.len(), 1);
    }

    #[test]
    fn the_packs_of_a_client_go_with_it() {
        let all = shelves();
        let (one, other) = (all.of_client(), all.of_client());
        one.keep(pack("a", 1));
        other.keep(pack("b", 1));
        assert!(other.find("a").is_none());
        drop(one);
        assert_eq!(all.lock().shelves.len(), 1);
        assert_eq!(ids(&other), ["b"]);
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

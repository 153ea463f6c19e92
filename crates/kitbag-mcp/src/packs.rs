//! Recent packs, which clients can read as resources.
//!
//! A client sees only its own packs. Clients without a session share a list that is never shown, in
//! which a pack is found by its unguessable id.

use kitbag::{Format, Report};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The prefix of a pack's URI.
const URI_PREFIX: &str = "kitbag://packs/";

/// The suffix of a report's URI.
const REPORT_SUFFIX: &str = "/report";

/// The URI template of packs.
pub const PACK_TEMPLATE: &str = "kitbag://packs/{id}";

/// The URI template of reports.
pub const REPORT_TEMPLATE: &str = "kitbag://packs/{id}/report";

/// Limits of the cache. The newest pack of a client is kept even if it exceeds them.
#[derive(Debug, Clone, Copy)]
struct CacheLimits {
    client_packs: usize,
    client_bytes: usize,
    total_bytes: usize,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self { client_packs: 64, client_bytes: 64 << 20, total_bytes: 256 << 20 }
    }
}

/// A pack and its report.
#[derive(Debug, PartialEq, Eq)]
pub struct CachedPack {
    /// A random id.
    pub id: String,
    /// The first line of the task.
    pub title: String,
    pub tokens: usize,
    pub budget: usize,
    pub text: String,
    pub mime_type: &'static str,
    /// The report as JSON, without the text.
    pub report: String,
}

impl CachedPack {
    pub fn new(task: &str, report: &Report) -> Self {
        let mut json = serde_json::to_value(report).unwrap_or_default();
        if let Some(fields) = json.as_object_mut() {
            fields.remove("content");
        }
        // A template has no format.
        let format: Option<Format> = report.stats.format.parse().ok();
        Self {
            id: uuid::Uuid::new_v4().simple().to_string(),
            title: title(task),
            tokens: report.total_tokens,
            budget: report.budget,
            text: report.content.clone().unwrap_or_default(),
            mime_type: format.map_or("text/plain", mime_type),
            report: json.to_string(),
        }
    }

    pub fn uri(&self) -> String {
        format!("{URI_PREFIX}{}", self.id)
    }

    pub fn report_uri(&self) -> String {
        format!("{URI_PREFIX}{}{REPORT_SUFFIX}", self.id)
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.report.len()
    }
}

/// The part of a pack that a URI names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackPart {
    Text,
    Report,
}

/// Returns the id and the part that a URI names.
pub fn parse_uri(uri: &str) -> Option<(&str, PackPart)> {
    let rest = uri.strip_prefix(URI_PREFIX)?;
    let (id, part) = match rest.strip_suffix(REPORT_SUFFIX) {
        Some(id) => (id, PackPart::Report),
        None => (rest, PackPart::Text),
    };
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some((id, part))
}

/// The packs of all clients of a server.
#[derive(Debug, Default)]
pub struct PackCache {
    limits: CacheLimits,
    clients: Mutex<CacheClients>,
}

#[derive(Debug, Default)]
struct CacheClients {
    last_id: u64,
    /// The packs of each client, newest first.
    packs: BTreeMap<u64, VecDeque<Arc<CachedPack>>>,
}

/// The packs of one client, which are removed on drop.
#[derive(Debug)]
pub struct ClientPacks {
    client: u64,
    cache: Arc<PackCache>,
}

impl PackCache {
    pub fn add_client(self: &Arc<Self>) -> ClientPacks {
        let mut clients = self.lock();
        clients.last_id += 1;
        ClientPacks { client: clients.last_id, cache: Arc::clone(self) }
    }

    fn lock(&self) -> MutexGuard<'_, CacheClients> {
        // Each change is one step, so a panic cannot leave it inconsistent.
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientPacks {
    /// Adds a pack, and evicts the oldest ones of the client while it exceeds its limits. If all
    /// clients exceed the total, the one with the most bytes loses packs.
    pub fn add(&self, pack: Arc<CachedPack>) {
        let limits = self.cache.limits;
        let mut clients = self.cache.lock();
        let own = clients.packs.entry(self.client).or_default();
        own.push_front(pack);
        while own.len() > limits.client_packs
            || (total_bytes(own) > limits.client_bytes && own.len() > 1)
        {
            own.pop_back();
        }
        while clients.packs.values().map(total_bytes).sum::<usize>() > limits.total_bytes {
            let evictable = clients
                .packs
                .iter_mut()
                .filter(|(client, packs)| **client != self.client || packs.len() > 1);
            let largest = evictable.max_by_key(|(_, packs)| total_bytes(packs));
            let Some((_, largest)) = largest else { break };
            largest.pop_back();
            clients.packs.retain(|_, packs| !packs.is_empty());
        }
    }

    pub fn find(&self, id: &str) -> Option<Arc<CachedPack>> {
        self.list().into_iter().find(|pack| pack.id == id)
    }

    /// Returns all packs, newest first.
    pub fn list(&self) -> Vec<Arc<CachedPack>> {
        let clients = self.cache.lock();
        clients.packs.get(&self.client).into_iter().flatten().cloned().collect()
    }
}

impl Drop for ClientPacks {
    fn drop(&mut self) {
        self.cache.lock().packs.remove(&self.client);
    }
}

fn total_bytes(packs: &VecDeque<Arc<CachedPack>>) -> usize {
    packs.iter().map(|pack| pack.bytes()).sum()
}

fn title(task: &str) -> String {
    let line = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("Pack");
    line.chars().filter(|c| !c.is_control()).take(80).collect()
}

fn mime_type(format: Format) -> &'static str {
    match format {
        Format::Markdown => "text/markdown",
        Format::Xml => "application/xml",
        Format::Json => "application/json",
        Format::Plain => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(id: &str, bytes: usize) -> Arc<CachedPack> {
        let text = "x".repeat(bytes);
        let (title, report) = (String::new(), String::new());
        Arc::new(CachedPack {
            id: id.to_owned(),
            title,
            tokens: 0,
            budget: 0,
            text,
            mime_type: "text/plain",
            report,
        })
    }

    fn ids(packs: &ClientPacks) -> Vec<String> {
        packs.list().iter().map(|pack| pack.id.clone()).collect()
    }

    fn cache() -> Arc<PackCache> {
        let limits = CacheLimits { client_packs: 3, client_bytes: 100, total_bytes: 400 };
        Arc::new(PackCache { limits, clients: Mutex::default() })
    }

    #[test]
    fn the_oldest_packs_are_evicted_first() {
        let packs = cache().add_client();
        for id in ["a", "b", "c", "d", "e"] {
            packs.add(pack(id, 1));
        }
        assert_eq!(ids(&packs), ["e", "d", "c"]);
        assert!(packs.find("b").is_none());
    }

    #[test]
    fn large_packs_evict_others_but_the_newest_stays() {
        let packs = cache().add_client();
        packs.add(pack("a", 50));
        packs.add(pack("b", 50));
        assert_eq!(ids(&packs), ["b", "a"]);
        packs.add(pack("c", 101));
        assert_eq!(ids(&packs), ["c"]);
    }

    #[test]
    fn the_client_with_the_most_bytes_loses_packs_over_the_total() {
        let all = cache();
        let clients: Vec<ClientPacks> = (0..5).map(|_| all.add_client()).collect();
        clients[4].add(pack("small", 1));
        for (number, client) in clients[..4].iter().enumerate() {
            client.add(pack(&format!("old-{number}"), 50 - number));
            client.add(pack(&format!("new-{number}"), 50 - number));
        }
        clients[4].add(pack("large", 25));
        assert_eq!(ids(&clients[0]), ["new-0"]);
        assert_eq!(ids(&clients[1]), ["new-1", "old-1"]);
        assert_eq!(ids(&clients[4]), ["large", "small"]);
        let held = all.lock().packs.values().map(total_bytes).sum::<usize>();
        assert!(held <= 400, "{held}");
        clients[4].add(pack("huge", 401));
        assert_eq!(ids(&clients[4]), ["huge"]);
        assert_eq!(all.lock().packs.len(), 1);
    }

    #[test]
    fn the_packs_of_a_client_are_dropped_with_it() {
        let all = cache();
        let (one, other) = (all.add_client(), all.add_client());
        one.add(pack("a", 1));
        other.add(pack("b", 1));
        assert!(other.find("a").is_none());
        drop(one);
        assert_eq!(all.lock().packs.len(), 1);
        assert_eq!(ids(&other), ["b"]);
    }

    #[test]
    fn only_the_uris_of_packs_are_parsed() {
        let pack = pack("00ff", 0);
        assert_eq!(parse_uri(&pack.uri()), Some(("00ff", PackPart::Text)));
        assert_eq!(parse_uri(&pack.report_uri()), Some(("00ff", PackPart::Report)));
        for other in ["kitbag://packs/", "kitbag://packs/../x", "file:///etc/passwd", ""] {
            assert_eq!(parse_uri(other), None, "{other}");
        }
    }

    #[test]
    fn the_title_is_the_first_line_of_the_task() {
        assert_eq!(title("\n  why?\nmore"), "why?");
        assert_eq!(title(""), "Pack");
        assert_eq!(title(&"long ".repeat(50)).chars().count(), 80);
    }
}

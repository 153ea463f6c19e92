//! Sessions: the lines that a caller already has, by the name that it chose.
//!
//! A session is never implied by a connection: conversations are compacted, and sub-agents share
//! connections. It belongs to a tenant and a repository, and expires. Forgetting one is always safe: its
//! lines are sent again.

mod shared;

pub(crate) use shared::SharedSession;

use crate::error::Error;
use crate::report::{IncludedItem, Report};
use kitbag_core::SentLines;
use lru::LruCache;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time after which an unused session expires.
const EXPIRES_AFTER: Duration = Duration::from_secs(60 * 60);

/// Maximum number of sessions; the least recently used one is forgotten first.
const MAX_SESSIONS: NonZeroUsize = NonZeroUsize::new(256).expect("not zero");

/// Maximum number of line hashes per session, about 1 MB. A session that exceeds it starts over.
const MAX_HASHES: usize = 1 << 16;

/// Maximum length of a session's name, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// Identifies a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey {
    scope: String,
    repo: PathBuf,
    name: String,
}

impl SessionKey {
    /// Creates the key of a session of a tenant and a repository. Fails if the name is blank or too long.
    pub fn new(scope: &str, repo: &Path, name: &str) -> Result<Self, Error> {
        if name.trim().is_empty() || name.len() > MAX_NAME_BYTES {
            return Err(Error::SessionName { max: MAX_NAME_BYTES });
        }
        let repo = repo.canonicalize().unwrap_or_else(|_| repo.to_owned());
        Ok(Self { scope: scope.to_owned(), repo, name: name.to_owned() })
    }
}

struct Session {
    sent: Arc<SentLines>,
    last_used: Instant,
}

/// The sessions of an engine.
pub(crate) struct Sessions(Mutex<LruCache<SessionKey, Session>>);

impl Default for Sessions {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX_SESSIONS)))
    }
}

impl Sessions {
    /// Returns the lines that were sent in a session, and marks it as used.
    pub fn sent(&self, key: &SessionKey) -> Arc<SentLines> {
        self.sent_at(key, Instant::now())
    }

    /// Sets the lines that were sent in a session.
    pub fn set(&self, key: SessionKey, sent: SentLines) {
        self.lock().put(key, Session { sent: Arc::new(sent), last_used: Instant::now() });
    }

    /// Forgets a session.
    pub fn forget(&self, key: &SessionKey) {
        self.lock().pop(key);
    }

    /// Adds the lines of a finished pack to a session, and returns all of its lines.
    pub fn add(&self, key: SessionKey, report: &Report) -> Arc<SentLines> {
        self.add_at(key, &report.included, Instant::now())
    }

    fn sent_at(&self, key: &SessionKey, now: Instant) -> Arc<SentLines> {
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(key) else { return Arc::default() };
        if now.duration_since(session.last_used) >= EXPIRES_AFTER {
            sessions.pop(key);
            return Arc::default();
        }
        session.last_used = now;
        Arc::clone(&session.sent)
    }

    fn add_at(&self, key: SessionKey, included: &[IncludedItem], now: Instant) -> Arc<SentLines> {
        let mut sessions = self.lock();
        let known = sessions.pop(&key).map(|session| session.sent).unwrap_or_default();
        let mut sent = Arc::unwrap_or_clone(known);
        if sent.len() >= MAX_HASHES {
            sent = SentLines::default();
        }
        for item in included {
            for lines in shown_lines(item) {
                sent.add(&item.path, &lines);
            }
        }
        let sent = Arc::new(sent);
        sessions.put(key, Session { sent: Arc::clone(&sent), last_used: now });
        sent
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<SessionKey, Session>> {
        // Each change is one step, so a panic cannot leave it inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the shown lines of a chunk, one text for each range that is shown without a gap.
fn shown_lines(item: &IncludedItem) -> impl Iterator<Item = String> {
    let mut lines = item.text.split_inclusive('\n');
    item.shown.iter().map(move |span| {
        let count = (span.end - span.start + 1) as usize;
        lines.by_ref().take(count).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_core::ChunkForm;
    use kitbag_record::FactorsItem;
    use kitbag_text::{Kind, Span};

    fn key(scope: &str, repo: &str, name: &str) -> SessionKey {
        SessionKey::new(scope, Path::new(repo), name).expect("a valid name")
    }

    fn item(text: &str, shown: &[Span]) -> IncludedItem {
        IncludedItem {
            path: "a.rs".into(),
            start_line: 1,
            end_line: 9,
            symbol: None,
            kind: Kind::SearchResult,
            provider: None,
            part: None,
            tokens: 0,
            score: 0.0,
            factors: FactorsItem { relevance: 0.0, recency: 0.0, source: 0.0 },
            form: ChunkForm::Full,
            shown: shown.to_vec(),
            pinned: false,
            why: Vec::new(),
            lines: Vec::new(),
            duplicates: Vec::new(),
            text: text.into(),
            is_file: true,
            added_text: None,
        }
    }

    #[test]
    fn sessions_are_separate_and_expire() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let own = key("t", "/r", "s");
        sessions.add_at(own.clone(), &[item("one\ntwo\n", &[Span::new(1, 2)])], now);
        assert!(sessions.sent_at(&own, now).contains("a.rs", "one\ntwo\n"));
        for other in [key("u", "/r", "s"), key("t", "/q", "s"), key("t", "/r", "z")] {
            assert!(sessions.sent_at(&other, now).is_empty(), "{other:?}");
        }
        let later = now + EXPIRES_AFTER - Duration::from_secs(1);
        assert!(!sessions.sent_at(&own, later).is_empty(), "its use renews it");
        assert!(!sessions.sent_at(&own, now + EXPIRES_AFTER).is_empty());
        assert!(sessions.sent_at(&own, now + 3 * EXPIRES_AFTER).is_empty());
    }

    #[test]
    fn lines_on_both_sides_of_a_gap_were_not_sent_together() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let own = key("", "/r", "s");
        let shown = [Span::new(1, 2), Span::new(8, 9)];
        sessions.add_at(own.clone(), &[item("one\ntwo\neight\nnine\n", &shown)], now);
        let sent = sessions.sent_at(&own, now);
        assert!(sent.contains("a.rs", "one\ntwo\n") && sent.contains("a.rs", "eight\nnine\n"));
        assert!(!sent.contains("a.rs", "two\neight\n"));
    }

    #[test]
    fn the_number_and_the_size_of_sessions_are_limited() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        for number in 0..=MAX_SESSIONS.get() {
            sessions.add_at(key("", "/r", &number.to_string()), &[], now);
        }
        assert_eq!(sessions.lock().len(), MAX_SESSIONS.get());
        let own = key("", "/r", "large");
        for pack in 0..3 {
            let text: String = (0..40_000).map(|line| format!("{pack} {line}\n")).collect();
            sessions.add_at(own.clone(), &[item(&text, &[Span::new(1, 40_000)])], now);
        }
        assert!(sessions.sent_at(&own, now).len() <= 80_000, "it started over");
        let error = SessionKey::new("", Path::new("/r"), " ").expect_err("a blank name");
        assert_eq!(error.to_string(), "`session` must have from 1 to 200 characters");
    }
}

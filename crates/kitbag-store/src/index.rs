//! The shared index of one repository with one choice of analysis settings: immutable segments, and
//! lists that name them. Readers take the union of the lists.
//!
//! A segment may only be named again while a list that is not replaced names it, and the new list has
//! to be written soon after the old ones were read: `collect.rs` relies on both.

use crate::encryption::{hex, sha256};
use crate::error::StoreError;
use crate::layout::INDEXES;
use crate::list::{ListedSegment, SegmentList, ShortId};
use crate::store::ObjectStore;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How often the lists are listed again after one of them was collected meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// Age of a list from which a push names its segments again, so that they do not expire.
const RENEW_AFTER_MS: i64 = 7 * 24 * 3_600 * 1_000;

/// Identifies a content: the key of its record.
pub type ContentId = [u8; 32];

/// A segment of a shared index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentEntry {
    pub(crate) listed: ListedSegment,
}

impl SegmentEntry {
    /// Returns the name of its object.
    pub fn name(&self) -> &str {
        &self.listed.name
    }

    /// Returns the size of its object in bytes.
    pub fn size(&self) -> u64 {
        self.listed.size
    }

    /// Whether it probably has a content. It certainly does not if this is `false`.
    pub fn may_have(&self, content: &ContentId) -> bool {
        self.listed.contents.binary_search(&short(content)).is_ok()
    }
}

/// A segment to push.
#[derive(Debug, Clone)]
pub struct NewSegment {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its contents.
    pub contents: Vec<ContentId>,
}

/// Result of a push.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PushOutcome {
    /// Number of segments that were uploaded.
    pub segments: usize,
    /// Number of contents in them.
    pub contents: usize,
    /// Number of segments that were already there and are kept from expiring.
    pub renewed: usize,
}

/// The lists of a shared index at one moment.
#[derive(Debug, Clone)]
pub struct IndexListing {
    /// Distinct segments of all lists that are not replaced.
    pub segments: Vec<SegmentEntry>,
    /// Number of lists that are not replaced.
    pub lists: usize,
    /// Segments that lists name and that do not exist, if they had contents that no other segment has. A push
    /// adds these contents again.
    pub missing: Vec<SegmentEntry>,
    /// Lists that cannot be read, which are left out.
    pub problems: Vec<StoreError>,
    contents: BTreeSet<ShortId>,
    read_at: Instant,
}

impl IndexListing {
    /// Whether the index probably has a content. It certainly does not if this is `false`.
    pub fn may_have(&self, content: &ContentId) -> bool {
        self.contents.contains(&short(content))
    }

    /// Returns the number of contents.
    pub fn contents(&self) -> usize {
        self.contents.len()
    }

    /// Returns the listing without segments that turned out to be unusable, so that a push adds their contents
    /// again.
    pub fn without(mut self, names: &BTreeSet<String>) -> Self {
        self.segments.retain(|it| !names.contains(it.name()));
        self.contents = contents_of(&self.segments);
        self
    }

    /// Chooses segments that have the contents, the largest gain first. Stops at segments that cost more
    /// than `max_bytes_each` for each content that they add.
    pub fn choose(&self, contents: &[ContentId], max_bytes_each: u64) -> Vec<SegmentEntry> {
        let mut missing: BTreeSet<ShortId> = contents.iter().map(short).collect();
        let mut left: Vec<&SegmentEntry> = self.segments.iter().collect();
        let mut chosen = Vec::new();
        loop {
            let gain = |entry: &&SegmentEntry| {
                entry.listed.contents.iter().filter(|id| missing.contains(id)).count()
            };
            left.retain(|entry| gain(entry) > 0);
            // Of equal ones, the latest may have been pushed because the other one was damaged.
            let best = left
                .iter()
                .max_by_key(|entry| (gain(entry), entry.listed.used_ms, &entry.listed.name))
                .copied();
            let Some(best) = best else { return chosen };
            if best.size() <= max_bytes_each.saturating_mul(gain(&best) as u64) {
                missing.retain(|id| best.listed.contents.binary_search(id).is_err());
                chosen.push(best.clone());
            }
            left.retain(|entry| entry.listed.name != best.listed.name);
        }
    }
}

/// The shared index of one repository with one choice of analysis settings.
#[derive(Debug, Clone)]
pub struct SharedIndex {
    store: ObjectStore,
    folder: String,
    /// How long unlisted segments are kept from collection.
    grace: Duration,
}

impl SharedIndex {
    /// Opens the index of `repository`, a name such as `github.com/rust-lang/cargo`. Indexes with other
    /// `settings` are separate.
    pub fn new(store: ObjectStore, repository: &str, settings: &str) -> Self {
        let (repository, settings) = (
            store.hashed_name(&["repository", repository]),
            store.hashed_name(&["settings", settings]),
        );
        Self { folder: format!("{INDEXES}/{repository}/{settings}"), store, grace: DEFAULT_GRACE }
    }

    /// Opens the index in a folder, as [`SharedIndex::folder`] returns it.
    pub(crate) fn in_folder(store: ObjectStore, folder: &str, grace: Duration) -> Self {
        Self { store, folder: folder.to_owned(), grace }
    }

    /// Sets the grace period of collections, which must be the same for pushes.
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Returns the store.
    pub fn store(&self) -> &ObjectStore {
        &self.store
    }

    /// Returns the name of its folder in the store.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Reads all lists. Those that are damaged are left out, which is safe because a listing is their union.
    pub fn read(&self) -> Result<IndexListing, StoreError> {
        let read_at = Instant::now();
        let (mut lists, problems) = self.read_lists()?;
        let replaced = replaced_lists(&lists);
        lists.retain(|name, _| !replaced.contains(name));
        let named = latest_uses(lists.values()).into_iter().map(|listed| SegmentEntry { listed });
        let mut segments: Vec<SegmentEntry> = named.collect();
        let mut missing = Vec::new();
        if !segments.is_empty() {
            let existing = self.existing_segments()?;
            missing = segments.extract_if(.., |it| !existing.contains(it.name())).collect();
        }
        let contents = contents_of(&segments);
        missing.retain(|it| it.listed.contents.iter().any(|id| !contents.contains(id)));
        Ok(IndexListing { segments, lists: lists.len(), missing, problems, contents, read_at })
    }

    /// Returns the names of the segments that exist. Called after lists are read: what they name was written before.
    pub(crate) fn existing_segments(&self) -> Result<BTreeSet<String>, StoreError> {
        let listed = self.store.list(&format!("{}/segments", self.folder))?;
        Ok(listed.into_iter().map(|entry| entry.name).collect())
    }

    /// Reads all lists with the time of each, by name. Returns the problems of those that cannot be read.
    pub(crate) fn read_lists(&self) -> Result<(Lists, Vec<StoreError>), StoreError> {
        let (mut known, mut problems) = (Lists::new(), BTreeMap::new());
        let mut missing = String::new();
        for _ in 0..MAX_ATTEMPTS {
            let listed = self.store.list(&format!("{}/lists", self.folder))?;
            known.retain(|name, _| listed.binary_search_by(|it| it.name.cmp(name)).is_ok());
            problems.clear();
            let new: Vec<_> = listed.iter().filter(|it| !known.contains_key(&it.name)).collect();
            let mut is_complete = true;
            let objects = new.iter().map(|it| (it.name.as_str(), it.size));
            for (entry, read) in new.iter().zip(self.store.read_all(objects)) {
                let read = read.and_then(|bytes| {
                    let damaged = || self.store.damaged(&entry.name, "its layout is invalid");
                    bytes.map(|it| SegmentList::from_bytes(&it).ok_or_else(damaged)).transpose()
                });
                match read {
                    Ok(Some(list)) => {
                        known.insert(entry.name.clone(), (entry.modified_ms, list));
                    }
                    Ok(None) => {
                        // It was collected after it was replaced, so the replacement is listed now.
                        is_complete = false;
                        missing.clone_from(&entry.name);
                    }
                    Err(error) if error.is_of_object() => {
                        problems.insert(entry.name.clone(), error);
                    }
                    Err(error) => return Err(error),
                }
            }
            if is_complete {
                return Ok((known, problems.into_values().collect()));
            }
        }
        // A collection must not take what an unread list names for garbage.
        Err(self.store.missing(&missing))
    }

    /// Reads segments, in the order given, and checks them against their lists.
    pub fn fetch(&self, entries: &[SegmentEntry]) -> Vec<Result<Vec<u8>, StoreError>> {
        let objects = entries.iter().map(|it| (it.name(), it.size()));
        let read = self.store.read_all(objects);
        let check = |(entry, read): (&SegmentEntry, Result<Option<Vec<u8>>, StoreError>)| {
            let bytes = read?.ok_or_else(|| self.missing(entry))?;
            if sha256(&[&bytes]) == entry.listed.hash {
                Ok(bytes)
            } else {
                Err(self.store.damaged(entry.name(), "its hash is not that of the list"))
            }
        };
        entries.iter().zip(read).map(check).collect()
    }

    /// Returns the error that describes a segment that does not exist.
    pub fn missing(&self, entry: &SegmentEntry) -> StoreError {
        self.store.missing(entry.name())
    }

    /// Returns the error that describes a segment that is not what the program writes.
    pub fn unreadable(&self, entry: &SegmentEntry) -> StoreError {
        self.store.damaged(entry.name(), "its layout is invalid")
    }

    /// Pushes segments, and keeps those of `listing` that have some of `contents` from expiring.
    /// Segments are written first and the list last, so others see all of it or nothing.
    pub fn push(
        &self,
        listing: &IndexListing,
        new: Vec<NewSegment>,
        contents: &[ContentId],
    ) -> Result<PushOutcome, StoreError> {
        let now_ms = listing.segments.iter().map(|it| it.listed.used_ms).max().unwrap_or(0);
        let now_ms = now_ms.max(system_time_ms());
        let is_old = |entry: &&SegmentEntry| now_ms - entry.listed.used_ms > RENEW_AFTER_MS;
        // A list that cannot be read may replace others, whose segments must not be named again.
        let is_whole = listing.problems.is_empty();
        let mut segments: Vec<ListedSegment> = listing
            .choose(contents, u64::MAX)
            .iter()
            .filter(|entry| is_whole && is_old(entry))
            .map(|entry| ListedSegment { used_ms: 0, ..entry.listed.clone() })
            .collect();
        let mut outcome = PushOutcome { renewed: segments.len(), ..PushOutcome::default() };
        let new = new.into_iter().filter(|it| !it.contents.is_empty());
        if !listing.segments.is_empty() {
            // The marker may have been lost, and nothing else be left to write.
            self.store.create()?;
        }
        for segment in new {
            outcome.segments += 1;
            outcome.contents += segment.contents.len();
            segments.push(self.upload(&segment)?);
        }
        if !segments.is_empty() {
            self.write_list(SegmentList { replaces: Vec::new(), segments }, listing.read_at)?;
        }
        Ok(outcome)
    }

    pub(crate) fn upload(&self, segment: &NewSegment) -> Result<ListedSegment, StoreError> {
        let hash = sha256(&[&segment.bytes]);
        // The hash of a segment would confirm its contents, so a keyed one is shown instead. The rest of
        // the name is fresh: a collection may be about to delete a segment with the same contents.
        let shown = self.store.hashed_name(&["segment", &hex(&hash)]);
        let name = format!("{}/segments/{shown}-{}", self.folder, self.store.fresh_name()?);
        let size = self.store.put(&name, &segment.bytes)?;
        let mut contents: Vec<ShortId> = segment.contents.iter().map(short).collect();
        contents.sort_unstable();
        Ok(ListedSegment { name, hash, size, used_ms: 0, contents })
    }

    /// Writes a list that was made from the lists of `read_at`.
    pub(crate) fn write_list(&self, list: SegmentList, read_at: Instant) -> Result<(), StoreError> {
        let name = format!("{}/lists/{}", self.folder, self.store.fresh_name()?);
        let deadline = read_at + self.grace / 2;
        match self.store.until(deadline).put(&name, &list.to_bytes()) {
            Err(StoreError::TimedOut { url }) if Instant::now() >= deadline => {
                Err(StoreError::TooSlow { url })
            }
            result => result.map(|_| ()),
        }
    }
}

/// How long segments without a list, and lists that were replaced, are kept.
pub(crate) const DEFAULT_GRACE: Duration = Duration::from_secs(24 * 3_600);

/// Lists with the time of each, by name.
pub(crate) type Lists = BTreeMap<String, (i64, SegmentList)>;

/// Returns the contents of segments.
fn contents_of(segments: &[SegmentEntry]) -> BTreeSet<ShortId> {
    segments.iter().flat_map(|it| it.listed.contents.iter().copied()).collect()
}

/// Returns the names of the lists that another one replaces.
pub(crate) fn replaced_lists(lists: &Lists) -> BTreeSet<String> {
    lists.values().flat_map(|(_, list)| list.replaces.iter().cloned()).collect()
}

/// Returns the distinct segments of lists, each with the time of its last use.
pub(crate) fn latest_uses<'a>(
    lists: impl Iterator<Item = &'a (i64, SegmentList)>,
) -> Vec<ListedSegment> {
    let mut segments: BTreeMap<&str, ListedSegment> = BTreeMap::new();
    for (time_ms, list) in lists {
        for listed in &list.segments {
            let used_ms = if listed.used_ms == 0 { *time_ms } else { listed.used_ms };
            let entry = segments.entry(&listed.name).or_insert_with(|| listed.clone());
            entry.used_ms = entry.used_ms.max(used_ms);
        }
    }
    segments.into_values().collect()
}

fn short(content: &ContentId) -> ShortId {
    let [a, b, c, d, e, f, g, h, ..] = *content;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Used only to decide whether segments are named again, so a wrong clock costs an extra list.
fn system_time_ms() -> i64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as i64)
}

//! Collection: lists become one, small segments are merged, and what nothing names is deleted.
//!
//! It is safe beside readers, pushes and other collections, without locks and conditional puts:
//!
//! 1. A list is deleted once another one has replaced it for longer than the grace period. A reader
//!    in between ignores it, so its segments are not named again on its account.
//! 2. A segment is deleted if no list names it and it is older than the grace period. The segments are
//!    listed before the lists.
//! 3. A writer writes its list within half the grace period after reading the lists. A list that
//!    names a segment again was therefore written before the last list that names it is deleted, and
//!    a list that names a new segment before that segment is old enough.
//! 4. Ages are differences between times of the store, so clocks of clients do not matter.

use crate::error::StoreError;
use crate::index::{
    DEFAULT_GRACE, Lists, NewSegment, SegmentEntry, SharedIndex, latest_uses, replaced_lists,
};
use crate::kind::ObjectKind;
use crate::layout::{CLOCK, INDEXES};
use crate::limits::Limits;
use crate::list::{ListedSegment, SegmentList, ShortId};
use crate::store::ObjectStore;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Number of lists from which they become one, unless something expires.
const MIN_LISTS: usize = 4;

/// Segments below this size in bytes are merged, once there are as many.
const SMALL_SEGMENT: u64 = 4 << 20;
const MIN_SMALL_SEGMENTS: usize = 4;

/// Maximum size of the segments that become one, in bytes as stored. Readers accept twice as much.
const MAX_MERGE: u64 = 32 << 20;

/// Maximum number of damaged lists of one index that are reported.
const MAX_LIST_PROBLEMS: usize = 5;

/// What a collection deletes.
#[derive(Debug, Clone, Copy)]
pub struct CollectOptions {
    /// How long segments without a list, and lists that were replaced, are kept. Pushes must take less
    /// than half as long.
    pub grace: Duration,
    /// Segments that were not pushed for this long expire.
    pub max_age: Duration,
}

impl Default for CollectOptions {
    fn default() -> Self {
        Self { grace: DEFAULT_GRACE, max_age: Duration::from_secs(90 * 24 * 3_600) }
    }
}

impl CollectOptions {
    /// Returns the age from which objects beside the indexes are deleted.
    fn max_age_of(&self, kind: ObjectKind) -> Duration {
        match kind {
            ObjectKind::Summary => self.max_age,
            ObjectKind::Session | ObjectKind::Pack => self.grace,
        }
    }
}

/// What a collection did.
#[derive(Debug, Default)]
pub struct Collected {
    /// Number of indexes: combinations of a repository and analysis settings.
    pub indexes: usize,
    /// Number of segments that lists name afterwards, and their size in bytes.
    pub segments: usize,
    /// Size of these segments in bytes.
    pub bytes: u64,
    /// Number of segments that expired.
    pub expired: usize,
    /// Number of segments that were merged into others.
    pub merged: usize,
    /// Number of lists that were replaced by one.
    pub replaced_lists: usize,
    /// Number of lists that were deleted.
    pub deleted_lists: usize,
    /// Number of segments that were deleted.
    pub deleted_segments: usize,
    /// Number of summaries, sessions and packs that were deleted.
    pub deleted_objects: usize,
    /// Size of all that was deleted but lists, in bytes.
    pub freed_bytes: u64,
    /// Problems with single indexes, of which nothing was deleted. At most five for each.
    pub problems: Vec<StoreError>,
}

/// A segment made of others.
pub type MergedSegment = NewSegment;

/// Merges the bytes of segments into one segment. `None` if they cannot be read, for example because
/// another version of the program wrote them.
type Merge<'a> = dyn Fn(&[Vec<u8>]) -> Option<MergedSegment> + 'a;

/// Collects all indexes of a store, and the objects beside them. An index with a problem is left as it is, and
/// reported.
pub fn collect(
    store: &ObjectStore,
    options: CollectOptions,
    merge: &Merge<'_>,
) -> Result<Collected, StoreError> {
    let mut folders: BTreeSet<String> = BTreeSet::new();
    for entry in store.list(INDEXES)? {
        let parts: Vec<&str> = entry.name.splitn(4, '/').collect();
        if let [indexes, repository, settings, _] = parts[..] {
            folders.insert(format!("{indexes}/{repository}/{settings}"));
        }
    }
    let mut collected = Collected { indexes: folders.len(), ..Collected::default() };
    let mut objects = Vec::new();
    for kind in ObjectKind::ALL {
        objects.extend(store.list(kind.folder())?.into_iter().map(|entry| (kind, entry)));
    }
    if folders.is_empty() && objects.is_empty() {
        return Ok(collected);
    }
    let now_ms = store_time_ms(store)?;
    for (kind, entry) in objects {
        if now_ms - entry.modified_ms > options.max_age_of(kind).as_millis() as i64 {
            store.delete(&entry.name)?;
            collected.deleted_objects += 1;
            collected.freed_bytes += entry.size;
        }
    }
    for folder in folders {
        let index = SharedIndex::in_folder(store.clone(), &folder, options.grace);
        match (Collection { index, options, now_ms, merge }).run(&mut collected) {
            Err(error) if error.is_of_object() => collected.problems.push(error),
            result => result?,
        }
    }
    Ok(collected)
}

/// Returns the time of the store, which it puts on a new object.
fn store_time_ms(store: &ObjectStore) -> Result<i64, StoreError> {
    let name = format!("{CLOCK}/{}", store.fresh_name()?);
    store.put(&name, b"")?;
    let entries = store.list(CLOCK)?;
    let own = entries.iter().find(|entry| entry.name == name).map(|entry| entry.modified_ms);
    let own = own
        .ok_or_else(|| StoreError::Missing { url: store.url().to_owned(), object: name.clone() })?;
    // Those of collections that were interrupted go too.
    for entry in entries.iter().filter(|it| it.name == name || own - it.modified_ms > 3_600_000) {
        store.delete(&entry.name)?;
    }
    Ok(own)
}

/// The collection of one index.
struct Collection<'a> {
    index: SharedIndex,
    options: CollectOptions,
    now_ms: i64,
    merge: &'a Merge<'a>,
}

impl Collection<'_> {
    fn run(&self, collected: &mut Collected) -> Result<(), StoreError> {
        // In this order: a segment that is listed after the lists were read may have a list already.
        let segments = self.index.store().list(&format!("{}/segments", self.index.folder()))?;
        let read_at = Instant::now();
        let (lists, problems) = self.index.read_lists()?;
        if !problems.is_empty() {
            // What a list names that cannot be read must not be taken for garbage.
            collected.problems.extend(problems.into_iter().take(MAX_LIST_PROBLEMS));
            return Ok(());
        }
        let named: BTreeSet<&str> =
            lists.values().flat_map(|(_, it)| &it.segments).map(|it| it.name.as_str()).collect();
        let present: BTreeSet<&str> = segments.iter().map(|it| it.name.as_str()).collect();
        let may_lack_some = named.iter().any(|name| !present.contains(name));
        for entry in &segments {
            if !named.contains(entry.name.as_str()) && self.is_past_grace(entry.modified_ms) {
                self.index.store().delete(&entry.name)?;
                collected.deleted_segments += 1;
                collected.freed_bytes += entry.size;
            }
        }
        self.delete_lists(&lists, collected)?;
        self.replace_lists(&lists, read_at, may_lack_some, collected)
    }

    fn is_past_grace(&self, time_ms: i64) -> bool {
        self.now_ms - time_ms > self.options.grace.as_millis() as i64
    }

    /// Deletes lists that were replaced long enough ago, and lists of nothing.
    fn delete_lists(&self, lists: &Lists, collected: &mut Collected) -> Result<(), StoreError> {
        let old = lists.values().filter(|(time_ms, _)| self.is_past_grace(*time_ms));
        let replaced: BTreeSet<&String> = old.flat_map(|(_, list)| &list.replaces).collect();
        for (name, (time_ms, list)) in lists {
            let is_needed = list.replaces.iter().any(|it| lists.contains_key(it));
            let is_void = list.segments.is_empty() && !is_needed && self.is_past_grace(*time_ms);
            if replaced.contains(name) || is_void {
                self.index.store().delete(name)?;
                collected.deleted_lists += 1;
            }
        }
        Ok(())
    }

    /// Replaces the current lists by one if that makes readers faster, lets segments expire, or forgets segments
    /// that someone deleted.
    fn replace_lists(
        &self,
        lists: &Lists,
        read_at: Instant,
        may_lack_some: bool,
        collected: &mut Collected,
    ) -> Result<(), StoreError> {
        let replaced = replaced_lists(lists);
        let current = || lists.iter().filter(|(name, _)| !replaced.contains(*name));
        let all = latest_uses(current().map(|(_, list)| list));
        let is_live = |it: &ListedSegment| {
            self.now_ms - it.used_ms <= self.options.max_age.as_millis() as i64
        };
        let live: Vec<ListedSegment> = all.iter().filter(|it| is_live(it)).cloned().collect();
        let (expired, mut kept) = (all.len() - live.len(), without_redundant(live));
        let small = kept.iter().filter(|it| it.size < SMALL_SEGMENT).count();
        let is_due = current().count() >= MIN_LISTS
            || small >= MIN_SMALL_SEGMENTS
            || expired > 0
            || may_lack_some;
        if is_due {
            let existing = self.index.existing_segments()?;
            let lacking = kept.extract_if(.., |it| !existing.contains(&it.name)).count();
            let before = kept.len();
            let is_merged = self.merge_small(&mut kept)?;
            let is_shorter = current().count() > 1 || is_merged || expired > 0 || lacking > 0;
            if is_shorter {
                let replaces: Vec<String> = current().map(|(name, _)| name.clone()).collect();
                collected.replaced_lists += replaces.len();
                collected.merged += before - kept.len() + usize::from(is_merged);
                collected.expired += expired;
                self.index.write_list(SegmentList { replaces, segments: kept.clone() }, read_at)?;
            }
        }
        collected.segments += kept.len();
        collected.bytes += kept.iter().map(|it| it.size).sum::<u64>();
        Ok(())
    }

    /// Replaces small segments by a merged one. Returns whether there is one.
    fn merge_small(&self, kept: &mut Vec<ListedSegment>) -> Result<bool, StoreError> {
        let mut total = 0;
        let mut small: Vec<ListedSegment> =
            kept.iter().filter(|it| it.size < SMALL_SEGMENT).cloned().collect();
        small.sort_by(|a, b| (a.size, &a.name).cmp(&(b.size, &b.name)));
        small.retain(|it| {
            total += it.size;
            total <= MAX_MERGE
        });
        if small.len() < MIN_SMALL_SEGMENTS {
            return Ok(false);
        }
        let entry = |listed: &ListedSegment| SegmentEntry { listed: listed.clone() };
        let entries: Vec<SegmentEntry> = small.iter().map(entry).collect();
        let bytes: Vec<Vec<u8>> =
            self.index.fetch(&entries).into_iter().collect::<Result<_, _>>()?;
        let Some(merged) = (self.merge)(&bytes) else { return Ok(false) };
        if merged.bytes.len() as u64 > Limits::of(&small[0].name).content {
            return Ok(false);
        }
        let mut uploaded = self.index.upload(&merged)?;
        uploaded.used_ms = small.iter().map(|it| it.used_ms).max().unwrap_or(0);
        let lost = small.iter().flat_map(|it| &it.contents);
        if lost.clone().any(|id| uploaded.contents.binary_search(id).is_err()) {
            // Never trade contents for fewer segments; the upload is collected later.
            return Ok(false);
        }
        kept.retain(|it| !small.iter().any(|small| small.name == it.name));
        kept.push(uploaded);
        Ok(true)
    }
}

/// Drops segments all of whose contents are in larger ones, which are then as much in use. Of segments with
/// the same contents, the latest stays: it may have been pushed because the other one was damaged.
fn without_redundant(mut segments: Vec<ListedSegment>) -> Vec<ListedSegment> {
    segments.sort_by(|a, b| {
        let rank = |it: &ListedSegment| (it.contents.len(), it.used_ms);
        rank(b).cmp(&rank(a)).then_with(|| (a.size, &a.name).cmp(&(b.size, &b.name)))
    });
    let mut seen: BTreeSet<ShortId> = BTreeSet::new();
    let mut kept: Vec<ListedSegment> = Vec::new();
    for segment in segments {
        let before = seen.len();
        seen.extend(&segment.contents);
        if seen.len() > before {
            kept.push(segment);
            continue;
        }
        for other in &mut kept {
            let shares = segment.contents.iter().any(|id| other.contents.binary_search(id).is_ok());
            other.used_ms = if shares { other.used_ms.max(segment.used_ms) } else { other.used_ms };
        }
    }
    kept
}

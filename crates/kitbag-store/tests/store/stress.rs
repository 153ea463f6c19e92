//! Two writers, a collector and a reader at once, against the store that the environment names. Run by
//! `scripts/test store`, because it takes a minute.

use crate::toxic_proxy::{self, Toxins};
use crate::{Folder, expected, ids, merge, push, read_all};
use kitbag_store::{
    CollectOptions, ContentId, ObjectStore, SharedIndex, StoreError, StoreOptions, collect,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Long enough for a push, short enough for many collections in a minute.
const GRACE: Duration = Duration::from_secs(8);

/// Attempts to read everything after a run in which requests may fail.
const MAX_FINAL_READS: usize = 100;

struct Stress {
    /// Contents whose push has returned.
    published: Mutex<BTreeSet<u32>>,
    next: AtomicU32,
    is_over: AtomicBool,
    errors: Mutex<Vec<String>>,
    counts: [AtomicU32; 4],
    index: SharedIndex,
    allows_errors: bool,
}

impl Stress {
    fn note(&self, who: &str, error: &StoreError) {
        self.errors.lock().unwrap().push(format!("{who}: {error}"));
    }

    fn count(&self, what: usize, by: usize) {
        self.counts[what].fetch_add(by as u32, Ordering::Relaxed);
    }

    fn write(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let first = self.next.fetch_add(3, Ordering::Relaxed);
            // Half of what is pushed was there before.
            let contents: Vec<u32> = (first.saturating_sub(3)..first + 3).collect();
            match push(&self.index, &contents) {
                Ok(()) => {
                    self.count(0, 1);
                    self.published.lock().unwrap().extend(contents);
                }
                Err(error) => self.note("push", &error),
            }
        }
    }

    fn collect(&self) {
        let options = CollectOptions { grace: GRACE, max_age: Duration::from_secs(3_600) };
        while !self.is_over.load(Ordering::Relaxed) {
            match collect(self.index.store(), options, &merge) {
                Ok(collected) => {
                    self.count(1, 1);
                    self.count(2, collected.deleted_lists + collected.deleted_segments);
                    collected.problems.iter().for_each(|error| self.note("gc", error));
                }
                Err(error) => self.note("gc", &error),
            }
            std::thread::sleep(Duration::from_millis(300));
        }
    }

    /// Everything that was published before the read began must be there.
    fn read(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let published = expected(self.published.lock().unwrap().iter().copied());
            let listing = match self.index.read() {
                Ok(listing) => listing,
                Err(error) => {
                    self.note("read", &error);
                    continue;
                }
            };
            if !listing.problems.is_empty() {
                listing.problems.iter().for_each(|error| self.note("read", error));
                continue;
            }
            assert!(published.iter().all(|id| listing.may_have(id)), "the listing lacks contents");
            if self.allows_errors {
                let fetched = self.index.fetch(&listing.segments);
                for error in fetched.iter().filter_map(|it| it.as_ref().err()) {
                    assert!(!matches!(error, StoreError::Missing { .. }), "{error}");
                    self.note("fetch", error);
                }
            } else {
                let found = read_all(&self.index, &listing);
                assert!(published.is_subset(&found), "the segments lack contents");
            }
            self.count(3, 1);
        }
    }
}

#[test]
#[ignore = "takes a minute; run by `scripts/test store`"]
fn nothing_reachable_is_ever_missing() {
    let variable = |name: &str| std::env::var(name).ok();
    let seconds = variable("KITBAG_TEST_SECONDS").map_or(10, |text| text.parse().unwrap());
    let is_toxic = variable("KITBAG_TEST_TOXIC").is_some();
    let allows_errors = is_toxic || variable("KITBAG_TEST_FLAKY").is_some();
    let mut environment: Vec<(String, String)> = std::env::vars().collect();
    if is_toxic {
        let endpoint = environment.iter_mut().find(|(name, _)| name == "AWS_ENDPOINT_URL").unwrap();
        let toxins = Toxins { delay_ms: 5, cut_one_in: 97, damage_one_in: 61 };
        let target = endpoint.1.strip_prefix("http://").unwrap();
        endpoint.1 = format!("http://{}", toxic_proxy::start(target, toxins));
    }
    let options = StoreOptions { environment, ..StoreOptions::default() };
    let folder = Folder::new(&StoreOptions::default());
    let store = match variable("KITBAG_TEST_STORE") {
        Some(url) => ObjectStore::open(&url.parse().unwrap(), &options).unwrap(),
        None => folder.store.clone(),
    };
    let index = SharedIndex::new(store.clone(), "stress", "settings").with_grace(GRACE);
    let stress = Stress {
        published: Mutex::default(),
        next: AtomicU32::new(0),
        is_over: AtomicBool::new(false),
        errors: Mutex::default(),
        counts: Default::default(),
        index,
        allows_errors,
    };
    run(&stress, Duration::from_secs(seconds));
    let counts = stress.counts.each_ref().map(|count| count.load(Ordering::Relaxed));
    let errors = stress.errors.into_inner().unwrap();
    let ([pushes, collections, deleted, reads], usage) = (counts, store.usage());
    let summary = format!(
        "{pushes} pushes, {collections} collections, {deleted} objects deleted, {reads} reads, {} \
         errors, {usage:?}{}",
        errors.len(),
        kinds(&errors)
    );
    std::fs::write(std::env::temp_dir().join("kitbag-store-stress.txt"), &summary).unwrap();
    assert!(allows_errors || errors.is_empty(), "{summary}\n{}", errors.join("\n"));
    assert!(pushes > 5 && collections > 2 && reads > 2, "{summary}\n{}", errors.join("\n"));
    let published = expected(stress.published.into_inner().unwrap());
    let attempts = if allows_errors { MAX_FINAL_READS } else { 1 };
    let found = (0..attempts).find_map(|_| read_whole(&stress.index));
    let found = found.expect("everything can be read in the end");
    assert!(published.is_subset(&found), "the segments lack contents in the end");
}

/// Reads all contents, unless a request fails. Nothing may be missing even then.
fn read_whole(index: &SharedIndex) -> Option<BTreeSet<ContentId>> {
    let listing = index.read().ok().filter(|listing| listing.problems.is_empty())?;
    let mut found = BTreeSet::new();
    for fetched in index.fetch(&listing.segments) {
        assert!(!matches!(fetched, Err(StoreError::Missing { .. })), "{fetched:?}");
        found.extend(ids(&fetched.ok()?));
    }
    Some(found)
}

/// Returns the distinct errors with their counts, one on each line. Names of objects and numbers vary.
fn kinds(errors: &[String]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for error in errors {
        let is_name = |word: &str| word.contains("v1/") || word.contains("://");
        let words: Vec<&str> = error.split(' ').filter(|word| !is_name(word)).collect();
        *counts.entry(words.join(" ").replace(|it: char| it.is_ascii_digit(), "")).or_default() +=
            1;
    }
    counts.iter().map(|(error, count)| format!("\n{count} x {error}")).collect()
}

fn run(stress: &Stress, duration: Duration) {
    let until = Instant::now() + duration;
    std::thread::scope(|scope| {
        let workers = [
            scope.spawn(|| stress.write()),
            scope.spawn(|| stress.write()),
            scope.spawn(|| stress.collect()),
            scope.spawn(|| stress.read()),
        ];
        while Instant::now() < until && !workers.iter().any(|worker| worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
        }
        stress.is_over.store(true, Ordering::Relaxed);
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

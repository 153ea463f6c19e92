//! The index in this process: segments, each a file or not yet.

use super::compact::compact;
use super::manifest::FileName;
use crate::backend::{BackendError, Contents, Hits, IndexBackend, Known, Place, Statistics};
use crate::record::Record;
use crate::segment::{Doc, Forward, Key, Posting, Segment, SegmentBuilder, merge};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// With more segments than this, finding a word begins to cost.
const MOST_PARTS: usize = 24;

/// How many occurrences are handed on at a time.
const BATCH: usize = 256;

/// Segments in memory. Copies are cheap and share them.
#[derive(Debug, Clone, Default)]
pub struct Embedded {
    pub(super) parts: Vec<Part>,
}

/// A segment, and its file where it has one.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub segment: Arc<Segment>,
    pub name: Option<FileName>,
}

impl Part {
    /// A segment that is in memory only.
    pub fn new(segment: Arc<Segment>) -> Self {
        Self { segment, name: None }
    }
}

impl Embedded {
    /// These segments, in this order.
    pub fn new(segments: impl IntoIterator<Item = Arc<Segment>>) -> Self {
        Self { parts: segments.into_iter().map(Part::new).collect() }
    }

    /// The segments.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> + Clone {
        self.parts.iter().map(|part| &*part.segment)
    }

    fn segment(&self, place: Place) -> Option<&Segment> {
        let segment = &*self.parts.get(place.segment as usize)?.segment;
        ((place.doc as usize) < segment.len()).then_some(segment)
    }

    /// Whether some of it is in no file.
    pub(super) fn has_new(&self) -> bool {
        self.parts.iter().any(|part| part.name.is_none())
    }

    /// Whether a content is known.
    pub(super) fn knows(&self, key: &Key) -> bool {
        self.find_one(key).is_some()
    }

    fn find_one(&self, key: &Key) -> Option<Known> {
        let text = |(segment, at): (&Segment, u32)| {
            segment.find(key).map(|doc| Known::Text(Place { segment: at, doc }))
        };
        let is_not_text = || self.segments().any(|segment| segment.is_not_text(key));
        let found = self.segments().zip(0..).find_map(text);
        found.or_else(|| is_not_text().then_some(Known::NotText))
    }

    /// Puts one segment with what lives in the place of some.
    pub(super) fn replace(&mut self, chosen: &[usize], lives: impl Fn(&Key) -> bool) {
        let segments: Vec<&Segment> = chosen.iter().map(|&at| &*self.parts[at].segment).collect();
        let merged = merge(&segments, lives);
        let mut place = 0..;
        self.parts.retain(|_| place.next().is_some_and(|at| !chosen.contains(&at)));
        if merged.knows_something() {
            self.parts.push(Part::new(Arc::new(merged)));
        }
    }
}

impl IndexBackend for Embedded {
    fn upsert(&mut self, contents: Vec<(Key, Option<Record>)>) -> Result<(), BackendError> {
        let mut builder = SegmentBuilder::default();
        for (key, record) in contents {
            match record {
                _ if self.knows(&key) => {}
                Some(record) => builder.add(key, record),
                None => builder.add_not_text(key),
            }
        }
        if !builder.is_empty() {
            self.parts.push(Part::new(Arc::new(builder.finish())));
        }
        if self.parts.len() > MOST_PARTS {
            compact(self, |_| true);
        }
        Ok(())
    }

    fn delete(&mut self, keys: &[Key]) -> Result<(), BackendError> {
        let dead: FxHashSet<&Key> = keys.iter().collect();
        for at in (0..self.parts.len()).rev() {
            let segment = &self.parts[at].segment;
            if keys.iter().any(|key| segment.find(key).is_some() || segment.is_not_text(key)) {
                self.replace(&[at], |key| !dead.contains(key));
            }
        }
        Ok(())
    }

    fn find(&self, keys: &[Key]) -> Result<Vec<Option<Known>>, BackendError> {
        Ok(keys.iter().map(|key| self.find_one(key)).collect())
    }

    fn search(
        &self,
        words: &[u32],
        within: &Contents,
        found: &mut dyn FnMut(Hits<'_>) -> ControlFlow<()>,
    ) -> Result<(), BackendError> {
        let mut postings: Vec<Posting> = Vec::with_capacity(BATCH);
        for (word, &id) in words.iter().enumerate() {
            for (of_segment, segment) in self.segments().zip(0..) {
                let contents = within.of(segment);
                let is_within = |it: &Posting| contents.get(it.doc as usize) == Some(&true);
                let mut within = of_segment.postings(id).filter(is_within);
                loop {
                    postings.clear();
                    postings.extend(within.by_ref().take(BATCH));
                    if postings.is_empty() {
                        break;
                    }
                    if found(Hits { word, segment, postings: &postings }).is_break() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn figures(
        &self,
        places: &[Place],
        found: &mut dyn FnMut(&Doc, &[u32]),
    ) -> Result<(), BackendError> {
        for &place in places {
            let Some(segment) = self.segment(place) else { return Err(no_such(place)) };
            found(segment.doc(place.doc), segment.chunk_lengths(place.doc));
        }
        Ok(())
    }

    fn forward(&self, places: &[Place]) -> Result<Vec<Option<Forward>>, BackendError> {
        let forward = |&place: &Place| self.segment(place)?.forward(place.doc);
        Ok(places.iter().map(forward).collect())
    }

    fn statistics(&self) -> Result<Statistics, BackendError> {
        let mut statistics = Statistics::default();
        for segment in self.segments() {
            statistics.contents += segment.len();
            statistics.chunks += segment.chunk_count();
            statistics.bytes += segment.size() as u64;
        }
        Ok(statistics)
    }
}

fn no_such(place: Place) -> BackendError {
    BackendError { reason: format!("no content at {place:?}") }
}

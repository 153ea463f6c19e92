//! The index shared through an object store: what it already has is not analyzed again.
//!
//! A pack takes what it can get in the time that the settings allow, and never fails because of the
//! store. Commands about the store do.

mod connection;
mod objects;
mod reports;

pub use reports::{
    INDEX_STORE_VERSION, IndexGc, IndexPull, IndexPush, SharedIndexStatus, StoreTraffic,
};

pub(crate) use connection::Connections;
pub(crate) use objects::SharedObjects;
pub(crate) use reports::{explained, store_error};

use crate::error::Error;
use connection::Connection;
use kitbag_config::StoreSettings;
use kitbag_core::Cancel;
use kitbag_index::{AnalysisSettings, ContentKey, Segment, Snapshot};
use kitbag_repo::{Root, shared_name};
use kitbag_store::{
    CollectOptions, Collected, ContentId, NewSegment, SharedIndex, StoreError, Usage, collect,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Number of missing files below which a pack does not ask the store: analyzing them takes less time than
/// a few requests.
const MIN_MISSING: usize = 50;

/// Size that a pack is willing to download for each content, in bytes, instead of analyzing it.
const MAX_BYTES_EACH: u64 = 128 << 10;

/// What follows from a problem, in warnings.
const ANALYZED_HERE: &str = "the files are analyzed here instead";
const REST_ANALYZED_HERE: &str = "what only it has is analyzed here instead";
const NOT_SHARED: &str =
    "what was analyzed here is not shared, and `kitbag index push` tries again";

/// Number of damaged or missing objects that are named.
const MAX_NAMED: usize = 5;

/// What an indexing run does with the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StoreMode {
    /// Takes what is worth it and, if the settings say so, gives what was analyzed. Problems are
    /// warnings.
    #[default]
    Pack,
    /// Takes everything that is missing. Problems are errors, unless they are those of single objects.
    Pull,
    /// Takes everything that is missing and gives the rest. Problems are errors, unless they are those of
    /// single objects, whose contents are given again.
    Push,
}

/// The store of an indexing run, if one is configured.
#[derive(Clone, Copy)]
pub(crate) struct StoreUse<'a> {
    /// `None` to leave the store alone.
    pub settings: Option<&'a StoreSettings>,
    pub mode: StoreMode,
}

impl<'a> StoreUse<'a> {
    /// Uses the store for a pack or a search.
    pub fn for_pack(settings: &'a StoreSettings) -> Self {
        Self { settings: Some(settings), mode: StoreMode::Pack }
    }
}

/// What was exchanged with the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchange {
    /// Number of contents that were missing, and of those that the store had.
    pub missing: usize,
    pub pulled: usize,
    pub pulled_segments: usize,
    /// Number of contents that were pushed.
    pub pushed: usize,
    pub pushed_segments: usize,
    pub renewed_segments: usize,
    pub usage: Usage,
    /// Objects that are damaged or missing, in a run whose result says so; in others, they are among the
    /// warnings.
    pub problems: Vec<String>,
    pub warnings: Vec<String>,
}

/// The shared index of a repository, for one indexing run.
pub(super) struct SharedRun {
    /// `None` if the store cannot be opened, which is among the warnings.
    connection: Option<Arc<Connection>>,
    repository: String,
    fingerprint: String,
    cancel: Cancel,
    mode: StoreMode,
    before: Usage,
    /// Names of the segments that this run found damaged or missing.
    unusable: BTreeSet<String>,
    pub exchange: Exchange,
}

impl SharedRun {
    /// Opens the store, if there is one. A wrong URL or key is an error in any mode.
    pub fn open(
        connections: &Connections,
        using: StoreUse<'_>,
        root: &Root,
        analysis: &AnalysisSettings<'_>,
        cancel: &Cancel,
    ) -> Result<Option<Self>, Error> {
        let mut exchange = Exchange::default();
        let connection = match connections.open(using) {
            Ok(None) => return Ok(None),
            Ok(connection) => connection,
            Err(Error::Store { message, .. }) if using.mode == StoreMode::Pack => {
                exchange.warnings.push(format!("{message}; {ANALYZED_HERE}"));
                None
            }
            Err(error) => return Err(error),
        };
        let before = connection.as_ref().map_or_else(Usage::default, |it| it.store.usage());
        exchange.warnings.extend(connection.iter().flat_map(|it| it.warnings.iter().cloned()));
        let (repository, fingerprint) = (shared_name(root.path()), analysis.fingerprint());
        let (cancel, mode) = (cancel.clone(), using.mode);
        let unusable = BTreeSet::new();
        Ok(Some(Self {
            connection,
            repository,
            fingerprint,
            cancel,
            mode,
            before,
            unusable,
            exchange,
        }))
    }

    /// Returns the number of missing files from which the store is asked.
    pub fn min_missing(&self) -> usize {
        match (&self.connection, self.mode) {
            (None, _) => usize::MAX,
            (Some(_), StoreMode::Pack) => MIN_MISSING,
            (Some(_), StoreMode::Pull | StoreMode::Push) => 1,
        }
    }

    fn index(&self, connection: &Connection) -> Result<SharedIndex, StoreError> {
        let is_pack = self.mode == StoreMode::Pack;
        connection.check_recent_failure(is_pack)?;
        let store = connection.limited(is_pack, &self.cancel);
        Ok(SharedIndex::new(store, &self.repository, &self.fingerprint))
    }

    /// Adds the missing contents that the store has.
    pub fn pull(&mut self, snapshot: &mut Snapshot, missing: &[ContentKey]) -> Result<(), Error> {
        self.exchange.missing = missing.len();
        // `index pull` says if there is no store, even if it would take nothing.
        let is_due = !missing.is_empty() || self.mode == StoreMode::Pull;
        let Some(connection) = self.connection.clone().filter(|_| is_due) else { return Ok(()) };
        let pulled = self.try_pull(&connection, snapshot, missing);
        self.settle(&connection, pulled, ANALYZED_HERE)
    }

    fn try_pull(
        &mut self,
        connection: &Connection,
        snapshot: &mut Snapshot,
        missing: &[ContentKey],
    ) -> Result<(), StoreError> {
        let index = self.index(connection)?;
        if !self.creates_store(connection) {
            index.store().require()?;
        }
        if missing.is_empty() {
            return Ok(());
        }
        let mut listing = index.read()?;
        let mut wanted: Vec<ContentId> = missing.iter().map(|key| key.0).collect();
        let mut problems = std::mem::take(&mut listing.problems);
        let lost = listing.missing.iter().filter(|it| wanted.iter().any(|id| it.may_have(id)));
        problems.extend(lost.map(|it| index.missing(it)));
        let limit = if self.mode == StoreMode::Pack { MAX_BYTES_EACH } else { u64::MAX };
        let (mut segments, mut unusable, mut failure) = (Vec::new(), Vec::new(), None);
        loop {
            let chosen = listing.choose(&wanted, limit);
            let unusable_before = unusable.len();
            for (entry, fetched) in chosen.iter().zip(index.fetch(&chosen)) {
                let segment = fetched.and_then(|bytes| {
                    Segment::from_bytes(bytes).map_err(|_| index.unreadable(entry))
                });
                match segment {
                    Ok(segment) => {
                        wanted.retain(|id| !entry.may_have(id));
                        segments.push(segment);
                    }
                    Err(error) if error.is_of_object() => {
                        self.unusable.insert(entry.name().to_owned());
                        unusable.push((entry.clone(), error));
                    }
                    Err(error) => failure = failure.or(Some(error)),
                }
            }
            if failure.is_some() || unusable.len() == unusable_before {
                break;
            }
            // Other segments may have the same contents.
            listing = listing.without(&self.unusable);
        }
        self.exchange.pulled_segments = segments.len();
        self.exchange.pulled = snapshot.add_segments(&segments, missing);
        for (entry, error) in unusable {
            if wanted.iter().any(|id| entry.may_have(id)) {
                problems.push(error);
            } else {
                let same = "another object has the same contents";
                self.exchange.warnings.push(format!("{}; {same}", explained(&error)));
            }
        }
        self.report_objects(&problems);
        failure.map_or(Ok(()), Err)
    }

    /// Whether this run makes a store where there is none.
    fn creates_store(&self, connection: &Connection) -> bool {
        match self.mode {
            StoreMode::Pack => connection.settings.write,
            StoreMode::Pull => false,
            StoreMode::Push => true,
        }
    }

    /// Reports objects that are damaged or missing. The run goes on without them.
    fn report_objects(&mut self, problems: &[StoreError]) {
        let named = problems.iter().take(MAX_NAMED);
        let mut texts: Vec<String> =
            named.map(|error| format!("{}; {REST_ANALYZED_HERE}", explained(error))).collect();
        if problems.len() > MAX_NAMED {
            let more = problems.len() - MAX_NAMED;
            texts.push(format!("{more} more objects in the store are damaged or missing"));
        }
        let known = match self.mode {
            StoreMode::Pull => &mut self.exchange.problems,
            StoreMode::Pack | StoreMode::Push => &mut self.exchange.warnings,
        };
        texts.retain(|text| !known.contains(text));
        known.extend(texts);
    }

    /// Gives what was analyzed, if this run should.
    pub fn push(&mut self, snapshot: &Snapshot, analyzed: usize) -> Result<(), Error> {
        let is_due = |connection: &Arc<Connection>| match self.mode {
            StoreMode::Pack => connection.settings.write && analyzed > 0,
            StoreMode::Pull => false,
            StoreMode::Push => true,
        };
        let Some(connection) = self.connection.clone().filter(is_due) else { return Ok(()) };
        if self.cancel.is_cancelled() {
            return Ok(());
        }
        let pushed = self.try_push(&connection, snapshot);
        self.settle(&connection, pushed, NOT_SHARED)
    }

    fn try_push(&mut self, connection: &Connection, snapshot: &Snapshot) -> Result<(), StoreError> {
        let index = self.index(connection)?;
        let listing = index.read()?;
        self.report_objects(&listing.problems);
        let listing = listing.without(&self.unusable);
        let keys = snapshot.shareable();
        let new: Vec<ContentKey> =
            keys.iter().filter(|key| !listing.may_have(&key.0)).copied().collect();
        let segment = |segment: Segment| NewSegment {
            bytes: segment.to_bytes(),
            contents: segment.keys().iter().map(|key| key.0).collect(),
        };
        let segments = snapshot.extract(&new).into_iter().map(segment).collect();
        let ids: Vec<ContentId> = keys.iter().map(|key| key.0).collect();
        let outcome = index.push(&listing, segments, &ids)?;
        self.exchange.pushed = outcome.contents;
        self.exchange.pushed_segments = outcome.segments;
        self.exchange.renewed_segments = outcome.renewed;
        Ok(())
    }

    /// Turns a problem into a warning or an error.
    fn settle(
        &mut self,
        connection: &Connection,
        result: Result<(), StoreError>,
        consequence: &str,
    ) -> Result<(), Error> {
        let now = connection.store.usage();
        self.exchange.usage = Usage {
            requests: now.requests - self.before.requests,
            received: now.received - self.before.received,
            sent: now.sent - self.before.sent,
        };
        let Err(error) = result else { return Ok(()) };
        if self.mode != StoreMode::Pack {
            return Err(store_error(&error));
        }
        if !matches!(error, StoreError::Cancelled { .. }) {
            let warning = format!("{}; {consequence}", explained(&error));
            if !self.exchange.warnings.contains(&warning) {
                self.exchange.warnings.push(warning);
            }
            connection.remember_failure(&error);
        }
        Ok(())
    }
}

impl Connections {
    /// Returns the state of a repository's shared index.
    pub fn status(
        &self,
        settings: &StoreSettings,
        root: &Root,
        analysis: &AnalysisSettings<'_>,
        cancel: &Cancel,
    ) -> Result<SharedIndexStatus, Error> {
        let connection = self.required(settings, StoreMode::Pull)?;
        let repository = shared_name(root.path());
        let store = connection.limited(false, cancel);
        store.require().map_err(|error| store_error(&error))?;
        let index = SharedIndex::new(store, &repository, &analysis.fingerprint());
        let listing = index.read().map_err(|error| store_error(&error))?;
        Ok(SharedIndexStatus::new(&index, repository, &listing))
    }

    /// Collects what the store no longer needs, in all indexes.
    pub fn collect(
        &self,
        settings: &StoreSettings,
        options: CollectOptions,
        cancel: &Cancel,
    ) -> Result<IndexGc, Error> {
        // Without a store there is nothing to collect, and none is made.
        let connection = self.required(settings, StoreMode::Pull)?;
        let store = connection.limited(false, cancel);
        store.require().map_err(|error| store_error(&error))?;
        let merge = |segments: &[Vec<u8>]| {
            let segments = segments.iter().map(|bytes| Segment::from_bytes(bytes.clone()));
            let segments: Vec<Segment> = segments.collect::<Result<_, _>>().ok()?;
            let merged = Segment::merged(&segments, |_| true);
            let contents = merged.keys().iter().map(|key| key.0).collect();
            Some(NewSegment { bytes: merged.to_bytes(), contents })
        };
        let collected: Result<Collected, StoreError> = collect(&store, options, &merge);
        Ok(IndexGc::new(&store, collected.map_err(|error| store_error(&error))?))
    }
}

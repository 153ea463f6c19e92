//! A store: objects by name, compressed, checked, and encrypted if there is a key.

use crate::bucket::{Bucket, ObjectEntry, Usage};
use crate::encryption::{StoreKey, fresh_name, hex, sha256};
use crate::envelope::{self, EnvelopeError, FORMAT};
use crate::error::StoreError;
use crate::layout::{FOLDERS, MARKER};
use crate::limits::{Limits, MAX_MARKER_BYTES};
use crate::marker;
use crate::runtime::{Executor, Limit};
use crate::url::StoreUrl;
use futures_util::{StreamExt, stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Maximum number of concurrent requests.
const MAX_CONCURRENCY: usize = 8;

/// Number of objects from which a store that has lost its marker is recognized.
const MAX_VERIFIED: usize = 4;

/// How a store is opened.
#[derive(Debug, Clone, Default)]
pub struct StoreOptions {
    /// Environment variables, of which those of the cloud services are used, such as
    /// `AWS_ACCESS_KEY_ID`.
    pub environment: Vec<(String, String)>,
    /// Key that encrypts the objects and their names.
    pub key: Option<StoreKey>,
    /// Whether writing creates the folder of a `file://` store. The folder that it is in must exist.
    pub creates_folder: bool,
}

/// A store of objects. All calls block, and must not be made on a thread of an async runtime. Clones
/// are cheap and share their connection.
///
/// Names consist of letters, digits, `-`, `_` and `.` between slashes. A name must never be written
/// again with another content; [`ObjectStore::fresh_name`] makes new ones.
#[derive(Debug, Clone)]
pub struct ObjectStore {
    shared: Arc<Shared>,
    limit: Limit,
}

#[derive(Debug)]
struct Shared {
    bucket: Bucket,
    key: Option<StoreKey>,
    executor: Executor,
    /// Whether the marker exists and fits.
    is_checked: AtomicBool,
}

impl ObjectStore {
    /// Prepares access to a store. No request is made.
    pub fn open(url: &StoreUrl, options: &StoreOptions) -> Result<Self, StoreError> {
        let bucket = Bucket::open(url, &options.environment, options.creates_folder)?;
        let executor = Executor::new().map_err(|error| StoreError::Open {
            url: url.to_string(),
            reason: error.to_string(),
        })?;
        let (key, is_checked) = (options.key.clone(), AtomicBool::new(false));
        let shared = Arc::new(Shared { bucket, key, executor, is_checked });
        Ok(Self { shared, limit: Limit::default() })
    }

    /// Returns a clone whose operations fail after `deadline`.
    pub fn until(&self, deadline: Instant) -> Self {
        let deadline = Some(self.limit.deadline.map_or(deadline, |own| own.min(deadline)));
        Self { limit: Limit { deadline, ..self.limit.clone() }, ..self.clone() }
    }

    /// Returns a clone whose operations fail once `is_cancelled` returns `true`.
    pub fn unless(&self, is_cancelled: Arc<dyn Fn() -> bool + Send + Sync>) -> Self {
        let limit = Limit { is_cancelled: Some(is_cancelled), ..self.limit.clone() };
        Self { limit, ..self.clone() }
    }

    /// Returns the URL.
    pub fn url(&self) -> &str {
        &self.shared.bucket.url
    }

    /// Whether objects are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.shared.key.is_some()
    }

    /// Returns the number of operations and bytes so far, of all clones.
    pub fn usage(&self) -> Usage {
        self.shared.bucket.usage()
    }

    /// Returns a part of a name that stands for `parts` without revealing them: a hash, which is keyed
    /// in an encrypted store.
    pub fn hashed_name(&self, parts: &[&str]) -> String {
        let text = parts.join("\0");
        let hash = match &self.shared.key {
            Some(key) => key.hash(text.as_bytes()),
            None => sha256(&[text.as_bytes()]),
        };
        hex(&hash[..16])
    }

    /// Returns a part of a name that nothing else has.
    pub fn fresh_name(&self) -> Result<String, StoreError> {
        fresh_name().ok_or_else(|| self.no_randomness())
    }

    /// Fails if there is no store yet, or one that cannot be used. Without this check, a place without a
    /// store reads as an empty one.
    pub fn require(&self) -> Result<(), StoreError> {
        self.run(async {
            self.check_marker().await?;
            if self.is_checked() {
                return Ok(());
            }
            let url = self.url().to_owned();
            Err(match self.inspect().await? {
                Contents::Nothing => StoreError::NoStore { url },
                Contents::Own(_) => StoreError::MarkerMissing { url },
                Contents::Foreign(example) => StoreError::Foreign { url, example },
            })
        })?
    }

    /// Makes the store if there is none yet, and writes its marker again if that was lost.
    pub fn create(&self) -> Result<(), StoreError> {
        self.run(self.make_marker())?
    }

    /// Reads an object. `None` if it does not exist.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.run(self.read(name, u64::MAX))?
    }

    /// Reads objects concurrently, in the order of their names. Later objects fail once the limit is
    /// reached.
    pub fn get_all(&self, names: &[String]) -> Vec<Result<Option<Vec<u8>>, StoreError>> {
        self.read_all(names.iter().map(|name| (name.as_str(), u64::MAX)))
    }

    /// Reads objects, each with the maximum size that is known of it.
    pub(crate) fn read_all<'a>(
        &self,
        objects: impl ExactSizeIterator<Item = (&'a str, u64)>,
    ) -> Vec<Result<Option<Vec<u8>>, StoreError>> {
        let (count, mut read) = (objects.len(), Vec::new());
        let all = async {
            let reads = stream::iter(objects.map(|(name, max)| self.read(name, max)));
            let mut reads = reads.buffered(MAX_CONCURRENCY);
            while let Some(result) = reads.next().await {
                read.push(result);
            }
        };
        if let Err(error) = self.run(all) {
            read.push(Err(error));
        }
        while read.len() < count {
            read.push(Err(self.limit_error()));
        }
        read
    }

    async fn read(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        match self.read_once(name, max).await {
            // It may have been damaged on the way.
            Err(StoreError::Damaged { .. }) => self.read_once(name, max).await,
            result => result,
        }
    }

    async fn read_once(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.check_marker().await?;
        let limits = Limits::of(name);
        let object = self.shared.bucket.get(&full(name), max.min(limits.object)).await?;
        let Some(object) = object else { return Ok(None) };
        let content = envelope::decode(name, &object, self.shared.key.as_ref(), limits.content);
        content.map(Some).map_err(|error| self.envelope_error(name, error))
    }

    /// Writes an object and returns its size as stored.
    pub fn put(&self, name: &str, content: &[u8]) -> Result<u64, StoreError> {
        let object = envelope::encode(name, content, self.shared.key.as_ref())
            .ok_or_else(|| self.no_randomness())?;
        let size = object.len() as u64;
        let limits = Limits::of(name);
        if size > limits.object || content.len() as u64 > limits.content {
            // Readers would refuse it.
            let (url, object) = (self.url().to_owned(), full(name));
            return Err(StoreError::TooLarge { url, object });
        }
        self.run(async {
            self.make_marker().await?;
            self.shared.bucket.put(&full(name), object).await
        })??;
        Ok(size)
    }

    /// Lists all objects below a folder, sorted by name.
    pub fn list(&self, folder: &str) -> Result<Vec<ObjectEntry>, StoreError> {
        let list = async {
            self.check_marker().await?;
            self.shared.bucket.list(&full(folder)).await
        };
        let mut entries = self.run(list)??;
        entries.retain_mut(|entry| {
            let own = entry.name.strip_prefix(&full("")).map(str::to_owned);
            own.map(|name| entry.name = name).is_some()
        });
        Ok(entries)
    }

    /// Deletes an object. It is no error if there is none.
    pub fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.run(self.shared.bucket.delete(&full(name)))?
    }

    fn is_checked(&self) -> bool {
        self.shared.is_checked.load(Ordering::Relaxed)
    }

    /// Checks that the store can be used with the key, if there is a store.
    async fn check_marker(&self) -> Result<(), StoreError> {
        let Shared { bucket, key, is_checked, .. } = &*self.shared;
        if !self.is_checked()
            && let Some(bytes) = bucket.get(MARKER, MAX_MARKER_BYTES).await?
        {
            marker::check(self.url(), &bytes, key.as_ref())?;
            is_checked.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Makes the marker of a new store, or that of a store that has lost it, unless the place is in use by
    /// something else.
    async fn make_marker(&self) -> Result<(), StoreError> {
        let Shared { bucket, key, .. } = &*self.shared;
        self.check_marker().await?;
        if self.is_checked() {
            return Ok(());
        }
        let contents = self.inspect().await?;
        if !matches!(contents, Contents::Nothing) {
            // Another writer may have made the marker meanwhile.
            self.check_marker().await?;
            if self.is_checked() {
                return Ok(());
            }
        }
        match contents {
            Contents::Nothing => {}
            Contents::Own(objects) => self.verify_some(objects).await?,
            Contents::Foreign(example) => {
                return Err(StoreError::Foreign { url: self.url().to_owned(), example });
            }
        }
        bucket.put_new(MARKER, marker::encode(key.as_ref())).await?;
        // Another writer may have made that of a store with another key at the same time.
        self.check_marker().await?;
        if self.is_checked() {
            return Ok(());
        }
        // Readers would take the place for a store that has lost its marker.
        let (url, object) = (self.url().to_owned(), MARKER.to_owned());
        Err(StoreError::Damaged { url, object, reason: "it cannot be read back" })
    }

    /// Returns what is in a place without a marker, as far as one page of a listing shows it.
    async fn inspect(&self) -> Result<Contents, StoreError> {
        let mut objects = self.shared.bucket.first_page().await?;
        objects.retain(|it| it.name != MARKER);
        let is_own = |name: &str| {
            let folder = name.strip_prefix(&full("")).and_then(|rest| rest.split('/').next());
            folder.is_some_and(|folder| FOLDERS.contains(&folder))
        };
        Ok(match objects.iter().position(|it| !is_own(&it.name)) {
            Some(foreign) => Contents::Foreign(objects.swap_remove(foreign).name),
            None if objects.is_empty() => Contents::Nothing,
            None => Contents::Own(objects),
        })
    }

    /// Checks that one of the objects can be read with the key, so that the marker would be right.
    async fn verify_some(&self, mut objects: Vec<ObjectEntry>) -> Result<(), StoreError> {
        let Shared { bucket, key, .. } = &*self.shared;
        objects.sort_by_key(|it| it.size);
        let url = self.url().to_owned();
        let mut problem = StoreError::MarkerMissing { url: url.clone() };
        for entry in objects.iter().take(MAX_VERIFIED) {
            let Some(name) = entry.name.strip_prefix(&full("")) else { continue };
            let limits = Limits::of(name);
            let object = match bucket.get(&entry.name, limits.object).await {
                Ok(Some(object)) => object,
                Err(error) if !error.is_of_object() => return Err(error),
                _ => continue,
            };
            if envelope::decode(name, &object, key.as_ref(), limits.content).is_ok() {
                return Ok(());
            }
            let url = url.clone();
            problem = match (envelope::is_encrypted(&object), key) {
                (Some(true), None) => StoreError::KeyMissing { url },
                (Some(true), Some(_)) => StoreError::WrongKey { url },
                (Some(false), Some(_)) => StoreError::NotEncrypted { url },
                (Some(false) | None, _) => problem,
            };
        }
        Err(problem)
    }

    fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, StoreError> {
        self.shared.executor.run(self.url(), &self.limit, work)
    }

    fn limit_error(&self) -> StoreError {
        let timed_out = || StoreError::TimedOut { url: self.url().to_owned() };
        self.limit.check(self.url()).err().unwrap_or_else(timed_out)
    }

    fn no_randomness(&self) -> StoreError {
        let reason = "the system provides no random numbers".to_owned();
        StoreError::Open { url: self.url().to_owned(), reason }
    }

    fn envelope_error(&self, name: &str, error: EnvelopeError) -> StoreError {
        let (url, object) = (self.url().to_owned(), full(name));
        match error {
            EnvelopeError::Damaged(reason) => StoreError::Damaged { url, object, reason },
            EnvelopeError::Version { found } => {
                let place = format!("{url}/{object}");
                StoreError::Version { place, found, expected: FORMAT }
            }
        }
    }

    pub(crate) fn missing(&self, name: &str) -> StoreError {
        StoreError::Missing { url: self.url().to_owned(), object: full(name) }
    }

    pub(crate) fn damaged(&self, name: &str, reason: &'static str) -> StoreError {
        self.envelope_error(name, EnvelopeError::Damaged(reason))
    }
}

/// What is in a place without a marker.
enum Contents {
    Nothing,
    /// Objects of a store that has lost its marker.
    Own(Vec<ObjectEntry>),
    /// Something else, of which this is one object.
    Foreign(String),
}

/// Returns the name below the prefix of the store.
fn full(name: &str) -> String {
    format!("v{FORMAT}/{name}")
}

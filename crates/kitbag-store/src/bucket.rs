//! A bucket or folder: objects by name, as they are stored.

use crate::error::{StoreError, is_missing, without_generic};
use crate::folder::{FileRead, Folder};
use crate::http::{Connector, MaxBytes};
use crate::url::{Scheme, StoreUrl};
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, GetOptions, ObjectMeta, ObjectStore as Backend, ObjectStoreExt, PutMode,
    RetryConfig,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Retries of one request, within the limit of the whole operation.
const MAX_RETRIES: usize = 4;
const RETRY_TIME: Duration = Duration::from_secs(30);

/// Maximum number of objects in one page of a listing.
const PAGE: usize = 1_000;

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectEntry {
    /// Name, relative to what was opened.
    pub name: String,
    /// Size as stored, in bytes.
    pub size: u64,
    /// Time of its creation by the clock of the store, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// Number of operations, and of bytes transferred. Retries are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Objects read, written, listed and deleted; a listing counts once for each thousand objects.
    pub requests: u64,
    /// Bytes of objects that were read.
    pub received: u64,
    /// Bytes of objects that were written.
    pub sent: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    requests: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
}

/// A connection to a bucket or folder.
#[derive(Debug)]
pub(crate) struct Bucket {
    pub url: String,
    place: Place,
    prefix: String,
    counters: Counters,
}

#[derive(Debug)]
enum Place {
    Cloud(Arc<dyn Backend>),
    Folder(Arc<Folder>),
}

impl Bucket {
    /// Prepares a connection. No request is made.
    pub fn open(
        url: &StoreUrl,
        environment: &[(String, String)],
        creates_folder: bool,
    ) -> Result<Self, StoreError> {
        let place = match url.scheme {
            Scheme::File => Place::Folder(Arc::new(Folder::open(url, creates_folder)?)),
            scheme => {
                let cloud = open_cloud(scheme, &url.bucket, environment);
                let error = |SettingsError { reason, hint }| StoreError::Settings {
                    url: url.to_string(),
                    reason,
                    hint,
                };
                Place::Cloud(cloud.map_err(error)?)
            }
        };
        let (prefix, counters) = (url.prefix.clone(), Counters::default());
        Ok(Self { url: url.to_string(), place, prefix, counters })
    }

    fn path(&self, name: &str) -> Path {
        match self.prefix.as_str() {
            "" => Path::from(name),
            prefix => Path::from(format!("{prefix}/{name}")),
        }
    }

    fn error(&self, error: &object_store::Error) -> StoreError {
        StoreError::of_request(self.url.clone(), error)
    }

    /// Returns what reads and deletes. `None` if the folder does not exist yet.
    fn backend(&self) -> Result<Option<Arc<dyn Backend>>, StoreError> {
        match &self.place {
            Place::Cloud(cloud) => Ok(Some(Arc::clone(cloud))),
            Place::Folder(folder) => match folder.files() {
                Ok(files) => Ok(files.map(|files| files as _)),
                Err(error) => Err(self.error(&error)),
            },
        }
    }

    /// Returns what writes. Creates the folder if it may be created.
    async fn writable_backend(&self) -> Result<Arc<dyn Backend>, StoreError> {
        if let Place::Folder(folder) = &self.place {
            let folder = Arc::clone(folder);
            let created = tokio::task::spawn_blocking(move || folder.create()).await;
            let created = created.unwrap_or_else(|error| Err(std::io::Error::other(error)));
            created.map_err(|error| StoreError::of_io(self.url.clone(), &error))?;
        }
        let missing = || StoreError::Open {
            url: self.url.clone(),
            reason: "the folder does not exist".to_owned(),
        };
        self.backend()?.ok_or_else(missing)
    }

    /// Reads an object of at most `max` bytes. `None` if it does not exist.
    pub async fn get(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.count(1);
        let damaged = |reason| {
            let (url, object) = (self.url.clone(), name.to_owned());
            Err(StoreError::Damaged { url, object, reason })
        };
        let Some(backend) = self.backend()? else { return Ok(None) };
        let path = self.path(name);
        let bytes = if let Place::Folder(folder) = &self.place {
            let folder = Arc::clone(folder);
            let read = tokio::task::spawn_blocking(move || folder.read(&path, max)).await;
            match read.unwrap_or_else(|error| Err(std::io::Error::other(error))) {
                Ok(FileRead::Bytes(bytes)) => bytes,
                Ok(FileRead::Missing) => return Ok(None),
                Ok(FileRead::TooLarge) => return damaged(TOO_LARGE),
                Ok(FileRead::NotRegular) => return damaged("it is not a regular file"),
                Err(error) => return Err(StoreError::of_io(self.url.clone(), &error)),
            }
        } else {
            let mut options = GetOptions::default();
            options.extensions.insert(MaxBytes(max));
            let read = async { backend.get_opts(&path, options).await?.bytes().await };
            match read.await {
                Ok(bytes) => bytes.into(),
                Err(error) if is_missing(&error) => return Ok(None),
                Err(error) => {
                    return match self.error(&error) {
                        StoreError::ResponseTooLarge { .. } => damaged(TOO_LARGE),
                        error => Err(error),
                    };
                }
            }
        };
        self.counters.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(Some(bytes))
    }

    /// Writes an object.
    pub async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        let backend = self.writable_backend().await?;
        self.count(1);
        self.counters.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let written = backend.put(&self.path(name), bytes.into()).await;
        written.map(|_| ()).map_err(|error| self.error(&error))
    }

    /// Writes an object unless it exists, where the store can tell; elsewhere it replaces it.
    pub async fn put_new(&self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        let backend = self.writable_backend().await?;
        self.count(1);
        let payload = bytes.clone().into();
        match backend.put_opts(&self.path(name), payload, PutMode::Create.into()).await {
            Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
            Err(_) => self.put(name, bytes).await,
            Ok(_) => {
                self.counters.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Lists all objects below a folder.
    pub async fn list(&self, folder: &str) -> Result<Vec<ObjectEntry>, StoreError> {
        self.list_some(folder, usize::MAX).await
    }

    /// Lists about a thousand objects, whichever come first.
    pub async fn first_page(&self) -> Result<Vec<ObjectEntry>, StoreError> {
        self.list_some("", PAGE).await
    }

    async fn list_some(&self, folder: &str, max: usize) -> Result<Vec<ObjectEntry>, StoreError> {
        let path = self.path(folder);
        let prefix = (!path.as_ref().is_empty()).then_some(&path);
        let Some(backend) = self.backend()? else { return Ok(Vec::new()) };
        let found: Result<Vec<_>, _> = backend.list(prefix).take(max).try_collect().await;
        let found = found.map_err(|error| self.error(&error))?;
        self.count(found.len().div_ceil(PAGE).max(1) as u64);
        let mut entries: Vec<ObjectEntry> =
            found.into_iter().filter_map(|object| self.entry(object)).collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn entry(&self, object: ObjectMeta) -> Option<ObjectEntry> {
        let path = object.location.as_ref();
        let name = match self.prefix.as_str() {
            "" => path,
            prefix => path.strip_prefix(prefix)?.strip_prefix('/')?,
        };
        let modified_ms = object.last_modified.timestamp_millis();
        Some(ObjectEntry { name: name.to_owned(), size: object.size, modified_ms })
    }

    /// Deletes an object. It is no error if there is none.
    pub async fn delete(&self, name: &str) -> Result<(), StoreError> {
        let Some(backend) = self.backend()? else { return Ok(()) };
        self.count(1);
        match backend.delete(&self.path(name)).await {
            Err(error) if !is_missing(&error) => Err(self.error(&error)),
            _ => Ok(()),
        }
    }

    fn count(&self, requests: u64) {
        self.counters.requests.fetch_add(requests, Ordering::Relaxed);
    }

    pub fn usage(&self) -> Usage {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { requests, received, sent } = &self.counters;
        Usage { requests: load(requests), received: load(received), sent: load(sent) }
    }
}

/// What is wrong with an object that no writer made.
const TOO_LARGE: &str = "it is larger than expected";

/// Variables with the address of a server.
const ENDPOINTS: [&str; 5] = [
    "AWS_ENDPOINT",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AZURE_STORAGE_ENDPOINT",
    "GOOGLE_BASE_URL",
];

/// Reason why a store cannot be opened with the user's variables.
struct SettingsError {
    reason: String,
    hint: &'static str,
}

impl From<String> for SettingsError {
    fn from(reason: String) -> Self {
        Self { reason, hint: "correct the variable, or remove it" }
    }
}

impl SettingsError {
    /// Names the variable that is missing. The types of the client's errors are private, so their texts tell.
    fn of_client(error: &object_store::Error) -> Self {
        let text = error.to_string();
        let missing = |variable: &str| format!("`{variable}` is not set");
        let (reason, hint) = match text.rsplit(": ").next() {
            Some("Account must be specified") => {
                (missing("AZURE_STORAGE_ACCOUNT_NAME"), "set `AZURE_STORAGE_ACCOUNT_NAME`")
            }
            Some("Missing AccessKeyId") => (
                missing("AWS_ACCESS_KEY_ID"),
                "set `AWS_ACCESS_KEY_ID`, or remove `AWS_SECRET_ACCESS_KEY`",
            ),
            Some("Missing SecretAccessKey") => (
                missing("AWS_SECRET_ACCESS_KEY"),
                "set `AWS_SECRET_ACCESS_KEY`, or remove `AWS_ACCESS_KEY_ID`",
            ),
            _ => return without_generic(&text).to_owned().into(),
        };
        Self { reason, hint }
    }
}

/// Checks the address of a server, because signing a request to an invalid one panics.
fn check_endpoint(name: &str, value: &str) -> Result<(), String> {
    if value.is_empty() || !ENDPOINTS.contains(&name) {
        return Ok(());
    }
    let uri: Option<ureq::http::Uri> = value.parse().ok();
    let is_usable = uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some()
    });
    let example = "write an address such as `https://storage.example.org`";
    if is_usable { Ok(()) } else { Err(format!("`{name}` is `{value}`: {example}")) }
}

fn open_cloud(
    scheme: Scheme,
    bucket: &str,
    environment: &[(String, String)],
) -> Result<Arc<dyn Backend>, SettingsError> {
    let variable = |name: &str| {
        let found = environment.iter().find(|(key, value)| key == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    };
    let variables = match scheme {
        Scheme::S3 => "AWS_",
        Scheme::Gcs => "GOOGLE_",
        Scheme::Azure | Scheme::File => "AZURE_",
    };
    for (name, value) in environment.iter().filter(|(name, _)| name.starts_with(variables)) {
        check_endpoint(name, value)?;
    }
    let named = |name| variable(name).map(|file| (name, file));
    let certificates = match named("AWS_CA_BUNDLE").or(named("SSL_CERT_FILE")) {
        Some((name, file)) => {
            let unreadable = |error| format!("`{file}`, which `{name}` names: {error}");
            Some(std::fs::read(file).map_err(unreadable)?)
        }
        None => None,
    };
    let http = Connector::new(certificates.as_deref())?;
    let backoff = BackoffConfig { max_backoff: Duration::from_secs(5), ..BackoffConfig::default() };
    let retry = RetryConfig { backoff, max_retries: MAX_RETRIES, retry_timeout: RETRY_TIME };
    let settings = |prefix: &'static str| {
        let own = environment.iter().filter(move |(key, _)| key.starts_with(prefix));
        own.map(|(key, value)| (key.to_ascii_lowercase(), value.as_str()))
    };
    let built: object_store::Result<Arc<dyn Backend>> = match scheme {
        Scheme::S3 => {
            let mut builder = AmazonS3Builder::new().with_bucket_name(bucket);
            for (key, value) in settings("AWS_") {
                if let Ok(key) = key.parse() {
                    builder = builder.with_config(key, value);
                }
            }
            // Plain HTTP only where the user named it.
            let endpoint = variable("AWS_ENDPOINT_URL_S3").or(variable("AWS_ENDPOINT_URL"));
            let endpoint = endpoint.or(variable("AWS_ENDPOINT"));
            if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
                builder = builder.with_allow_http(true);
            }
            builder.with_retry(retry).with_http_connector(http).build().map(|it| Arc::new(it) as _)
        }
        Scheme::Gcs => {
            let mut builder = GoogleCloudStorageBuilder::new().with_bucket_name(bucket);
            for (key, value) in settings("GOOGLE_") {
                if let Ok(key) = key.parse() {
                    builder = builder.with_config(key, value);
                }
            }
            builder.with_retry(retry).with_http_connector(http).build().map(|it| Arc::new(it) as _)
        }
        Scheme::Azure | Scheme::File => {
            let mut builder = MicrosoftAzureBuilder::new().with_container_name(bucket);
            for (key, value) in settings("AZURE_") {
                if let Ok(key) = key.parse() {
                    builder = builder.with_config(key, value);
                }
            }
            builder.with_retry(retry).with_http_connector(http).build().map(|it| Arc::new(it) as _)
        }
    };
    built.map_err(|error| SettingsError::of_client(&error))
}

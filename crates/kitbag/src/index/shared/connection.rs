//! Connections to stores, kept for all requests of an engine.

use super::reports::store_error;
use super::{StoreMode, StoreUse};
use crate::error::Error;
use crate::index::lock;
use kitbag_config::StoreSettings;
use kitbag_core::Cancel;
use kitbag_store::{ObjectStore, StoreError, StoreKey, StoreOptions};
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long packs leave a store alone after it failed, so that each does not wait for it again.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// Maximum size of a key file in bytes.
const MAX_KEY_BYTES: u64 = 1_024;

/// The connections of an engine.
#[derive(Default)]
pub(crate) struct Connections {
    open: Mutex<Vec<Arc<Connection>>>,
}

/// A connection to a store.
pub(crate) struct Connection {
    pub settings: StoreSettings,
    pub store: ObjectStore,
    /// Problems with the settings that do not prevent their use.
    pub warnings: Vec<String>,
    last_failure: Mutex<Option<Instant>>,
}

impl Connections {
    /// Opens the store of the settings, if there is one. Makes no request.
    pub fn open(&self, using: StoreUse<'_>) -> Result<Option<Arc<Connection>>, Error> {
        let Some(settings) = using.settings else { return Ok(None) };
        let Some(url) = &settings.url else { return Ok(None) };
        let mut open = lock(&self.open);
        if let Some(known) = open.iter().find(|it| it.settings == *settings) {
            return Ok(Some(Arc::clone(known)));
        }
        let url = url.parse().map_err(|error: kitbag_store::UrlError| Error::StoreSettings {
            message: error.to_string(),
            hint: "for example `s3://bucket/kitbag` or `file:///srv/kitbag`".to_owned(),
        })?;
        let creates_folder = using.mode == StoreMode::Push || settings.write;
        let options = StoreOptions {
            environment: settings.environment.0.to_vec(),
            key: key(settings)?,
            creates_folder,
        };
        // A folder may appear later, so a failure is not kept.
        let store = ObjectStore::open(&url, &options).map_err(|error| store_error(&error))?;
        let warnings = settings.key_file.as_deref().and_then(readable_by_others);
        let (settings, last_failure) = (settings.clone(), Mutex::default());
        let warnings = warnings.into_iter().collect();
        let connection = Arc::new(Connection { settings, store, warnings, last_failure });
        open.push(Arc::clone(&connection));
        Ok(Some(connection))
    }

    /// Opens the store of the settings, which must name one.
    pub fn required(
        &self,
        settings: &StoreSettings,
        mode: StoreMode,
    ) -> Result<Arc<Connection>, Error> {
        self.open(StoreUse { settings: Some(settings), mode })?.ok_or_else(|| {
            Error::StoreSettings {
                message: "no store is configured".to_owned(),
                hint: "pass --store URL, or set `store.url` in the user configuration".to_owned(),
            }
        })
    }
}

impl Connection {
    /// Returns the store with the limits of a pack or of a command.
    pub fn limited(&self, is_pack: bool, cancel: &Cancel) -> ObjectStore {
        let cancel = cancel.clone();
        let store = self.store.unless(Arc::new(move || cancel.is_cancelled()));
        match is_pack {
            true => store.until(Instant::now() + Duration::from_millis(self.settings.timeout_ms)),
            false => store,
        }
    }

    /// Fails at once if a pack found the store unusable a moment ago.
    pub fn check_recent_failure(&self, is_pack: bool) -> Result<(), StoreError> {
        let failed = *lock(&self.last_failure);
        match failed {
            Some(at) if is_pack && at.elapsed() < RETRY_AFTER => {
                Err(StoreError::Resting { url: self.store.url().to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// Has later packs leave the store alone for a while, unless only an object was damaged.
    pub fn remember_failure(&self, error: &StoreError) {
        if matches!(error, StoreError::Request { .. } | StoreError::TimedOut { .. }) {
            *lock(&self.last_failure) = Some(Instant::now());
        }
    }
}

/// Returns a warning if users other than the owner of a key and the owner's group can read it.
#[cfg(unix)]
fn readable_by_others(file: &str) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(file).ok()?.permissions().mode();
    (mode & 0o004 != 0).then(|| {
        format!(
            "all users of this machine can read the key in `{file}` (`chmod o= {file}` prevents it)"
        )
    })
}

#[cfg(not(unix))]
fn readable_by_others(_: &str) -> Option<String> {
    None
}

/// Reads the key of an encrypted store, if one is configured.
fn key(settings: &StoreSettings) -> Result<Option<StoreKey>, Error> {
    let error = |setting: &str, reason: String, hint: &str| Error::StoreSettings {
        message: format!("`{setting}` names no usable key: {reason}"),
        hint: hint.to_owned(),
    };
    let parse = |setting: &str, text: &str| {
        let hint = "a key is what `openssl rand -hex 32` prints; that of a store never changes";
        StoreKey::from_hex(text).map(Some).map_err(|wrong| error(setting, wrong.to_string(), hint))
    };
    if let Some(file) = &settings.key_file {
        let size = fs::metadata(file).map(|metadata| metadata.len());
        let text = match size {
            Ok(size) if size > MAX_KEY_BYTES => Err(format!("`{file}` is too large")),
            Ok(_) => fs::read_to_string(file).map_err(|error| format!("`{file}`: {error}")),
            Err(error) => Err(format!("`{file}`: {error}")),
        };
        let unreadable = |reason| {
            let hint =
                "name the file that has the key of the store; `openssl rand -hex 32` makes one";
            error("store.key_file", reason, hint)
        };
        return parse("store.key_file", &text.map_err(unreadable)?);
    }
    let Some(name) = &settings.key_env else { return Ok(None) };
    let variables = settings.environment.0.iter();
    let value = variables.clone().find(|(variable, _)| variable == name).map(|(_, value)| value);
    let missing = || {
        let hint = "set it to the key of the store; `openssl rand -hex 32` makes one";
        error("store.key_env", format!("the variable `{name}` is not set"), hint)
    };
    parse("store.key_env", value.ok_or_else(missing)?)
}

//! Objects beside the indexes: summaries of repositories, sessions, and records of packs.
//!
//! They save work or carry a conversation on, so no problem with them fails a request.

use super::connection::{Connection, Connections};
use super::{StoreMode, StoreUse};
use crate::error::Error;
use kitbag_config::StoreSettings;
use kitbag_core::Cancel;
use kitbag_store::{ObjectEntry, ObjectKind, ObjectStore, StoreError};
use std::sync::Arc;

/// Number of objects that are read within one time limit.
const BATCH: usize = 256;

/// The objects of a store, within the limits of a request.
#[derive(Clone)]
pub(crate) struct SharedObjects {
    connection: Arc<Connection>,
    cancel: Cancel,
    is_request: bool,
}

impl Connections {
    /// Opens the objects of the store of the settings. `None` without a store, and while it is left alone
    /// after a failure.
    pub fn objects(&self, settings: &StoreSettings, cancel: &Cancel) -> Option<SharedObjects> {
        // What is wrong with the settings is reported where the index is prepared.
        let connection = self.open(StoreUse::for_pack(settings)).ok()??;
        connection.check_recent_failure(true).ok()?;
        Some(SharedObjects { connection, cancel: cancel.clone(), is_request: true })
    }

    /// Opens the objects of the store of the settings for a command, which waits as long as it takes.
    pub fn objects_to_push(
        &self,
        settings: &StoreSettings,
        cancel: &Cancel,
    ) -> Result<SharedObjects, Error> {
        let connection = self.required(settings, StoreMode::Push)?;
        Ok(SharedObjects { connection, cancel: cancel.clone(), is_request: false })
    }
}

impl SharedObjects {
    /// Whether requests add to the store.
    pub fn is_writable(&self) -> bool {
        self.connection.settings.write
    }

    fn store(&self) -> ObjectStore {
        self.connection.limited(self.is_request, &self.cancel)
    }

    /// Returns the name of an object.
    pub fn name_of(&self, kind: ObjectKind, parts: &[&str]) -> String {
        self.connection.store.name_of(kind, parts)
    }

    /// Reads an object. `None` if it does not exist.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.noted(self.store().get(name))
    }

    /// Reads objects, in the order of their names. Those that do not exist or cannot be read are `None`; the
    /// first problem is returned too. Each batch has the time limit of a request.
    pub fn get_all(&self, names: &[String]) -> (Vec<Option<Vec<u8>>>, Option<StoreError>) {
        let (mut objects, mut problem) = (Vec::with_capacity(names.len()), None);
        if !self.is_writable() && !names.is_empty() {
            // Writers make the store where there is none.
            problem = self.noted(self.store().require()).err();
            if problem.is_some() {
                objects.resize_with(names.len(), || None);
                return (objects, problem);
            }
        }
        for batch in names.chunks(BATCH) {
            for read in self.store().get_all(batch) {
                match self.noted(read) {
                    Ok(object) => objects.push(object),
                    Err(error) => {
                        objects.push(None);
                        problem = problem.or(Some(error));
                    }
                }
            }
            if problem.as_ref().is_some_and(|error| !error.is_of_object()) {
                objects.resize_with(names.len(), || None);
                break;
            }
        }
        (objects, problem)
    }

    /// Lists the objects in a folder.
    pub fn list(&self, folder: &str) -> Result<Vec<ObjectEntry>, StoreError> {
        self.noted(self.store().list(folder))
    }

    /// Writes an object. Its name must be that of its content, or fresh.
    pub fn put(&self, name: &str, content: &[u8]) -> Result<(), StoreError> {
        self.noted(self.store().put(name, content).map(|_| ()))
    }

    /// Returns the name of an object in a folder that nothing else has.
    pub fn fresh_name(&self, folder: &str) -> Result<String, StoreError> {
        Ok(format!("{folder}/{}", self.connection.store.fresh_name()?))
    }

    /// Deletes an object, if it exists.
    pub fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.noted(self.store().delete(name))
    }

    /// Has later requests leave the store alone for a while after a failure.
    fn noted<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &result {
            self.connection.remember_failure(error);
        }
        result
    }
}

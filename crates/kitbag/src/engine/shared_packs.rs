//! Engine methods for records in the store of the settings, from which any of several servers shows a pack.

use super::Engine;
use crate::error::Error;
use crate::index::{SharedObjects, explained, store_error};
use kitbag_core::Cancel;
use kitbag_record::{Record, decode_record};
use kitbag_repo::Root;
use kitbag_store::ObjectKind;
use std::path::Path;
use std::time::Duration;

/// Length of a record's id.
const ID_CHARS: usize = 8;

/// A record that another server made.
#[derive(Debug, Clone)]
pub struct SharedPack {
    /// Name of the repository, as servers know it.
    pub repository: String,
    /// The record.
    pub record: Record,
}

impl Engine {
    /// Adds the record of a pack to the store of the user's settings, if requests write to it. Others find it by
    /// `id`, which must be hard to guess.
    #[doc(hidden)]
    pub async fn share_pack(&self, id: &str, repository: &str, folder: &Path, record: &str) {
        let (Some(records), Some(objects)) = (self.records.clone(), self.pack_objects()) else {
            return;
        };
        let name = objects.name_of(ObjectKind::Pack, &[id]);
        let (folder, record) = (folder.to_owned(), record.to_owned());
        let head = format!("{repository}\n");
        let cancel = Cancel::default();
        let shared = self.run(&cancel, move |_, _| {
            let root = Root::open(&folder)?;
            let Some(file) = records.encoded(root.path(), &record) else { return Ok(()) };
            if let Err(problem) = objects.put(&name, &[head.as_bytes(), &file].concat()) {
                tracing::warn!(problem = explained(&problem), "a pack is not shared");
            }
            Ok(())
        });
        let _ = shared.await;
    }

    /// Returns the record of a pack that another server made and shared as `id`. `None` if there is none, or if
    /// it is damaged.
    #[doc(hidden)]
    pub async fn shared_pack(&self, id: &str) -> Result<Option<SharedPack>, Error> {
        let (id, cancel) = (id.to_owned(), Cancel::default());
        let read = self.run(&cancel, move |engine, cancel| {
            let user = engine.config.load_user()?;
            let objects = engine.objects_for_request(&user.store, cancel);
            let objects = objects.map_err(|message| Error::Store { message, hint: None })?;
            let Some(objects) = objects.filter(SharedObjects::is_writable) else { return Ok(None) };
            let object = objects.get(&objects.name_of(ObjectKind::Pack, &[&id]));
            match object {
                Err(error) if error.is_of_object() => Ok(None),
                object => object.map_err(|error| store_error(&error)),
            }
        });
        Ok(read.await?.and_then(parse))
    }

    /// Keeps the record of a pack that another server made of a repository here, and returns its id. `None` if it
    /// cannot be kept.
    #[doc(hidden)]
    pub fn keep_shared_pack(&self, folder: &Path, record: Record) -> Option<String> {
        let root = Root::open(folder).ok()?;
        let records = self.records.as_ref()?;
        // It becomes a part of a file's name, and came from elsewhere.
        let id = kitbag_record::hash(record.id.as_bytes())[..ID_CHARS].to_owned();
        if records.encoded(root.path(), &id).is_none() {
            let repo = root.path().to_string_lossy().into_owned();
            let created = Duration::from_secs(record.created_at.max(0).unsigned_abs());
            let record = Record { id: id.clone(), repo, ..record };
            records.keep(root.path(), &record, created.as_millis()).ok()?;
        }
        Some(id)
    }

    fn pack_objects(&self) -> Option<SharedObjects> {
        let user = self.config.load_user().ok()?;
        let objects = self.indexes.stores.objects(&user.store, &Cancel::default());
        objects.filter(SharedObjects::is_writable)
    }
}

/// Reads the name of a repository, on a line of its own, and the record after it.
fn parse(mut object: Vec<u8>) -> Option<SharedPack> {
    let end = object.iter().position(|byte| *byte == b'\n')?;
    let file = object.split_off(end + 1);
    object.pop();
    let repository = String::from_utf8(object).ok()?;
    Some(SharedPack { repository, record: decode_record(file).ok()? })
}

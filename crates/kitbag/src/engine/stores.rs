//! Engine methods that open the store of the settings.

use super::Engine;
use crate::error::Error;
use crate::index::{SharedObjects, StoreUse, explained, store_error};
use kitbag_config::StoreSettings;
use kitbag_core::Cancel;
use kitbag_store::ObjectKind;

impl Engine {
    /// Fails if indexes cannot be added to the store of the user's settings: there is none, it cannot be
    /// reached, or its key is wrong.
    #[doc(hidden)]
    pub async fn check_store(&self, cancel: &Cancel) -> Result<(), Error> {
        self.run(cancel, |engine, cancel| {
            let user = engine.config.load_user()?;
            let objects = engine.indexes.stores.objects_to_push(&user.store, cancel)?;
            // Reading any object compares the key with that of the store.
            let read = objects.get(&objects.name_of(ObjectKind::Summary, &[]));
            read.map(|_| ()).map_err(|error| store_error(&error))
        })
        .await
    }

    /// Fails if the user's settings of a store are invalid, such as a missing key. Makes no request.
    #[doc(hidden)]
    pub fn check_store_settings(&self) -> Result<(), Error> {
        let user = self.config.load_user()?;
        match self.indexes.stores.open(StoreUse::for_pack(&user.store)) {
            // Whether the store can be reached may change.
            Err(error @ Error::StoreSettings { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    /// Opens the objects of the store of the settings for a request; `None` without a store. The error says
    /// why the store cannot be used now.
    pub(super) fn objects_for_request(
        &self,
        settings: &StoreSettings,
        cancel: &Cancel,
    ) -> Result<Option<SharedObjects>, String> {
        let stores = &self.indexes.stores;
        let opened =
            stores.open(StoreUse::for_pack(settings)).map_err(|error| error.to_string())?;
        let Some(connection) = opened else { return Ok(None) };
        connection.check_recent_failure(true).map_err(|problem| explained(&problem))?;
        Ok(stores.objects(settings, cancel))
    }
}

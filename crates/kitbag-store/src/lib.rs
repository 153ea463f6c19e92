//! Indexes that are shared through object storage: S3 and what speaks it, GCS, Azure, or a folder.
//!
//! An [`ObjectStore`] reads and writes objects, which are compressed, checked on arrival, and
//! encrypted if there is a key. A [`SharedIndex`] keeps the segments of one repository there. This
//! crate does not know what is in a segment, and never prints or retries on its own clock alone.
//!
//! No conditional put is needed. Every object has a fresh name and is never replaced, a push adds a
//! list of segments, and readers take the union of all lists.
//!
//! ```
//! use kitbag_store::{ObjectStore, StoreOptions};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let url = format!("file://{}", folder.path().display()).parse().unwrap();
//! let store = ObjectStore::open(&url, &StoreOptions::default()).unwrap();
//! store.put("notes/1", b"hello").unwrap();
//! assert_eq!(store.get("notes/1").unwrap().as_deref(), Some(&b"hello"[..]));
//! assert_eq!(store.list("notes").unwrap().len(), 1);
//! ```

mod bucket;
mod collect;
mod encryption;
mod envelope;
mod error;
mod folder;
mod http;
mod index;
mod kind;
mod layout;
mod limits;
mod list;
mod marker;
mod runtime;
mod store;
mod url;

pub use bucket::{ObjectEntry, Usage};
pub use collect::{CollectOptions, Collected, MergedSegment, collect};
pub use encryption::{KeyError, StoreKey};
pub use error::{Failure, StoreError};
pub use index::{ContentId, IndexListing, NewSegment, PushOutcome, SegmentEntry, SharedIndex};
pub use kind::ObjectKind;
pub use store::{ObjectStore, StoreOptions};
pub use url::{StoreUrl, UrlError};

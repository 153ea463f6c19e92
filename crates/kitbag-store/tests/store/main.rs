//! Tests of shared indexes. Segments consist of the ids of their contents here.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod collecting;
mod failing;
mod folder;
mod hostile;
mod places;
mod sharing;
mod stress;
mod toxic_proxy;

use folder::Folder;
use kitbag_store::{
    ContentId, IndexListing, NewSegment, ObjectStore, SharedIndex, StoreKey, StoreOptions,
};
use std::collections::BTreeSet;

/// Returns the id of a content.
fn id(content: u32) -> ContentId {
    let mut id = [0xab; 32];
    // As with hashes, the first bytes tell contents apart.
    id[..8]
        .copy_from_slice(&(u64::from(content).wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_be_bytes());
    id
}

fn segment(contents: &[u32]) -> NewSegment {
    let contents: Vec<ContentId> = contents.iter().map(|&content| id(content)).collect();
    NewSegment { bytes: contents.concat(), contents }
}

/// Merges segments, as an index does.
fn merge(segments: &[Vec<u8>]) -> Option<NewSegment> {
    let ids: BTreeSet<ContentId> = segments.iter().flat_map(|bytes| ids(bytes)).collect();
    let contents: Vec<ContentId> = ids.into_iter().collect();
    Some(NewSegment { bytes: contents.concat(), contents })
}

fn ids(bytes: &[u8]) -> Vec<ContentId> {
    bytes.as_chunks().0.to_vec()
}

/// Pushes those contents that the index lacks, as an engine does.
fn push(index: &SharedIndex, contents: &[u32]) -> Result<(), kitbag_store::StoreError> {
    let listing = index.read()?;
    let new: Vec<u32> =
        contents.iter().copied().filter(|&content| !listing.may_have(&id(content))).collect();
    let all: Vec<ContentId> = contents.iter().map(|&content| id(content)).collect();
    index.push(&listing, vec![segment(&new)], &all).map(|_| ())
}

/// Reads all contents of a listing.
fn read_all(index: &SharedIndex, listing: &IndexListing) -> BTreeSet<ContentId> {
    let segments = index.fetch(&listing.segments);
    segments.into_iter().flat_map(|bytes| ids(&bytes.expect("it can be fetched"))).collect()
}

fn expected(contents: impl IntoIterator<Item = u32>) -> BTreeSet<ContentId> {
    contents.into_iter().map(id).collect()
}

fn index(store: &ObjectStore) -> SharedIndex {
    SharedIndex::new(store.clone(), "example.org/project", "settings")
}

fn with_key(digit: &str) -> StoreOptions {
    let key = StoreKey::from_hex(&digit.repeat(64)).unwrap();
    StoreOptions { key: Some(key), ..options() }
}

fn options() -> StoreOptions {
    StoreOptions::default()
}

//! The table of files: what each file of a work tree looked like when it was last read, and which
//! content it had. It is one sorted list in one buffer, so that loading it costs next to nothing
//! and a sorted walk can be held against it in one pass. What changed since is kept beside it.

use super::envelope::{self, Damaged, FileType, are_offsets, put_u32s};
use crate::segment::Key;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ops::Range;

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Row {
    /// How many bytes it had.
    pub size: u64,
    /// When it was last modified, in nanoseconds since 1970.
    pub modified: i64,
    /// When it last changed in any way, likewise.
    pub changed: i64,
    /// Its content.
    pub key: Key,
    /// Whether another change would have shown in these times. A file that was read
    /// within moments of its last change might change again and look the same.
    pub settled: bool,
}

/// A file that differs from the table: its path, and its row unless it is gone.
pub(super) type Change = (Vec<u8>, Option<Row>);

const ROW_BYTES: usize = 57;

impl Row {
    fn to_bytes(self) -> [u8; ROW_BYTES] {
        let mut bytes = [0; ROW_BYTES];
        bytes[..8].copy_from_slice(&self.size.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.modified.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.changed.to_le_bytes());
        bytes[24..56].copy_from_slice(&self.key.0);
        bytes[56] = u8::from(self.settled);
        bytes
    }

    fn from_bytes(bytes: &[u8; ROW_BYTES]) -> Self {
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(number)
        };
        let mut key = Key([0; 32]);
        key.0.copy_from_slice(&bytes[24..56]);
        let (modified, changed) = (number(8) as i64, number(16) as i64);
        Self { size: number(0), modified, changed, key, settled: bytes[56] == 1 }
    }
}

/// A sorted list of files and their rows, as it is in its file.
#[derive(Debug, Default)]
pub(super) struct Table {
    bytes: Vec<u8>,
    offsets: Vec<u32>,
    rows: Range<usize>,
    paths: Range<usize>,
}

impl Table {
    /// A table's file; the rows come in the order of their paths.
    pub fn file<'a>(rows: impl Iterator<Item = (&'a [u8], Row)> + Clone) -> Vec<u8> {
        let mut bytes = envelope::begin(0);
        put_u32s(&mut bytes, [rows.clone().count() as u32]);
        let ends = rows.clone().scan(0, |end, (path, _)| {
            *end += path.len() as u32;
            Some(*end)
        });
        put_u32s(&mut bytes, std::iter::once(0).chain(ends));
        bytes.extend(rows.clone().flat_map(|(_, row)| row.to_bytes()));
        rows.for_each(|(path, _)| bytes.extend_from_slice(path));
        envelope::seal(FileType::Table, bytes)
    }

    /// The table in a file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Damaged> {
        let mut reader = envelope::open(FileType::Table, &bytes)?;
        let count = reader.u32()? as usize;
        let offsets: Vec<u32> = reader.u32s(count + 1)?.collect();
        let start = bytes.len() - reader.rest.len();
        reader.take(count * ROW_BYTES)?;
        let end = bytes.len() - reader.rest.len();
        if !are_offsets(&offsets, reader.rest.len()) {
            return Err(Damaged::Layout);
        }
        let paths = end..bytes.len();
        let table = Self { bytes, offsets, rows: start..end, paths };
        let sorted = (1..table.len()).all(|at| table.path(at - 1) < table.path(at));
        sorted.then_some(table).ok_or(Damaged::Layout)
    }

    /// How many files it has.
    pub fn len(&self) -> usize {
        self.rows.len() / ROW_BYTES
    }

    fn path(&self, at: usize) -> &[u8] {
        let (start, end) = (self.offsets[at] as usize, self.offsets[at + 1] as usize);
        &self.bytes[self.paths.clone()][start..end]
    }

    fn row(&self, at: usize) -> Row {
        Row::from_bytes(&self.bytes[self.rows.clone()].as_chunks().0[at])
    }

    /// The files in the order of their paths.
    pub fn rows(&self) -> impl Iterator<Item = (&[u8], Row)> + Clone {
        (0..self.len()).map(|at| (self.path(at), self.row(at)))
    }

    /// The files in the order of their paths, after `changes`, which are in that order too.
    pub fn rows_after<'a>(
        &'a self,
        changes: &'a [Change],
    ) -> impl Iterator<Item = (&'a [u8], Row)> + Clone {
        let changed = changes.iter().map(|(path, row)| (path.as_slice(), *row));
        join(self.rows(), changed).filter_map(|(path, old, new)| {
            let row = match new {
                Some(change) => change,
                None => old,
            };
            row.map(|row| (path, row))
        })
    }

    /// What has to change so that the table is `new`.
    pub fn changes_to<'a>(
        &'a self,
        new: impl Iterator<Item = (&'a [u8], Row)> + Clone,
    ) -> Vec<Change> {
        join(self.rows(), new)
            .filter(|(_, old, new)| old != new)
            .map(|(path, _, new)| (path.to_owned(), new))
            .collect()
    }
}

/// Two sorted lists as one: each path once, with what either has for it.
pub(super) fn join<'a, A, B>(
    one: impl Iterator<Item = (&'a [u8], A)> + Clone,
    other: impl Iterator<Item = (&'a [u8], B)> + Clone,
) -> impl Iterator<Item = (&'a [u8], Option<A>, Option<B>)> + Clone
where
    A: Clone,
    B: Clone,
{
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || {
        let order = match (one.peek(), other.peek()) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let first = if order.is_le() { one.next() } else { None };
        let second = if order.is_ge() { other.next() } else { None };
        let path = first.as_ref().map(|it| it.0).or(second.as_ref().map(|it| it.0))?;
        Some((path, first.map(|it| it.1), second.map(|it| it.1)))
    })
}

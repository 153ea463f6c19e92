//! The file table: size, times and content key of each file of a work tree as of its last read. It is
//! a sorted list in one buffer, so loading is cheap and a sorted walk is compared with it in one
//! pass. Later changes are kept separately.

use crate::content_key::ContentKey;
use crate::envelope::{self, FileType, FormatError, are_offsets, put_u32s};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ops::Range;

/// A file as of its last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRow {
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub modified: i64,
    /// Inode change time in nanoseconds since 1970.
    pub changed: i64,
    pub key: ContentKey,
    /// Whether a later change would show in these times. A file that was read shortly after its last
    /// change may change again within the resolution of the timestamps.
    pub is_settled: bool,
}

/// A path that differs from the table, with its new row or `None` if the file was removed.
pub(super) type TableChange = (Vec<u8>, Option<FileRow>);

const ROW_BYTES: usize = 57;

impl FileRow {
    fn to_bytes(self) -> [u8; ROW_BYTES] {
        let mut bytes = [0; ROW_BYTES];
        bytes[..8].copy_from_slice(&self.size.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.modified.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.changed.to_le_bytes());
        bytes[24..56].copy_from_slice(&self.key.0);
        bytes[56] = u8::from(self.is_settled);
        bytes
    }

    fn from_bytes(bytes: &[u8; ROW_BYTES]) -> Self {
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(number)
        };
        let mut key = ContentKey([0; 32]);
        key.0.copy_from_slice(&bytes[24..56]);
        let (modified, changed) = (number(8) as i64, number(16) as i64);
        Self { size: number(0), modified, changed, key, is_settled: bytes[56] == 1 }
    }
}

/// Rows sorted by path, in their file format.
#[derive(Debug, Default)]
pub(super) struct FileTable {
    bytes: Vec<u8>,
    offsets: Vec<u32>,
    rows: Range<usize>,
    paths: Range<usize>,
}

impl FileTable {
    /// Encodes rows, which are sorted by path, as a file.
    pub fn encode<'a>(rows: impl Iterator<Item = (&'a [u8], FileRow)> + Clone) -> Vec<u8> {
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

    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, FormatError> {
        let mut reader = envelope::open(FileType::Table, &bytes)?;
        let count = reader.u32()? as usize;
        let offsets: Vec<u32> = reader.u32s(count + 1)?.collect();
        let start = bytes.len() - reader.rest.len();
        reader.take(count * ROW_BYTES)?;
        let end = bytes.len() - reader.rest.len();
        if !are_offsets(&offsets, reader.rest.len()) {
            return Err(FormatError::Layout);
        }
        let paths = end..bytes.len();
        let table = Self { bytes, offsets, rows: start..end, paths };
        let is_sorted = (1..table.len()).all(|at| table.path(at - 1) < table.path(at));
        is_sorted.then_some(table).ok_or(FormatError::Layout)
    }

    pub fn len(&self) -> usize {
        self.rows.len() / ROW_BYTES
    }

    fn path(&self, at: usize) -> &[u8] {
        let (start, end) = (self.offsets[at] as usize, self.offsets[at + 1] as usize);
        &self.bytes[self.paths.clone()][start..end]
    }

    fn row(&self, at: usize) -> FileRow {
        FileRow::from_bytes(&self.bytes[self.rows.clone()].as_chunks().0[at])
    }

    fn rows(&self) -> impl Iterator<Item = (&[u8], FileRow)> + Clone {
        (0..self.len()).map(|at| (self.path(at), self.row(at)))
    }

    /// Returns the rows with `changes` applied, which are sorted by path.
    pub fn rows_with<'a>(
        &'a self,
        changes: &'a [TableChange],
    ) -> impl Iterator<Item = (&'a [u8], FileRow)> + Clone {
        let changed = changes.iter().map(|(path, row)| (path.as_slice(), *row));
        join(self.rows(), changed)
            .filter_map(|(path, old, new)| new.unwrap_or(old).map(|row| (path, row)))
    }

    /// Returns the changes that turn this table into `new`.
    pub fn changes_to<'a>(
        &'a self,
        new: impl Iterator<Item = (&'a [u8], FileRow)> + Clone,
    ) -> Vec<TableChange> {
        join(self.rows(), new)
            .filter(|(_, old, new)| old != new)
            .map(|(path, _, new)| (path.to_owned(), new))
            .collect()
    }
}

/// Full outer join of two lists that are sorted by path.
pub(super) fn join<'a, A, B>(
    left: impl Iterator<Item = (&'a [u8], A)> + Clone,
    right: impl Iterator<Item = (&'a [u8], B)> + Clone,
) -> impl Iterator<Item = (&'a [u8], Option<A>, Option<B>)> + Clone
where
    A: Clone,
    B: Clone,
{
    let (mut left, mut right) = (left.peekable(), right.peekable());
    std::iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let first = if order.is_le() { left.next() } else { None };
        let second = if order.is_ge() { right.next() } else { None };
        let path = first.as_ref().map(|it| it.0).or(second.as_ref().map(|it| it.0))?;
        Some((path, first.map(|it| it.1), second.map(|it| it.1)))
    })
}

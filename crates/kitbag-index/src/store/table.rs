//! The file table: size, times and content key of each file of a work tree as of its last read, sorted
//! by path. Later changes are kept separately.

use crate::content_key::ContentKey;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

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

/// A path and its file.
pub(super) type TableRow = (String, FileRow);

/// A path that differs from the table, with its new row or `None` if the file was removed.
pub(super) type TableChange = (String, Option<FileRow>);

/// Returns the rows of a table with `changes` applied, which are sorted by path.
pub(super) fn rows_with<'a>(
    table: &'a [TableRow],
    changes: &'a [TableChange],
) -> impl Iterator<Item = (&'a str, FileRow)> + Clone {
    let changed = changes.iter().map(|(path, row)| (path.as_str(), *row));
    join(rows(table), changed)
        .filter_map(|(path, old, new)| new.unwrap_or(old).map(|row| (path, row)))
}

/// Returns the changes that turn a table into `new`.
pub(super) fn changes_to<'a>(
    table: &'a [TableRow],
    new: impl Iterator<Item = (&'a str, FileRow)> + Clone,
) -> Vec<TableChange> {
    join(rows(table), new)
        .filter(|(_, old, new)| old != new)
        .map(|(path, _, new)| (path.to_owned(), new))
        .collect()
}

fn rows(table: &[TableRow]) -> impl Iterator<Item = (&str, FileRow)> + Clone {
    table.iter().map(|(path, row)| (path.as_str(), *row))
}

/// Full outer join of two lists that are sorted by path.
pub(super) fn join<'a, A, B>(
    left: impl Iterator<Item = (&'a str, A)> + Clone,
    right: impl Iterator<Item = (&'a str, B)> + Clone,
) -> impl Iterator<Item = (&'a str, Option<A>, Option<B>)> + Clone
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

//! Lists the files of a commit with `git ls-tree`.

use crate::git::Git;
use crate::{GitError, ObjectId};

/// A regular file or a symbolic link in a commit's tree.
#[derive(Debug)]
pub(crate) struct TreeEntry {
    /// Relative to git's folder; not necessarily UTF-8.
    pub path: Vec<u8>,
    pub id: ObjectId,
    /// `None` if the repository lacks the content, as a partial clone may.
    pub size: Option<u64>,
    /// Whether the content is the target of a link.
    pub is_link: bool,
}

/// Returns the regular files that `git ls-tree` lists when given `arguments`.
pub(crate) fn list_tree(git: &Git, arguments: &[&str]) -> Result<Vec<TreeEntry>, GitError> {
    let mut entries = list_with_links(git, arguments)?;
    entries.retain(|entry| !entry.is_link);
    Ok(entries)
}

/// Returns the regular files and symbolic links that `git ls-tree` lists when given `arguments`.
pub(crate) fn list_with_links(git: &Git, arguments: &[&str]) -> Result<Vec<TreeEntry>, GitError> {
    let output = git.output(&[&["ls-tree", "-z", "-l"], arguments].concat())?;
    Ok(output.split(|&byte| byte == 0).filter_map(parse).collect())
}

/// Parses `<mode> <type> <id> <size>\t<path>`; `None` for submodules and folders.
fn parse(line: &[u8]) -> Option<TreeEntry> {
    let tab = line.iter().position(|&byte| byte == b'\t')?;
    let mut words = std::str::from_utf8(&line[..tab]).ok()?.split_ascii_whitespace();
    let mode = words.next()?;
    let is_link = mode == "120000";
    let is_file = (is_link || mode.starts_with("100")) && words.next()? == "blob";
    let id = words.next()?.parse().ok()?;
    let size = words.next().and_then(|size| size.parse().ok());
    is_file.then(|| TreeEntry { path: line[tab + 1..].to_owned(), id, size, is_link })
}

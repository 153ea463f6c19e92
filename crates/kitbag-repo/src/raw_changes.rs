//! Parses the lists of changed files that git writes with `--raw -z`.

use crate::ObjectId;

const SUBMODULE: &str = "160000";
const LINK: &str = "120000";
const NO_FILE: &str = "000000";

/// A changed file: its blobs and what kind of file it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub path: String,
    pub renamed_from: Option<String>,
    /// The blob before the change; `None` if there was no file.
    pub before: Option<ObjectId>,
    /// The blob after the change; `None` if there is no file, or if it is in the work tree.
    pub after: Option<ObjectId>,
    pub is_in_work_tree: bool,
    /// Whether it is a submodule, a symbolic link or an unmerged file, which have no text to compare.
    pub is_special: bool,
    modes: Option<(String, String)>,
    is_unmerged: bool,
}

impl Change {
    /// Describes a file of the work tree that had the blob `before`.
    pub fn in_work_tree(before: Option<ObjectId>, path: String) -> Self {
        Self {
            path,
            renamed_from: None,
            before,
            after: None,
            is_in_work_tree: true,
            is_special: false,
            modes: None,
            is_unmerged: false,
        }
    }

    /// Whether it is a regular file before and after, as far as it exists.
    pub fn is_file(&self) -> bool {
        !self.is_special
    }

    /// Describes changes that no hunk shows: submodules, links and modes.
    pub fn mode_headers(&self) -> Vec<String> {
        let Some((old, new)) = &self.modes else { return Vec::new() };
        let mut headers = Vec::new();
        let what = |mode: &str| match mode {
            SUBMODULE => "a submodule",
            LINK => "a symbolic link",
            _ => "a file",
        };
        if self.is_unmerged {
            headers.push("not merged: resolve the conflict first".to_owned());
        } else if old == SUBMODULE && new == SUBMODULE {
            let short = |id: Option<ObjectId>| {
                id.map_or_else(String::new, |id| id.to_string().chars().take(9).collect())
            };
            headers.push(format!("submodule {} -> {}", short(self.before), short(self.after)));
        } else if self.is_special {
            match (old.as_str(), new.as_str()) {
                (NO_FILE, new) => headers.push(format!("{} that is new", what(new))),
                (old, NO_FILE) => headers.push(format!("{} that was deleted", what(old))),
                (LINK, LINK) => headers.push("a symbolic link with another target".to_owned()),
                (old, new) => headers.push(format!("{}, now {}", what(old), what(new))),
            }
        } else if old != new && old != NO_FILE && new != NO_FILE {
            headers.push(format!("mode {old} -> {new}"));
        }
        headers
    }
}

/// Parses `:<mode> <mode> <id> <id> <status>`, NUL and a path, or two for a rename.
pub(crate) fn parse_raw(output: &[u8]) -> Vec<Change> {
    let mut words = output.split(|&byte| byte == 0);
    let mut changes = Vec::new();
    while let (Some(attributes), Some(path)) = (words.next(), words.next()) {
        let Some((modes, before, after, status)) = parse_attributes(attributes) else { continue };
        let (mut path, mut renamed_from) = (String::from_utf8_lossy(path).into_owned(), None);
        if status == b'R' || status == b'C' {
            let Some(to) = words.next() else { break };
            let from = std::mem::replace(&mut path, String::from_utf8_lossy(to).into_owned());
            renamed_from = (status == b'R').then_some(from);
        }
        let is_special = |mode: &str| mode == SUBMODULE || mode == LINK;
        changes.push(Change {
            path,
            renamed_from,
            before,
            after,
            is_in_work_tree: false,
            is_special: is_special(&modes.0) || is_special(&modes.1) || status == b'U',
            modes: Some(modes),
            is_unmerged: status == b'U',
        });
    }
    changes
}

type Attributes = ((String, String), Option<ObjectId>, Option<ObjectId>, u8);

fn parse_attributes(attributes: &[u8]) -> Option<Attributes> {
    let attributes = std::str::from_utf8(attributes).ok()?.strip_prefix(':')?;
    let mut words = attributes.split(' ');
    let modes = (words.next()?.to_owned(), words.next()?.to_owned());
    // An id of zeros means that there is no file.
    let id =
        |word: &str| word.bytes().any(|byte| byte != b'0').then(|| word.parse().ok()).flatten();
    let (before, after) = (id(words.next()?), id(words.next()?));
    Some((modes, before, after, *words.next()?.as_bytes().first()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    const ZEROS: &str = "0000000000000000000000000000000000000000";

    #[test]
    fn renames_submodules_and_modes_are_parsed() {
        let output = format!(
            ":100644 100644 {ID} {ID} R090\0old.rs\0new.rs\0:000000 100644 {ZEROS} {ID} A\0a.rs\0\
             :160000 160000 {ID} {ID} M\0sub\0:100644 100755 {ID} {ID} M\0run\0\
             :120000 000000 {ID} {ZEROS} D\0link\0"
        );
        let changes = parse_raw(output.as_bytes());
        let paths: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["new.rs", "a.rs", "sub", "run", "link"]);
        assert_eq!(changes[0].renamed_from.as_deref(), Some("old.rs"));
        assert_eq!((changes[1].before, changes[1].after), (None, ID.parse().ok()));
        let special: Vec<bool> = changes.iter().map(|it| it.is_special).collect();
        assert_eq!(special, [false, false, true, false, true]);
        let headers = |at: usize| changes[at].mode_headers().join("; ");
        assert_eq!(headers(2), "submodule e69de29bb -> e69de29bb");
        assert_eq!(headers(3), "mode 100644 -> 100755");
        assert_eq!(headers(4), "a symbolic link that was deleted");
        assert!(parse_raw(b"").is_empty());
    }
}

//! Finds the file of the repository that a path in tool output refers to.
//!
//! Tools run in containers, on other machines, in subfolders and behind bundlers, so paths are
//! matched from their end. The result is always a known file and therefore inside the repository.
//! The rules, in order:
//!
//! 1. A path below the root, if the root is known, is that file or none, except for rule 3.
//! 2. A path that equals a known file is that file.
//! 3. A file of an installed package matches only if the package and everything after it, at least
//!    two components, are the end of exactly one path that is not a vendored copy. Users often
//!    report bugs in a library from the place where they installed it.
//! 4. Otherwise, the file that shares the most trailing components wins. The file name alone is
//!    sufficient only if it is the entire path or the entire known path.
//! 5. In a tie, a file whose components are all shared wins. Otherwise the path is ambiguous and
//!    does not match.

use super::{Diagnostic, Severity};
use percent_encoding::percent_decode_str;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The files of a repository, indexed by name for matching paths from their end.
#[derive(Debug, Default)]
pub struct KnownFiles {
    paths: Vec<String>,
    /// Indices into `paths` by file name in lower case.
    by_name: FxHashMap<String, Vec<usize>>,
    root: Option<Vec<String>>,
}

impl KnownFiles {
    /// Creates an index from paths relative to the root, with `/` as the separator.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let mut paths: Vec<String> = paths.into_iter().collect();
        paths.sort_unstable();
        paths.dedup();
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, path) in paths.iter().enumerate() {
            let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
            by_name.entry(name).or_default().push(at);
        }
        Self { paths, by_name, root: None }
    }

    /// Sets the absolute path of the repository on this machine, so that absolute paths match
    /// exactly.
    #[must_use]
    pub fn with_root(mut self, root: &str) -> Self {
        let parts = Parts::of(root).components;
        self.root = Some(parts).filter(|parts| !parts.is_empty());
        self
    }

    fn has(&self, path: &str) -> bool {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }
}

/// Returns the file of the repository that a path refers to, or `None` if there is no match or
/// several.
pub fn locate(path: &str, files: &KnownFiles) -> Option<String> {
    let parts = Parts::of(path);
    if let Some(found) = of_parts(&parts, files) {
        return Some(found);
    }
    // Class names such as `com.acme.Shop.java`, `com.acme.Shop`, `tests.test_cart.TestTotal`.
    if parts.components.len() != 1 || parts.is_absolute {
        return None;
    }
    of_class(&parts.components[0], files)
}

/// Diagnostics located in the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed {
    /// Diagnostics with paths relative to the repository root, in the order of the input.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of diagnostics about files outside the repository.
    pub elsewhere: usize,
}

/// Keeps the diagnostics about files of the repository and makes their paths relative to its root.
/// If the innermost frame of a stack trace is outside the repository, the innermost one inside it
/// takes over its severity.
pub fn in_repository(diagnostics: Vec<Diagnostic>, files: &KnownFiles) -> Placed {
    let mut placed = Placed::default();
    let mut known: FxHashMap<String, Option<String>> = FxHashMap::default();
    // The severity of a trace whose innermost frame in the repository has not been found yet.
    let mut awaited: Option<Severity> = None;
    for mut diagnostic in diagnostics {
        if diagnostic.depth == 0 {
            awaited = None;
        }
        let path = known
            .entry(diagnostic.path.clone())
            .or_insert_with(|| locate(&diagnostic.path, files))
            .clone();
        if let Some(path) = path {
            diagnostic.severity = awaited.take().unwrap_or(diagnostic.severity);
            placed.diagnostics.push(Diagnostic { path, ..diagnostic });
            continue;
        }
        placed.elsewhere += 1;
        if diagnostic.depth == 0 {
            awaited = Some(diagnostic.severity);
        }
    }
    placed
}

/// Folders with one subfolder per installed package.
const PACKAGES: [&str; 3] = ["node_modules", "site-packages", "dist-packages"];

/// Folders that contain copies of other projects.
const VENDORED: [&str; 7] =
    ["vendor", "_vendor", "vendored", "third_party", "thirdparty", "extern", "node_modules"];

/// A path split into its components.
struct Parts {
    components: Vec<String>,
    is_absolute: bool,
    /// Whether the path is from Windows, where paths are case-insensitive.
    is_windows: bool,
}

impl Parts {
    fn of(path: &str) -> Self {
        let (path, is_file_address) = without_scheme(path.trim());
        let path = without_position(&path);
        let bare = path.trim_start_matches("\\\\?\\").trim_start_matches('/');
        let drive = matches!(bare.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        let only_backslashes = path.contains('\\') && !path.contains('/');
        let mut components: Vec<String> = Vec::new();
        for part in bare.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." => {
                    components.pop();
                }
                _ => components.push(part.to_owned()),
            }
        }
        Self {
            components,
            is_absolute: is_file_address || drive || path.starts_with(['/', '\\']),
            is_windows: drive || only_backslashes,
        }
    }

    /// Returns the package and the components after it, for a file of an installed package.
    fn in_package(&self) -> Option<&[String]> {
        let is_shelf = |part: &String| PACKAGES.contains(&part.as_str());
        let shelf = self.components.iter().rposition(is_shelf)?;
        self.components.get(shelf + 1..)
    }

    /// Returns whether the file was installed by a package manager or with the language.
    fn is_installed(&self) -> bool {
        const PAIRS: [[&str; 2]; 6] = [
            ["lib", "ruby"],
            ["lib", "python"],
            ["pkg", "mod"],
            ["local", "go"],
            [".cargo", "registry"],
            [".cargo", "git"],
        ];
        let of_system = match self.components.as_slice() {
            [usr, part, ..] if usr == "usr" => part.starts_with("lib") || part == "include",
            [first, ..] => matches!(first.as_str(), "rustc" | "lib" | "lib64"),
            [] => false,
        };
        let is_pair = |found: &[String]| {
            PAIRS.iter().any(|[first, second]| found[0] == *first && found[1].starts_with(second))
        };
        (self.is_absolute && of_system)
            || self.in_package().is_some()
            || self.components.windows(2).any(is_pair)
    }
}

/// Returns the path of a URL such as `file:///srv/a.c`, `webpack://shop/./src/a.ts?1f3c` or
/// `http://localhost:80/a.js`, and whether it is a local file.
fn without_scheme(path: &str) -> (Cow<'_, str>, bool) {
    let Some((scheme, rest)) = path.split_once("://") else { return (Cow::Borrowed(path), false) };
    let is_file = scheme == "file";
    let rest = if is_file { rest } else { rest.split(['?', '#']).next().unwrap_or(rest) };
    (percent_decode_str(rest).decode_utf8_lossy(), is_file)
}

/// Removes the position from a path such as `a.java:12` or `a.ts:3:5`.
fn without_position(path: &str) -> &str {
    let mut path = path;
    while let Some((before, number)) = path.rsplit_once(':')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && before.contains('.')
    {
        path = before;
    }
    path
}

fn of_parts(parts: &Parts, files: &KnownFiles) -> Option<String> {
    let components = parts.components.as_slice();
    let installed = || parts.in_package().and_then(|package| of_package(package, files));
    let root = files.root.as_deref().filter(|_| parts.is_absolute);
    if let Some(below) = root.and_then(|root| components.strip_prefix(root)) {
        return Some(below.join("/")).filter(|path| files.has(path)).or_else(installed);
    }
    let whole = components.join("/");
    if !parts.is_absolute && files.has(&whole) {
        return Some(whole);
    }
    if parts.is_installed() {
        return installed();
    }
    longest(parts, files, false)
        .or_else(|| longest(parts, files, true).filter(|_| parts.is_windows))
}

/// Returns the only file that matches a path within a package and is not a vendored copy.
fn of_package(package: &[String], files: &KnownFiles) -> Option<String> {
    let name = package.last().filter(|_| package.len() >= 2)?.to_ascii_lowercase();
    let places = files.by_name.get(&name)?.iter().filter_map(|&at| files.paths.get(at));
    let mut found = places.filter(|path| {
        let parts: Vec<&str> = path.split('/').collect();
        let around = parts.len().checked_sub(package.len()).map(|at| parts.split_at(at));
        around.is_some_and(|(before, end)| {
            end == package && !before.iter().any(|part| VENDORED.contains(part))
        })
    });
    let first = found.next()?;
    found.next().is_none().then(|| first.clone())
}

/// Returns the file that shares the most trailing components, or `None` in a tie.
fn longest(parts: &Parts, files: &KnownFiles, any_case: bool) -> Option<String> {
    let name = parts.components.last()?.to_ascii_lowercase();
    let equal = |a: &str, b: &str| if any_case { a.eq_ignore_ascii_case(b) } else { a == b };
    // Number of shared components, and whether they are all components of the file.
    let mut best = (0, false);
    let mut found: Option<&str> = None;
    for path in files.by_name.get(&name)?.iter().filter_map(|&at| files.paths.get(at)) {
        let shared = path
            .rsplit('/')
            .zip(parts.components.iter().rev())
            .take_while(|(a, b)| equal(a, b))
            .count();
        let whole_file = shared == path.split('/').count();
        let whole_path = shared == parts.components.len() && !parts.is_absolute;
        if shared == 0 || (shared == 1 && !whole_file && !whole_path) {
            continue;
        }
        let score = (shared, whole_file);
        if score > best {
            (best, found) = (score, Some(path.as_str()));
        } else if score == best {
            found = None;
        }
    }
    found.map(str::to_owned)
}

/// Returns the file of a dotted class or module name.
fn of_class(name: &str, files: &KnownFiles) -> Option<String> {
    const ENDINGS: [&str; 6] = ["java", "kt", "scala", "groovy", "py", "cs"];
    let mut parts: Vec<&str> = name.split('.').collect();
    let given = parts.pop_if(|last| ENDINGS.contains(last) && name.contains('.'));
    // The name may also include a class within the file, or a test within the class.
    for _ in 0..2 {
        if parts.len() < 2 && given.is_none() {
            return None;
        }
        let endings = given.map_or(ENDINGS.as_slice(), |_| given.as_slice());
        let found: Vec<String> = endings
            .iter()
            .filter_map(|ending| {
                let path = format!("{}.{ending}", parts.join("/").split('$').next()?);
                of_parts(&Parts::of(&path), files)
            })
            .collect();
        match found.as_slice() {
            [] => {}
            [one] => return Some(one.clone()),
            _ => return None,
        }
        parts.pop();
    }
    None
}

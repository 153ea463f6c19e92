//! Where a program or library starts: manifests, files with a conventional name, and functions called
//! `main`.

use super::Repository;
use super::manifests::describe;
use super::symbols::signature;
use kitbag_core::escape_path;
use kitbag_index::{FileKind, last_name};
use kitbag_tokens::CachedCounter;
use std::fmt::Write;

/// Maximum number of manifests and of entry points that are listed.
const MAX_MANIFESTS: usize = 8;
const MAX_ENTRIES: usize = 24;
/// Manifests are expected in the root or in the folders of a workspace.
const MAX_MANIFEST_DEPTH: usize = 3;
/// Larger manifests are not read.
const MAX_MANIFEST_BYTES: u64 = 256 << 10;

/// File names that are entry points by convention, as a whole or before the extension.
const NAMES: [&str; 10] = [
    "src/lib.rs",
    "__main__.py",
    "manage.py",
    "wsgi.py",
    "asgi.py",
    "Program.cs",
    "index.ts",
    "index.js",
    "index.php",
    "mod.ts",
];

/// Describes the entry points, one per line, in at most about `limit` tokens.
pub(super) fn text(repository: &Repository<'_>, limit: usize, counting: &CachedCounter) -> String {
    let mut text = String::new();
    for line in manifests(repository).into_iter().chain(entries(repository)) {
        if counting.count(&text) + counting.count(&line) > limit && !text.is_empty() {
            break;
        }
        let _ = writeln!(text, "{line}");
    }
    text
}

fn manifests(repository: &Repository<'_>) -> Vec<String> {
    let mut files: Vec<(usize, &str)> = Vec::new();
    for file in repository.tree.files().iter().filter(|file| file.size <= MAX_MANIFEST_BYTES) {
        let depth = file.path.matches('/').count();
        let kind = FileKind::of(&file.path, Default::default());
        if depth < MAX_MANIFEST_DEPTH && matches!(kind, FileKind::Code | FileKind::Data) {
            files.push((depth, &file.path));
        }
    }
    files.sort_unstable();
    let line = |(_, path): (usize, &str)| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let text = is_manifest(name).then(|| repository.read(path))??;
        Some(format!("{}: {}", escape_path(path), describe(name, text.content())?))
    };
    files.into_iter().filter_map(line).take(MAX_MANIFESTS).collect()
}

fn is_manifest(name: &str) -> bool {
    const MANIFESTS: [&str; 9] = [
        "package.json",
        "composer.json",
        "Cargo.toml",
        "pyproject.toml",
        "go.mod",
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
    ];
    MANIFESTS.contains(&name)
}

/// Lists files with a conventional name, and definitions of `main`, the shallowest first.
fn entries(repository: &Repository<'_>) -> Vec<String> {
    let files = repository.view.files();
    let is_code = |file: usize| files[file].kind == FileKind::Code;
    let mut found: Vec<(usize, &str, Option<usize>)> = Vec::new();
    for it in files.iter().filter(|file| file.kind == FileKind::Code) {
        let is_named =
            NAMES.iter().any(|name| it.path == *name || it.path.ends_with(&format!("/{name}")));
        let depth = it.path.matches('/').count();
        // Every folder of a JavaScript project has an index.
        if is_named && (depth < 3 || !it.path.contains("index.")) {
            found.push((depth, &it.path, None));
        }
    }
    for mention in repository.view.mentions("main", 2_000).unwrap_or_default() {
        let (file, chunk) = (mention.place.file, mention.place.chunk);
        if mention.is_definition && is_code(file) {
            let path = files[file].path.as_str();
            found.retain(|(_, known, _)| *known != path);
            found.push((path.matches('/').count(), path, Some(chunk)));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(_, path, _)| *path);
    let line = |(_, path, chunk): (usize, &str, Option<usize>)| {
        let Some(chunk) = chunk else { return Some(escape_path(path)) };
        let file = files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        let stored = repository.view.stored_doc(file)?;
        let chunk = stored.chunks.get(chunk)?;
        chunk.defines.iter().find(|it| last_name(it).eq_ignore_ascii_case("main"))?;
        let text = repository.read(path)?;
        let (number, line) = signature(&text, chunk, "main").or(signature(&text, chunk, "Main"))?;
        Some(format!("{}:{number}: {line}", escape_path(path)))
    };
    found.into_iter().filter_map(line).take(MAX_ENTRIES).collect()
}

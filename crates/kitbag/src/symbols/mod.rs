//! Finds a name in a repository: its definitions, its callers and other references.
//!
//! The index leads to the chunks with the name, so only their files are read. Calls and other references are
//! distinguished by the text around the name, without type information.

mod name;
mod scan;
mod suggest;

use crate::error::Error;
use crate::exec::ComputePools;
use crate::index::{Cancels, Indexes, Preparation, StoreUse};
use crate::root::guard_root;
use crate::search::tree::read;
use kitbag_config::RequestConfig;
use kitbag_core::{Cancel, PackError};
use kitbag_index::{FileKind, IndexView, IndexedFile};
use kitbag_repo::{FileEntry, Globs, Root, Tree};
use kitbag_text::{Text, redact_str};
use name::{CaseMode, SymbolName};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use scan::{FilePlaces, ScannedFile, scan, signature};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::path::PathBuf;

/// Version of [`SymbolReport`]. Incremented when a field is removed or changes its meaning.
pub const SYMBOL_VERSION: u32 = 1;

/// Maximum number of files that are read for one name. The counts of a more frequent name are lower bounds.
const MAX_FILES: usize = 2_000;

/// Maximum number of characters of a line in the results.
const MAX_LINE_CHARS: usize = 200;

/// A question about a name.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SymbolRequest {
    /// Name of a function, class, method or constant, optionally qualified: `login`,
    /// `UserService.get_user`, `Rack::Response`.
    #[cfg_attr(feature = "schema", schemars(required, length(min = 1)))]
    pub name: String,
    /// Folder of the repository; defaults to the current one, or to the first that a server serves.
    pub repo: Option<PathBuf>,
    /// Branch, tag or commit to search instead of the work tree.
    #[serde(rename = "ref")]
    pub revision: Option<String>,
    /// Globs of the files to search; all files if empty.
    pub include: Vec<String>,
    /// Globs of files that are not searched.
    pub exclude: Vec<String>,
    /// Maximum number of definitions, of callers and of other references; 20 by default.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub limit: usize,
    /// Patterns of files that are never read, in addition to the default denylist.
    #[serde(skip)]
    pub deny: Vec<String>,
}

impl Default for SymbolRequest {
    fn default() -> Self {
        Self {
            name: String::new(),
            repo: None,
            revision: None,
            include: Vec::new(),
            exclude: Vec::new(),
            limit: 20,
            deny: Vec::new(),
        }
    }
}

/// Where a name is defined and used.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SymbolReport {
    /// Version of this format.
    pub version: u32,
    /// Name as it was found, which may differ from the request in case.
    pub name: String,
    /// Places where it is defined: code first, then tests, then other files.
    pub definitions: Vec<SymbolPlace>,
    /// Places where it is called.
    pub callers: Vec<SymbolPlace>,
    /// Other places where it occurs, except in comments.
    pub references: Vec<SymbolPlace>,
    /// Number of definitions, including those beyond the limit.
    pub definition_count: usize,
    /// Number of calls, including those beyond the limit.
    pub caller_count: usize,
    /// Number of other references, including those beyond the limit.
    pub reference_count: usize,
    /// Similar names that exist, if the name does not.
    pub suggestions: Vec<String>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// A line with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SymbolPlace {
    /// Path of the file.
    pub path: String,
    /// Line with the name.
    pub line: u32,
    /// Last line of the definition, or `line`.
    pub end_line: u32,
    /// Text of the line, without indentation.
    pub text: String,
    /// Symbol path of the definition, or of the definition that contains the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// Answers a question about a name.
pub(crate) fn find(
    request: &SymbolRequest,
    root: Root,
    config: &RequestConfig,
    indexes: &Indexes,
    pools: &ComputePools,
    cancel: &Cancel,
) -> Result<SymbolReport, Error> {
    let name = SymbolName::parse(&request.name).ok_or(Error::SymbolName)?;
    if request.limit == 0 {
        return Err(Error::InvalidLimit);
    }
    let settings = &config.settings;
    let root = guard_root(root, settings, &request.deny)?;
    let globs = &Globs::new(&request.include, &request.exclude)?;
    let job = Preparation {
        root: &root,
        globs,
        now: None,
        chunking: &settings.settings.chunking,
        home: settings.home.as_deref(),
        persist: settings.keeps_indexes,
        searches: true,
        pools,
        store: StoreUse::for_pack(&settings.store),
    };
    let prepared = indexes.prepare(&job, &Cancels::new(cancel), &mut |_| {})?;
    cancel.check().map_err(PackError::from)?;
    let view = prepared.view.as_deref().ok_or(Error::Internal)?;
    let tree: &dyn Tree = &*prepared.worktree.tree;
    let lookup = SymbolLookup { name: &name, view, entries: entries(tree), tree, cancel };
    let mut report = pools.take(cancel)?.install(|| lookup.report(request.limit));
    cancel.check().map_err(PackError::from)?;
    if settings.redact {
        report.redact(|path| lookup.entries.get(path).and_then(|entry| read(tree, entry)));
    }
    let known = config.warnings.iter().chain(&prepared.warnings).chain(&prepared.unsaved_warning);
    report.warnings.extend(known.cloned());
    Ok(report)
}

fn entries(tree: &dyn Tree) -> FxHashMap<&str, &FileEntry> {
    tree.files().iter().map(|entry| (entry.path.as_str(), entry)).collect()
}

/// The search for one name.
struct SymbolLookup<'a> {
    name: &'a SymbolName,
    view: &'a IndexView,
    entries: FxHashMap<&'a str, &'a FileEntry>,
    tree: &'a dyn Tree,
    cancel: &'a Cancel,
}

impl SymbolLookup<'_> {
    fn report(&self, limit: usize) -> SymbolReport {
        let (files, is_cut) = self.files();
        let mut found = self.places(&files, CaseMode::Exact);
        if !found.iter().any(FilePlaces::has_any) {
            found = self.places(&files, CaseMode::Ignore);
        }
        let mut report = SymbolReport { version: SYMBOL_VERSION, ..SymbolReport::default() };
        let spelled = found.iter().find_map(|places| places.spelled.clone());
        report.name = spelled.unwrap_or_else(|| self.name.full());
        // Code comes first, then tests, then everything else; the files are sorted by path.
        found.sort_by_key(|places| kind_order(self.view.files()[places.file].kind));
        let is_qualified = found.iter().any(|it| it.definitions.iter().any(|it| it.is_qualified));
        let mut definitions = Vec::new();
        for places in found {
            let IndexedFile { path, kind, .. } = &self.view.files()[places.file];
            let own = places.definitions.into_iter();
            let own = own.filter(|it| it.is_qualified || !is_qualified);
            definitions.extend(own.map(|it| (kind_order(*kind), it.place(path))));
            report.callers.extend(places.callers.into_iter().map(|it| it.place(path)));
            report.references.extend(places.references.into_iter().map(|it| it.place(path)));
        }
        definitions.sort_by_key(|(kind, place)| (*kind, place.definition_order()));
        report.definitions = definitions.into_iter().map(|(_, place)| place).collect();
        report.finish(limit);
        if is_cut {
            let warning = "the name is very frequent: only some of the files with it were read";
            report.warnings.push(warning.to_owned());
        }
        if report.definitions.is_empty() {
            report.suggestions = suggest::similar(self.name, self.view);
        }
        report
    }

    /// Returns the files with the name, sorted by path, and whether there are more.
    fn files(&self) -> (Vec<usize>, bool) {
        let postings = self.view.postings(self.name.word_id()).map(|(file, _)| file as usize);
        let mut files: Vec<usize> = postings.collect::<FxHashSet<_>>().into_iter().collect();
        let is_cut = files.len() > MAX_FILES;
        files.sort_unstable();
        if is_cut {
            files.sort_by_key(|&file| kind_order(self.view.files()[file].kind));
            files.truncate(MAX_FILES);
            files.sort_unstable();
        }
        (files, is_cut)
    }

    fn places(&self, files: &[usize], case: CaseMode) -> Vec<FilePlaces> {
        let scan_file = |&file: &usize| {
            self.cancel.check().ok()?;
            let indexed = &self.view.files()[file];
            let entry = self.entries.get(indexed.path.as_str())?;
            let text = Text::new(read(self.tree, entry)?);
            let chunks = self.view.stored_doc(file)?.chunks;
            let is_prose = matches!(indexed.kind, FileKind::Documentation | FileKind::Changelog);
            let scanned = ScannedFile { file, path: &indexed.path, text: &text, is_prose };
            Some(scan(self.name, case, &scanned, &chunks))
        };
        files.par_iter().filter_map(scan_file).collect()
    }
}

impl SymbolPlace {
    /// Puts definitions at the top level before members, and longer ones before shorter ones, such as a trait
    /// before associated types of the same name.
    fn definition_order(&self) -> (usize, Reverse<u32>) {
        let symbol = self.symbol.as_deref().unwrap_or_default();
        let depth = symbol.split(['.', ':', '#']).filter(|part| !part.is_empty()).count();
        (depth, Reverse(self.end_line - self.line))
    }
}

impl SymbolReport {
    /// Counts the places and shortens the lists.
    fn finish(&mut self, limit: usize) {
        self.definition_count = self.definitions.len();
        self.caller_count = self.callers.len();
        self.reference_count = self.references.len();
        for list in [&mut self.definitions, &mut self.callers, &mut self.references] {
            list.truncate(limit);
        }
    }

    /// Replaces secrets in the listed lines. A line is taken from its redacted file, because a secret may
    /// span several lines.
    fn redact(&mut self, read: impl Fn(&str) -> Option<String>) {
        let mut redacted: FxHashMap<String, Option<Text>> = FxHashMap::default();
        let definitions = self.definitions.iter_mut().map(|it| (it, true));
        let others = self.callers.iter_mut().chain(&mut self.references).map(|it| (it, false));
        for (place, is_definition) in definitions.chain(others) {
            let text = redacted
                .entry(place.path.clone())
                .or_insert_with(|| redact_str(&read(&place.path)?).map(Text::new));
            let Some(text) = text else { continue };
            place.text = match is_definition {
                true => signature(text, place.line, place.end_line),
                false => shortened(text.line(place.line)),
            };
        }
    }
}

/// Returns a line without indentation, of limited length.
fn shortened(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

fn kind_order(kind: FileKind) -> u8 {
    match kind {
        FileKind::Code => 0,
        FileKind::Test => 1,
        FileKind::Documentation | FileKind::Changelog => 2,
        FileKind::Data => 3,
        FileKind::Derived => 4,
    }
}

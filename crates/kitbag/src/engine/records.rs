//! Engine methods that answer questions about recorded packs.

use super::Engine;
use super::absence::why_absent;
use crate::error::Error;
use crate::inspect::Cutting;
use crate::inspect::compare::{Comparing, Comparison};
use crate::inspect::explain::{ExplainRequest, Explaining, Explanation};
use crate::inspect::export::{ExportRequest, Exported, Exporting};
use crate::inspect::{Again, settings_of};
use crate::root::open_root;
use crate::search::{SearchRequest, SearchResult};
use kitbag_config::EngineSettings;
use kitbag_core::Cancel;
use kitbag_record::Reading;
use kitbag_record::Record;
use kitbag_record::RecordError;
use kitbag_record::hash;
use kitbag_record::{OthersRecords, RecordList, Records};
use kitbag_record::{RecordDifference, difference};
use kitbag_record::{SourceItem, Verification, sources, verify};
use kitbag_repo::Root;
use kitbag_tokens::TokenizerChoice;
use std::path::Path;
use std::sync::Arc;

/// A result limit that no search reaches.
const ALL_RESULTS: usize = 1_000_000;

/// Inputs for explaining a line.
struct Told {
    record: Record,
    root: Root,
    settled: EngineSettings,
    is_searched: bool,
    warnings: Vec<String>,
}

impl Engine {
    /// Lists the records of a repository, newest first.
    pub fn records(&self, repo: &Path) -> Result<RecordList, Error> {
        Ok(self.kept_records()?.list(Root::open(repo)?.path()))
    }

    /// Returns the records of a repository that were created elsewhere, for example by other
    /// processes. Records whose id satisfies `is_known` are listed but not loaded.
    pub fn records_of_others(
        &self,
        repo: &Path,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<OthersRecords, Error> {
        Ok(self.kept_records()?.of_others(Root::open(repo)?.path(), is_known))
    }

    /// Loads a record of a repository, with any warnings. `name` is the beginning of an id, or `@1`
    /// for the record before the latest; `None` loads the latest.
    pub fn record(&self, repo: &Path, name: Option<&str>) -> Result<(Record, Vec<String>), Error> {
        Ok(self.kept_records()?.load(Root::open(repo)?.path(), name)?)
    }

    /// Compares the lines of a recorded pack with the current files.
    pub async fn verify(
        &self,
        repo: &Path,
        name: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Verification, Error> {
        let (record, warnings) = self.record(repo, name)?;
        let root = self.root_of(repo, cancel).await?.0;
        self.run(cancel, move |_| {
            let reading = Reading::new(&root, record.request.redact);
            Ok(verify(&record, &reading, warnings))
        })
        .await
    }

    /// Lists every source of a recorded pack, with its current state.
    pub async fn record_sources(
        &self,
        repo: &Path,
        name: Option<&str>,
        cancel: &Cancel,
    ) -> Result<(Vec<SourceItem>, Vec<String>), Error> {
        let (record, warnings) = self.record(repo, name)?;
        let root = self.root_of(repo, cancel).await?.0;
        self.run(cancel, move |_| {
            let reading = Reading::new(&root, record.request.redact);
            Ok((sources(&record, &reading), warnings))
        })
        .await
    }

    /// Explains why a line is or is not in a recorded pack.
    pub async fn explain(
        &self,
        request: ExplainRequest,
        cancel: &Cancel,
    ) -> Result<Explanation, Error> {
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        let (record, mut warnings) = self.record(repo, request.record.as_deref())?;
        let (root, settled) = self.root_for(repo, &record, cancel).await?;
        let path = root.normalize(&request.path).unwrap_or_else(|_| request.path.clone());
        let task = request.task.as_deref().map(str::trim).filter(|task| !task.is_empty());
        if task.is_some_and(|task| hash(task.as_bytes()) != record.request.task_sha256) {
            warnings.push("the task is not that of the pack".to_owned());
        }
        let mut found = None;
        if let Some(task) = task {
            let search = SearchRequest {
                task: task.to_owned(),
                repo: request.repo.clone(),
                include: record.request.include.clone(),
                exclude: record.request.exclude.clone(),
                now: record.request.now,
                limit: ALL_RESULTS,
                ..SearchRequest::default()
            };
            let report = self.search(search, cancel).await?;
            warnings.extend(report.warnings);
            let has = |it: &SearchResult| {
                it.path == path && it.start_line <= request.line && request.line <= it.end_line
            };
            let place = report.results.iter().position(has);
            found = place.map(|place| (place + 1, report.results[place].clone()));
        }
        let told = Told { record, root, settled, is_searched: task.is_some(), warnings };
        let mut explanation = self.told(told, (path, request.line), cancel).await?;
        (explanation.search_rank, explanation.search) = found.unzip();
        Ok(explanation)
    }

    /// Compares two ranges such as `src/a.rs:10-40` and shows how deduplication would treat them.
    pub async fn compare(
        &self,
        repo: &Path,
        (a, b): (&str, &str),
        cancel: &Cancel,
    ) -> Result<Comparison, Error> {
        let (root, settled) = self.root_of(repo, cancel).await?;
        let (record, warnings) = match self.record(repo, None) {
            Ok((record, warnings)) => (Some(record), warnings),
            Err(_) => (None, Vec::new()),
        };
        let counting = self.counting(settled.counter.clone(), settled.tokenizer, String::new());
        let (a, b) = (a.to_owned(), b.to_owned());
        self.run(cancel, move |cancel| {
            let reading = Reading::new(&root, settled.redact);
            let comparing = Comparing {
                root: &root,
                reading: &reading,
                settings: settled.settings.clone(),
                counting: &*counting()?,
                record: record.as_ref(),
                cancel,
            };
            comparing.compare(&a, &b, warnings)
        })
        .await
    }

    /// Compares two recorded packs and explains the added, removed and changed chunks. By default,
    /// the latest pack is compared with its predecessor.
    pub fn difference(
        &self,
        repo: &Path,
        names: Option<(&str, &str)>,
    ) -> Result<RecordDifference, Error> {
        let (before, after) = names.unwrap_or(("@1", "@0"));
        let (after, mut warnings) = self.record(repo, Some(after))?;
        let (before, told) = self.record(repo, Some(before))?;
        warnings.extend(told);
        warnings.dedup();
        Ok(difference(&before, &after, warnings))
    }

    /// Renders the text of a recorded pack again from the files.
    pub async fn export(&self, request: ExportRequest, cancel: &Cancel) -> Result<Exported, Error> {
        let repo = request.repo.clone().unwrap_or_else(|| ".".into());
        let (record, warnings) = self.record(&repo, request.record.as_deref())?;
        let (root, settled) = self.root_for(&repo, &record, cancel).await?;
        let choice =
            TokenizerChoice::parse(&record.tokenizer).unwrap_or_else(|_| settled.counter.clone());
        let counting = self.counting(choice, settled.tokenizer, String::new());
        let providers = self.providers();
        self.run(cancel, move |cancel| {
            let reading = Reading::new(&root, record.request.redact);
            let exporting = Exporting {
                record: &record,
                root: &root,
                reading: &reading,
                settled: &settled,
                counting: &*counting()?,
                providers: &providers,
                cancel,
            };
            exporting.export(&request, warnings)
        })
        .await
    }

    /// Explains a line on a worker thread, using the record and the current files.
    async fn told(
        &self,
        told: Told,
        (path, line): (String, u32),
        cancel: &Cancel,
    ) -> Result<Explanation, Error> {
        let Told { record, root, settled, is_searched, warnings } = told;
        let choice =
            TokenizerChoice::parse(&record.tokenizer).unwrap_or_else(|_| settled.counter.clone());
        let counting = self.counting(choice, settled.tokenizer, String::new());
        let providers = self.providers();
        self.run(cancel, move |cancel| {
            let counting = counting()?;
            let reading = Reading::new(&root, record.request.redact);
            let settings = settings_of(&record);
            let cut = settings.clone().unwrap_or_default();
            let cutting = Cutting::new(&reading, &counting, &cut, &providers);
            let around = (&settled, &root);
            let again = settings.and_then(|it| Again::new(&record, &cutting, around, it, cancel));
            let is_candidate = record.sources.iter().any(|it| it.path == path)
                || record.excluded.iter().any(|it| it.path == path);
            let globs = (&record.request.include[..], &record.request.exclude[..]);
            let absence = (!is_candidate).then(|| why_absent(&root, &path, globs)).flatten();
            let absence = absence.map(|it| it.to_string());
            let record = &record;
            let explaining = Explaining { record, cutting: &cutting, again, absence, is_searched };
            Ok(explaining.explain(&path, line, warnings))
        })
        .await
    }

    fn kept_records(&self) -> Result<&Arc<Records>, RecordError> {
        self.records.as_ref().ok_or(RecordError::NoFolder)
    }

    /// Opens the root with the settings of the record's profile, if that profile still exists.
    async fn root_for(
        &self,
        repo: &Path,
        record: &Record,
        cancel: &Cancel,
    ) -> Result<(Root, EngineSettings), Error> {
        let profile = Some(record.request.profile.as_str());
        match self.configured(repo, profile, Vec::new(), cancel).await {
            Ok(it) => Ok((open_root(Some(repo), &it.settings.deny, &[])?, it.settings)),
            Err(_) => self.root_of(repo, cancel).await,
        }
    }

    /// Opens the root of a repository with the configured deny rules, and returns the settings.
    async fn root_of(&self, repo: &Path, cancel: &Cancel) -> Result<(Root, EngineSettings), Error> {
        let settled = self.configured(repo, None, Vec::new(), cancel).await?.settings;
        Ok((open_root(Some(repo), &settled.deny, &[])?, settled))
    }
}

//! What an engine answers about packs that it made.

use super::again::{Again, settings_of};
use super::compare::{Comparing, Comparison};
use super::cutting::Cutting;
use super::difference::{RecordDifference, difference};
use super::error::RecordError;
use super::explain::{ExplainRequest, Explaining, Explanation};
use super::export::{ExportRequest, Exported, Exporting};
use super::hash;
use super::reading::Reading;
use super::shape::Record;
use super::store::{OthersRecords, RecordList, Records};
use super::verify::{SourceItem, Verification, sources, verify};
use crate::absence::why_absent;
use crate::config::Settled;
use crate::engine::Engine;
use crate::error::Error;
use crate::finding::{SearchRequest, SearchResult};
use crate::inputs::open_root;
use kitbag_core::Cancel;
use kitbag_repo::Root;
use kitbag_tokens::Choice;
use std::path::Path;
use std::sync::Arc;

/// More than any search finds.
const ALL_RESULTS: usize = 1_000_000;

/// What a line is explained with.
struct Told {
    record: Record,
    root: Root,
    settled: Settled,
    is_searched: bool,
    warnings: Vec<String>,
}

impl Engine {
    /// The records of a repository, the newest first.
    pub fn records(&self, repo: &Path) -> Result<RecordList, Error> {
        Ok(self.kept_records()?.list(Root::open(repo)?.path()))
    }

    /// The records of a repository that others left, such as other processes, and of them those that
    /// `is_known` does not know.
    pub fn records_of_others(
        &self,
        repo: &Path,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<OthersRecords, Error> {
        Ok(self.kept_records()?.of_others(Root::open(repo)?.path(), is_known))
    }

    /// A record of a repository, with what the caller should know: the last if `name` is none, `@1`
    /// for the one before the last, or the beginning of an id.
    pub fn record(&self, repo: &Path, name: Option<&str>) -> Result<(Record, Vec<String>), Error> {
        Ok(self.kept_records()?.load(Root::open(repo)?.path(), name)?)
    }

    /// Whether the lines of a recorded pack are still those of the files.
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

    /// Every source of a recorded pack, and what came of it.
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

    /// Why a line is in a recorded pack, or why it is not.
    pub async fn explain(
        &self,
        request: ExplainRequest,
        cancel: &Cancel,
    ) -> Result<Explanation, Error> {
        let repo = request.repo.as_deref().unwrap_or(Path::new("."));
        let (record, mut warnings) = self.record(repo, request.record.as_deref())?;
        let (root, settled) = self.root_for(repo, &record, cancel).await?;
        let path = root.normalise(&request.path).unwrap_or_else(|_| request.path.clone());
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

    /// What two ranges of lines such as `src/a.rs:10-40` share, and what deduplication decides.
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

    /// What came, what went, and why, from one recorded pack to another: by default from the one
    /// before the last to the last.
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

    /// The text of a recorded pack, rendered again from the files.
    pub async fn export(&self, request: ExportRequest, cancel: &Cancel) -> Result<Exported, Error> {
        let repo = request.repo.clone().unwrap_or_else(|| ".".into());
        let (record, warnings) = self.record(&repo, request.record.as_deref())?;
        let (root, settled) = self.root_for(&repo, &record, cancel).await?;
        let choice = Choice::parse(&record.tokenizer).unwrap_or_else(|_| settled.counter.clone());
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

    /// Explains a line by a record and the files.
    async fn told(
        &self,
        told: Told,
        (path, line): (String, u32),
        cancel: &Cancel,
    ) -> Result<Explanation, Error> {
        let Told { record, root, settled, is_searched, warnings } = told;
        let choice = Choice::parse(&record.tokenizer).unwrap_or_else(|_| settled.counter.clone());
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

    /// The same, with the settings of a record's profile, where there still is one.
    async fn root_for(
        &self,
        repo: &Path,
        record: &Record,
        cancel: &Cancel,
    ) -> Result<(Root, Settled), Error> {
        let profile = Some(record.request.profile.as_str());
        match self.configured(repo, profile, Vec::new(), cancel).await {
            Ok(it) => Ok((open_root(Some(repo), &it.settled.deny)?, it.settled)),
            Err(_) => self.root_of(repo, cancel).await,
        }
    }

    /// The root of a repository, in which is denied what the configuration says, and the settings.
    async fn root_of(&self, repo: &Path, cancel: &Cancel) -> Result<(Root, Settled), Error> {
        let settled = self.configured(repo, None, Vec::new(), cancel).await?.settled;
        Ok((open_root(Some(repo), &settled.deny)?, settled))
    }
}

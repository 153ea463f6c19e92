//! Engine methods that answer questions about recorded packs.

use super::Engine;
use crate::error::Error;
use crate::inspect::Inspection;
use crate::inspect::absence::{Expected, Missing, missing};
use crate::inspect::compare::{Comparing, Comparison};
use crate::inspect::explain::{ExplainRequest, Explanation};
use crate::inspect::export::{ExportRequest, Exported};
use crate::report::Report;
use kitbag_core::Cancel;
use kitbag_record::{
    OthersRecords, Reading, Record, RecordDifference, RecordError, RecordList, Records, SourceItem,
    UsageEntry, UsageReport, Verification, difference, hash, sources, verify,
};
use kitbag_repo::Root;
use kitbag_tokens::TokenizerChoice;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// An answer of a server's tool that is not a pack, for the usage log.
#[derive(Debug, Clone)]
pub struct ToolAnswer {
    /// The repository's folder.
    pub repo: PathBuf,
    /// The interface, such as `mcp`.
    pub interface: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// What was asked for. The log has only its hash.
    pub question: String,
    /// The text that was sent. The log has only its number of tokens.
    pub text: String,
    /// Number of files that the answer refers to.
    pub files: usize,
}

impl Engine {
    /// Adds an answer to the usage log, unless records are switched off. An answer is worth more than its
    /// entry, so failures are ignored.
    #[doc(hidden)]
    pub async fn log_usage(&self, answer: ToolAnswer) {
        let Some(records) = self.records.clone() else { return };
        let cancel = Cancel::default();
        let logged = self.run(&cancel, move |engine, _| {
            let (root, config) = engine.open(&answer.repo, None, None)?;
            let settings = &config.settings;
            if !settings.records {
                return Ok(());
            }
            let counting = engine.counter(&settings.counter, &settings.tokenizer, "")?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let entry = UsageEntry {
                id: String::new(),
                created_at: now.as_secs() as i64,
                repo: root.path().to_string_lossy().into_owned(),
                interface: answer.interface.to_owned(),
                tool: answer.tool.to_owned(),
                agent_id: None,
                profile: String::new(),
                task: hash(answer.question.trim().as_bytes()).chars().take(8).collect(),
                tokens: counting.count(&answer.text),
                files: answer.files,
                whole_file_tokens: None,
            };
            let _ = records.log_usage(root.path(), &entry);
            Ok(())
        });
        let _ = logged.await;
    }

    /// Lists the records of a repository, newest first.
    pub fn records(&self, repo: &Path) -> Result<RecordList, Error> {
        Ok(self.stored_records()?.list(Root::open(repo)?.path()))
    }

    /// Returns the records of a repository that were created elsewhere, for example by other
    /// processes. Records whose id satisfies `is_known` are listed but not loaded.
    #[doc(hidden)]
    pub fn records_of_others(
        &self,
        repo: &Path,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<OthersRecords, Error> {
        Ok(self.stored_records()?.of_others(Root::open(repo)?.path(), is_known))
    }

    /// Sums the recorded packs of a repository, or of all repositories on this machine, that were created
    /// at or after `since`, in seconds since the Unix epoch.
    #[doc(hidden)]
    pub fn usage(&self, repo: Option<&Path>, since: Option<i64>) -> Result<UsageReport, Error> {
        let records = self.stored_records()?;
        let (entries, warnings) = match repo {
            Some(repo) => records.usage(Root::open(repo)?.path()),
            None => records.usage_of_all(),
        };
        Ok(UsageReport::new(&entries, since, warnings))
    }

    /// Loads a record of a repository, with any warnings. `name` is the beginning of an id, or `@1`
    /// for the record before the latest; `None` loads the latest.
    pub fn record(&self, repo: &Path, name: Option<&str>) -> Result<(Record, Vec<String>), Error> {
        Ok(self.stored_records()?.load(Root::open(repo)?.path(), name)?)
    }

    /// Compares the lines of a recorded pack with the files of the commit that `revision` names; by
    /// default, of the commit that was packed, or of the work tree if that was packed.
    pub async fn verify(
        &self,
        repo: &Path,
        name: Option<&str>,
        revision: Option<&str>,
        cancel: &Cancel,
    ) -> Result<Verification, Error> {
        let (record, warnings) = self.record(repo, name)?;
        let verify = |record: &Record, reading: &Reading<'_>| verify(record, reading, warnings);
        self.read_again(repo, revision, record, cancel, verify).await
    }

    /// Lists every source of a recorded pack, with its current state.
    #[doc(hidden)]
    pub async fn record_sources(
        &self,
        repo: &Path,
        name: Option<&str>,
        cancel: &Cancel,
    ) -> Result<(Vec<SourceItem>, Vec<String>), Error> {
        let (record, warnings) = self.record(repo, name)?;
        Ok((self.read_again(repo, None, record, cancel, sources).await?, warnings))
    }

    /// Explains why a line is or is not in a recorded pack.
    pub async fn explain(
        &self,
        request: ExplainRequest,
        cancel: &Cancel,
    ) -> Result<Explanation, Error> {
        let repo = request.repo.clone().unwrap_or_else(|| ".".into());
        let (record, warnings) = self.record(&repo, request.record.as_deref())?;
        let search = match request.search(&record) {
            Some(search) => Some(self.search(search, cancel).await?),
            None => None,
        };
        let explain =
            move |inspection: &Inspection<'_>| Ok(inspection.explain(&request, search, warnings));
        self.inspect(repo, record, cancel, explain).await
    }

    /// Compares two ranges such as `src/a.rs:10-40` and shows how deduplication would treat them.
    #[doc(hidden)]
    pub async fn compare(
        &self,
        repo: &Path,
        revision: Option<&str>,
        a: &str,
        b: &str,
        cancel: &Cancel,
    ) -> Result<Comparison, Error> {
        let (a, b, repo) = (a.to_owned(), b.to_owned(), repo.to_owned());
        let revision = revision.map(str::to_owned);
        self.run(cancel, move |engine, cancel| {
            let (root, config) = engine.open(&repo, revision.as_deref(), None)?;
            let settings = config.settings;
            // Scores are taken from the latest pack, if there is one.
            let (record, warnings) = engine.record(&repo, None).ok().unzip();
            let comparing = Comparing {
                root: &root,
                reading: &Reading::new(&root, settings.redact),
                counting: &*engine.counter(&settings.counter, &settings.tokenizer, "")?,
                settings: settings.settings,
                record: record.as_ref(),
                cancel,
            };
            comparing.compare(&a, &b, warnings.unwrap_or_default())
        })
        .await
    }

    /// Compares two recorded packs and explains the added, removed and changed chunks. By default,
    /// the latest pack is compared with its predecessor.
    #[doc(hidden)]
    pub fn difference(
        &self,
        repo: &Path,
        names: Option<(&str, &str)>,
    ) -> Result<RecordDifference, Error> {
        let (before, after) = names.unwrap_or(("@1", "@0"));
        let (after, mut warnings) = self.record(repo, Some(after))?;
        let (before, more) = self.record(repo, Some(before))?;
        warnings.extend(more);
        warnings.dedup();
        Ok(difference(&before, &after, warnings))
    }

    /// Renders the text of a recorded pack again from the files.
    #[doc(hidden)]
    pub async fn export(&self, request: ExportRequest, cancel: &Cancel) -> Result<Exported, Error> {
        let repo = request.repo.clone().unwrap_or_else(|| ".".into());
        let (record, warnings) = self.record(&repo, request.record.as_deref())?;
        let export = move |inspection: &Inspection<'_>| inspection.export(&request, warnings);
        self.inspect(repo, record, cancel, export).await
    }

    /// Returns the expected places that are missing from a pack, each with a reason.
    #[doc(hidden)]
    pub async fn missing(
        &self,
        expected: Expected,
        report: &Report,
        cancel: &Cancel,
    ) -> Result<Vec<Missing>, Error> {
        let report = report.clone();
        self.run(cancel, move |engine, _| {
            let repo = expected.repo.as_deref().unwrap_or(Path::new("."));
            let (root, _) = engine.open(repo, report.commit.as_deref(), None)?;
            missing(&expected, &report, &root)
        })
        .await
    }

    /// Runs `work` with a record and the files that it refers to.
    async fn read_again<T: Send + 'static>(
        &self,
        repo: &Path,
        revision: Option<&str>,
        record: Record,
        cancel: &Cancel,
        work: impl FnOnce(&Record, &Reading<'_>) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let (repo, revision) = (repo.to_owned(), revision.map(str::to_owned));
        self.run(cancel, move |engine, _| {
            let revision = revision.as_deref().or(record.request.commit.as_deref());
            let (root, _) = engine.open(&repo, revision, None)?;
            Ok(work(&record, &Reading::new(&root, record.request.redact)))
        })
        .await
    }

    /// Runs `work` with everything that is needed to decide or render a recorded pack again.
    async fn inspect<T: Send + 'static>(
        &self,
        repo: PathBuf,
        record: Record,
        cancel: &Cancel,
        work: impl FnOnce(&Inspection<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.run(cancel, move |engine, cancel| {
            // The profile of the pack may no longer exist.
            let commit = record.request.commit.as_deref();
            let opened = engine.open(&repo, commit, Some(&record.request.profile));
            let (root, config) = opened.or_else(|_| engine.open(&repo, commit, None))?;
            let settings = &config.settings;
            let tokenizer = TokenizerChoice::parse(&record.tokenizer);
            let tokenizer = tokenizer.unwrap_or_else(|_| settings.counter.clone());
            work(&Inspection {
                record: &record,
                root: &root,
                reading: &Reading::new(&root, record.request.redact),
                settings,
                counting: &*engine.counter(&tokenizer, &settings.tokenizer, "")?,
                providers: &engine.providers(),
                cancel,
            })
        })
        .await
    }

    fn stored_records(&self) -> Result<&Records, RecordError> {
        self.records.as_deref().ok_or(RecordError::NoFolder)
    }
}

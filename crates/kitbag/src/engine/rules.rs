//! Engine methods for rules and trust.

use super::Engine;
use crate::error::Error;
use kitbag_config::{TrustError, TrustItem, TrustRecord, TrustState, TrustStore};
use kitbag_core::Cancel;
use kitbag_repo::{Globs, PathError, Root, Tree, WorkTree};
use kitbag_rules::{
    ActiveContext, Assembly, ConditionOutcome, ContextRole, RuleDecision, RuleOptions, RuleProblem,
    RuleReader, RuleTimes, Situation,
};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Schema version of [`RulesReport`]. Incremented when a field is removed or changes its meaning.
pub const RULES_VERSION: u32 = 1;

/// Selects the rules to report and the situation to evaluate them in.
#[derive(Debug, Clone, Default)]
pub struct RulesRequest {
    /// The repository's folder; defaults to the current directory.
    pub repo: Option<PathBuf>,
    /// The branch, tag or commit to read; defaults to the work tree.
    pub revision: Option<String>,
    /// A file or folder relative to the repository; defaults to the entire repository.
    pub path: Option<PathBuf>,
    /// The current context; defaults to `default`.
    pub context: Option<String>,
    /// The agent's task. Without one, conditions in plain language remain undecided.
    pub task: String,
    /// The reference time for ages, in seconds since the Unix epoch.
    pub now: Option<i64>,
}

/// The rules of a repository, grouped by whether they apply.
#[derive(Debug, Clone, Serialize)]
pub struct RulesReport {
    /// The schema version.
    pub version: u32,
    /// The repository's folder.
    pub repo: String,
    /// The requested file or folder.
    pub path: Option<String>,
    /// The contexts that apply, most important first.
    pub contexts: Vec<ContextItem>,
    /// The rules that apply, in the order in which they are injected.
    pub applies: Vec<RuleDecision>,
    /// The rules that could not be decided, most similar to the task first.
    pub undecided: Vec<RuleDecision>,
    /// The rules that do not apply.
    pub not: Vec<RuleDecision>,
    /// The name of the judge that evaluated conditions.
    pub judge: Option<String>,
    /// Errors in rule files.
    pub problems: Vec<RuleProblem>,
    /// Other problems that did not prevent the report.
    pub warnings: Vec<String>,
}

/// A context that applies to the request.
#[derive(Debug, Clone, Serialize)]
pub struct ContextItem {
    /// The unique id of the context, such as `helpers/guide`.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The path of the context file.
    pub path: String,
    /// The priority; higher values are more important.
    pub priority: f64,
    /// Human-readable reason why the context applies.
    pub reason: String,
}

/// The parts of a repository's configuration that require trust, with their state.
#[derive(Debug, Clone, Serialize)]
pub struct TrustReport {
    /// The schema version.
    pub version: u32,
    /// The repository's folder.
    pub repo: String,
    /// The items that require trust.
    pub wants: Vec<WantedPiece>,
    /// The stored trust decision, if there is one.
    pub record: Option<TrustRecord>,
}

/// An item that requires trust.
#[derive(Debug, Clone, Serialize)]
pub struct WantedPiece {
    /// The item itself.
    #[serde(flatten)]
    pub piece: TrustItem,
    /// Whether the user trusts the item.
    pub standing: TrustState,
}

impl Engine {
    /// Reports which rules apply to a file or to the repository, with their origin and the reason.
    #[doc(hidden)]
    pub async fn rules(
        &self,
        request: RulesRequest,
        cancel: &Cancel,
    ) -> Result<RulesReport, Error> {
        let work = move |engine: &Self, cancel: &Cancel| {
            let repo = request.repo.as_deref().unwrap_or(Path::new("."));
            let (root, config) = engine.open(repo, request.revision.as_deref(), None)?;
            let services = engine.rule_services(&config.settings);
            let times = RuleTimes::read(&root, request.now);
            let (situation, folders) = situation(&root, &request, times.now)?;
            let reader = RuleReader::default();
            let (set, problems) = reader.load_folders(&root, &folders);
            let judge = services.judge.filter(|_| !request.task.trim().is_empty());
            let options = RuleOptions {
                settings: services.settings,
                judge: judge.as_deref(),
                judge_until: None,
                changed: &|path| times.of(path),
                tree: None,
            };
            let assembly = reader.assemble(&root, &set, &situation, &options, cancel)?;
            let mut report = report(&root, &situation, assembly, problems);
            report.warnings = config.warnings;
            report.warnings.extend(services.judge_problem);
            Ok(report)
        };
        self.run(cancel, work).await
    }

    /// Lists the items of a repository that require trust, with their state.
    #[doc(hidden)]
    pub async fn trust_report(&self, repo: &Path, cancel: &Cancel) -> Result<TrustReport, Error> {
        let repo = repo.to_owned();
        let work = move |engine: &Self, _: &Cancel| {
            let root = engine.root(&repo, None)?;
            let wants = engine.config.trust_states(&root, &repo)?.into_iter();
            Ok(TrustReport {
                version: kitbag_config::TRUST_VERSION,
                repo: root.path().display().to_string(),
                wants: wants.map(|(piece, standing)| WantedPiece { standing, piece }).collect(),
                record: engine.config.trust_store().and_then(|store| store.record(&root)),
            })
        };
        self.run(cancel, work).await
    }

    /// Trusts the items in `seen`, the report that was shown to the user. Items that have changed
    /// since then remain untrusted.
    #[doc(hidden)]
    pub async fn trust(
        &self,
        repo: &Path,
        seen: &TrustReport,
        cancel: &Cancel,
    ) -> Result<TrustReport, Error> {
        let root = Root::open(repo)?;
        // Only hashes of the reviewed items are recorded, so a concurrent change is not trusted.
        let items: Vec<TrustItem> = seen.wants.iter().map(|it| it.piece.clone()).collect();
        let work =
            move |engine: &Self, _: &Cancel| Ok(engine.trust_store()?.trust(&root, &items)?);
        self.run(cancel, work).await?;
        self.trust_report(repo, cancel).await
    }

    /// Revokes all trust in a repository. Returns whether anything was trusted.
    #[doc(hidden)]
    pub async fn revoke_trust(&self, repo: &Path, cancel: &Cancel) -> Result<bool, Error> {
        let root = Root::open(repo)?;
        let work = move |engine: &Self, _: &Cancel| Ok(engine.trust_store()?.revoke(&root)?);
        self.run(cancel, work).await
    }

    fn trust_store(&self) -> Result<TrustStore, TrustError> {
        self.config.trust_store().ok_or(TrustError::NoFolder)
    }
}

/// Builds the situation of a request and collects the folders with relevant instructions: the
/// parents of the requested path, or all folders that contain instructions.
fn situation(
    root: &Root,
    request: &RulesRequest,
    now: Option<i64>,
) -> Result<(Situation, Vec<String>), Error> {
    let path = match &request.path {
        None => None,
        Some(path) => match root.normalize(&path.to_string_lossy()) {
            // The root itself means the entire repository.
            Err(PathError::NotAFile { .. }) => None,
            Ok(path) if root.commit().is_none() && !root.path().join(&path).exists() => {
                return Err(PathError::NotFound { path }.into());
            }
            path => Some(path?),
        },
    };
    let folders: BTreeSet<String> = match &path {
        Some(path) => kitbag_rules::enclosing_folders(path).map(str::to_owned).collect(),
        None => {
            let names = ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"];
            let found = WorkTree::walk(root, &Globs::new(&names, &[])?);
            let parents = found.files().iter().filter_map(|file| file.path.rsplit_once('/'));
            parents.map(|(folder, _)| folder.to_owned()).collect()
        }
    };
    let situation = Situation {
        task: request.task.clone(),
        context: request.context.clone(),
        paths: path.into_iter().collect(),
        now,
        ..Situation::default()
    };
    Ok((situation, folders.into_iter().collect()))
}

fn report(
    root: &Root,
    situation: &Situation,
    assembly: Assembly,
    mut problems: Vec<RuleProblem>,
) -> RulesReport {
    let undecided: Vec<RuleDecision> = assembly.offered().into_iter().cloned().collect();
    let context = |active: &ActiveContext| ContextItem {
        id: active.context.id.clone(),
        name: active.context.name.clone(),
        path: active.context.path.clone(),
        priority: active.priority,
        reason: match &active.role {
            ContextRole::Current => "current".to_owned(),
            ContextRole::Ancestor(1) => "parent".to_owned(),
            ContextRole::Ancestor(_) => "ancestor".to_owned(),
            ContextRole::Injected { rule } => format!("injected by `{rule}`"),
        },
    };
    problems.extend(assembly.problems);
    let (applies, rest): (Vec<RuleDecision>, Vec<RuleDecision>) =
        assembly.decisions.into_iter().partition(|it| it.injected);
    let fails = rest.into_iter().filter(|it| it.outcome == ConditionOutcome::Fails);
    RulesReport {
        version: RULES_VERSION,
        repo: root.path().display().to_string(),
        path: situation.paths.first().cloned(),
        contexts: assembly.contexts.iter().map(context).collect(),
        applies,
        undecided,
        not: fails.collect(),
        judge: assembly.judge,
        problems,
        warnings: Vec::new(),
    }
}

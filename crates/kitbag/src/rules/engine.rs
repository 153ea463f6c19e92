//! What an engine tells about rules and trust.

use super::assemble::Role;
use super::problem::RuleProblem;
use super::{RuleDecision, RuleOptions, RuleReader, RuleTimes, Situation, judge_of};
use crate::config::Configured;
use crate::engine::Engine;
use crate::error::Error;
use crate::trust::{TrustError, TrustPiece, TrustRecord, TrustStanding};
use kitbag_core::Cancel;
use kitbag_repo::{Denylist, Globs, PathError, Root, Tree, WorkTree};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Changes when a field changes its meaning or goes.
pub const RULES_VERSION: u32 = 1;

/// A question about rules.
#[derive(Debug, Clone, Default)]
pub struct RulesRequest {
    /// The repository's folder; the current one if not given.
    pub repo: Option<PathBuf>,
    /// A file or folder, relative to the repository. Without one it is about the repository.
    pub path: Option<PathBuf>,
    /// The current context; `default` if not given.
    pub context: Option<String>,
    /// What the agent is doing. Without a task, conditions in plain language stay undecided.
    pub task: String,
    /// The time that ages are measured from, in seconds since 1970.
    pub now: Option<i64>,
}

/// The rules of a repository, and which of them apply.
#[derive(Debug, Clone, Serialize)]
pub struct RulesReport {
    /// The version of this shape.
    pub version: u32,
    /// The repository's folder.
    pub repo: String,
    /// The file or folder that it is about.
    pub path: Option<String>,
    /// The contexts that apply, the most important first.
    pub contexts: Vec<ContextItem>,
    /// The rules that apply, in their order.
    pub applies: Vec<RuleDecision>,
    /// The rules that nobody could decide, the most similar first.
    pub undecided: Vec<RuleDecision>,
    /// The rules that do not apply.
    pub not: Vec<RuleDecision>,
    /// Who judged conditions.
    pub judge: Option<String>,
    /// What is wrong with rule files.
    pub problems: Vec<RuleProblem>,
    /// What else a person should know.
    pub warnings: Vec<String>,
}

/// A context that applies.
#[derive(Debug, Clone, Serialize)]
pub struct ContextItem {
    /// Its name among contexts: `helpers/guide`.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Its file.
    pub path: String,
    /// How important it is.
    pub priority: f64,
    /// Why it applies.
    pub reason: String,
}

/// What a repository wants that needs trust, and how each piece stands.
#[derive(Debug, Clone, Serialize)]
pub struct TrustReport {
    /// The version of this shape.
    pub version: u32,
    /// The repository's folder.
    pub repo: String,
    /// What the repository wants.
    pub wants: Vec<WantedPiece>,
    /// What is recorded.
    pub record: Option<TrustRecord>,
}

/// Something that a repository wants, and how it stands.
#[derive(Debug, Clone, Serialize)]
pub struct WantedPiece {
    /// What it is.
    #[serde(flatten)]
    pub piece: TrustPiece,
    /// Whether the user trusts it.
    pub standing: TrustStanding,
}

impl Engine {
    /// Which rules apply to a file or to the repository, whence and why.
    pub async fn rules(
        &self,
        request: RulesRequest,
        cancel: &Cancel,
    ) -> Result<RulesReport, Error> {
        let repo = request.repo.clone().unwrap_or_else(|| PathBuf::from("."));
        let Configured { settled, warnings, .. } =
            self.configured(&repo, None, Vec::new(), cancel).await?;
        let root = Root::open(&repo)?;
        let denylist = Denylist::default().with(&settled.deny)?;
        let root = root.with_denylist(denylist);
        let configurations = Arc::clone(&self.configurations);
        let work = move |cancel: &Cancel| {
            let variable = |name: &str| configurations.variable(name);
            let (judge, failed) = match judge_of(&settled.judge, variable) {
                Ok(judge) => (judge, None),
                Err(error) => (None, Some(error)),
            };
            let times = RuleTimes::read(&root, request.now);
            let (situation, folders) = situation(&root, &request, times.now)?;
            let reader = RuleReader::default();
            let (set, problems) = reader.load_with(&root, &folders);
            let judge = judge.filter(|_| !request.task.trim().is_empty());
            let options = RuleOptions {
                settings: settled.rules,
                judge: judge.as_deref(),
                judge_until: None,
                changed: &|path| times.of(path),
                tree: None,
            };
            let assembly = reader.assemble(&root, &set, &situation, &options, cancel)?;
            let mut report = report(&root, &situation, assembly, problems);
            report.warnings = warnings;
            report.warnings.extend(failed.map(|error| format!("nobody judges: {error}")));
            Ok(report)
        };
        self.run(cancel, work).await
    }

    /// What a repository wants that needs trust, and how each piece stands.
    pub async fn trust_report(&self, repo: &Path, cancel: &Cancel) -> Result<TrustReport, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let repo = repo.to_owned();
        let work = move |_: &Cancel| {
            let (loaded, _) = configurations.load(&root, &repo)?;
            let trust = configurations.trust();
            let standing = |piece: &TrustPiece| match &trust {
                Some(trust) => trust.standing(&root, piece),
                None => TrustStanding::NotTrusted,
            };
            let wants = loaded.wants();
            Ok(TrustReport {
                version: crate::trust::TRUST_VERSION,
                repo: root.path().display().to_string(),
                wants: wants
                    .map(|piece| WantedPiece { standing: standing(&piece), piece })
                    .collect(),
                record: trust.as_ref().and_then(|trust| trust.record(&root)),
            })
        };
        self.run(cancel, work).await
    }

    /// Trusts what a repository wants as it is now. `seen` is what the user was shown: should it be
    /// something else by now, nothing is recorded.
    pub async fn trust(
        &self,
        repo: &Path,
        seen: &TrustReport,
        cancel: &Cancel,
    ) -> Result<TrustReport, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let pieces: Vec<TrustPiece> = seen.wants.iter().map(|it| it.piece.clone()).collect();
        let work = move |_: &Cancel| {
            let trust = configurations.trust().ok_or(TrustError::NoFolder)?;
            // Only hashes of what was seen are recorded, so a change in between is not trusted.
            Ok(trust.trust(&root, &pieces)?)
        };
        self.run(cancel, work).await?;
        self.trust_report(repo, cancel).await
    }

    /// Trusts nothing of a repository any more; tells whether anything was trusted.
    pub async fn revoke_trust(&self, repo: &Path, cancel: &Cancel) -> Result<bool, Error> {
        let (configurations, root) = (Arc::clone(&self.configurations), Root::open(repo)?);
        let work = move |_: &Cancel| {
            let trust = configurations.trust().ok_or(TrustError::NoFolder)?;
            Ok(trust.revoke(&root)?)
        };
        self.run(cancel, work).await
    }
}

/// The situation of a question, and the folders whose instructions it may want: those that its file
/// is in, or all that have any.
fn situation(
    root: &Root,
    request: &RulesRequest,
    now: Option<i64>,
) -> Result<(Situation, Vec<String>), Error> {
    let mut paths = Vec::new();
    let mut folders: BTreeSet<String> = BTreeSet::new();
    if let Some(path) = &request.path {
        let typed = path.to_string_lossy();
        let path = match root.normalise(&typed) {
            // The root itself is the repository.
            Err(PathError::NotAFile { .. }) => None,
            path => Some(path?),
        };
        if let Some(path) = path {
            if !root.path().join(&path).exists() {
                return Err(PathError::NotFound { path }.into());
            }
            folders.extend(super::folders(&path).map(str::to_owned));
            paths.push(path);
        }
    }
    if paths.is_empty() {
        let names = ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"];
        let found = WorkTree::walk(root, &Globs::new(&names, &[])?);
        let parents = found.files().iter().filter_map(|file| file.path.rsplit_once('/'));
        folders.extend(parents.map(|(folder, _)| folder.to_owned()));
    }
    let (task, context) = (request.task.clone(), request.context.clone());
    let situation = Situation { task, context, paths, now, ..Situation::default() };
    Ok((situation, folders.into_iter().collect()))
}

fn report(
    root: &Root,
    situation: &Situation,
    assembly: super::Assembly,
    mut problems: Vec<RuleProblem>,
) -> RulesReport {
    let undecided: Vec<RuleDecision> = assembly.offered().into_iter().cloned().collect();
    let context = |active: &super::ActiveContext| ContextItem {
        id: active.context.id.clone(),
        name: active.context.name.clone(),
        path: active.context.path.clone(),
        priority: active.priority,
        reason: match &active.role {
            Role::Current => "current".to_owned(),
            Role::Ancestor(1) => "parent".to_owned(),
            Role::Ancestor(_) => "ancestor".to_owned(),
            Role::Injected { rule } => format!("injected by `{rule}`"),
        },
    };
    problems.extend(assembly.problems);
    let (applies, rest): (Vec<RuleDecision>, Vec<RuleDecision>) =
        assembly.decisions.into_iter().partition(|it| it.injected);
    RulesReport {
        version: RULES_VERSION,
        repo: root.path().display().to_string(),
        path: situation.paths.first().cloned(),
        contexts: assembly.contexts.iter().map(context).collect(),
        applies,
        undecided,
        not: rest.into_iter().filter(|it| it.outcome == super::Truth::Fails).collect(),
        judge: assembly.judge,
        problems,
        warnings: Vec::new(),
    }
}

//! A temporary repository and the evaluation of its rules.

use kitbag_core::Cancel;
use kitbag_repo::Root;
use kitbag_rules::{
    Assembly, ConditionOutcome, RuleDecision, RuleOptions, RuleProblem, RuleReader, RulesError,
    Situation,
};
use std::fs;
use tempfile::TempDir;

/// A folder with files.
pub struct Repo {
    pub dir: TempDir,
    pub reader: RuleReader,
}

impl Repo {
    pub fn with(files: &[(&str, &str)]) -> Self {
        let repo = Self { dir: tempfile::tempdir().unwrap(), reader: RuleReader::default() };
        for (path, content) in files {
            repo.write(path, content);
        }
        repo
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn root(&self) -> Root {
        Root::open(self.dir.path()).unwrap()
    }

    /// Assembles the rules, with the problems of loading first.
    pub fn try_assemble(
        &self,
        situation: &Situation,
        options: &RuleOptions<'_>,
    ) -> Result<Assembly, RulesError> {
        let root = self.root();
        let (set, problems) = self.reader.load(&root, situation);
        let cancel = Cancel::default();
        let mut assembly = self.reader.assemble(&root, &set, situation, options, &cancel)?;
        assembly.problems.splice(0..0, problems);
        Ok(assembly)
    }

    pub fn assemble_with(&self, situation: &Situation, options: &RuleOptions<'_>) -> Assembly {
        self.try_assemble(situation, options).unwrap()
    }

    pub fn assemble(&self, situation: &Situation) -> Assembly {
        self.assemble_with(situation, &RuleOptions::default())
    }

    /// Formats the problems of the repository, one per line.
    pub fn problems(&self) -> String {
        problem_lines(&self.assemble(&Situation::default()).problems)
    }
}

/// Returns a situation with files.
pub fn about(paths: &[&str]) -> Situation {
    Situation {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Situation::default()
    }
}

/// Returns a situation with a task.
pub fn doing(task: &str) -> Situation {
    Situation { task: task.to_owned(), ..Situation::default() }
}

/// Returns the names of rules with an outcome, in order.
pub fn named(assembly: &Assembly, outcome: ConditionOutcome) -> Vec<&str> {
    let decisions = assembly.decisions.iter().filter(|it| it.outcome == outcome);
    decisions.map(|it| it.name.as_str()).collect()
}

/// Returns the decision on a rule.
#[track_caller]
pub fn decision<'a>(assembly: &'a Assembly, name: &str) -> &'a RuleDecision {
    let found = assembly.decisions.iter().find(|it| it.name == name);
    found.unwrap_or_else(|| panic!("no rule `{name}` in {:?}", assembly.decisions))
}

/// Returns the ids of contexts, highest priority first.
pub fn contexts(assembly: &Assembly) -> Vec<&str> {
    assembly.contexts.iter().map(|it| it.context.id.as_str()).collect()
}

/// Returns the paths and texts of all rules that apply.
pub fn texts(assembly: &Assembly) -> Vec<(&str, &str)> {
    let parts = assembly.rules.iter().flat_map(|rule| &rule.parts);
    parts.map(|part| (part.path.as_str(), &*part.text)).collect()
}

/// Formats problems, one per line.
pub fn problem_lines(problems: &[RuleProblem]) -> String {
    let line = |it: &RuleProblem| {
        let severity = format!("{:?}", it.severity).to_lowercase();
        match &it.hint {
            Some(hint) => format!("{severity} {it} [{hint}]"),
            None => format!("{severity} {it}"),
        }
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

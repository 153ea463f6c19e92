//! A repository of one's own, and what its rules come to.

use kitbag::Cancel;
use kitbag::rules::{
    Assembly, RuleDecision, RuleOptions, RuleProblem, RuleReader, RulesError, Situation, Truth,
};
use kitbag_repo::Root;
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

    /// What applies, with everything that is wrong.
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

    /// What is wrong, a line each, for the repository as a whole.
    pub fn problems(&self) -> String {
        told(&self.assemble(&Situation::default()).problems)
    }
}

/// A situation that is about files.
pub fn about(paths: &[&str]) -> Situation {
    Situation {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..Situation::default()
    }
}

/// A situation with a task.
pub fn doing(task: &str) -> Situation {
    Situation { task: task.to_owned(), ..Situation::default() }
}

/// The names of rules with an outcome, in order.
pub fn named(assembly: &Assembly, outcome: Truth) -> Vec<&str> {
    let decisions = assembly.decisions.iter().filter(|it| it.outcome == outcome);
    decisions.map(|it| it.name.as_str()).collect()
}

/// A rule's decision, by name.
#[track_caller]
pub fn decision<'a>(assembly: &'a Assembly, name: &str) -> &'a RuleDecision {
    let found = assembly.decisions.iter().find(|it| it.name == name);
    found.unwrap_or_else(|| panic!("no rule `{name}` in {:?}", assembly.decisions))
}

/// The names of contexts, the most important first.
pub fn contexts(assembly: &Assembly) -> Vec<&str> {
    assembly.contexts.iter().map(|it| it.context.id.as_str()).collect()
}

/// The texts of all rules that apply, each with the file that it is from.
pub fn texts(assembly: &Assembly) -> Vec<(&str, &str)> {
    let parts = assembly.rules.iter().flat_map(|rule| &rule.parts);
    parts.map(|part| (part.path.as_str(), &*part.text)).collect()
}

/// Problems, a line each.
pub fn told(problems: &[RuleProblem]) -> String {
    let line = |it: &RuleProblem| {
        let severity = format!("{:?}", it.severity).to_lowercase();
        match &it.hint {
            Some(hint) => format!("{severity} {it} [{hint}]"),
            None => format!("{severity} {it}"),
        }
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

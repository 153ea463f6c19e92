//! Resolution of `inject`: a context, else a file or a glob of the repository.

use crate::context::ContextGraph;
use crate::files::RuleFiles;
use crate::model::{CONTEXTS_FOLDER, Rule, RuleText};
use crate::problem::RuleProblem;
use kitbag_config::yaml::LineColumn;
use kitbag_repo::{Globs, PathError, Tree, WorkTree};

/// Maximum number of files that a glob injects.
const MAX_FILES: usize = 100;

/// The contexts and files that a rule injects.
#[derive(Debug, Default)]
pub(crate) struct Injection {
    /// Ids of contexts.
    pub contexts: Vec<String>,
    pub texts: Vec<RuleText>,
}

/// Resolves the targets of injection rules.
pub(crate) struct Injector<'a> {
    pub files: RuleFiles<'a>,
    pub contexts: &'a ContextGraph,
    /// The files of the repository, if already walked.
    pub tree: Option<&'a dyn Tree>,
    pub problems: Vec<RuleProblem>,
}

impl Injector<'_> {
    /// Resolves the targets of a rule, reporting those that cannot be injected.
    pub fn inject(&mut self, rule: &Rule) -> Injection {
        let mut injection = Injection::default();
        for target in &rule.targets {
            let name = target.name.trim();
            if self.contexts.get(name).is_some() {
                injection.contexts.push(name.to_owned());
                continue;
            }
            for path in self.paths(&rule.path, name, target.position) {
                injection.texts.extend(self.read(&path));
            }
        }
        injection
    }

    /// Returns the files that a target of a rule in the file `path` refers to.
    fn paths(&mut self, path: &str, name: &str, position: LineColumn) -> Vec<String> {
        let outside = || format!("`{name}` in `inject` is outside the repository");
        let is_glob = name.contains(['*', '?', '[', '{']);
        if is_glob && (name.split('/').any(|part| part == "..") || name.starts_with('~')) {
            return self.reject(RuleProblem::error(path, "outside_root", outside()).at(position));
        }
        if is_glob {
            return self.glob(path, name, position);
        }
        let error = match self.files.root.entry(name) {
            Ok(entry) => return vec![entry.path],
            // All files of a folder are injected.
            Err(PathError::NotAFile { .. }) => return self.glob(path, name, position),
            Err(error) => error,
        };
        let (code, message) = match error {
            PathError::OutsideRoot { .. } => (error.code().as_str(), outside()),
            PathError::NotFound { .. } => {
                let places = format!("a context of `{CONTEXTS_FOLDER}` nor a file");
                ("inject", format!("`{name}` in `inject` is neither {places}"))
            }
            error => (error.code().as_str(), format!("cannot inject: {error}")),
        };
        self.reject(RuleProblem::error(path, code, message).at(position))
    }

    fn glob(&mut self, path: &str, glob: &str, position: LineColumn) -> Vec<String> {
        let globs = match Globs::new(&[glob], &[]) {
            Ok(globs) => globs,
            Err(error) => {
                let problem = RuleProblem::error(path, "glob", error.to_string());
                return self.reject(problem.at(position));
            }
        };
        let walked = self.tree.is_none().then(|| WorkTree::walk(self.files.root, &globs));
        let walked = walked.as_ref().map(|tree| tree as &dyn Tree);
        let files = self.tree.or(walked).map(Tree::files).unwrap_or_default();
        let found = files.iter().filter(|file| globs.accepts(&file.path));
        let mut paths: Vec<String> = found.take(MAX_FILES + 1).map(|it| it.path.clone()).collect();
        if paths.is_empty() {
            let message = format!("no file matches `{glob}` in `inject`");
            return self.reject(RuleProblem::warning(path, "inject", message).at(position));
        }
        if paths.len() > MAX_FILES {
            paths.truncate(MAX_FILES);
            let message =
                format!("more than {MAX_FILES} files match `{glob}`; the rest is not injected");
            self.problems.push(RuleProblem::warning(path, "too_many", message).at(position));
        }
        paths
    }

    /// Reports a target that nothing can be injected for.
    fn reject(&mut self, problem: RuleProblem) -> Vec<String> {
        self.problems.push(problem);
        Vec::new()
    }

    fn read(&mut self, path: &str) -> Option<RuleText> {
        let text = self.files.text(path, false, &mut self.problems)?;
        if text.contains('\0') {
            self.problems.push(RuleProblem::error(path, "binary", "binary file"));
            return None;
        }
        Some(RuleText { path: path.to_owned(), line: 1, via: Vec::new(), text: text.into() })
    }
}

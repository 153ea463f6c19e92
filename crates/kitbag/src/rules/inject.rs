//! What `inject` means: a context, else a file or a glob of the repository, and nothing outside.

use super::context::{Contexts, InjectionRule};
use super::conventions::Part;
use super::files::Files;
use super::problem::RuleProblem;
use kitbag_repo::{Globs, PathError, Tree, WorkTree};

/// How many files a glob may bring.
const MOST_FILES: usize = 100;

/// The file that something stands in, with line and column.
type At<'a> = (&'a str, (usize, usize));

/// What a rule injects.
#[derive(Debug, Default)]
pub(super) struct Injected {
    /// Contexts by name.
    pub contexts: Vec<String>,
    /// Files with their texts.
    pub parts: Vec<Part>,
}

/// Finds what the rules of a situation inject.
pub(super) struct Injector<'a> {
    pub files: Files<'a>,
    pub contexts: &'a Contexts,
    /// The files of the repository, where somebody has walked it already.
    pub tree: Option<&'a dyn Tree>,
    pub problems: Vec<RuleProblem>,
}

impl Injector<'_> {
    /// What a rule injects. What cannot be injected is told at its place.
    pub fn inject(&mut self, rule: &InjectionRule) -> Injected {
        let mut injected = Injected::default();
        for (target, place) in &rule.inject {
            let (target, at) = (target.trim(), (rule.path.as_str(), *place));
            if self.contexts.get(target).is_some() {
                injected.contexts.push(target.to_owned());
            } else if target.contains(['*', '?', '[', '{']) {
                self.glob(at, target, &mut injected);
            } else {
                self.file(at, target, &mut injected);
            }
        }
        injected
    }

    fn file(&mut self, at: At<'_>, target: &str, injected: &mut Injected) {
        match self.files.root.entry(target) {
            Ok(entry) => self.read(&entry.path, injected),
            Err(PathError::NotAFile { .. }) => self.glob(at, target, injected),
            Err(error) => {
                let (code, message) = match &error {
                    PathError::OutsideRoot { .. } => {
                        (error.code(), format!("`inject` leads outside the repository: `{target}`"))
                    }
                    PathError::NotFound { .. } => {
                        let folder = super::context::CONTEXTS_FOLDER;
                        let what = format!("neither a context of `{folder}` nor a file");
                        ("inject", format!("`inject` names {what}: `{target}`"))
                    }
                    error => (error.code(), format!("`inject` cannot be followed: {error}")),
                };
                self.problems.push(RuleProblem::error(at.0, code, message).at(at.1));
            }
        }
    }

    fn glob(&mut self, at: At<'_>, target: &str, injected: &mut Injected) {
        let wrong = |code, message: String| RuleProblem::error(at.0, code, message).at(at.1);
        if target.split('/').any(|part| part == "..") || target.starts_with('~') {
            let message = format!("`inject` leads outside the repository: `{target}`");
            self.problems.push(wrong("outside_root", message));
            return;
        }
        let globs = match Globs::new(&[target], &[]) {
            Ok(globs) => globs,
            Err(error) => return self.problems.push(wrong("glob", error.to_string())),
        };
        let walked;
        let tree = match self.tree {
            Some(tree) => tree,
            None => {
                walked = WorkTree::walk(self.files.root, &globs);
                &walked
            }
        };
        let found = tree.files().iter().filter(|file| globs.accepts(&file.path));
        let mut paths: Vec<String> = found.take(MOST_FILES + 1).map(|it| it.path.clone()).collect();
        if paths.is_empty() {
            let message = format!("`inject` names a glob that no file matches: `{target}`");
            let problem = RuleProblem::warning(at.0, "inject", message).at(at.1);
            self.problems.push(problem);
        }
        if paths.len() > MOST_FILES {
            paths.truncate(MOST_FILES);
            let message =
                format!("`inject` takes {MOST_FILES} files of those that match `{target}`");
            let problem = RuleProblem::warning(at.0, "too_many", message).at(at.1);
            self.problems.push(problem);
        }
        for path in paths {
            self.read(&path, injected);
        }
    }

    fn read(&mut self, path: &str, injected: &mut Injected) {
        let Some(text) = self.files.text(path, false, &mut self.problems) else { return };
        if text.contains('\0') {
            let problem = RuleProblem::error(path, "binary", "binary, not text");
            return self.problems.push(problem);
        }
        let (via, text) = (Vec::new(), text.into());
        injected.parts.push(Part { path: path.to_owned(), line: 1, via, text });
    }
}

//! Resolution of `inject`: a context, else a file or a glob of the repository.

use crate::context::ContextGraph;
use crate::files::RuleFiles;
use crate::model::{CONTEXTS_FOLDER, InjectionRule, LocatedName, RuleText};
use crate::problem::RuleProblem;
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
    pub fn inject(&mut self, rule: &InjectionRule) -> Injection {
        let mut injection = Injection::default();
        for target in &rule.inject {
            let name = target.name.trim();
            let target = LocatedName { name: name.to_owned(), position: target.position };
            if self.contexts.get(name).is_some() {
                injection.contexts.push(target.name);
            } else if name.contains(['*', '?', '[', '{']) {
                self.inject_glob(rule, &target, &mut injection);
            } else {
                self.inject_file(rule, &target, &mut injection);
            }
        }
        injection
    }

    fn inject_file(
        &mut self,
        rule: &InjectionRule,
        target: &LocatedName,
        injection: &mut Injection,
    ) {
        let name = &target.name;
        let error = match self.files.root.entry(name) {
            Ok(entry) => return self.read(&entry.path, injection),
            Err(PathError::NotAFile { .. }) => return self.inject_glob(rule, target, injection),
            Err(error) => error,
        };
        let (code, message) = match &error {
            PathError::OutsideRoot { .. } => (error.code().as_str(), outside(name)),
            PathError::NotFound { .. } => {
                let message = format!(
                    "`{name}` in `inject` is neither a context of `{CONTEXTS_FOLDER}` nor a file"
                );
                ("inject", message)
            }
            error => (error.code().as_str(), format!("cannot inject: {error}")),
        };
        self.problems.push(RuleProblem::error(&rule.path, code, message).at(target.position));
    }

    fn inject_glob(
        &mut self,
        rule: &InjectionRule,
        target: &LocatedName,
        injection: &mut Injection,
    ) {
        let name = target.name.as_str();
        let error = |code, message: String| {
            RuleProblem::error(&rule.path, code, message).at(target.position)
        };
        if name.split('/').any(|part| part == "..") || name.starts_with('~') {
            return self.problems.push(error("outside_root", outside(name)));
        }
        let globs = match Globs::new(&[name], &[]) {
            Ok(globs) => globs,
            Err(invalid) => return self.problems.push(error("glob", invalid.to_string())),
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
        let mut paths: Vec<String> = found.take(MAX_FILES + 1).map(|it| it.path.clone()).collect();
        let warning = |code, message: String| {
            RuleProblem::warning(&rule.path, code, message).at(target.position)
        };
        if paths.is_empty() {
            self.problems.push(warning("inject", format!("no file matches `{name}` in `inject`")));
        }
        if paths.len() > MAX_FILES {
            paths.truncate(MAX_FILES);
            let message =
                format!("more than {MAX_FILES} files match `{name}`; the rest is not injected");
            self.problems.push(warning("too_many", message));
        }
        for path in paths {
            self.read(&path, injection);
        }
    }

    fn read(&mut self, path: &str, injection: &mut Injection) {
        let Some(text) = self.files.text(path, false, &mut self.problems) else { return };
        if text.contains('\0') {
            return self.problems.push(RuleProblem::error(path, "binary", "binary file"));
        }
        let (via, text) = (Vec::new(), text.into());
        injection.texts.push(RuleText { path: path.to_owned(), line: 1, via, text });
    }
}

fn outside(name: &str) -> String {
    format!("`{name}` in `inject` is outside the repository")
}

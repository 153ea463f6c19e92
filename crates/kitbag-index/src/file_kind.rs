//! What kind of file is it? Judged by path components and content, never by a substring.

use crate::task::About;
use serde::{Deserialize, Serialize};

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// What the project is.
    Code,
    /// Tests and their data.
    Test,
    /// Documentation, and examples that document.
    Documentation,
    /// Data and configuration.
    Data,
    /// Generated, vendored or minified.
    Derived,
}

/// What a file's content says about its kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looks {
    /// It says that it was generated.
    pub generated: bool,
    /// Its lines are too long to have been written.
    pub minified: bool,
}

impl Looks {
    /// Looks at the beginning of a file's content.
    pub fn of(content: &str) -> Self {
        let mut end = content.len().min(2_000);
        while !content.is_char_boundary(end) {
            end -= 1;
        }
        let (lines, bytes) = content
            .lines()
            .take(1_000)
            .fold((1, 0), |(n, bytes), line| (n + 1, bytes + line.len() + 1));
        Self {
            generated: says_generated(&content[..end]),
            minified: content.len() > 5_000 && bytes / lines > 400,
        }
    }
}

/// Whether a comment says that the file was generated. What stands in code speaks of other files.
fn says_generated(head: &str) -> bool {
    const MARKS: &[&str] =
        &["code generated", "@generated", "do not edit", "automatically generated"];
    const COMMENTS: &[&str] =
        &["//", "#", "/*", "*", "<!--", "--", ";", "%", "\"\"\"", "'", "(*", "{-"];
    let mut in_block = false;
    head.lines().any(|line| {
        let line = line.trim().to_lowercase();
        let is_comment = in_block || COMMENTS.iter().any(|mark| line.starts_with(mark));
        let opens = ["/*", "<!--", "(*", "{-"].iter().any(|mark| line.starts_with(mark));
        let closes = ["*/", "-->", "*)", "-}"].iter().any(|mark| line.contains(mark));
        let is_quoted = line.matches("\"\"\"").count() % 2 == 1;
        in_block = (in_block || opens) && !closes;
        in_block ^= is_quoted;
        is_comment && MARKS.iter().any(|mark| line.contains(mark))
    })
}

impl FileKind {
    /// The kind of the file at `path`, whose content looks like `looks`.
    pub fn of(path: &str, looks: Looks) -> Self {
        let lower = path.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let in_folder = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let derived = looks.generated || looks.minified || is_derived_name(name);
        if derived || in_folder(DERIVED_FOLDERS) {
            Self::Derived
        } else if in_folder(TEST_FOLDERS) || is_test_name(path, name) {
            Self::Test
        } else if DOCUMENT_ENDINGS.contains(&ending)
            || in_folder(DOCUMENT_FOLDERS)
            || is_example(folders)
        {
            Self::Documentation
        } else if DATA_ENDINGS.contains(&ending) || ending.is_empty() {
            Self::Data
        } else {
            Self::Code
        }
    }

    /// How much a match in a file of this kind is worth for a task about `about`.
    pub fn worth(self, about: &About) -> f32 {
        let asked = |is: bool, asked: f32, otherwise: f32| if is { asked } else { otherwise };
        match self {
            Self::Code => 1.0,
            Self::Test => asked(about.tests, 0.9, 0.3),
            Self::Documentation => asked(about.documentation, 0.9, 0.2),
            Self::Data => asked(about.data, 0.8, 0.2),
            Self::Derived => 0.2,
        }
    }
}

const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testdata",
    "test-data",
    "test_data",
    "fixtures",
    "__fixtures__",
    "__mocks__",
    "e2e",
    "androidtest",
    "jvmtest",
    "commontest",
    "integration-tests",
    "integration_tests",
    "unittests",
    "testsuite",
];

const DOCUMENT_FOLDERS: &[&str] =
    &["doc", "docs", "documentation", "examples", "samples", "tutorials", "website"];

/// `example` is a folder of examples, but for `com/example`, where code of Java lies.
fn is_example(folders: &str) -> bool {
    let mut before = "";
    folders.split('/').any(|folder| {
        let is_it = folder == "example" && !matches!(before, "com" | "org" | "net" | "io");
        before = folder;
        is_it
    })
}

const DERIVED_FOLDERS: &[&str] = &[
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "node_modules",
    "dist",
    "bower_components",
];

const DOCUMENT_ENDINGS: &[&str] =
    &["md", "mdx", "rst", "txt", "adoc", "asciidoc", "org", "tex", "1", "3", "ipynb", "pod"];

const DATA_ENDINGS: &[&str] = &[
    "json",
    "jsonc",
    "json5",
    "yaml",
    "yml",
    "toml",
    "xml",
    "csv",
    "tsv",
    "ini",
    "cfg",
    "conf",
    "lock",
    "properties",
    "svg",
    "html",
    "htm",
    "css",
    "scss",
    "less",
    "plist",
    "csproj",
    "sln",
    "props",
    "targets",
    "gradle",
    "patch",
    "diff",
    "log",
    "snap",
    "po",
    "pot",
    "sql",
    "in",
    "cmake",
    "mk",
    "am",
    "m4",
    "bat",
    "dockerfile",
    "editorconfig",
    "env",
    "map",
    "pem",
    "crt",
    "vcxproj",
];

/// The languages whose tests are called `...Spec`; in others that is a specification.
const SPEC_ENDINGS: &[&str] = &[".groovy", ".scala", ".swift", ".hs"];

/// Names that only tests have. Case matters: `LatestTest.java` is a test, `latest.java` is not.
fn is_test_name(path: &str, lower: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let lower_stem = lower.split('.').next().unwrap_or(lower);
    let middle = lower.split('.').rev().nth(1).unwrap_or_default();
    lower == "conftest.py"
        || lower_stem.starts_with("test_")
        || lower_stem.ends_with("_test")
        || lower_stem.ends_with("_tests")
        || lower_stem.ends_with("_spec")
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
        || (stem.ends_with("Spec") && SPEC_ENDINGS.iter().any(|ending| name.ends_with(ending)))
        || (lower.matches('.').count() > 1 && matches!(middle, "test" | "tests" | "spec"))
}

fn is_derived_name(name: &str) -> bool {
    name.contains(".min.")
        || name.ends_with(".pb.go")
        || name.ends_with(".pb.gw.go")
        || name.ends_with("_pb2.py")
        || name.ends_with("-lock.json")
        || name.ends_with(".lock")
        || name == "pnpm-lock.yaml"
        || name == "go.sum"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str) -> FileKind {
        FileKind::of(path, Looks::default())
    }

    #[test]
    fn components_decide_and_not_substrings() {
        assert_eq!(kind("src/testing_framework/runner.py"), FileKind::Code);
        assert_eq!(kind("lib/contest.rs"), FileKind::Code);
        assert_eq!(kind("lib/Latest.java"), FileKind::Code);
        assert_eq!(kind("tests/runner.py"), FileKind::Test);
        assert_eq!(kind("pkg/server_test.go"), FileKind::Test);
        assert_eq!(kind("src/LoginTest.java"), FileKind::Test);
        assert_eq!(kind("src/login.spec.ts"), FileKind::Test);
        assert_eq!(kind("docs/guide.md"), FileKind::Documentation);
        assert_eq!(kind("README.md"), FileKind::Documentation);
        assert_eq!(kind("example/login.rs"), FileKind::Documentation);
        assert_eq!(kind("src/main/java/com/example/shop/Cart.java"), FileKind::Code);
        assert_eq!(kind("Cargo.toml"), FileKind::Data);
        assert_eq!(kind("vendor/x/y.go"), FileKind::Derived);
        assert_eq!(kind("api/rpc.pb.go"), FileKind::Derived);
    }

    #[test]
    fn content_tells_generated_and_minified() {
        assert!(Looks::of("// Code generated by protoc. DO NOT EDIT.\n").generated);
        assert!(Looks::of("/*\n Automatically generated by x\n*/\n").generated);
        assert!(Looks::of("\"\"\"Parsers.\n\nDo not edit.\n\"\"\"\n").generated);
        assert!(!Looks::of("fn main() {}\n").generated);
        assert!(!Looks::of("/* a */\nconst MARK: &str = \"do not edit\";\n").generated);
        assert!(Looks::of(&"var a=1;".repeat(1_000)).minified);
        assert!(!Looks::of(&"var a = 1;\n".repeat(1_000)).minified);
        assert!(!Looks::of(&"var a = 1;\n".repeat(100_000)).minified, "a large file is none");
    }

    #[test]
    fn a_task_about_tests_lowers_tests_less() {
        let about = About { tests: true, ..About::default() };
        assert!(FileKind::Test.worth(&about) > FileKind::Test.worth(&About::default()));
    }
}

//! Kinds of files, derived from path components and content, never from substrings of the path.

use crate::task::TaskTopics;
use serde::{Deserialize, Serialize};

/// Purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Source code of the project.
    Code,
    /// Tests, test data, benchmarks and fuzz targets.
    Test,
    /// Documentation and examples.
    Documentation,
    /// A list of changes by release, which has words of everything that was ever changed.
    Changelog,
    /// Data and configuration.
    Data,
    /// Generated, vendored or minified.
    Derived,
}

/// Facts about the kind of a file that only its content shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentFlags {
    /// A comment at the beginning says that the file is generated.
    pub is_generated: bool,
    /// The lines are too long to be written by hand.
    pub is_minified: bool,
}

impl ContentFlags {
    /// Inspects the beginning of a content.
    pub fn of(content: &str) -> Self {
        let (lines, bytes) = content
            .lines()
            .take(1_000)
            .fold((1, 0), |(n, bytes), line| (n + 1, bytes + line.len() + 1));
        Self {
            is_generated: says_generated(&content[..content.floor_char_boundary(2_000)]),
            is_minified: content.len() > 5_000 && bytes / lines > 400,
        }
    }
}

/// Whether a comment marks the file as generated. The same words in code refer to other files.
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
    /// Returns the kind of the file at `path` with the given content flags.
    pub fn of(path: &str, flags: ContentFlags) -> Self {
        let lower = path.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        // `.gitignore` has no extension.
        let extension = name.trim_start_matches('.').rsplit_once('.').map_or("", |(_, it)| it);
        let in_folder_of =
            |kind| folders.split('/').any(|folder| kind_of_folder(folder) == Some(kind));
        let by_extension = kind_of_extension(extension);
        let is_derived = flags.is_generated || flags.is_minified || is_derived_name(name);
        if is_derived || in_folder_of(Self::Derived) {
            Self::Derived
        } else if is_changelog_name(name) || in_folder_of(Self::Changelog) {
            Self::Changelog
        } else if in_folder_of(Self::Test) || is_test_name(path, name) {
            Self::Test
        } else if in_folder_of(Self::Documentation) || is_in_example_folder(folders) {
            Self::Documentation
        } else {
            by_extension.unwrap_or(Self::Code)
        }
    }

    /// Returns the weight of matches in files of this kind when candidates are chosen for a task
    /// with these topics. The weights were set by hand.
    pub fn weight(self, topics: &TaskTopics) -> f32 {
        match self {
            Self::Code => 1.0,
            Self::Test if topics.tests => 0.9,
            Self::Test => 0.3,
            Self::Documentation if topics.documentation => 0.9,
            Self::Changelog if topics.changelog => 0.9,
            Self::Changelog => 0.1,
            Self::Data if topics.data => 0.8,
            Self::Documentation | Self::Data | Self::Derived => 0.2,
        }
    }
}

/// Returns the kind of all files in a folder of this name.
fn kind_of_folder(folder: &str) -> Option<FileKind> {
    match folder {
        "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata" | "test-data"
        | "test_data" | "fixtures" | "__fixtures__" | "__mocks__" | "e2e" | "androidtest"
        | "jvmtest" | "commontest" | "integration-tests" | "integration_tests" | "unittests"
        | "testsuite" | "regress" | "snapshots" | "__snapshots__" | "cassettes" | "type-tests"
        | "test-d" | "dtslint" | "fuzz" | "bench" | "benches" | "benchmark" | "benchmarks"
        | "jmh" => Some(FileKind::Test),
        "doc" | "docs" | "documentation" | "examples" | "samples" | "tutorials" | "website" => {
            Some(FileKind::Documentation)
        }
        "changelog.d" | "changelogs" | "newsfragments" | ".changeset" => Some(FileKind::Changelog),
        "vendor" | "vendored" | "_vendor" | "third_party" | "third-party" | "thirdparty"
        | "node_modules" | "dist" | "bower_components" => Some(FileKind::Derived),
        _ => None,
    }
}

/// Returns the kind of files with this extension, if it is not code.
fn kind_of_extension(extension: &str) -> Option<FileKind> {
    match extension {
        "md" | "mdx" | "rst" | "txt" | "adoc" | "asciidoc" | "org" | "tex" | "1" | "3"
        | "ipynb" | "pod" => Some(FileKind::Documentation),
        "" | "json" | "jsonc" | "json5" | "yaml" | "yml" | "toml" | "xml" | "csv" | "tsv"
        | "ini" | "cfg" | "conf" | "lock" | "properties" | "svg" | "html" | "htm" | "css"
        | "scss" | "less" | "plist" | "csproj" | "sln" | "props" | "targets" | "gradle"
        | "patch" | "diff" | "log" | "snap" | "po" | "pot" | "sql" | "in" | "cmake" | "mk"
        | "am" | "m4" | "bat" | "dockerfile" | "editorconfig" | "env" | "map" | "pem" | "crt"
        | "vcxproj" | "zon" => Some(FileKind::Data),
        _ => None,
    }
}

/// Whether a changelog has such a name, in lowercase.
fn is_changelog_name(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let is_text = kind_of_extension(extension).is_some_and(|kind| kind != FileKind::Data);
    let is_changelog =
        ["changelog", "changes", "history", "news", "releases", "release-notes"].contains(&stem);
    is_changelog && (is_text || extension.is_empty())
}

/// Whether a folder is called `example`. `com/example` is a package of Java code.
fn is_in_example_folder(folders: &str) -> bool {
    let mut parent = "";
    folders.split('/').any(|folder| {
        let is_example = folder == "example" && !matches!(parent, "com" | "org" | "net" | "io");
        parent = folder;
        is_example
    })
}

/// Extensions of languages that name tests `...Spec`; elsewhere that is a specification.
const SPEC_EXTENSIONS: &[&str] = &[".groovy", ".scala", ".swift", ".hs"];

/// Whether only a test has such a name. Case matters: `LatestTest.java` is a test, `latest.java`
/// is not.
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
        || (stem.ends_with("Spec") && SPEC_EXTENSIONS.iter().any(|it| name.ends_with(it)))
        || (lower.matches('.').count() > 1
            && matches!(middle, "test" | "tests" | "spec" | "test-d" | "bench"))
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
        FileKind::of(path, ContentFlags::default())
    }

    #[test]
    fn kind_follows_from_path_components_not_substrings() {
        assert_eq!(kind("src/testing_framework/runner.py"), FileKind::Code);
        assert_eq!(kind("lib/contest.rs"), FileKind::Code);
        assert_eq!(kind("lib/Latest.java"), FileKind::Code);
        assert_eq!(kind("tests/runner.py"), FileKind::Test);
        assert_eq!(kind("pkg/server_test.go"), FileKind::Test);
        assert_eq!(kind("src/LoginTest.java"), FileKind::Test);
        assert_eq!(kind("src/login.spec.ts"), FileKind::Test);
        assert_eq!(kind("lib/login_test.exs"), FileKind::Test);
        assert_eq!(kind("src/LoginSpec.hs"), FileKind::Test);
        assert_eq!(kind("docs/guide.md"), FileKind::Documentation);
        assert_eq!(kind("README.md"), FileKind::Documentation);
        assert_eq!(kind("example/login.rs"), FileKind::Documentation);
        assert_eq!(kind("src/main/java/com/example/shop/Cart.java"), FileKind::Code);
        assert_eq!(kind("benches/parse.rs"), FileKind::Test);
        assert_eq!(kind("src/benchmark.rs"), FileKind::Code);
        assert_eq!(kind("packages/client/index.test-d.ts"), FileKind::Test);
        assert_eq!(kind("src/pip/_vendor/rich/table.py"), FileKind::Derived);
        assert_eq!(kind("Cargo.toml"), FileKind::Data);
        assert_eq!(kind("CHANGES"), FileKind::Changelog);
        assert_eq!(kind("docs/CHANGELOG.md"), FileKind::Changelog);
        assert_eq!(kind("src/history.rs"), FileKind::Code);
        assert_eq!(kind(".gitignore"), FileKind::Data);
        assert_eq!(kind(".github/workflows/ci.yml"), FileKind::Data);
        assert_eq!(kind(".mocharc.cjs"), FileKind::Code);
        assert_eq!(kind("build.zig.zon"), FileKind::Data);
        assert_eq!(kind("vendor/x/y.go"), FileKind::Derived);
        assert_eq!(kind("api/rpc.pb.go"), FileKind::Derived);
    }

    #[test]
    fn generated_and_minified_files_are_recognized_by_content() {
        assert!(ContentFlags::of("// Code generated by protoc. DO NOT EDIT.\n").is_generated);
        assert!(ContentFlags::of("/*\n Automatically generated by x\n*/\n").is_generated);
        assert!(ContentFlags::of("\"\"\"Parsers.\n\nDo not edit.\n\"\"\"\n").is_generated);
        assert!(!ContentFlags::of("fn main() {}\n").is_generated);
        assert!(!ContentFlags::of("/* a */\nconst MARK: &str = \"do not edit\";\n").is_generated);
        assert!(ContentFlags::of(&"var a=1;".repeat(1_000)).is_minified);
        assert!(!ContentFlags::of(&"var a = 1;\n".repeat(1_000)).is_minified);
        assert!(
            !ContentFlags::of(&"var a = 1;\n".repeat(100_000)).is_minified,
            "large but with short lines"
        );
    }

    #[test]
    fn tests_weigh_more_for_a_task_about_tests() {
        let topics = TaskTopics { tests: true, ..TaskTopics::default() };
        assert!(FileKind::Test.weight(&topics) > FileKind::Test.weight(&TaskTopics::default()));
    }
}

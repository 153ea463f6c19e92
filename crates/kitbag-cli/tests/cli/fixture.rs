//! A temporary folder to run the program in.

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A temporary folder with a work folder and a home folder.
pub struct Fixture {
    dir: TempDir,
}

/// Output and exit status of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Fixture {
    pub fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    pub fn with(files: &[(&str, &str)]) -> Self {
        let fixture = Self::empty();
        for (path, content) in files {
            fixture.write(path, content);
        }
        fixture
    }

    /// A small project with code and a page about login, and an unrelated file.
    pub fn project() -> Self {
        Self::with(&[
            ("src/auth.rs", AUTH),
            (
                "src/colour.rs",
                "/// Mixes paint.\npub fn mix(paint: u32) -> u32 {\n    paint + 1\n}\n",
            ),
            ("README.md", "# Project\n\nUsers login by OAuth.\n"),
        ])
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join("work").join(path)
    }

    /// The folder of the indexes, which may not exist yet.
    pub fn cache(&self) -> PathBuf {
        self.dir.path().join("home/cache/kitbag/index")
    }

    /// Lists a folder of the work folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    /// A command that runs the program in the work folder.
    pub fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("kitbag"));
        self.isolate(&mut command);
        command
    }

    /// Runs the program with nothing on standard input.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        self.feed(arguments, "")
    }

    /// Runs the program with `input` on standard input.
    pub fn feed<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        input: impl Into<Vec<u8>>,
    ) -> Run {
        let mut command = assert_cmd::Command::from_std(self.command());
        Run::from(command.args(arguments).write_stdin(input).output().unwrap())
    }

    /// Runs the program and parses its JSON, without fields that differ between runs.
    pub fn json<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Value {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let mut value: Value = serde_json::from_str(&run.stdout).unwrap();
        for differs in ["timings", "correlation_id"] {
            value.as_object_mut().unwrap().remove(differs);
        }
        for provider in
            value.get_mut("providers").and_then(|it| it.as_array_mut()).into_iter().flatten()
        {
            provider["ms"].take();
        }
        value
    }

    pub fn git(&self, arguments: &[&str]) {
        self.git_on(1, arguments);
    }

    /// Commits everything, at noon on a day of January 2024.
    pub fn commit(&self, day: u32, message: &str) {
        self.git_on(day, &["add", "--all"]);
        self.git_on(day, &["commit", "--quiet", "--message", message]);
    }

    fn git_on(&self, day: u32, arguments: &[&str]) {
        let mut git = Command::new("git");
        self.isolate(&mut git);
        let date = format!("2024-01-{day:02}T12:00:00Z");
        git.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let output = git.args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Removes the influence of the machine on a command.
    pub fn isolate(&self, command: &mut Command) {
        let home = self.dir.path().join("home");
        command
            .current_dir(self.path(""))
            .env("HOME", &home)
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR")
            .env_remove("RUST_BACKTRACE");
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }
}

impl Run {
    /// Checks that the run failed with this status and these messages, and printed no result.
    #[track_caller]
    pub fn fails(&self, code: i32, messages: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stdout, "", "standard output is for results");
        self.stderr_contains(messages);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
    }

    /// Checks that the run succeeded with an empty pack for this reason.
    #[track_caller]
    pub fn is_empty_for(&self, reason: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(0), ""), "{self:?}");
        self.stderr_contains(&[&format!("warning: the pack is empty: {reason}")]);
    }

    #[track_caller]
    pub fn stderr_contains(&self, messages: &[&str]) {
        for message in messages {
            assert!(self.stderr.contains(message), "no `{message}` in: {}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// Paths of `included`, in rank order.
pub fn included(report: &Value) -> Vec<&str> {
    report["included"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect()
}

/// Path and reason of each item of `excluded`.
pub fn excluded(report: &Value) -> Vec<(&str, &str)> {
    let excluded = report["excluded"].as_array().unwrap().iter();
    excluded.map(|it| (it["path"].as_str().unwrap(), it["reason"].as_str().unwrap())).collect()
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub const AUTH: &str = "/// Logs a user in.
pub fn login(user: &str) -> bool {
    let token = oauth_token(user);
    !token.is_empty()
}

/// The token of a user.
pub fn oauth_token(user: &str) -> String {
    format!(\"token-{user}\")
}
";

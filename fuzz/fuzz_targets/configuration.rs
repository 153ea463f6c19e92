//! Configurations: any file is accepted, or rejected with a place and a message.
//!
//! The first byte chooses the user's or the repository's file. The lines after a record separator are
//! settings of `--set`.

#![no_main]

use kitbag::{Cancel, ConfigSources, Engine, Error, PROJECT_FILE};
use kitbag_fuzz::Bytes;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::fs;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// State that is created once per thread.
struct World {
    engine: Option<Engine>,
    runtime: Runtime,
    folder: TempDir,
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::new(World::new());
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("repository/.agent")).expect("a folder");
        Self {
            engine: Some(Engine::with_threads(1).expect("an engine")),
            runtime: Builder::new_current_thread().build().expect("a runtime"),
            folder,
        }
    }

    /// Reads a configuration with a fresh loader.
    fn check(&mut self, user: &[u8], project: &[u8], set: Vec<(String, String)>) {
        let repository = self.folder.path().join("repository");
        let user_file = self.folder.path().join("user.yml");
        fs::write(&user_file, user).expect("a file");
        fs::write(repository.join(PROJECT_FILE), project).expect("a file");
        let sources = ConfigSources { user_file: Some(user_file), set, ..ConfigSources::default() };
        let engine = self.engine.take().expect("it was put back").with_config(sources);
        let config = self.runtime.block_on(engine.config(&repository, None, &Cancel::default()));
        self.engine = Some(engine);
        match config {
            Ok(report) => {
                assert!(!report.settings.is_empty());
                serde_json::to_string(&report).expect("a report is JSON");
            }
            Err(Error::Config(error)) => {
                assert!(!error.problems.is_empty());
                for problem in &error.problems {
                    assert!(!problem.to_string().is_empty());
                    problem.hint();
                }
            }
            Err(error) => panic!("{error}"),
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let mut bytes = Bytes(input);
    let users = bytes.byte() & 1 == 1;
    let at = bytes.0.iter().position(|&byte| byte == 0x1e).unwrap_or(bytes.0.len());
    let (file, set) = bytes.0.split_at(at);
    let set = String::from_utf8_lossy(set.get(1..).unwrap_or_default()).into_owned();
    let set = set.lines().filter_map(|line| line.split_once('='));
    let set = set.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let (user, project) = if users { (file, &b""[..]) } else { (&b""[..], file) };
    WORLD.with_borrow_mut(|world| world.check(user, project, set));
});

//! Configurations: any file is accepted, or rejected with a place and a message.
//!
//! The first byte chooses the user's or the repository's file. The lines after a record separator are
//! settings of `--set`.

#![no_main]

use kitbag_config::{ConfigLoader, ConfigSources, PROJECT_FILE};
use kitbag_fuzz::Bytes;
use kitbag_repo::Root;
use libfuzzer_sys::fuzz_target;
use std::cell::LazyCell;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

thread_local! {
    static FOLDER: LazyCell<TempDir> = LazyCell::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("repository/.agent")).expect("a folder");
        folder
    });
}

/// Reads a configuration with a fresh loader, on this thread: handing the work to another one takes a
/// hundred times as long on a busy machine.
fn check(folder: &Path, user: &[u8], project: &[u8], set: Vec<(String, String)>) {
    let repository = folder.join("repository");
    let user_file = folder.join("user.yml");
    fs::write(&user_file, user).expect("a file");
    fs::write(repository.join(PROJECT_FILE), project).expect("a file");
    let sources = ConfigSources { user_file: Some(user_file), set, ..ConfigSources::default() };
    let root = Root::open(&repository).expect("a root");
    match ConfigLoader::new(sources).report(&root, &repository, None) {
        Ok(report) => {
            assert!(!report.settings.is_empty());
            serde_json::to_string(&report).expect("a report is JSON");
        }
        Err(error) => {
            assert!(!error.problems.is_empty());
            for problem in &error.problems {
                assert!(!problem.to_string().is_empty());
                problem.hint();
            }
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
    FOLDER.with(|folder| check(folder.path(), user, project, set));
});

//! Reads git objects through one long-lived `git cat-file --batch`.
//!
//! A thread reads git's responses, so that a process that hangs is noticed, killed and, for the next
//! request, replaced.

use crate::ObjectId;
use crate::git::Git;
use crate::git_limits::SERVER;
use crate::process::BoundedChild;
use std::io::ErrorKind::{FileTooLarge, TimedOut};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Time limit for one object.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Reads blobs, one at a time.
#[derive(Debug)]
pub(crate) struct BlobReader {
    git: Git,
    /// Larger blobs are not read.
    max_bytes: u64,
    time_limit: Duration,
    process: Mutex<Option<CatFile>>,
}

impl BlobReader {
    pub fn new(git: Git, max_bytes: u64) -> Self {
        Self { git, max_bytes, time_limit: TIME_LIMIT, process: Mutex::new(None) }
    }

    /// Returns the content of a blob. A process that has died since the last request is replaced.
    pub fn read(&self, id: ObjectId) -> io::Result<Vec<u8>> {
        let mut slot = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let is_reused = slot.is_some();
        match self.request(&mut slot, id) {
            // A second attempt would fail in the same way, after a timeout only later.
            Err(error) if error.kind() == TimedOut => {
                self.git.remember_stall();
                Err(error)
            }
            Err(error) if error.kind() == FileTooLarge => Err(error),
            Err(_) if is_reused && slot.is_none() => self.request(&mut slot, id),
            result => result,
        }
    }

    /// Sends a request to the process in the slot, and leaves the slot empty if the process failed.
    fn request(&self, slot: &mut Option<CatFile>, id: ObjectId) -> io::Result<Vec<u8>> {
        let mut process = match slot.take() {
            Some(process) => process,
            None => CatFile::start(&self.git, self.max_bytes)?,
        };
        let blob = process.request(id, self.time_limit)?;
        *slot = Some(process);
        blob.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no blob `{id}`")))
    }
}

/// A blob, or `None` if the object is missing or not a blob.
type BlobResponse = io::Result<Option<Vec<u8>>>;

#[derive(Debug)]
struct CatFile {
    process: BoundedChild,
    responses: Receiver<BlobResponse>,
}

impl CatFile {
    fn start(git: &Git, max_bytes: u64) -> io::Result<Self> {
        let mut command = git.command(&["cat-file", "--batch"]).map_err(io::Error::other)?;
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut process = BoundedChild::spawn(&mut command, &SERVER)?;
        let output = process.child.stdout.take().ok_or_else(no_pipe)?;
        let (sender, responses) = mpsc::channel();
        thread::spawn(move || {
            let mut output = BufReader::with_capacity(1 << 16, output);
            loop {
                let response = read_response(&mut output, max_bytes);
                let is_failure = response.is_err();
                if sender.send(response).is_err() || is_failure {
                    return;
                }
            }
        });
        Ok(Self { process, responses })
    }

    fn request(&mut self, id: ObjectId, time_limit: Duration) -> BlobResponse {
        let requests = self.process.child.stdin.as_mut().ok_or_else(no_pipe)?;
        requests.write_all(format!("{id}\n").as_bytes())?;
        self.responses
            .recv_timeout(time_limit)
            .unwrap_or_else(|_| Err(io::Error::new(TimedOut, "`git cat-file` timed out")))
    }
}

fn no_pipe() -> io::Error {
    io::Error::other("git was started without pipes")
}

/// Reads `<id> <type> <size>`, the content and a newline, or `<id> missing`.
fn read_response(output: &mut impl BufRead, max_bytes: u64) -> BlobResponse {
    let mut header = String::new();
    output.read_line(&mut header)?;
    if header.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let words: Vec<&str> = header.split_whitespace().collect();
    let [_, kind, size] = words[..] else { return Ok(None) };
    let size: u64 = size.parse().map_err(|_| io::Error::other("`git cat-file` sent no size"))?;
    if size > max_bytes {
        return Err(FileTooLarge.into());
    }
    let mut content = Vec::with_capacity(size.min(1 << 24) as usize);
    let read = output.by_ref().take(size).read_to_end(&mut content)?;
    let mut newline = [0];
    output.read_exact(&mut newline)?;
    if read as u64 != size || newline != *b"\n" {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((kind == "blob").then_some(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_read_to_the_byte() {
        let id = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
        let text = format!("{id} blob 3\na\n\0\n{id} blob 0\n\n{id} missing\n{id} tree 1\nx\n");
        let mut output = text.as_bytes();
        assert_eq!(read_response(&mut output, 3).unwrap(), Some(b"a\n\0".to_vec()));
        assert_eq!(read_response(&mut output, 3).unwrap(), Some(Vec::new()));
        assert_eq!(read_response(&mut output, 3).unwrap(), None);
        assert_eq!(read_response(&mut output, 3).unwrap(), None);
        assert!(read_response(&mut output, 3).is_err());
        assert!(read_response(&mut "x blob 9\nshort".as_bytes(), 9).is_err());
        let too_large = read_response(&mut "x blob 3\nabc\n".as_bytes(), 2).unwrap_err();
        assert_eq!(too_large.kind(), FileTooLarge);
    }

    fn init(folder: &std::path::Path) {
        let mut git = std::process::Command::new("git");
        assert!(git.arg("-C").arg(folder).args(["init", "-q"]).status().unwrap().success());
    }

    #[test]
    fn dead_process_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        init(folder.path());
        let git = Git::at(folder.path());
        let (id, _) = git.run(&["hash-object", "-w", "--stdin"], Some(b"x".to_vec())).unwrap();
        let id: ObjectId = String::from_utf8(id).unwrap().trim().parse().unwrap();
        let blobs = BlobReader::new(git, 9);
        for _ in 0..3 {
            assert_eq!(blobs.read(id).unwrap(), b"x");
            blobs.process.lock().unwrap().as_mut().unwrap().process.child.kill().unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn hanging_process_is_killed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        std::fs::write(&program, "#!/bin/sh\nexec sleep 600\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        init(folder.path());
        let git = Git::with_program(program.as_os_str(), folder.path());
        let blobs = BlobReader { time_limit: Duration::from_millis(20), ..BlobReader::new(git, 9) };
        let error = blobs.read("00".repeat(20).parse().unwrap()).unwrap_err();
        assert_eq!(error.kind(), TimedOut);
        assert!(blobs.process.lock().unwrap().is_none());
    }
}

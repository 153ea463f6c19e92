//! One long-lived `git cat-file --batch`, which gives the contents of objects.
//!
//! A thread of its own reads git's answers, so that a git which hangs is noticed, ended and, for
//! the next question, started again.

use crate::ObjectId;
use crate::git::Git;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long git may take for one object.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Reads objects, one at a time.
#[derive(Debug)]
pub(crate) struct Batch {
    git: Git,
    limit: Duration,
    process: Mutex<Option<Process>>,
}

impl Batch {
    pub fn new(git: Git) -> Self {
        Self { git, limit: TIME_LIMIT, process: Mutex::new(None) }
    }

    /// The content of a blob. A process that has died since the last question is started again.
    pub fn read(&self, id: ObjectId) -> io::Result<Vec<u8>> {
        let mut slot = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = slot.is_some();
        let first = self.ask(&mut slot, id);
        match first {
            // A process that timed out is not worth a second wait.
            Err(error) if is_old && slot.is_none() && error.kind() != io::ErrorKind::TimedOut => {
                self.ask(&mut slot, id)
            }
            answer => answer,
        }
    }

    /// Asks the process in the slot, which is empty afterwards if it is of no more use.
    fn ask(&self, slot: &mut Option<Process>, id: ObjectId) -> io::Result<Vec<u8>> {
        let mut process = match slot.take() {
            Some(process) => process,
            None => Process::start(&self.git)?,
        };
        let answer = process.ask(id, self.limit)?;
        *slot = Some(process);
        answer.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no blob `{id}`")))
    }
}

/// What git answers: a blob, or that there is none of that name.
type Answer = io::Result<Option<Vec<u8>>>;

#[derive(Debug)]
struct Process {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<Answer>,
}

impl Process {
    fn start(git: &Git) -> io::Result<Self> {
        let mut command = git.command(&["cat-file", "--batch"]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(questions), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("git was started without pipes"));
        };
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            let mut output = BufReader::with_capacity(1 << 16, output);
            loop {
                let answer = read_answer(&mut output);
                let failed = answer.is_err();
                if sender.send(answer).is_err() || failed {
                    return;
                }
            }
        });
        Ok(Self { child, questions, answers })
    }

    fn ask(&mut self, id: ObjectId, limit: Duration) -> Answer {
        self.questions.write_all(format!("{id}\n").as_bytes())?;
        self.answers.recv_timeout(limit).unwrap_or_else(|_| {
            Err(io::Error::new(io::ErrorKind::TimedOut, "no answer from `git cat-file`"))
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has nothing to lose, and waiting leaves no zombie behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads one answer: `<name> <type> <size>`, the content and a newline, or `<name> missing`.
fn read_answer(output: &mut impl BufRead) -> Answer {
    let mut header = String::new();
    output.read_line(&mut header)?;
    if header.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let words: Vec<&str> = header.split_whitespace().collect();
    let [_, kind, size] = words[..] else { return Ok(None) };
    let size: u64 = size.parse().map_err(|_| io::Error::other("git's answer has no size"))?;
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
    fn answers_are_read_to_the_byte() {
        let name = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
        let text =
            format!("{name} blob 3\na\n\0\n{name} blob 0\n\n{name} missing\n{name} tree 1\nx\n");
        let mut output = text.as_bytes();
        assert_eq!(read_answer(&mut output).unwrap(), Some(b"a\n\0".to_vec()));
        assert_eq!(read_answer(&mut output).unwrap(), Some(Vec::new()));
        assert_eq!(read_answer(&mut output).unwrap(), None);
        assert_eq!(read_answer(&mut output).unwrap(), None);
        assert!(read_answer(&mut output).is_err());
        assert!(read_answer(&mut "x blob 9\nshort".as_bytes()).is_err());
    }

    #[test]
    fn a_process_that_dies_is_started_again() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        git.output(&["init", "-q"]).unwrap();
        let (name, _) = git.run(&["hash-object", "-w", "--stdin"], Some(b"x".to_vec())).unwrap();
        let id: ObjectId = String::from_utf8(name).unwrap().trim().parse().unwrap();
        let batch = Batch::new(git);
        for _ in 0..3 {
            assert_eq!(batch.read(id).unwrap(), b"x");
            batch.process.lock().unwrap().as_mut().unwrap().child.kill().unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_hangs_is_ended() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        std::fs::write(&program, "#!/bin/sh\nexec sleep 600\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let git = Git::with_program(program.as_os_str(), folder.path());
        let batch = Batch { limit: Duration::from_millis(20), ..Batch::new(git) };
        let error = batch.read("00".repeat(20).parse().unwrap()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(batch.process.lock().unwrap().is_none());
    }
}

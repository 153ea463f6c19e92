//! Waits for a child process until it exits, exceeds a limit or is cancelled.
//!
//! In every case the output up to that point is returned, and no zombie process is left behind.

use kitbag_text::Cancel;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const MAX_STDERR_BYTES: u64 = 4_096;
const READ_BUFFER_BYTES: usize = 1 << 16;
/// Chunks of output that may wait for the collecting thread.
const QUEUED_CHUNKS: usize = 4;
/// Interval between checks of the cancellation flag while there is no output.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Limits after which a process is killed.
pub(crate) struct ProcessLimits<'a> {
    pub time: Duration,
    pub output_bytes: usize,
    pub cancel: &'a Cancel,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ProcessExit {
    Success,
    Failure { stderr: String },
    OutputTooLarge,
    Cancelled,
    TimedOut,
}

/// Writes `input` to a process with piped streams and returns its output once it has exited or been
/// killed.
pub(crate) fn wait_with_output(
    mut child: Child,
    input: Option<Vec<u8>>,
    limits: &ProcessLimits<'_>,
) -> io::Result<(Vec<u8>, ProcessExit)> {
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // A command that stops reading breaks the pipe, and its exit status says so.
        thread::spawn(move || stdin.write_all(&input));
    }
    let (sender, chunks) = mpsc::sync_channel(QUEUED_CHUNKS);
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || send_chunks(stdout, &sender));
    } else {
        drop(sender);
    }
    let stderr = read_stderr(&mut child);
    let mut output = Vec::new();
    let killed = match collect(&chunks, &mut output, limits) {
        Ok(None) => {
            let status = child.wait()?;
            let stderr = stderr.join().unwrap_or_default();
            let stderr = String::from_utf8_lossy(&stderr).into_owned();
            let failure = ProcessExit::Failure { stderr };
            return Ok((output, if status.success() { ProcessExit::Success } else { failure }));
        }
        Ok(Some(reason)) => Ok((output, reason)),
        Err(error) => Err(error),
    };
    let _ = child.kill();
    // Reaps the process, so that no zombie is left behind.
    let _ = child.wait();
    killed
}

/// Collects the output until it ends, or returns the reason for killing the process.
fn collect(
    chunks: &Receiver<io::Result<Vec<u8>>>,
    output: &mut Vec<u8>,
    limits: &ProcessLimits<'_>,
) -> io::Result<Option<ProcessExit>> {
    let deadline = Instant::now() + limits.time;
    loop {
        match chunks.recv_timeout(POLL_INTERVAL) {
            Ok(chunk) => {
                let (chunk, room) = (chunk?, limits.output_bytes - output.len());
                output.extend_from_slice(&chunk[..chunk.len().min(room)]);
                if chunk.len() > room {
                    return Ok(Some(ProcessExit::OutputTooLarge));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if limits.cancel.is_cancelled() {
            return Ok(Some(ProcessExit::Cancelled));
        }
        if Instant::now() >= deadline {
            return Ok(Some(ProcessExit::TimedOut));
        }
    }
}

/// Sends the output in chunks until it ends, fails or the receiver is gone.
fn send_chunks(mut stdout: ChildStdout, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; READ_BUFFER_BYTES];
    loop {
        let chunk = match stdout.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => Ok(buffer[..count].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_failure = chunk.is_err();
        if sender.send(chunk).is_err() || is_failure {
            return;
        }
    }
}

/// Keeps the beginning of stderr and drains the rest, so that the process never blocks on it.
fn read_stderr(child: &mut Child) -> JoinHandle<Vec<u8>> {
    let stderr = child.stderr.take();
    thread::spawn(move || {
        let Some(mut stderr) = stderr else { return Vec::new() };
        let mut bytes = Vec::new();
        let _ = stderr.by_ref().take(MAX_STDERR_BYTES).read_to_end(&mut bytes);
        let _ = io::copy(&mut stderr, &mut io::sink());
        bytes
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    fn shell(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn limits(cancel: &Cancel) -> ProcessLimits<'_> {
        ProcessLimits { time: Duration::from_secs(60), output_bytes: 1 << 20, cancel }
    }

    #[test]
    fn hanging_process_is_killed_after_the_time_limit() {
        let cancel = Cancel::default();
        let short = ProcessLimits { time: Duration::from_millis(20), ..limits(&cancel) };
        let (_, exit) = wait_with_output(shell("exec sleep 600"), None, &short).unwrap();
        assert_eq!(exit, ProcessExit::TimedOut);
    }

    #[test]
    fn cancelled_process_is_killed() {
        let cancel = Cancel::default();
        cancel.cancel();
        let child = shell("exec sleep 600");
        let id = child.id();
        let (_, exit) = wait_with_output(child, None, &limits(&cancel)).unwrap();
        assert_eq!(exit, ProcessExit::Cancelled);
        let alive = Command::new("kill").args(["-0", &id.to_string()]).output().unwrap();
        assert!(!alive.status.success(), "the process is still running");
    }

    #[test]
    fn endless_output_is_cut_at_the_limit() {
        let cancel = Cancel::default();
        let few = ProcessLimits { output_bytes: 10, ..limits(&cancel) };
        let (output, exit) =
            wait_with_output(shell("while :; do echo abcd; done"), None, &few).unwrap();
        assert_eq!((output.as_slice(), exit), (&b"abcd\nabcd\n"[..], ProcessExit::OutputTooLarge));
    }

    #[test]
    fn failure_carries_output_and_stderr() {
        let cancel = Cancel::default();
        let child = shell("echo out; echo why >&2; exit 3");
        let (output, exit) = wait_with_output(child, None, &limits(&cancel)).unwrap();
        let failure = ProcessExit::Failure { stderr: "why\n".to_owned() };
        assert_eq!((output.as_slice(), exit), (&b"out\n"[..], failure));
    }
}

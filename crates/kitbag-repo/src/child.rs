//! Waiting for a process: until it ends, writes too much, takes too long, or nobody wants it any more.
//!
//! Whatever ends it, what it wrote up to then is there, and it leaves no zombie behind.

use kitbag_text::Cancel;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdout};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How much of a process's complaints is kept.
const MESSAGE_BYTES: u64 = 4_096;
/// How often the flag is looked at while nothing arrives.
const LOOK: Duration = Duration::from_millis(5);

/// What a process may take.
pub(crate) struct Bounds<'a> {
    pub time: Duration,
    /// How much it may write.
    pub bytes: usize,
    /// It is ended once this is up.
    pub cancel: &'a Cancel,
}

/// How a process ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Well,
    /// With what it said.
    Badly(String),
    TooMuch,
    Stopped,
    TimedOut,
}

/// Waits for a process, whose streams are connected, and gives what it wrote.
pub(crate) fn finish(
    mut child: Child,
    input: Option<Vec<u8>>,
    bounds: &Bounds<'_>,
) -> io::Result<(Vec<u8>, Ended)> {
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // A command that stops reading breaks the pipe, and shows it by its exit status.
        thread::spawn(move || stdin.write_all(&input));
    }
    let written = Arc::new(Mutex::new(Vec::new()));
    let (sender, receiver) = mpsc::channel();
    let (output, own, most) = (child.stdout.take(), Arc::clone(&written), bounds.bytes);
    thread::spawn(move || tell(&sender, read(output, &own, most)));
    let complaints = read_complaints(&mut child);
    let until = Instant::now() + bounds.time;
    let ended = loop {
        match receiver.recv_timeout(LOOK) {
            Ok(Ok(true)) => break None,
            Ok(Ok(false)) => break Some(Ended::TooMuch),
            Ok(Err(error)) => {
                end(&mut child);
                return Err(error);
            }
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) if bounds.cancel.is_cancelled() => {
                break Some(Ended::Stopped);
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                break Some(Ended::TimedOut);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    if let Some(ended) = ended {
        end(&mut child);
        return Ok((std::mem::take(&mut *lock(&written)), ended));
    }
    let status = child.wait()?;
    let message = complaints.join().unwrap_or_default();
    let message = String::from_utf8_lossy(&message).into_owned();
    let ended = if status.success() { Ended::Well } else { Ended::Badly(message) };
    Ok((std::mem::take(&mut *lock(&written)), ended))
}

/// Reads a stream to its end, or to `most` bytes; tells whether that was its end.
fn read(output: Option<ChildStdout>, written: &Mutex<Vec<u8>>, most: usize) -> io::Result<bool> {
    let Some(mut output) = output else { return Ok(true) };
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = match output.read(&mut buffer) {
            Ok(0) => return Ok(true),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut written = lock(written);
        let room = most.saturating_sub(written.len());
        written.extend_from_slice(&buffer[..count.min(room)]);
        if count > room {
            return Ok(false);
        }
    }
}

fn tell(sender: &Sender<io::Result<bool>>, read: io::Result<bool>) {
    // Whoever gave up waiting misses nothing.
    let _ = sender.send(read);
}

fn read_complaints(child: &mut Child) -> JoinHandle<Vec<u8>> {
    let complaints = child.stderr.take();
    thread::spawn(move || {
        let Some(mut complaints) = complaints else { return Vec::new() };
        let mut bytes = Vec::new();
        let _ = complaints.by_ref().take(MESSAGE_BYTES).read_to_end(&mut bytes);
        let _ = io::copy(&mut complaints, &mut io::sink());
        bytes
    })
}

/// Ends a process that may have ended already, and waits for it, so that no zombie is left.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// A panic while the lock was held leaves whole bytes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    fn started(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn bounds(cancel: &Cancel) -> Bounds<'_> {
        Bounds { time: Duration::from_secs(60), bytes: 1 << 20, cancel }
    }

    #[test]
    fn a_process_that_hangs_is_ended_when_its_time_is_over() {
        let cancel = Cancel::default();
        let short = Bounds { time: Duration::from_millis(20), ..bounds(&cancel) };
        let (_, ended) = finish(started("exec sleep 600"), None, &short).unwrap();
        assert_eq!(ended, Ended::TimedOut);
    }

    #[test]
    fn a_process_that_nobody_wants_is_ended() {
        let cancel = Cancel::default();
        cancel.cancel();
        let child = started("exec sleep 600");
        let id = child.id();
        let (_, ended) = finish(child, None, &bounds(&cancel)).unwrap();
        assert_eq!(ended, Ended::Stopped);
        let alive = Command::new("kill").args(["-0", &id.to_string()]).output().unwrap();
        assert!(!alive.status.success(), "the process goes on");
    }

    #[test]
    fn a_process_that_writes_without_end_is_ended_with_its_first_bytes() {
        let cancel = Cancel::default();
        let few = Bounds { bytes: 10, ..bounds(&cancel) };
        let (output, ended) = finish(started("while :; do echo abcd; done"), None, &few).unwrap();
        assert_eq!((output.as_slice(), ended), (&b"abcd\nabcd\n"[..], Ended::TooMuch));
    }

    #[test]
    fn a_process_says_why_it_failed() {
        let cancel = Cancel::default();
        let (output, ended) =
            finish(started("echo out; echo why >&2; exit 3"), None, &bounds(&cancel)).unwrap();
        assert_eq!((output.as_slice(), ended), (&b"out\n"[..], Ended::Badly("why\n".to_owned())));
    }
}

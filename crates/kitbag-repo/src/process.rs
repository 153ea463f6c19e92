//! Runs a child process within limits: wall-clock time, processor time, memory and output.
//!
//! A process leads a process group of its own, which is killed as a whole. Limits on processor time and
//! memory are set by the kernel's `prlimit` directly after the start, on Linux only. In every case the
//! output up to that point is delivered, and no zombie process is left behind.

use crate::stall_detector::StallDetector;
use kitbag_text::Cancel;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

const MAX_STDERR_BYTES: u64 = 4_096;
const READ_BUFFER_BYTES: usize = 1 << 16;
/// Chunks of output that may wait for the collecting thread.
const QUEUED_CHUNKS: usize = 4;
/// Interval between checks of the cancellation flag while there is no output.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// First interval between checks whether a process that has closed its output has ended.
const EXIT_INTERVAL: Duration = Duration::from_micros(100);
/// Time to wait for the rest of stderr, which a descendant of the process may hold open.
const STDERR_TIMEOUT: Duration = Duration::from_secs(1);
/// Address space in addition to the heap, for mapped files. Mapped pack files take no memory that other
/// processes lack, but page tables have their price.
#[cfg(target_os = "linux")]
const MAPPED_BYTES: u64 = 8 << 30;

/// Limits that the system enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResourceLimits {
    /// Processor time in seconds.
    pub cpu_seconds: u64,
    /// Bytes of private writable memory.
    pub heap_bytes: u64,
}

/// Limits after which a process is killed.
pub(crate) struct WaitLimits<'a> {
    pub time: Duration,
    /// Time without any activity.
    pub stall: Duration,
    pub output_bytes: usize,
    pub cancel: &'a Cancel,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ProcessExit {
    Success,
    Failure {
        stderr: String,
    },
    OutputTooLarge,
    OutOfCpuTime,
    Cancelled,
    TimedOut,
    /// It waited for something that did not come.
    Stalled,
}

/// A process with piped streams that is killed with its group when dropped.
#[derive(Debug)]
pub(crate) struct BoundedChild {
    pub child: Child,
    is_reaped: bool,
}

impl BoundedChild {
    /// Starts a process and limits its resources.
    pub fn spawn(command: &mut Command, limits: &ResourceLimits) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = Self { child: command.spawn()?, is_reaped: false };
        limit_resources(&child.child, limits)?;
        Ok(child)
    }

    /// Writes `input` to the process and passes its output to `sink` until it has exited or been
    /// killed.
    pub fn wait(
        mut self,
        input: Option<Vec<u8>>,
        limits: &WaitLimits<'_>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> io::Result<ProcessExit> {
        let deadline = Instant::now() + limits.time;
        if let (Some(mut stdin), Some(input)) = (self.child.stdin.take(), input) {
            // A command that stops reading breaks the pipe, and its exit status says so.
            thread::spawn(move || stdin.write_all(&input));
        }
        let (sender, chunks) = mpsc::sync_channel(QUEUED_CHUNKS);
        if let Some(stdout) = self.child.stdout.take() {
            thread::spawn(move || send_chunks(stdout, &sender));
        } else {
            drop(sender);
        }
        let stderr = read_stderr(&mut self.child);
        let stalls = StallDetector::new(self.child.id(), limits.stall);
        let mut watch = ProcessWatch { limits, deadline, stalls };
        if let Some(reason) = collect(&chunks, sink, &mut watch)? {
            return Ok(reason);
        }
        let status = match self.wait_for_exit(&mut watch)? {
            Ok(status) => status,
            Err(reason) => return Ok(reason),
        };
        if status.success() {
            return Ok(ProcessExit::Success);
        }
        if is_out_of_cpu_time(status) {
            return Ok(ProcessExit::OutOfCpuTime);
        }
        let stderr = stderr.recv_timeout(STDERR_TIMEOUT).unwrap_or_default();
        Ok(ProcessExit::Failure { stderr: String::from_utf8_lossy(&stderr).into_owned() })
    }

    /// Waits for a process that has closed its output.
    fn wait_for_exit(
        &mut self,
        watch: &mut ProcessWatch<'_>,
    ) -> io::Result<Result<ExitStatus, ProcessExit>> {
        let mut interval = EXIT_INTERVAL;
        loop {
            if let Some(status) = self.child.try_wait()? {
                self.is_reaped = true;
                return Ok(Ok(status));
            }
            if let Some(reason) = watch.interruption() {
                return Ok(Err(reason));
            }
            thread::sleep(interval);
            interval = (interval * 2).min(POLL_INTERVAL);
        }
    }
}

impl Drop for BoundedChild {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        // The group exists at least until the process is reaped, so its id cannot be another's.
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        // Reaps the process, so that no zombie is left behind.
        let _ = self.child.wait();
    }
}

/// Limits a process that has just been started.
#[cfg(target_os = "linux")]
fn limit_resources(child: &Child, limits: &ResourceLimits) -> io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let ResourceLimits { cpu_seconds, heap_bytes } = *limits;
    let limits = [
        // A second later the kernel kills a process that ignores the signal.
        (Resource::Cpu, cpu_seconds, cpu_seconds.saturating_add(1)),
        (Resource::Data, heap_bytes, heap_bytes),
        (Resource::As, heap_bytes + MAPPED_BYTES, heap_bytes + MAPPED_BYTES),
        // The signal for processor time would write a core file.
        (Resource::Core, 0, 0),
    ];
    let id = Pid::from_raw(child.id().cast_signed());
    for (resource, soft, hard) in limits {
        let limit = Rlimit { current: Some(soft), maximum: Some(hard) };
        match prlimit(id, resource, limit) {
            // The hard limit that the process inherits is lower already.
            Ok(_) | Err(rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn limit_resources(_child: &Child, _limits: &ResourceLimits) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_out_of_cpu_time(status: ExitStatus) -> bool {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    signal == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn is_out_of_cpu_time(_status: ExitStatus) -> bool {
    false
}

/// What is checked while waiting for a process.
struct ProcessWatch<'a> {
    limits: &'a WaitLimits<'a>,
    deadline: Instant,
    stalls: StallDetector,
}

impl ProcessWatch<'_> {
    /// Returns the reason for killing the process, if there is one.
    fn interruption(&mut self) -> Option<ProcessExit> {
        if self.limits.cancel.is_cancelled() {
            Some(ProcessExit::Cancelled)
        } else if Instant::now() >= self.deadline {
            Some(ProcessExit::TimedOut)
        } else {
            self.stalls.is_stalled().then_some(ProcessExit::Stalled)
        }
    }
}

/// Passes the output on until it ends, or returns the reason for killing the process.
fn collect(
    chunks: &Receiver<io::Result<Vec<u8>>>,
    sink: &mut dyn FnMut(&[u8]),
    watch: &mut ProcessWatch<'_>,
) -> io::Result<Option<ProcessExit>> {
    let mut room = watch.limits.output_bytes;
    loop {
        match chunks.recv_timeout(POLL_INTERVAL) {
            Ok(chunk) => {
                let chunk = chunk?;
                sink(&chunk[..chunk.len().min(room)]);
                if chunk.len() > room {
                    return Ok(Some(ProcessExit::OutputTooLarge));
                }
                room -= chunk.len();
                watch.stalls.note_output();
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(reason) = watch.interruption() {
            return Ok(Some(reason));
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
fn read_stderr(child: &mut Child) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stderr) = child.stderr.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.by_ref().take(MAX_STDERR_BYTES).read_to_end(&mut bytes);
            let _ = io::copy(&mut stderr, &mut io::sink());
            let _ = sender.send(bytes);
        });
    }
    receiver
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Stdio;

    const RESOURCES: ResourceLimits = ResourceLimits { cpu_seconds: 60, heap_bytes: 1 << 30 };

    fn shell_within(script: &str, limits: &ResourceLimits) -> BoundedChild {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        BoundedChild::spawn(&mut command, limits).unwrap()
    }

    fn shell(script: &str) -> BoundedChild {
        shell_within(script, &RESOURCES)
    }

    fn limits(cancel: &Cancel) -> WaitLimits<'_> {
        let time = Duration::from_secs(60);
        WaitLimits { time, stall: time, output_bytes: 1 << 20, cancel }
    }

    fn output(child: BoundedChild, limits: &WaitLimits<'_>) -> (Vec<u8>, ProcessExit) {
        let mut output = Vec::new();
        let exit = child.wait(None, limits, &mut |bytes| output.extend_from_slice(bytes)).unwrap();
        (output, exit)
    }

    /// Returns whether a process has ended, or ends soon: a signal takes a moment.
    fn ends(id: &str) -> bool {
        (0..1_000).any(|_| {
            thread::sleep(Duration::from_millis(10));
            let state = Command::new("ps").args(["-o", "stat=", "-p", id]).output().unwrap();
            let state = String::from_utf8(state.stdout).unwrap();
            // A process whose parent has not noticed its end yet is a zombie.
            state.trim().is_empty() || state.starts_with('Z')
        })
    }

    #[test]
    fn hanging_process_is_killed_after_the_time_limit() {
        let cancel = Cancel::default();
        let short = WaitLimits { time: Duration::from_millis(20), ..limits(&cancel) };
        assert_eq!(output(shell("exec sleep 600"), &short).1, ProcessExit::TimedOut);
        let silent = shell("exec >&- 2>&-; exec sleep 600");
        assert_eq!(output(silent, &short).1, ProcessExit::TimedOut, "without output");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn waiting_process_is_killed_and_a_busy_one_is_not() {
        let cancel = Cancel::default();
        let impatient = WaitLimits { stall: Duration::from_millis(300), ..limits(&cancel) };
        assert_eq!(output(shell("exec sleep 600"), &impatient).1, ProcessExit::Stalled);
        let writing = "for i in 1 2 3 4 5 6; do sleep 0.1; echo; done";
        assert_eq!(output(shell(writing), &impatient).1, ProcessExit::Success);
    }

    #[test]
    fn cancelled_process_is_killed() {
        let cancel = Cancel::default();
        cancel.cancel();
        let child = shell("exec sleep 600");
        let id = child.child.id().to_string();
        assert_eq!(output(child, &limits(&cancel)).1, ProcessExit::Cancelled);
        assert!(ends(&id), "the process is still running");
    }

    #[test]
    fn descendants_are_killed_as_well() {
        let cancel = Cancel::default();
        let few = WaitLimits { output_bytes: 3, ..limits(&cancel) };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("id");
        let script = format!("sleep 600 & echo $! > {}; echo long; wait", file.display());
        assert_eq!(output(shell(&script), &few).1, ProcessExit::OutputTooLarge);
        let id = std::fs::read_to_string(file).unwrap();
        assert!(ends(id.trim()), "the descendant is still running");
    }

    #[test]
    fn endless_output_is_cut_at_the_limit() {
        let cancel = Cancel::default();
        let few = WaitLimits { output_bytes: 10, ..limits(&cancel) };
        let (output, exit) = output(shell("while :; do echo abcd; done"), &few);
        assert_eq!((output.as_slice(), exit), (&b"abcd\nabcd\n"[..], ProcessExit::OutputTooLarge));
    }

    #[test]
    fn failure_carries_output_and_stderr() {
        let cancel = Cancel::default();
        let (output, exit) = output(shell("echo out; echo why >&2; exit 3"), &limits(&cancel));
        let failure = ProcessExit::Failure { stderr: "why\n".to_owned() };
        assert_eq!((output.as_slice(), exit), (&b"out\n"[..], failure));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn resources_are_limited() {
        let cancel = Cancel::default();
        let brief = ResourceLimits { cpu_seconds: 1, ..RESOURCES };
        let busy = shell_within("while :; do :; done", &brief);
        assert_eq!(output(busy, &limits(&cancel)).1, ProcessExit::OutOfCpuTime);
        let small = ResourceLimits { heap_bytes: 16 << 20, ..RESOURCES };
        // The limits are set after the start, possibly after the first command of the shell.
        let script = "sleep 0.2; ulimit -d; ulimit -c";
        let (output, _) = output(shell_within(script, &small), &limits(&cancel));
        assert_eq!(String::from_utf8(output).unwrap(), "16384\n0\n");
    }
}

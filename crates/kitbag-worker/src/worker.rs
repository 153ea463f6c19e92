//! A worker process as seen by the program.

use crate::limits::CallLimits;
use crate::protocol::Confinement;
use crate::protocol::{Reply, Request, read_frame, write_frame};
use crate::usage::{is_measured, usage};
use crate::watchdog::{EndedCall, KillReason, Watchdog};
use kitbag_text::syntax::ParseFailure;
use kitbag_text::{Cancel, Cancelled, Fallback};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// How workers are started: a program that calls [`run_worker`](crate::run_worker).
#[derive(Debug, Clone)]
pub struct WorkerCommand {
    /// Program.
    pub program: PathBuf,
    /// Arguments.
    pub arguments: Vec<OsString>,
}

impl WorkerCommand {
    /// Starts this program again with the given arguments.
    pub fn this_program(arguments: impl IntoIterator<Item = OsString>) -> io::Result<Self> {
        // This name works even after the file has been replaced by another version.
        let link = PathBuf::from("/proc/self/exe");
        let has_link = cfg!(target_os = "linux") && link.exists();
        let program =
            if has_link { link } else { std::env::current_exe().or_else(named_program)? };
        Ok(Self { program, arguments: arguments.into_iter().collect() })
    }

    fn spawn(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear();
        // Programs on Windows load the system's libraries by it; Python does not start otherwise.
        if let Some(folder) = std::env::var_os("SystemRoot").filter(|_| cfg!(windows)) {
            command.env("SystemRoot", folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // An interrupt from the terminal is for the program, which then ends its workers.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    }
}

/// Finds this program by the name it was started with, because its path is unknown: `/proc` is missing.
fn named_program(unknown: io::Error) -> io::Result<PathBuf> {
    let name = PathBuf::from(std::env::args_os().next().ok_or(unknown)?);
    if name.components().count() > 1 {
        return name.canonicalize();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&folders)
        // A relative folder may be that of a repository.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name));
    programs.find(|program| program.is_file()).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Memory that an idle worker may keep.
const MAX_IDLE_MEMORY: u64 = 64 << 20;
const MIN_BLOATING_BYTES: usize = 64 << 10;
const MIN_BLOATING_TIME: Duration = Duration::from_millis(20);
/// Time in calls after which a worker is replaced, so that neither a limit on the CPU time of processes
/// nor what earlier texts have left in its memory can affect later ones.
const MAX_BUSY: Duration = Duration::from_secs(60);
/// Where memory cannot be measured, a worker that dies after more CPU time may have run out of it: filling its
/// address space takes longer than this.
const MAX_CRASH_CPU: Duration = Duration::from_millis(25);
/// Share of the system's limit on the CPU time of processes after which a worker is replaced.
const BUSY_SHARE: u32 = 4;

/// A running worker.
pub(crate) struct Worker {
    child: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: ChildStdout,
    buffer: Vec<u8>,
    /// Elapsed time of all calls, which is at least their CPU time.
    busy: Duration,
    max_busy: Duration,
}

/// The outcome of a call, and its CPU time.
pub(crate) struct Answer {
    pub reply: Result<Reply, CallFailure>,
    pub cpu: Duration,
}

/// Reason why a call failed. The worker is then of no further use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallFailure {
    Cancelled,
    /// It died by itself.
    Crashed,
    TimeLimit,
    MemoryLimit,
}

impl From<CallFailure> for ParseFailure {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::Cancelled => Self::Cancelled(Cancelled),
            CallFailure::Crashed => Self::Fallback(Fallback::ParserCrashed),
            CallFailure::TimeLimit => Self::Fallback(Fallback::ParserTimeLimit),
            CallFailure::MemoryLimit => Self::Fallback(Fallback::ParserMemoryLimit),
        }
    }
}

impl Worker {
    pub fn start(command: &WorkerCommand) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a worker has no pipes"));
        };
        let mut worker = Self {
            child: Arc::new(Mutex::new(child)),
            input,
            output,
            buffer: Vec::new(),
            busy: Duration::ZERO,
            max_busy: MAX_BUSY,
        };
        // A program that is not a worker must not be taken for one that crashed.
        match worker.call(&Request::Start, CallLimits::START, &Cancel::default()).reply {
            Ok(Reply::Ready(confinement)) => {
                warn_unless_filtered(confinement);
                worker.max_busy = max_busy(confinement.max_cpu_seconds);
                Ok(worker)
            }
            reply => Err(io::Error::other(format!("it is not a parser process: {reply:?}"))),
        }
    }

    /// Sends a request and waits for the reply.
    pub fn call(&mut self, request: &Request<'_>, limits: CallLimits, cancel: &Cancel) -> Answer {
        let (watchdog, started) = (Watchdog::global(), Instant::now());
        let call = watchdog.begin(&self.child, limits, cancel);
        let reply = self.exchange(request, limits.reply_bytes);
        let ended = watchdog.end(call);
        self.busy += started.elapsed();
        let reply = match (ended.reason, reply) {
            (Some(KillReason::Cancelled), _) => Err(CallFailure::Cancelled),
            (Some(KillReason::TimeLimit), _) => Err(CallFailure::TimeLimit),
            (Some(KillReason::MemoryLimit), _) => Err(CallFailure::MemoryLimit),
            (None, Some(reply)) => Ok(reply),
            (None, None) => Err(self.cause_of_death(ended, limits)),
        };
        Answer { reply, cpu: ended.cpu }
    }

    /// Whether it may answer for the next text after one of `bytes` that took `elapsed`.
    pub fn is_reusable(&self, bytes: usize, elapsed: Duration) -> bool {
        self.busy < self.max_busy && !self.is_bloated(bytes, elapsed)
    }

    /// Whether it has kept more memory than a fresh worker would need for the next text. The memory of a
    /// text that was small and quick is not worth a look.
    fn is_bloated(&self, bytes: usize, elapsed: Duration) -> bool {
        if bytes < MIN_BLOATING_BYTES && elapsed < MIN_BLOATING_TIME {
            return false;
        }
        let pid = self.child.lock().unwrap_or_else(PoisonError::into_inner).id();
        // A worker whose memory is unknown is not worth the risk.
        usage(pid).is_none_or(|usage| usage.memory > MAX_IDLE_MEMORY)
    }

    fn exchange(&mut self, request: &Request<'_>, max_bytes: usize) -> Option<Reply> {
        write_frame(&mut self.input, request, &mut self.buffer).ok()?;
        read_frame(&mut self.output, max_bytes, &mut self.buffer).ok().filter(|&found| found)?;
        postcard::from_bytes(&self.buffer).ok()
    }

    /// Ends a worker that did not answer, and returns the reason.
    fn cause_of_death(&mut self, ended: EndedCall, limits: CallLimits) -> CallFailure {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // A worker that sent nonsense is still running.
        let status = match child.try_wait() {
            Ok(Some(status)) => Some(status),
            _ => child.kill().and_then(|()| child.wait()).ok(),
        };
        tracing::debug!(status = status.map(tracing::field::display), "a parser process died");
        // A worker that may allocate no more aborts, just like one whose grammar fails.
        let may_lack_memory = if is_measured() {
            ended.memory > limits.memory / 2
        } else {
            ended.cpu > MAX_CRASH_CPU
        };
        status.map_or(CallFailure::Crashed, |status| failure_of_status(status, may_lack_memory))
    }
}

/// The kernel kills a process that exceeds its own CPU limit, or when memory runs out.
#[cfg(unix)]
fn failure_of_status(status: ExitStatus, may_lack_memory: bool) -> CallFailure {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    const OUT_OF_CPU_TIME: i32 = Signal::XCPU.as_raw();
    const OUT_OF_MEMORY: i32 = Signal::KILL.as_raw();
    match status.signal() {
        Some(OUT_OF_CPU_TIME) => CallFailure::TimeLimit,
        Some(OUT_OF_MEMORY) => CallFailure::MemoryLimit,
        // The filter of system calls turns an abort into another signal.
        Some(_) if may_lack_memory => CallFailure::MemoryLimit,
        _ => CallFailure::Crashed,
    }
}

#[cfg(not(unix))]
fn failure_of_status(_status: ExitStatus, _may_lack_memory: bool) -> CallFailure {
    CallFailure::Crashed
}

/// Returns how long a worker may be busy, given the system's limit on its CPU time.
fn max_busy(max_cpu_seconds: Option<u64>) -> Duration {
    let limit = max_cpu_seconds.map_or(Duration::MAX, Duration::from_secs);
    MAX_BUSY.min(limit / BUSY_SHARE)
}

/// Says once if workers could open files, which should not surprise anyone who relies on them.
fn warn_unless_filtered(confinement: Confinement) {
    static ONCE: Once = Once::new();
    if cfg!(target_os = "linux") && !confinement.filters_system_calls {
        ONCE.call_once(|| {
            tracing::warn!("parser processes run without a system call filter");
        });
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It has nothing to lose. Waiting for it leaves no zombie.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        _ = child.kill();
        _ = child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_replaced_before_the_system_ends_them() {
        assert_eq!(max_busy(None), MAX_BUSY);
        assert_eq!(max_busy(Some(1_000_000)), MAX_BUSY);
        assert_eq!(max_busy(Some(8)), Duration::from_secs(2));
    }
}

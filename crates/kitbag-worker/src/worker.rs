//! A worker process as seen by the program.

use crate::limits::CallLimits;
use crate::protocol::{Reply, Request, read_frame, write_frame};
use crate::usage::usage;
use crate::watchdog::{KillReason, Watchdog};
use kitbag_text::syntax::ParseFailure;
use kitbag_text::{Cancel, Cancelled, Fallback};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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
        let program = if has_link { link } else { std::env::current_exe()? };
        Ok(Self { program, arguments: arguments.into_iter().collect() })
    }

    fn spawn(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // An interrupt from the terminal is for the program, which then ends its workers.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    }
}

/// Memory that an idle worker may keep.
const MAX_IDLE_MEMORY: u64 = 64 << 20;
const MIN_BLOATING_BYTES: usize = 64 << 10;
const MIN_BLOATING_TIME: Duration = Duration::from_millis(20);

/// A running worker.
pub(crate) struct Worker {
    child: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: ChildStdout,
    buffer: Vec<u8>,
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
        let mut worker =
            Self { child: Arc::new(Mutex::new(child)), input, output, buffer: Vec::new() };
        // A program that is not a worker must not be taken for one that crashed.
        match worker.call(&Request::Start, CallLimits::START, &Cancel::default()) {
            Ok(Reply::Ready) => Ok(worker),
            reply => Err(io::Error::other(format!("it is not a parser process: {reply:?}"))),
        }
    }

    /// Sends a request and waits for the reply.
    pub fn call(
        &mut self,
        request: &Request<'_>,
        limits: CallLimits,
        cancel: &Cancel,
    ) -> Result<Reply, CallFailure> {
        let watchdog = Watchdog::global();
        let call = watchdog.begin(&self.child, limits, cancel);
        let reply = self.exchange(request, limits.reply_bytes);
        match (watchdog.end(call), reply) {
            (Some(KillReason::Cancelled), _) => Err(CallFailure::Cancelled),
            (Some(KillReason::TimeLimit), _) => Err(CallFailure::TimeLimit),
            (Some(KillReason::MemoryLimit), _) => Err(CallFailure::MemoryLimit),
            (None, Some(reply)) => Ok(reply),
            (None, None) => Err(self.cause_of_death()),
        }
    }

    /// Whether it has kept more memory than a fresh worker would need for the next text. The memory of a
    /// text that was small and quick is not worth a look.
    pub fn is_bloated(&self, bytes: usize, elapsed: Duration) -> bool {
        if bytes < MIN_BLOATING_BYTES && elapsed < MIN_BLOATING_TIME {
            return false;
        }
        let pid = self.child.lock().unwrap_or_else(PoisonError::into_inner).id();
        usage(pid).is_none_or(|usage| usage.memory > MAX_IDLE_MEMORY)
    }

    fn exchange(&mut self, request: &Request<'_>, max_bytes: usize) -> Option<Reply> {
        write_frame(&mut self.input, request, &mut self.buffer).ok()?;
        read_frame(&mut self.output, max_bytes, &mut self.buffer).ok().filter(|&found| found)?;
        postcard::from_bytes(&self.buffer).ok()
    }

    /// Ends a worker that did not answer, and returns the reason.
    fn cause_of_death(&mut self) -> CallFailure {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // A worker that sent nonsense is still running.
        let status = match child.try_wait() {
            Ok(Some(status)) => Some(status),
            _ => child.kill().and_then(|()| child.wait()).ok(),
        };
        tracing::debug!(status = status.map(tracing::field::display), "a parser process died");
        status.map_or(CallFailure::Crashed, failure_of_status)
    }
}

/// The kernel kills a process that exceeds its own CPU limit, or when memory runs out.
#[cfg(unix)]
fn failure_of_status(status: ExitStatus) -> CallFailure {
    use std::os::unix::process::ExitStatusExt;
    const OUT_OF_CPU_TIME: i32 = rustix::process::Signal::XCPU.as_raw();
    const OUT_OF_MEMORY: i32 = rustix::process::Signal::KILL.as_raw();
    match status.signal() {
        Some(OUT_OF_CPU_TIME) => CallFailure::TimeLimit,
        Some(OUT_OF_MEMORY) => CallFailure::MemoryLimit,
        _ => CallFailure::Crashed,
    }
}

#[cfg(not(unix))]
fn failure_of_status(_status: ExitStatus) -> CallFailure {
    CallFailure::Crashed
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It has nothing to lose. Waiting for it leaves no zombie.
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        _ = child.kill();
        _ = child.wait();
    }
}

//! The upstream server: a child process that reads and writes lines.

use super::ProxyError;
use super::envelope::MessageId;
use super::line_writer::LineWriter;
use super::process_group::ProcessGroup;
use crate::line_reader::LineReader;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, ChildStdout, Command};

/// Time that a server has to exit after its input is closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Time that a broken server has to exit by itself, so that its exit status can be reported.
const BROKEN_EXIT_TIMEOUT: Duration = Duration::from_millis(100);

/// Time that a server has to exit after `SIGTERM`.
const TERMINATE_TIMEOUT: Duration = Duration::from_millis(500);

/// Maximum length of a line.
pub(super) const MAX_LINE_BYTES: usize = 64 << 20;

/// A running upstream server.
pub(super) struct Upstream {
    child: Child,
    group: ProcessGroup,
    pub stdin: LineWriter,
    pub stdout: LineReader<ChildStdout>,
    /// Whether it has sent a message. Lines before that are a banner.
    pub has_sent_message: bool,
    /// The repeated handshake, until it is answered.
    pub handshake: Option<Handshake>,
    /// When writing to its stdin failed.
    pub stdin_broken_since: Option<Instant>,
}

/// The client's handshake, repeated with a restarted server.
pub(super) struct Handshake {
    id: MessageId,
    /// The lines to send after the response.
    queued: Vec<Vec<u8>>,
    pub started: Instant,
}

/// Why a server is shut down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShutdownReason {
    /// The client has closed its side.
    ClientClosed,
    /// The server has failed.
    ServerFailed,
    /// The proxy was interrupted.
    Interrupted,
}

impl Upstream {
    pub fn start(command: &[String]) -> Result<Self, ProxyError> {
        let (program, arguments) = command.split_first().ok_or(ProxyError::NoCommand)?;
        let start_error = |source| ProxyError::Start { command: program.clone(), source };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::inherit()).kill_on_drop(true);
        let (mut child, group) = ProcessGroup::spawn(&mut command).map_err(start_error)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(start_error(std::io::Error::other("its streams are not piped")));
        };
        Ok(Self {
            child,
            group,
            stdin: LineWriter::new(stdin),
            stdout: LineReader::new(stdout, MAX_LINE_BYTES),
            has_sent_message: false,
            handshake: None,
            stdin_broken_since: None,
        })
    }

    /// Sends the client's `initialize` request again, and the `queued` lines once it is answered.
    pub fn repeat_handshake(&mut self, id: MessageId, initialize: Vec<u8>, queued: Vec<Vec<u8>>) {
        self.stdin.send(initialize);
        self.handshake = Some(Handshake { id, queued, started: Instant::now() });
    }

    /// Consumes a message that arrives during the repeated handshake, which the client must not see.
    /// `response` is its id if it is a response.
    pub fn consumes_in_handshake(&mut self, response: Option<&MessageId>) -> bool {
        let Some(handshake) = &mut self.handshake else { return false };
        if response == Some(&handshake.id) {
            for line in std::mem::take(&mut handshake.queued) {
                self.stdin.send(line);
            }
            self.handshake = None;
            self.has_sent_message = true;
        }
        true
    }

    /// Whether it accepts another line from the client.
    pub fn is_ready(&self) -> bool {
        self.handshake.is_none() && !self.stdin.is_full()
    }

    /// Shuts down the server and its process group, and returns its exit status as text.
    pub async fn shut_down(mut self, reason: ShutdownReason) -> String {
        self.stdin.close();
        let timeout = match reason {
            ShutdownReason::ClientClosed => EXIT_TIMEOUT,
            ShutdownReason::ServerFailed => BROKEN_EXIT_TIMEOUT,
            ShutdownReason::Interrupted => Duration::ZERO,
        };
        let mut status = tokio::time::timeout(timeout, self.child.wait()).await;
        if status.is_err() && reason != ShutdownReason::ServerFailed {
            self.group.terminate();
            status = tokio::time::timeout(TERMINATE_TIMEOUT, self.child.wait()).await;
        }
        // Descendants may outlive the child.
        self.group.kill();
        if status.is_err() {
            // Fails if the child has just exited.
            let _ = self.child.start_kill();
            status = tokio::time::timeout(EXIT_TIMEOUT, self.child.wait()).await;
        }
        match status {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "cannot be killed".to_owned(),
        }
    }
}

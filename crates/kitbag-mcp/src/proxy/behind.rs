//! The server behind: a program that is started, spoken to by lines, and ended.

use super::ProxyError;
use super::frame::{Frame, Id};
use super::group::Group;
use super::lines::LineReader;
use super::outlet::Outlet;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, ChildStdout, Command};

/// How long a server may take to end when there is nothing more to come.
const GRACE: Duration = Duration::from_secs(2);

/// How long it may take once it was told to end.
const LAST_GRACE: Duration = Duration::from_millis(500);

/// A running server.
pub(super) struct Behind {
    child: Child,
    group: Group,
    pub stdin: Outlet,
    pub lines: LineReader<ChildStdout>,
    /// Whether it has sent a frame yet: what comes before is a banner, not garbage.
    pub has_spoken: bool,
    /// A handshake that is not answered yet.
    pub greeting: Option<Greeting>,
    /// Since when it is known to read no more.
    pub deaf_since: Option<Instant>,
}

/// The handshake of a client that was made with a predecessor.
pub(super) struct Greeting {
    id: Id,
    /// What the server gets when it has answered.
    then: Vec<Vec<u8>>,
    /// When it was begun.
    pub since: Instant,
}

/// Why a server is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The client has no more to ask.
    Finished,
    /// It is of no use any more.
    Broken,
    /// The proxy itself has to end.
    Interrupted,
}

impl Behind {
    /// Starts the program.
    pub fn start(command: &[String]) -> Result<Self, ProxyError> {
        let (program, arguments) = command.split_first().ok_or(ProxyError::NoCommand)?;
        let failed = |source| ProxyError::Start { command: program.clone(), source };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::inherit()).kill_on_drop(true);
        let (mut child, group) = Group::start(&mut command).map_err(failed)?;
        let missing = || failed(std::io::Error::other("its streams are not there"));
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        Ok(Self {
            child,
            group,
            stdin: Outlet::new(stdin.ok_or_else(missing)?),
            lines: LineReader::new(stdout.ok_or_else(missing)?),
            has_spoken: false,
            greeting: None,
            deaf_since: None,
        })
    }

    /// Begins the handshake of a client that made it with a predecessor. What comes `then` waits for
    /// the answer, which nobody else waits for.
    pub fn greet(&mut self, (id, line): (Id, Vec<u8>), then: Vec<Vec<u8>>) {
        self.stdin.send(line);
        self.greeting = Some(Greeting { id, then, since: Instant::now() });
    }

    /// Whether a frame came in the middle of the handshake, and is of no interest to others.
    pub fn is_greeted_by(&mut self, frame: &Frame) -> bool {
        let Some(greeting) = &mut self.greeting else { return false };
        if matches!(frame, Frame::Answer { id, .. } if *id == greeting.id) {
            for line in std::mem::take(&mut greeting.then) {
                self.stdin.send(line);
            }
            self.greeting = None;
            self.has_spoken = true;
        }
        true
    }

    /// Whether it can be given another line.
    pub fn is_ready(&self) -> bool {
        self.greeting.is_none() && !self.stdin.is_full()
    }

    /// Ends the server and all that it started, and says how it ended.
    pub async fn end(mut self, why: Ending) -> String {
        self.stdin.close();
        let grace = match why {
            Ending::Finished => GRACE,
            Ending::Broken => Duration::from_millis(100),
            Ending::Interrupted => Duration::ZERO,
        };
        let mut status = tokio::time::timeout(grace, self.child.wait()).await;
        if status.is_err() && why != Ending::Broken {
            self.group.ask_to_end();
            status = tokio::time::timeout(LAST_GRACE, self.child.wait()).await;
        }
        // What the program started may be there still, whether or not itself is.
        self.group.kill();
        if status.is_err() {
            // It may have ended by itself in this moment.
            let _ = self.child.start_kill();
            status = tokio::time::timeout(GRACE, self.child.wait()).await;
        }
        match status {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it cannot be ended".to_owned(),
        }
    }
}

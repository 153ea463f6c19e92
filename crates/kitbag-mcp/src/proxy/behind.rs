//! The server behind: a program that is started, spoken to by lines, and ended.

use super::ProxyError;
use super::frame::Frame;
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// The most bytes of a line.
const MOST_BYTES: usize = 64 << 20;

/// How long a server may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// A running server.
pub(super) struct Behind {
    child: Child,
    stdin: Option<ChildStdin>,
    pub lines: LineReader<ChildStdout>,
    /// Whether it has sent a frame yet: what comes before is a banner, not garbage.
    pub has_spoken: bool,
}

impl Behind {
    /// Starts the program.
    pub fn start(command: &[String]) -> Result<Self, ProxyError> {
        let (program, arguments) = command.split_first().ok_or(ProxyError::NoCommand)?;
        let failed = |source| ProxyError::Start { command: program.clone(), source };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let missing = || failed(std::io::Error::other("its streams are not there"));
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let lines = LineReader::new(stdout.ok_or_else(missing)?);
        Ok(Self { child, stdin: Some(stdin.ok_or_else(missing)?), lines, has_spoken: false })
    }

    /// Sends a line; an error means that the server is gone.
    pub async fn send(&mut self, line: &[u8]) -> std::io::Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        stdin.write_all(line).await?;
        stdin.flush().await
    }

    /// Does the handshake of a client that did it with a predecessor. The server's answer is dropped.
    pub async fn greet(
        &mut self,
        initialize: (&Value, &[u8]),
        initialized: Option<&[u8]>,
    ) -> std::io::Result<()> {
        let (wanted, line) = initialize;
        self.send(line).await?;
        loop {
            let Some(line) = self.lines.next().await? else {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            };
            if matches!(Frame::read(&line), Frame::Answer { id, .. } if id == *wanted) {
                break;
            }
        }
        self.has_spoken = true;
        match initialized {
            Some(line) => self.send(line).await,
            None => Ok(()),
        }
    }

    /// Tells the server that there is no more to come.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Ends the server, and says how it ended.
    pub async fn end(mut self, patient: bool) -> String {
        self.close();
        let grace = if patient { GRACE } else { Duration::from_millis(100) };
        let status = match tokio::time::timeout(grace, self.child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                // It may have ended by itself in this moment.
                let _ = self.child.start_kill();
                self.child.wait().await
            }
        };
        status.map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

/// Reads lines with their ends, as bytes. What was read is kept when waiting is given up.
pub(super) struct LineReader<R> {
    read: BufReader<R>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub fn new(read: R) -> Self {
        Self { read: BufReader::with_capacity(64 << 10, read), line: Vec::new() }
    }

    /// The next line; `None` at the end. The last one need not have an end.
    pub async fn next(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        loop {
            let buffer = self.read.fill_buf().await?;
            if buffer.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok((!rest.is_empty()).then_some(rest));
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let length = end.map_or(buffer.len(), |end| end + 1);
            if self.line.len() + length > MOST_BYTES {
                return Err(std::io::Error::other("a line is longer than 64 MB"));
            }
            self.line.extend_from_slice(&buffer[..length]);
            self.read.consume(length);
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }
}

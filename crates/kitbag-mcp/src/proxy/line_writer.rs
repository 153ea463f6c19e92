//! A queue of lines for a stream.
//!
//! A task writes them, so that sending never blocks on the reader. The queued bytes are counted, and
//! the proxy stops reading from the other side while there are too many.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Number of queued bytes above which a writer is full.
const MAX_QUEUED_BYTES: usize = 8 << 20;

/// Maximum number of lines that are joined into one write.
const MAX_BATCH_LINES: usize = 256;

#[derive(Debug, Clone, Copy)]
struct WriteProgress {
    queued_bytes: usize,
    /// When bytes were last written, or queued while there were none.
    last_write: Instant,
    is_broken: bool,
}

/// Writes lines to a stream in the background.
pub(super) struct LineWriter {
    lines: Option<mpsc::UnboundedSender<Vec<u8>>>,
    progress: Arc<watch::Sender<WriteProgress>>,
    task: JoinHandle<io::Result<()>>,
}

impl LineWriter {
    pub fn new(stream: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (sender, lines) = mpsc::unbounded_channel();
        let progress =
            WriteProgress { queued_bytes: 0, last_write: Instant::now(), is_broken: false };
        let progress = Arc::new(watch::Sender::new(progress));
        let task = tokio::spawn(write_all(stream, lines, Arc::clone(&progress)));
        Self { lines: Some(sender), progress, task }
    }

    /// Queues a line, with a line ending if it has none. A broken or closed stream drops it.
    pub fn send(&self, mut line: Vec<u8>) {
        let Some(lines) = &self.lines else { return };
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        self.progress.send_modify(|progress| {
            if progress.queued_bytes == 0 {
                progress.last_write = Instant::now();
            }
            progress.queued_bytes += line.len();
        });
        // Fails only if the stream is broken, which `progress` reports.
        let _ = lines.send(line);
    }

    /// Whether too many bytes are queued.
    pub fn is_full(&self) -> bool {
        let progress = self.progress.borrow();
        progress.queued_bytes > MAX_QUEUED_BYTES && !progress.is_broken
    }

    /// Returns the time of the last write if the writer is full.
    pub fn stalled_since(&self) -> Option<Instant> {
        let last_write = self.progress.borrow().last_write;
        self.is_full().then_some(last_write)
    }

    /// Whether writing has failed.
    pub fn is_broken(&self) -> bool {
        self.progress.borrow().is_broken
    }

    /// Waits until the writer is not full.
    pub fn drained(&self) -> impl Future<Output = ()> + Send + use<> {
        self.wait_for(|it| it.queued_bytes <= MAX_QUEUED_BYTES || it.is_broken)
    }

    /// Waits until writing fails.
    pub fn broken(&self) -> impl Future<Output = ()> + Send + use<> {
        self.wait_for(|it| it.is_broken)
    }

    /// Closes the stream once the queued lines are written.
    pub fn close(&mut self) {
        self.lines = None;
    }

    /// Writes the queued lines and closes the stream. Gives up when nothing is read for `timeout`.
    pub async fn finish(mut self, timeout: Duration) -> io::Result<()> {
        self.close();
        loop {
            let before = self.progress.borrow().queued_bytes;
            match tokio::time::timeout(timeout, &mut self.task).await {
                Ok(written) => return written.unwrap_or(Ok(())),
                Err(_) if self.progress.borrow().queued_bytes == before => return Ok(()),
                Err(_) => {}
            }
        }
    }

    fn wait_for(
        &self,
        condition: fn(&WriteProgress) -> bool,
    ) -> impl Future<Output = ()> + Send + use<> {
        let mut progress = self.progress.subscribe();
        async move {
            if progress.wait_for(condition).await.is_err() {
                // The writer was dropped.
                std::future::pending().await
            }
        }
    }
}

impl Drop for LineWriter {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn write_all(
    stream: impl AsyncWrite + Send + Unpin,
    lines: mpsc::UnboundedReceiver<Vec<u8>>,
    progress: Arc<watch::Sender<WriteProgress>>,
) -> io::Result<()> {
    let written = write_lines(stream, lines, &progress).await;
    if written.is_err() {
        progress.send_modify(|progress| progress.is_broken = true);
    }
    written
}

async fn write_lines(
    mut stream: impl AsyncWrite + Send + Unpin,
    mut lines: mpsc::UnboundedReceiver<Vec<u8>>,
    progress: &watch::Sender<WriteProgress>,
) -> io::Result<()> {
    let mut batch = Vec::new();
    while lines.recv_many(&mut batch, MAX_BATCH_LINES).await > 0 {
        let bytes = batch.concat();
        batch.clear();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let written = stream.write(rest).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            rest = &rest[written..];
            progress.send_modify(|progress| {
                progress.queued_bytes -= written;
                progress.last_write = Instant::now();
            });
        }
        if lines.is_empty() {
            stream.flush().await?;
        }
    }
    stream.flush().await
}

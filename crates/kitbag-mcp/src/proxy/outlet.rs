//! Lines on their way into a stream.
//!
//! A task of its own writes them, so that who has a line to send never waits for who should read it.
//! What waits is counted: the proxy stops taking lines in on the other side while it is too much.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// So many bytes may wait before no more lines are taken in.
const MOST_WAITING: usize = 8 << 20;

/// How many lines are written at once.
const MOST_AT_ONCE: usize = 256;

/// How a stream is doing.
#[derive(Debug, Clone, Copy)]
struct Flow {
    /// The bytes that it has not taken yet.
    waiting: usize,
    /// When it last took some, or had none to take.
    moved: Instant,
    /// Whether it takes no more.
    is_broken: bool,
}

/// A stream that lines are written to.
pub(super) struct Outlet {
    lines: Option<mpsc::UnboundedSender<Vec<u8>>>,
    flow: Arc<watch::Sender<Flow>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Outlet {
    pub fn new(write: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (sender, lines) = mpsc::unbounded_channel();
        let flow = Flow { waiting: 0, moved: Instant::now(), is_broken: false };
        let flow = Arc::new(watch::Sender::new(flow));
        let writer = tokio::spawn(write_all(write, lines, Arc::clone(&flow)));
        Self { lines: Some(sender), flow, writer }
    }

    /// Sends a line, which gets an end if it has none. A stream that is broken or closed drops it.
    pub fn send(&self, mut line: Vec<u8>) {
        let Some(lines) = &self.lines else { return };
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        self.flow.send_modify(|flow| {
            if flow.waiting == 0 {
                flow.moved = Instant::now();
            }
            flow.waiting += line.len();
        });
        // Without a receiver the stream is broken, and that is told by its flow.
        let _ = lines.send(line);
    }

    /// Whether more is waiting than should.
    pub fn is_full(&self) -> bool {
        let flow = self.flow.borrow();
        flow.waiting > MOST_WAITING && !flow.is_broken
    }

    /// Since when the stream has taken nothing, while it is full.
    pub fn stuck_since(&self) -> Option<Instant> {
        let moved = self.flow.borrow().moved;
        self.is_full().then_some(moved)
    }

    /// Whether the stream takes no more.
    pub fn is_broken(&self) -> bool {
        self.flow.borrow().is_broken
    }

    /// Waits until the stream is not full.
    pub fn has_room(&self) -> impl Future<Output = ()> + Send + use<> {
        self.until(|flow| flow.waiting <= MOST_WAITING || flow.is_broken)
    }

    /// Waits until the stream is broken.
    pub fn breaks(&self) -> impl Future<Output = ()> + Send + use<> {
        self.until(|flow| flow.is_broken)
    }

    /// No more lines will come; the stream ends when those that wait are written.
    pub fn close(&mut self) {
        self.lines = None;
    }

    /// Writes what waits, and ends the stream. Who reads nothing for so long does not get the rest.
    pub async fn finish(mut self, patience: Duration) -> io::Result<()> {
        self.close();
        loop {
            let before = self.flow.borrow().waiting;
            let writer = &mut self.writer;
            match tokio::time::timeout(patience, writer).await {
                // A writer that panicked has nothing left to say.
                Ok(written) => return written.unwrap_or(Ok(())),
                Err(_) if self.flow.borrow().waiting == before => return Ok(()),
                Err(_) => {}
            }
        }
    }

    fn until(&self, holds: fn(&Flow) -> bool) -> impl Future<Output = ()> + Send + use<> {
        let mut flow = self.flow.subscribe();
        async move {
            if flow.wait_for(holds).await.is_err() {
                // The stream is gone, and with it whoever waits.
                std::future::pending().await
            }
        }
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

async fn write_all(
    write: impl AsyncWrite + Send + Unpin,
    lines: mpsc::UnboundedReceiver<Vec<u8>>,
    flow: Arc<watch::Sender<Flow>>,
) -> io::Result<()> {
    let written = write_lines(write, lines, &flow).await;
    if written.is_err() {
        flow.send_modify(|flow| flow.is_broken = true);
    }
    written
}

async fn write_lines(
    mut write: impl AsyncWrite + Send + Unpin,
    mut lines: mpsc::UnboundedReceiver<Vec<u8>>,
    flow: &watch::Sender<Flow>,
) -> io::Result<()> {
    let mut batch = Vec::new();
    // Many small lines are one write.
    while lines.recv_many(&mut batch, MOST_AT_ONCE).await > 0 {
        let bytes = batch.concat();
        batch.clear();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let taken = write.write(rest).await?;
            if taken == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            rest = &rest[taken..];
            flow.send_modify(|flow| {
                flow.waiting -= taken;
                flow.moved = Instant::now();
            });
        }
        if lines.is_empty() {
            write.flush().await?;
        }
    }
    write.flush().await
}

//! The proxy's event loop.
//!
//! It never waits for one side alone. Lines are written by background tasks, and while too many are
//! queued for one side, none are read from the other, as if the two were connected directly.

use super::enrich::{ContextResult, ContextTask, Enricher};
use super::envelope::{MessageId, error_response};
use super::line_writer::LineWriter;
use super::pending::PendingRequests;
use super::tools::{ToolList, ToolListing};
use super::upstream::{MAX_LINE_BYTES, ShutdownReason, Upstream};
use super::{ProxyError, ProxyOptions};
use crate::line_reader::LineReader;
use kitbag::Engine;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;

/// Time that a restarted server has for the handshake, unless there is another timeout.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long the rest of the open responses may take after the client has closed its side.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

/// How long the server may still send lines when no request is open.
const IDLE_SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// How long the open responses may take after an interrupt.
const INTERRUPT_GRACE: Duration = Duration::from_millis(500);

/// Time that a server has to exit after it stopped reading.
const STALL_TIMEOUT: Duration = Duration::from_secs(2);

/// Reports a warning to the user.
pub(super) type Warn = Arc<dyn Fn(&str) + Send + Sync>;

/// The proxy's state.
pub(super) struct Relay {
    pub enricher: Arc<Enricher>,
    pub warn: Warn,
    pub pending: PendingRequests,
    pub tools: ToolList,
    /// A call that waits until the proxy has listed the tools itself. The client's next lines are not
    /// read meanwhile.
    pub tool_listing: Option<ToolListing>,
    /// The client's handshake, to be repeated with a restarted server.
    pub initialize: Option<(MessageId, Vec<u8>)>,
    pub initialized: Option<Vec<u8>>,
    /// `None` after a failure, until the next line from the client.
    pub upstream: Option<Upstream>,
    /// The lines to the client.
    pub client: LineWriter,
    /// Whether the client has closed its side, and only the open responses are awaited.
    client_closed: bool,
    /// A call that waits for its context. The client's next lines are not read meanwhile.
    pub deferred_call: Option<DeferredCall>,
    /// Responses that wait for their contexts.
    pub responses: JoinSet<Vec<u8>>,
}

/// A call whose tool takes the context as an argument.
pub(super) struct DeferredCall {
    pub id: MessageId,
    pub line: Vec<u8>,
    pub context: ContextTask,
}

/// Why a server counts as hung.
#[derive(Debug, Clone, Copy)]
enum Stall {
    Handshake,
    ClosedInput,
    NotReading,
    Silent,
}

impl Relay {
    pub fn new(
        engine: Engine,
        options: ProxyOptions,
        warn: Box<dyn Fn(&str) + Send + Sync>,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, ProxyError> {
        let enricher = Enricher::new(engine, options)?;
        let upstream = Some(Upstream::start(&enricher.options.command)?);
        Ok(Self {
            enricher,
            warn: Arc::from(warn),
            pending: PendingRequests::default(),
            tools: ToolList::default(),
            tool_listing: None,
            initialize: None,
            initialized: None,
            upstream,
            client: LineWriter::new(write),
            client_closed: false,
            deferred_call: None,
            responses: JoinSet::new(),
        })
    }

    /// Relays until the client closes its side, or `interrupted` completes.
    pub async fn run(
        mut self,
        read: impl AsyncRead + Send + Unpin + 'static,
        interrupted: impl Future<Output = ()>,
    ) -> Result<(), ProxyError> {
        let mut reader = LineReader::new(read, MAX_LINE_BYTES);
        let mut interrupted = pin!(interrupted);
        loop {
            if let Some(reason) = self.step(&mut reader, interrupted.as_mut()).await? {
                return self.finish(reason).await;
            }
        }
    }

    /// Handles one event. Returns a reason if the proxy has to shut down.
    async fn step(
        &mut self,
        reader: &mut LineReader<impl AsyncRead + Unpin>,
        interrupted: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Option<ShutdownReason>, ProxyError> {
        let upstream = self.upstream.as_ref();
        let reads_client = !self.client_closed
            && self.deferred_call.is_none()
            && self.tool_listing.is_none()
            && upstream.is_none_or(Upstream::is_ready);
        let reads_upstream = !self.client.is_full();
        let client_drained = self.client.is_full().then(|| self.client.drained());
        let upstream_drained =
            upstream.filter(|it| it.stdin.is_full()).map(|it| it.stdin.drained());
        let stdin_broken =
            upstream.filter(|it| it.stdin_broken_since.is_none()).map(|it| it.stdin.broken());
        let deadline = self.deadline();
        let listing_deadline = self.tool_listing.as_ref().map(ToolListing::deadline);
        let is_idle = self.pending.is_empty() && reads_upstream;
        let grace = if is_idle { IDLE_SHUTDOWN_GRACE } else { SHUTDOWN_GRACE };
        tokio::select! {
            line = reader.next(), if reads_client => match line? {
                Some(line) if reader.is_too_long(&line) => {
                    let message = format!("a line is longer than {MAX_LINE_BYTES} bytes");
                    return Err(std::io::Error::other(message).into());
                }
                Some(line) => self.handle_client_line(line).await,
                None => {
                    self.client_closed = true;
                    self.upstream.iter_mut().for_each(|upstream| upstream.stdin.close());
                }
            },
            line = next_line(self.upstream.as_mut()), if reads_upstream => match line {
                Ok(None) if self.client_closed => return Ok(Some(ShutdownReason::ClientClosed)),
                line => self.handle_upstream_line(line).await,
            },
            context = deferred_context(self.deferred_call.as_mut()) => {
                self.send_deferred_call(context).await;
            }
            Some(Ok(line)) = self.responses.join_next(), if reads_upstream => self.client.send(line),
            // The server was not read from meanwhile, so its timeout restarts.
            () = or_pending(client_drained) => self.pending.touch(),
            () = or_pending(upstream_drained) => {}
            () = or_pending(stdin_broken) => {
                if let Some(upstream) = &mut self.upstream {
                    upstream.stdin_broken_since = Some(Instant::now());
                }
            }
            () = until(deadline.map(|(deadline, _)| deadline)) => {
                if let Some((_, stall)) = deadline {
                    self.fail(&stall.message(self.enricher.options.timeout)).await;
                }
            }
            () = until(listing_deadline) => self.finish_listing().await,
            () = tokio::time::sleep(grace), if self.client_closed => {
                return Ok(Some(ShutdownReason::ClientClosed));
            }
            () = interrupted => return Ok(Some(ShutdownReason::Interrupted)),
        }
        let is_over = self.client_closed && self.upstream.is_none();
        Ok((is_over || self.client.is_broken()).then_some(ShutdownReason::ClientClosed))
    }

    /// Returns when the server counts as hung, and why.
    fn deadline(&self) -> Option<(Instant, Stall)> {
        let upstream = self.upstream.as_ref()?;
        if self.client.is_full() || self.client_closed {
            return None;
        }
        let timeout = self.enricher.options.timeout;
        if let Some(handshake) = &upstream.handshake {
            let timeout = timeout.unwrap_or(HANDSHAKE_TIMEOUT);
            return Some((handshake.started.checked_add(timeout)?, Stall::Handshake));
        }
        let closed = upstream.stdin_broken_since.map(|since| since + STALL_TIMEOUT);
        let stalled = upstream.stdin.stalled_since().zip(timeout);
        let stalled = stalled.and_then(|(since, timeout)| since.checked_add(timeout));
        let deadlines = [
            (self.pending.deadline(timeout), Stall::Silent),
            (closed, Stall::ClosedInput),
            (stalled, Stall::NotReading),
        ];
        let deadlines = deadlines.into_iter().filter_map(|(at, stall)| Some((at?, stall)));
        deadlines.min_by_key(|(deadline, _)| *deadline)
    }

    /// Forwards the last lines and shuts the server down.
    async fn finish(mut self, reason: ShutdownReason) -> Result<(), ProxyError> {
        if let Some(upstream) = self.upstream.take() {
            upstream.shut_down(reason).await;
        }
        for id in self.pending.cancel_all() {
            let message = "the upstream server exited without a response";
            self.client.send(error_response(&id, message));
        }
        let grace = match reason {
            ShutdownReason::Interrupted => INTERRUPT_GRACE,
            _ => SHUTDOWN_GRACE,
        };
        let responses = async {
            while let Some(response) = self.responses.join_next().await {
                response.into_iter().for_each(|line| self.client.send(line));
            }
        };
        // Responses whose contexts take longer are dropped.
        let _ = tokio::time::timeout(grace, responses).await;
        Ok(self.client.finish(grace).await?)
    }

    /// Shuts down a failed server and answers all open requests with an error. The next line from the
    /// client restarts it.
    pub async fn fail(&mut self, cause: &str) {
        let cause = match self.upstream.take() {
            Some(upstream) => {
                format!("{cause} ({})", upstream.shut_down(ShutdownReason::ServerFailed).await)
            }
            None => cause.to_owned(),
        };
        let message = format!("the upstream server {cause}; the next request restarts it");
        (self.warn)(&message);
        let held = self.tool_listing.take().and_then(ToolListing::into_call_id);
        if let Some(id) = held {
            self.client.send(error_response(&id, &message));
        }
        for id in self.pending.cancel_all() {
            self.client.send(error_response(&id, &message));
        }
    }
}

impl Stall {
    fn message(self, timeout: Option<Duration>) -> String {
        let seconds = timeout.unwrap_or_default().as_secs();
        match self {
            Self::Handshake => "did not answer the handshake".to_owned(),
            Self::ClosedInput => "closed its input".to_owned(),
            Self::NotReading => format!("has not read anything for {seconds} s"),
            Self::Silent => format!("has not sent anything for {seconds} s"),
        }
    }
}

async fn next_line(upstream: Option<&mut Upstream>) -> std::io::Result<Option<Vec<u8>>> {
    match upstream {
        Some(upstream) => upstream.stdout.next().await,
        None => std::future::pending().await,
    }
}

async fn deferred_context(call: Option<&mut DeferredCall>) -> ContextResult {
    match call {
        Some(call) => (&mut call.context).await,
        None => std::future::pending().await,
    }
}

async fn or_pending(future: Option<impl Future<Output = ()>>) {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    or_pending(deadline.map(|deadline| tokio::time::sleep_until(deadline.into()))).await;
}

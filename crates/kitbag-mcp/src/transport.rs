//! The transport on a pair of streams: one message per line.
//!
//! A malformed line is answered here, since rmcp skips it and its sender would wait forever: with the
//! id of its request if it is JSON, and with `null` otherwise. Malformed responses and notifications
//! are dropped, so that two programs never answer each other's errors.
//!
//! A client that sends faster than it is answered is not read further: beyond the admitted requests,
//! some are held back, so that cancellations and responses behind them are still seen. When as many as
//! possible are held, reading stops, unless a call waits for a response of the client; then further
//! requests are refused instead.

use crate::admission::{Admission, RequestWeight};
use crate::line_reader::LineReader;
use crate::options::McpLimits;
use crate::params::params_error;
use crate::raw_json::{members, parse_lenient};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Maximum number of requests that are held back.
const MAX_HELD_REQUESTS: usize = 256;

/// The output stream, until it is closed.
type SharedWriter<W> = Arc<Mutex<Option<W>>>;

/// Reads and writes the messages of one client.
pub(crate) struct LineTransport<R, W> {
    reader: LineReader<R>,
    writer: SharedWriter<W>,
    max_bytes: usize,
    /// The error response to the last line, while it is written. The next line is read after that.
    error_response: Option<JoinHandle<io::Result<()>>>,
    admission: Arc<Admission>,
    held: VecDeque<HeldRequest>,
    is_at_end: bool,
}

/// A request that waits to be admitted.
struct HeldRequest {
    id: RequestId,
    weight: RequestWeight,
    message: ClientJsonRpcMessage,
}

/// A message, `None` for a line that must not be answered, or the error response to a line.
type ParsedLine = Result<Option<ClientJsonRpcMessage>, Box<ServerJsonRpcMessage>>;

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub fn new(reader: R, writer: W, limits: &McpLimits) -> Self {
        let max_bytes = limits.request_bytes;
        Self {
            reader: LineReader::new(reader, max_bytes),
            writer: Arc::new(Mutex::new(Some(writer))),
            max_bytes,
            error_response: None,
            admission: Arc::new(Admission::new(limits)),
            held: VecDeque::new(),
            is_at_end: false,
        }
    }

    /// Returns the next line, or `None` at the end or when a held request may be admitted.
    async fn next_line(&mut self) -> Option<Vec<u8>> {
        let stops_reading =
            self.is_at_end || self.holds_maximum() && !self.admission.awaits_client();
        if stops_reading {
            self.admission.changed().await;
            return None;
        }
        tokio::select! {
            line = self.reader.next() => {
                let line = line.ok().flatten();
                self.is_at_end = line.is_none();
                line
            }
            () = self.admission.changed(), if !self.held.is_empty() => None,
        }
    }

    fn holds_maximum(&self) -> bool {
        let bytes: usize = self.held.iter().map(|held| held.weight.bytes).sum();
        self.held.len() >= MAX_HELD_REQUESTS || bytes >= self.max_bytes
    }

    /// Returns the first held request that can be admitted. Calls keep their order.
    fn admit_held(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut is_call_waiting = false;
        let admissible = self.held.iter().position(|HeldRequest { id, weight, .. }| {
            if weight.is_call && is_call_waiting {
                return false;
            }
            let is_admitted = self.admission.try_admit(id, *weight);
            is_call_waiting |= weight.is_call && !is_admitted;
            is_admitted
        })?;
        self.held.remove(admissible).map(|held| held.message)
    }

    /// Decides whether a message is passed on now, held back, or refused.
    fn admit(&mut self, message: ClientJsonRpcMessage, bytes: usize) -> ParsedLine {
        match &message {
            JsonRpcMessage::Request(request) => {
                let (id, weight) =
                    (request.id.clone(), RequestWeight::new(&request.request, bytes));
                self.admit_request(id, weight, message)
            }
            JsonRpcMessage::Notification(notification) => {
                let cancelled = match &notification.notification {
                    ClientNotification::CancelledNotification(it) => it.params.request_id.as_ref(),
                    _ => None,
                };
                let held = cancelled.and_then(|id| self.held.iter().position(|it| it.id == *id));
                if let Some(position) = held {
                    self.held.remove(position);
                    return Ok(None);
                }
                // It is not answered any more.
                cancelled.inspect(|id| self.admission.release(id));
                Ok(Some(message))
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {
                self.admission.answer();
                Ok(Some(message))
            }
        }
    }

    fn admit_request(
        &mut self,
        id: RequestId,
        weight: RequestWeight,
        message: ClientJsonRpcMessage,
    ) -> ParsedLine {
        if self.admission.is_admitted(&id) || self.held.iter().any(|held| held.id == id) {
            let error = ErrorData::invalid_request("the id is that of a pending request", None);
            return Err(error_response(error, Some(id)));
        }
        let is_next = self.held.is_empty() || !weight.is_call;
        if is_next && self.admission.try_admit(&id, weight) {
            return Ok(Some(message));
        }
        if self.holds_maximum() {
            let error = ErrorData::internal_error("too many pending requests; retry later", None);
            return Err(error_response(error, Some(id)));
        }
        self.held.push_back(HeldRequest { id, weight, message });
        Ok(None)
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) => {
                self.admission.ask();
                None
            }
            JsonRpcMessage::Notification(_) => None,
        };
        let (writer, admission) = (Arc::clone(&self.writer), Arc::clone(&self.admission));
        async move {
            let result = write(writer, message).await;
            answered.inspect(|id| admission.release(id));
            result
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(response) = &mut self.error_response {
                // If it cannot be written, the client is gone, and the next read fails.
                let _ = response.await;
                self.error_response = None;
            }
            if let Some(message) = self.admit_held() {
                return Some(message);
            }
            if self.is_at_end && self.held.is_empty() {
                return None;
            }
            let Some(line) = self.next_line().await else { continue };
            let parsed = if self.reader.is_too_long(&line) {
                let message = format!("the message is longer than {} bytes", self.max_bytes);
                Err(error_response(ErrorData::invalid_request(message, None), None))
            } else {
                parse(&line)
            };
            let admitted = match parsed {
                Ok(Some(message)) => self.admit(message, line.len()),
                other => other,
            };
            match admitted {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(response) => {
                    // A task of its own, since this call may be cancelled at any time.
                    let write = write(Arc::clone(&self.writer), *response);
                    self.error_response = Some(tokio::spawn(write));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.writer.lock().await.take());
        Ok(())
    }
}

async fn write<W: AsyncWrite + Unpin>(
    writer: SharedWriter<W>,
    message: ServerJsonRpcMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut writer = writer.lock().await;
    let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    writer.write_all(&line).await?;
    writer.flush().await
}

/// Parses a line. Lone surrogates, which truncating clients produce, are replaced.
fn parse(line: &[u8]) -> ParsedLine {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let message = match parse_lenient(line) {
        Ok(message) => message,
        Err(error) => return malformed(line, &error),
    };
    if let JsonRpcMessage::Request(request) = &message
        && let ClientRequest::CustomRequest(custom) = &request.request
        && let Some(error) = params_error(custom)
    {
        return Err(error_response(error, Some(request.id.clone())));
    }
    Ok(Some(message))
}

fn malformed(line: &[u8], error: &serde_json::Error) -> ParsedLine {
    let members = members(line).unwrap_or_default();
    let has = |name: &str| members.contains_key(name);
    let is_response = (has("result") || has("error")) && !has("method");
    let is_notification = has("method") && !has("id");
    if is_response || is_notification {
        return Ok(None);
    }
    let error = if error.is_data() {
        ErrorData::invalid_request(format!("not a JSON-RPC 2.0 message: {error}"), None)
    } else {
        ErrorData::new(ErrorCode::PARSE_ERROR, format!("invalid JSON: {error}"), None)
    };
    let id = members.get("id").and_then(|id| serde_json::from_str(id.get()).ok());
    Err(error_response(error, id))
}

fn error_response(error: ErrorData, id: Option<RequestId>) -> Box<ServerJsonRpcMessage> {
    Box::new(ServerJsonRpcMessage::error(error, id))
}

#[cfg(test)]
mod tests;

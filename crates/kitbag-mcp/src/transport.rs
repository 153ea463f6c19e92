//! The transport on a pair of streams: one message per line.
//!
//! A malformed line is answered here, since rmcp skips it and its sender would wait forever: with the
//! id of its request if it is JSON, and with `null` otherwise. Malformed responses and notifications
//! are dropped, so that two programs never answer each other's errors.

use crate::line_reader::LineReader;
use crate::params::params_error;
use crate::raw_json::{members, parse_lenient};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The output stream, until it is closed.
type SharedWriter<W> = Arc<Mutex<Option<W>>>;

/// Reads and writes the messages of one client.
pub(crate) struct LineTransport<R, W> {
    reader: LineReader<R>,
    writer: SharedWriter<W>,
    max_bytes: usize,
    /// The error response to the last line, while it is written. The next line is read after that.
    error_response: Option<JoinHandle<io::Result<()>>>,
}

/// A message, `None` for a line that must not be answered, or the error response to a line.
type ParsedLine = Result<Option<ClientJsonRpcMessage>, Box<ServerJsonRpcMessage>>;

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub fn new(reader: R, writer: W, max_bytes: usize) -> Self {
        let writer = Arc::new(Mutex::new(Some(writer)));
        let reader = LineReader::new(reader, max_bytes);
        Self { reader, writer, max_bytes, error_response: None }
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
        write(Arc::clone(&self.writer), message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(response) = &mut self.error_response {
                // If it cannot be written, the client is gone, and the next read fails.
                let _ = response.await;
                self.error_response = None;
            }
            let line = self.reader.next().await.ok()??;
            let parsed = if self.reader.is_too_long(&line) {
                let message = format!("the message is longer than {} bytes", self.max_bytes);
                Err(error_response(ErrorData::invalid_request(message, None), None))
            } else {
                parse(&line)
            };
            match parsed {
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

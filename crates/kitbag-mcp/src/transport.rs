//! The transport on a pair of streams: one message per line.
//!
//! A malformed line is answered here, with the id of its request where that can be read; its sender
//! would wait forever otherwise. Malformed responses and notifications are dropped, so that two
//! programs never answer each other's errors.

use crate::line_reader::LineReader;
use crate::members::Members;
use crate::params::params_error;
use crate::surrogates;
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

enum ParsedLine {
    Message(Box<ClientJsonRpcMessage>),
    /// A blank line, or a malformed message that must not be answered.
    Ignored,
    Invalid(ErrorData, Option<RequestId>),
}

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
            let line = self.reader.next().await.ok()?.filter(|line| line.ends_with(b"\n"))?;
            let parsed = if self.reader.is_too_long(&line) {
                too_long(&line, self.max_bytes)
            } else {
                parse(&line)
            };
            match parsed {
                ParsedLine::Message(message) => return Some(*message),
                ParsedLine::Ignored => {}
                ParsedLine::Invalid(error, id) => {
                    // A task of its own, since this call may be cancelled at any time.
                    let response = ServerJsonRpcMessage::error(error, id);
                    let write = write(Arc::clone(&self.writer), response);
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
        return ParsedLine::Ignored;
    }
    let parsed = serde_json::from_slice(line).or_else(|error| {
        let replaced = surrogates::replace_lone(line).ok_or(error)?;
        serde_json::from_slice(&replaced)
    });
    let request = match parsed {
        Ok(JsonRpcMessage::Request(request)) => request,
        Ok(message) => return ParsedLine::Message(Box::new(message)),
        Err(error) => return malformed(line, &error),
    };
    let error = match &request.request {
        ClientRequest::CustomRequest(custom) => params_error(custom),
        _ => None,
    };
    match error {
        Some(error) => ParsedLine::Invalid(error, Some(request.id)),
        None => ParsedLine::Message(Box::new(JsonRpcMessage::Request(request))),
    }
}

fn malformed(line: &[u8], error: &serde_json::Error) -> ParsedLine {
    let members = Members::of_line(line);
    // Without valid JSON, a missing id does not show that the line is a notification.
    if is_response(&members) || (error.is_data() && is_notification(&members)) {
        return ParsedLine::Ignored;
    }
    let error = if error.is_data() {
        ErrorData::invalid_request(format!("not a JSON-RPC 2.0 message: {error}"), None)
    } else {
        ErrorData::new(ErrorCode::PARSE_ERROR, format!("not JSON: {error}"), None)
    };
    ParsedLine::Invalid(error, request_id(line, &members))
}

fn too_long(line: &[u8], max_bytes: usize) -> ParsedLine {
    let members = Members::of_line(line);
    if is_response(&members) || is_notification(&members) {
        return ParsedLine::Ignored;
    }
    let message = format!("the message is longer than {max_bytes} bytes");
    let error = ErrorData::invalid_request(message, None);
    ParsedLine::Invalid(error, request_id(line, &members))
}

fn is_response(members: &Members) -> bool {
    let has_result = members.contains("result") || members.contains("error");
    has_result && !members.contains("method")
}

fn is_notification(members: &Members) -> bool {
    members.contains("method") && !members.contains("id")
}

fn request_id(line: &[u8], members: &Members) -> Option<RequestId> {
    serde_json::from_slice(&line[members.get("id")?]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_and_notifications_are_told_from_requests() {
        let kind = |line: &str| {
            let members = Members::of_line(line.as_bytes());
            (is_response(&members), is_notification(&members))
        };
        assert_eq!(kind(r#"{"id":1,"method":"a"}"#), (false, false));
        assert_eq!(kind(r#"{"id":null,"method":"a"}"#), (false, false));
        assert_eq!(kind(r#"{"id":1,"result":{"method":"a"}}"#), (true, false));
        assert_eq!(kind(r#"{"error":{}}"#), (true, false));
        assert_eq!(kind(r#"{"method":"a","params":{"id":1}}"#), (false, true));
        assert_eq!(kind("{}"), (false, false));
    }

    #[test]
    fn only_strings_and_integers_are_ids() {
        let id = |line: &str| {
            let line = line.as_bytes();
            request_id(line, &Members::of_line(line)).map(|id| id.to_string())
        };
        assert_eq!(id(r#"{"id":"a","method":"a"}"#).as_deref(), Some("a"));
        assert_eq!(id(r#"{"id":-4,"method":"a"}"#).as_deref(), Some("-4"));
        for line in [r#"{"id":1.5}"#, r#"{"id":null}"#, r#"{"id":{"a":1}}"#, "{}"] {
            assert_eq!(id(line), None, "{line}");
        }
    }
}

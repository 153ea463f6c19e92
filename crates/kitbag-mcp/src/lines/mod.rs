//! Messages on a pair of streams, a line each.
//!
//! A line that is no message is answered here, with the id of the request where that can be seen:
//! whoever sent it would wait for ever otherwise. What is no request is never answered, so that two
//! programs cannot keep each other busy with their complaints.

mod glance;
mod surrogates;

use crate::misread::misread;
use glance::Glance;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{RoleServer, model::ErrorCode};
use std::io;
use std::sync::Arc;
use surrogates::mended;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// What some programs write at the beginning of a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The stream that answers go to, until it is closed.
type Writer<W> = Arc<Mutex<Option<W>>>;

/// Lines of one client.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    write: Writer<W>,
    /// What there is of the next line.
    line: Vec<u8>,
    /// The most bytes that a line may have.
    most: usize,
    /// What was seen of a line that is longer, until it ends.
    long: Option<Glance>,
    /// The answer to the last line, while it is written. No line is read before it is.
    answer: Option<JoinHandle<io::Result<()>>>,
}

/// What a line is.
enum Reading {
    Message(Box<ClientJsonRpcMessage>),
    /// What needs no answer.
    Nothing,
    Wrong(ErrorData, Option<RequestId>),
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Lines of at most so many bytes.
    pub fn new(read: R, write: W, most: usize) -> Self {
        let write = Arc::new(Mutex::new(Some(write)));
        let read = BufReader::new(read);
        Self { read, write, line: Vec::new(), most, long: None, answer: None }
    }

    /// Reads a line; `None` at the end of the stream. It can be given up while it waits and called
    /// again: what was read stays.
    async fn next(&mut self) -> Option<Reading> {
        loop {
            let available = self.read.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            match &mut self.long {
                Some(seen) => seen.feed(part),
                None if self.line.len() + part.len() > self.most => {
                    let mut seen = Glance::default();
                    seen.feed(&std::mem::take(&mut self.line));
                    seen.feed(part);
                    self.long = Some(seen);
                }
                None => self.line.extend_from_slice(part),
            }
            let taken = part.len() + usize::from(end.is_some());
            self.read.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Some(match self.long.take() {
                    Some(seen) => too_long(&seen, self.most),
                    None => read(&line),
                });
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        write(Arc::clone(&self.write), message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answer) = &mut self.answer {
                // Where it cannot be written, the client is gone, and the next line says so.
                let _ = answer.await;
                self.answer = None;
            }
            match self.next().await? {
                Reading::Message(message) => return Some(*message),
                Reading::Nothing => {}
                Reading::Wrong(error, id) => {
                    // A task of its own, since this call may be given up at any time.
                    let answer = ServerJsonRpcMessage::error(error, id);
                    self.answer = Some(tokio::spawn(write(Arc::clone(&self.write), answer)));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}

/// Writes a message, and the end of its line.
async fn write<W: AsyncWrite + Unpin>(
    writer: Writer<W>,
    message: ServerJsonRpcMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut writer = writer.lock().await;
    let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    writer.write_all(&line).await?;
    writer.flush().await
}

/// Reads a line. One with half a character in it, as programs make by cutting texts, is mended first.
fn read(line: &[u8]) -> Reading {
    let line = line.strip_prefix(MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Reading::Nothing;
    }
    let parsed = serde_json::from_slice(line).or_else(|error| {
        let mended = mended(line).ok_or(error)?;
        serde_json::from_slice(&mended)
    });
    match parsed {
        Ok(JsonRpcMessage::Request(request)) => {
            let wrong = match &request.request {
                ClientRequest::CustomRequest(custom) => misread(custom),
                _ => None,
            };
            match wrong {
                Some(error) => Reading::Wrong(error, Some(request.id)),
                None => Reading::Message(Box::new(JsonRpcMessage::Request(request))),
            }
        }
        Ok(message) => Reading::Message(Box::new(message)),
        Err(error) => unreadable(line, &error),
    }
}

/// What to say of a line that is no message.
fn unreadable(line: &[u8], error: &serde_json::Error) -> Reading {
    let mut seen = Glance::default();
    seen.feed(line);
    let is_json = error.is_data();
    if seen.is_answer() || (is_json && seen.is_notification()) {
        return Reading::Nothing;
    }
    let wrong = if is_json {
        ErrorData::invalid_request(format!("this is no message of JSON-RPC 2.0: {error}"), None)
    } else {
        ErrorData::new(ErrorCode::PARSE_ERROR, format!("this is no JSON: {error}"), None)
    };
    Reading::Wrong(wrong, seen.id())
}

/// What to say of a line that was not kept.
fn too_long(seen: &Glance, most: usize) -> Reading {
    if seen.is_answer() || seen.is_notification() {
        return Reading::Nothing;
    }
    let told = format!("a message may have {most} bytes, and this one has more");
    Reading::Wrong(ErrorData::invalid_request(told, None), seen.id())
}

//! The proxy's loop: lines from both sides, each passed on as it is or with what is added.

use super::behind::{Behind, LineReader};
use super::enrich::{ARGUMENT, Context, Enricher};
use super::frame::{self, Frame};
use super::pending::{Fate, Pending};
use super::{ProxyError, ProxyOptions};
use kitbag::Engine;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How long a server that is started again may take for its handshake, if it may take for ever.
const HANDSHAKE: Duration = Duration::from_secs(60);

/// How long a server may be silent when the client has no more to ask.
const FAREWELL: Duration = Duration::from_secs(10);

/// Who tells a person something.
type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// The proxy's state.
pub(super) struct Relay {
    options: ProxyOptions,
    enricher: Enricher,
    tell: Tell,
    pending: Pending,
    /// The tools whose schema names the argument for the context.
    asking: BTreeSet<String>,
    /// The client's handshake, for a server that is started again.
    initialize: Option<(Value, Vec<u8>)>,
    initialized: Option<Vec<u8>>,
    behind: Option<Behind>,
}

impl Relay {
    pub fn new(
        engine: Engine,
        options: ProxyOptions,
        tell: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Self, ProxyError> {
        let enricher = Enricher::new(engine, &options)?;
        let behind = Some(Behind::start(&options.command)?);
        Ok(Self {
            options,
            enricher,
            tell: Arc::from(tell),
            pending: Pending::default(),
            asking: BTreeSet::new(),
            initialize: None,
            initialized: None,
            behind,
        })
    }

    /// Relays until the client is gone.
    pub async fn run(
        mut self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), ProxyError> {
        let (out, lines) = mpsc::channel::<Vec<u8>>(256);
        let writer = tokio::spawn(write_lines(write, lines));
        let mut client = LineReader::new(read);
        loop {
            let deadline = self.pending.deadline(self.options.timeout);
            tokio::select! {
                line = client.next() => match line? {
                    Some(line) => self.client_said(line, &out).await,
                    None => break,
                },
                line = next_of(self.behind.as_mut()) => self.behind_said(line, &out).await,
                () = until(deadline) => {
                    let seconds = self.options.timeout.unwrap_or_default().as_secs();
                    self.fail(&format!("has said nothing for {seconds} s"), &out).await;
                }
            }
            if out.is_closed() {
                break;
            }
        }
        self.finish(&out).await;
        drop(out);
        // A writer that panicked has nothing left to say.
        writer.await.unwrap_or(Ok(())).map_err(ProxyError::from)
    }

    /// The client is gone, or has at least no more to ask: what is still open is answered.
    async fn finish(&mut self, out: &mpsc::Sender<Vec<u8>>) {
        if let Some(behind) = &mut self.behind {
            behind.close();
        }
        while self.behind.is_some() && !out.is_closed() {
            let patience = if self.pending.is_empty() { Duration::from_secs(2) } else { FAREWELL };
            tokio::select! {
                line = next_of(self.behind.as_mut()) => match line {
                    Ok(None) => break,
                    line => self.behind_said(line, out).await,
                },
                () = tokio::time::sleep(patience) => break,
            }
        }
        if let Some(behind) = self.behind.take() {
            behind.end(true).await;
        }
        for id in self.pending.drain() {
            let line = frame::error(&id, "the server behind the proxy ended without an answer");
            let _ = out.send(with_end(line.into_bytes())).await;
        }
    }

    async fn client_said(&mut self, line: Vec<u8>, out: &mpsc::Sender<Vec<u8>>) {
        let mut line = line;
        match Frame::read(&line) {
            Frame::Request { id, method, params } => {
                if method == "initialize" {
                    self.initialize = Some((id.clone(), with_end(line.clone())));
                    self.initialized = None;
                }
                let fate = match method.as_str() {
                    "tools/call" => self.call(&params, &mut line).await,
                    "tools/list" => Fate::Tools,
                    _ => Fate::Pass,
                };
                self.pending.add(id, fate);
            }
            Frame::Notification { method, params } => match method.as_str() {
                "notifications/cancelled" => {
                    if let Some(Fate::Append(making)) = self.pending.take(&params["requestId"]) {
                        making.abort();
                    }
                }
                "notifications/initialized" => self.initialized = Some(with_end(line.clone())),
                _ => {}
            },
            Frame::Answer { .. } | Frame::Other | Frame::Garbage => {}
        }
        self.pass_on(&with_end(line), out).await;
    }

    /// What becomes of a call. Its line gets the context where the tool asks for one.
    async fn call(&self, params: &Value, line: &mut Vec<u8>) -> Fate {
        let tool = params["name"].as_str().unwrap_or_default();
        if !self.enricher.is_for(tool) {
            return Fate::Pass;
        }
        let making = self.enricher.begin(tool, &params["arguments"]);
        if !self.asking.contains(tool) {
            return Fate::Append(making);
        }
        let Some(context) = made(making, &self.tell).await else { return Fate::Pass };
        let text = std::str::from_utf8(line).ok();
        let value = Value::from(context.text.as_str());
        match text.and_then(|text| frame::with_argument(text, ARGUMENT, &value)) {
            Some(enriched) => {
                *line = enriched.into_bytes();
                Fate::Note(context)
            }
            None => Fate::Pass,
        }
    }

    /// Sends a line to the server behind, which is started again if it is gone.
    async fn pass_on(&mut self, line: &[u8], out: &mpsc::Sender<Vec<u8>>) {
        if self.behind.is_none()
            && let Err(why) = self.start_again().await
        {
            self.fail(&why, out).await;
            return;
        }
        if let Some(behind) = &mut self.behind
            && behind.send(line).await.is_err()
        {
            self.fail("is gone", out).await;
        }
    }

    async fn start_again(&mut self) -> Result<(), String> {
        let mut behind = Behind::start(&self.options.command).map_err(|error| error.to_string())?;
        // The handshake that is just being made is not one to repeat.
        let greeting = self.initialize.as_ref().filter(|_| self.initialized.is_some());
        if let Some((id, line)) = greeting {
            let greet = behind.greet((id, line), self.initialized.as_deref());
            let timeout = self.options.timeout.unwrap_or(HANDSHAKE);
            match tokio::time::timeout(timeout, greet).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(format!("failed at its handshake: {error}")),
                Err(_) => return Err("did not answer at its handshake".to_owned()),
            }
        }
        self.behind = Some(behind);
        Ok(())
    }

    /// The server behind is of no use any more: it is ended, everybody who waits is told, and the
    /// next line starts it again.
    async fn fail(&mut self, why: &str, out: &mpsc::Sender<Vec<u8>>) {
        let how = match self.behind.take() {
            Some(behind) => format!("{why} ({})", behind.end(false).await),
            None => why.to_owned(),
        };
        let message =
            format!("the server behind the proxy {how}; the next request starts it again");
        (self.tell)(&message);
        for id in self.pending.drain() {
            let line = frame::error(&id, &message);
            // Without a client there is nobody to be told.
            let _ = out.send(with_end(line.into_bytes())).await;
        }
    }

    async fn behind_said(
        &mut self,
        line: std::io::Result<Option<Vec<u8>>>,
        out: &mpsc::Sender<Vec<u8>>,
    ) {
        let line = match line {
            Ok(Some(line)) => line,
            Ok(None) => return self.fail("has ended", out).await,
            Err(error) => return self.fail(&format!("cannot be read: {error}"), out).await,
        };
        self.pending.hear();
        let frame = Frame::read(&line);
        if frame == Frame::Garbage {
            return self.garbage(&line, out).await;
        }
        if let Some(behind) = &mut self.behind {
            behind.has_spoken = true;
        }
        let fate = match &frame {
            Frame::Answer { id, .. } => self.pending.take(id),
            _ => None,
        };
        match (fate, frame) {
            (Some(Fate::Append(making)), Frame::Answer { result: Some(_), .. }) => {
                let (out, tell) = (out.clone(), Arc::clone(&self.tell));
                tokio::spawn(async move {
                    let context = made(making, &tell).await;
                    let block = context.as_ref().and_then(Context::block);
                    let line = enriched(line, context.as_ref(), block.as_ref());
                    let _ = out.send(with_end(line)).await;
                });
                return;
            }
            (Some(Fate::Note(context)), Frame::Answer { result: Some(_), .. }) => {
                let line = enriched(line, Some(&context), None);
                let _ = out.send(with_end(line)).await;
                return;
            }
            (Some(Fate::Tools), Frame::Answer { result: Some(result), .. }) => self.learn(&result),
            _ => {}
        }
        let _ = out.send(with_end(line)).await;
    }

    /// A line that is no JSON. Some programs greet with one, and that is passed over.
    async fn garbage(&mut self, line: &[u8], out: &mpsc::Sender<Vec<u8>>) {
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        let begins_json = line.trim_ascii_start().starts_with(b"{");
        let has_spoken = self.behind.as_ref().is_some_and(|behind| behind.has_spoken);
        if is_blank {
            return;
        }
        if has_spoken || begins_json {
            return self.fail("sent a line that is no message", out).await;
        }
        (self.tell)("the server behind the proxy wrote a line that is no message; it was dropped");
    }

    /// Remembers which tools ask for a context.
    fn learn(&mut self, result: &Value) {
        for tool in result["tools"].as_array().into_iter().flatten() {
            let Some(name) = tool["name"].as_str() else { continue };
            if tool["inputSchema"]["properties"].get(ARGUMENT).is_some() {
                self.asking.insert(name.to_owned());
            } else {
                self.asking.remove(name);
            }
        }
    }
}

/// A context that was begun; what went wrong is told.
async fn made(making: JoinHandle<Result<Context, String>>, tell: &Tell) -> Option<Context> {
    match making.await {
        Ok(Ok(context)) => Some(context),
        Ok(Err(why)) => {
            tell(&format!("a call went without context: {why}"));
            None
        }
        Err(_) => {
            tell("a call went without context: the work ended without an answer");
            None
        }
    }
}

/// A result with what is to be added, or as it is.
fn enriched(line: Vec<u8>, context: Option<&Context>, block: Option<&Value>) -> Vec<u8> {
    let Some(context) = context else { return line };
    let added = std::str::from_utf8(&line)
        .ok()
        .and_then(|text| frame::with_context(text, block, &context.used()));
    added.map_or(line, String::into_bytes)
}

/// The next line of a server; where there is none, nothing ever comes.
async fn next_of(behind: Option<&mut Behind>) -> std::io::Result<Option<Vec<u8>>> {
    match behind {
        Some(behind) => behind.lines.next().await,
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

/// A line with its end.
fn with_end(mut line: Vec<u8>) -> Vec<u8> {
    if line.last() != Some(&b'\n') {
        line.push(b'\n');
    }
    line
}

async fn write_lines(
    mut write: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Vec<u8>>,
) -> std::io::Result<()> {
    while let Some(line) = lines.recv().await {
        write.write_all(&line).await?;
        if lines.is_empty() {
            write.flush().await?;
        }
    }
    write.flush().await
}

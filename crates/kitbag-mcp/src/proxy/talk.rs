//! What either side says: which lines are passed on as they are, and which with what is added.

use super::ProxyError;
use super::behind::Behind;
use super::enrich::{ARGUMENT, Context, Making};
use super::frame::{self, Frame, Id};
use super::pending::Fate;
use super::relay::{Held, Relay, Tell};
use super::scan::{self, Span};
use serde_json::Value;
use std::sync::Arc;
use tokio::task::JoinError;

impl Relay {
    /// The client has sent a line.
    pub async fn client_said(&mut self, line: Vec<u8>) {
        match Frame::read(&line) {
            Frame::Request { id, method, params } => {
                if method == "initialize" {
                    self.initialize = Some((id.clone(), line.clone()));
                    self.initialized = None;
                }
                let fate = match method.as_str() {
                    "tools/call" => match self.begin(&line, params.as_ref()) {
                        Some((tool, making)) if self.asking.contains(&tool) => {
                            self.held = Some(Held { id, line, making });
                            return;
                        }
                        Some((_, making)) => Fate::Append(making),
                        None => Fate::Pass,
                    },
                    "tools/list" => Fate::Tools,
                    _ => Fate::Pass,
                };
                self.pending.add(id, fate);
            }
            Frame::Notification { method, params } => match method.as_str() {
                "notifications/cancelled" => {
                    let id = params.and_then(|it| scan::field(&line, &it, "requestId"));
                    if let Some(id) = id.and_then(|place| Id::read(&line, &place)) {
                        self.pending.cancel(&id);
                    }
                }
                "notifications/initialized" => self.initialized = Some(line.clone()),
                _ => {}
            },
            Frame::Answer { .. } | Frame::Other | Frame::Garbage => {}
        }
        self.pass_on(line).await;
    }

    /// Begins to make the context of a call, if its tool is enriched.
    fn begin(&self, line: &[u8], params: Option<&Span>) -> Option<(String, Making)> {
        let params = params?;
        let tool = scan::text(line, &scan::field(line, params, "name")?)?;
        if !self.enricher.is_for(&tool) {
            return None;
        }
        let arguments = scan::field(line, params, "arguments");
        let arguments = arguments.map(|place| scan::value(line, &place)).unwrap_or_default();
        let making = self.enricher.begin(tool.clone(), arguments);
        Some((tool, making))
    }

    /// The call that waits for its context goes on, with it or without.
    pub async fn release(&mut self, made: Result<Result<Context, String>, JoinError>) {
        let Some(Held { id, line, .. }) = self.held.take() else { return };
        let context = told(made, &self.tell);
        let enriched = context.and_then(|context| {
            let value = Value::from(context.text.as_str());
            Some((frame::with_argument(&line, ARGUMENT, &value)?, Fate::Note(context)))
        });
        let (line, fate) = enriched.unwrap_or((line, Fate::Pass));
        self.pending.add(id, fate);
        self.pass_on(line).await;
    }

    /// Sends a line to the server behind, which is started again if it is gone.
    async fn pass_on(&mut self, line: Vec<u8>) {
        match &self.behind {
            Some(behind) => behind.stdin.send(line),
            None => {
                if let Err(error) = self.start_again(line) {
                    self.fail(&error.to_string()).await;
                }
            }
        }
    }

    /// Starts the server again. The line waits until the client's handshake is repeated.
    fn start_again(&mut self, line: Vec<u8>) -> Result<(), ProxyError> {
        let mut behind = Behind::start(&self.options.command)?;
        // The handshake that is just being made is not one to repeat.
        match (&self.initialize, &self.initialized) {
            (Some(initialize), Some(initialized)) => {
                let mut then = vec![initialized.clone()];
                if line != *initialized {
                    then.push(line);
                }
                behind.greet(initialize.clone(), then);
            }
            _ => behind.stdin.send(line),
        }
        self.behind = Some(behind);
        Ok(())
    }

    /// The server behind has sent a line, or has ended.
    pub async fn behind_said(&mut self, line: std::io::Result<Option<Vec<u8>>>) {
        let line = match line {
            Ok(Some(line)) => line,
            Ok(None) => return self.fail("has ended").await,
            Err(error) => return self.fail(&format!("cannot be read: {error}")).await,
        };
        self.pending.hear();
        let frame = Frame::read(&line);
        if self.behind.as_mut().is_some_and(|behind| behind.is_greeted_by(&frame)) {
            return;
        }
        if frame == Frame::Garbage {
            return self.garbage(&line).await;
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
                let tell = Arc::clone(&self.tell);
                self.answers.spawn(async move {
                    let context = told(making.await, &tell);
                    let block = context.as_ref().and_then(Context::block);
                    enriched(line, context.as_ref(), block.as_ref())
                });
                return;
            }
            (Some(Fate::Append(making)), _) => making.abort(),
            (Some(Fate::Note(context)), Frame::Answer { result: Some(_), .. }) => {
                self.out.send(enriched(line, Some(&context), None));
                return;
            }
            (Some(Fate::Tools), Frame::Answer { result: Some(result), .. }) => {
                self.learn(&scan::value(&line, &result));
            }
            _ => {}
        }
        self.out.send(line);
    }

    /// A line that is no JSON. Some programs greet with one, and that is passed over.
    async fn garbage(&mut self, line: &[u8]) {
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        let begins_json = line.trim_ascii_start().starts_with(b"{");
        let has_spoken = self.behind.as_ref().is_some_and(|behind| behind.has_spoken);
        if is_blank {
            return;
        }
        if has_spoken || begins_json {
            return self.fail("sent a line that is no message").await;
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
fn told(made: Result<Result<Context, String>, JoinError>, tell: &Tell) -> Option<Context> {
    match made {
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
    let added = context.and_then(|it| frame::with_context(&line, block, &it.used()));
    added.unwrap_or(line)
}

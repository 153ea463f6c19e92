//! The lines of both sides: which are forwarded unchanged, and which are enriched.

use super::ProxyError;
use super::call::CONTEXT_ARGUMENT;
use super::enrich::{CallContext, ContextResult, ContextTask, Placement};
use super::envelope::{
    Envelope, MessageId, member, with_argument, with_context, without_context_used,
};
use super::pending::ResponseAction;
use super::relay::{DeferredCall, Relay, Warn};
use super::tools::with_output_property;
use super::upstream::{MAX_LINE_BYTES, Upstream};
use crate::raw_json::{members, parse_lenient};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

impl Relay {
    pub async fn handle_client_line(&mut self, line: Vec<u8>) {
        match Envelope::read(&line) {
            Envelope::Request { id, method, params } => {
                let action = match method.as_str() {
                    "tools/call" => match self.enriched_tool(params) {
                        Some(_) if self.must_list_tools() => return self.hold_call(line),
                        Some(tool) if self.tools.takes_context(&tool) => {
                            let context = self.start_context(tool, params, Placement::Argument);
                            self.deferred_call = Some(DeferredCall { id, line, context });
                            return;
                        }
                        Some(tool) => {
                            let in_structured = self.tools.accepts_member(&tool);
                            let context = self.start_context(tool, params, Placement::Result);
                            ResponseAction::AppendContext { context, in_structured }
                        }
                        None => ResponseAction::Forward,
                    },
                    "tools/list" => ResponseAction::LearnTools,
                    "initialize" => {
                        self.initialize = Some((id.clone(), line.clone()));
                        self.initialized = None;
                        ResponseAction::Forward
                    }
                    _ => ResponseAction::Forward,
                };
                self.pending.add(id, action);
            }
            Envelope::Notification { method, params } => match method.as_str() {
                "notifications/cancelled" => {
                    let id = params.and_then(|params| member(params, "requestId"));
                    if let Some(id) = id.and_then(MessageId::read) {
                        self.pending.cancel(&id);
                    }
                }
                "notifications/initialized" => self.initialized = Some(line.clone()),
                _ => {}
            },
            Envelope::Response { .. } | Envelope::Other | Envelope::NotJson => {}
        }
        self.forward(line).await;
    }

    /// Returns the tool of a call if it is enriched.
    fn enriched_tool(&self, params: Option<&RawValue>) -> Option<String> {
        let tool: String = parse_lenient(member(params?, "name")?.get().as_bytes()).ok()?;
        self.enricher.applies_to(&tool).then_some(tool)
    }

    /// Starts packing the context of a call.
    fn start_context(
        &self,
        tool: String,
        params: Option<&RawValue>,
        placement: Placement,
    ) -> ContextTask {
        let arguments = params.and_then(|params| member(params, "arguments"));
        let arguments = arguments.map(decode).unwrap_or_default();
        self.enricher.start(tool, arguments, placement)
    }

    /// Forwards the call that was waiting for its context, or the unchanged call if that failed.
    pub async fn send_deferred_call(&mut self, result: ContextResult) {
        let Some(DeferredCall { id, line, .. }) = self.deferred_call.take() else { return };
        let enriched = context_or_warn(result, &self.warn).and_then(|context| {
            let text = Value::from(context.text.as_str());
            let line = with_argument(&line, CONTEXT_ARGUMENT, &text)?;
            Some((line, ResponseAction::NoteContext(context)))
        });
        let (line, action) = enriched.unwrap_or((line, ResponseAction::Forward));
        self.pending.add(id, action);
        self.forward(line).await;
    }

    /// Sends a line to the upstream server, which is restarted if it has failed.
    async fn forward(&mut self, line: Vec<u8>) {
        match &self.upstream {
            Some(upstream) => upstream.stdin.send(line),
            None => {
                if let Err(error) = self.restart(line) {
                    self.fail(&error.to_string()).await;
                }
            }
        }
    }

    /// Restarts the server, repeats the client's handshake, and sends `line` after it.
    fn restart(&mut self, line: Vec<u8>) -> Result<(), ProxyError> {
        let mut upstream = Upstream::start(&self.enricher.options.command)?;
        match (&self.initialize, &self.initialized) {
            (Some((id, initialize)), Some(initialized)) => {
                let mut queued = vec![initialized.clone()];
                if line != *initialized {
                    queued.push(line);
                }
                upstream.repeat_handshake(id.clone(), initialize.clone(), queued);
            }
            // The handshake is not complete; `line` may be part of it.
            _ => upstream.stdin.send(line),
        }
        self.upstream = Some(upstream);
        Ok(())
    }

    /// Handles a line from the upstream server, or the end of its output.
    pub async fn handle_upstream_line(&mut self, line: std::io::Result<Option<Vec<u8>>>) {
        let line = match line {
            Ok(Some(line)) if line.len() > MAX_LINE_BYTES => {
                let cause = format!("sent a line of more than {MAX_LINE_BYTES} bytes");
                return self.fail(&cause).await;
            }
            Ok(Some(line)) => line,
            Ok(None) => return self.fail("exited").await,
            Err(error) => return self.fail(&format!("cannot be read: {error}")).await,
        };
        self.pending.touch();
        let Some(upstream) = &mut self.upstream else { return };
        let (response, has_result) = match Envelope::read(&line) {
            Envelope::Response { id, result } => (Some(id), result.is_some()),
            Envelope::Notification { method, .. }
                if method == "notifications/tools/list_changed" =>
            {
                self.tools.is_complete = false;
                (None, false)
            }
            Envelope::NotJson if upstream.handshake.is_none() => {
                return self.handle_garbage(&line).await;
            }
            _ => (None, false),
        };
        if upstream.consumes_in_handshake(response.as_ref()) {
            return;
        }
        upstream.has_sent_message = true;
        match response {
            Some(id) if self.is_own_request(&id) => self.learn_own_page(&line).await,
            Some(id) if has_result => self.forward_result(without_context_used(line), &id),
            Some(id) => {
                self.pending.cancel(&id);
                self.client.send(line);
            }
            None => self.client.send(line),
        }
    }

    fn forward_result(&mut self, line: Vec<u8>, id: &MessageId) {
        match self.pending.take(id) {
            Some(ResponseAction::AppendContext { context, in_structured }) => {
                let warn = Arc::clone(&self.warn);
                self.responses.spawn(async move {
                    let Some(context) = context_or_warn(context.await, &warn) else { return line };
                    let enriched =
                        with_context(&line, &context.text, in_structured, &context.used());
                    enriched.unwrap_or(line)
                });
                return;
            }
            Some(ResponseAction::NoteContext(context)) => {
                let noted = with_context(&line, "", false, &context.used());
                return self.client.send(noted.unwrap_or(line));
            }
            Some(ResponseAction::LearnTools) => {
                self.tools.learn(&line);
                let (enricher, tools) = (&self.enricher, &self.tools);
                let is_enriched =
                    |tool: &str| enricher.applies_to(tool) && !tools.takes_context(tool);
                return self.client.send(with_output_property(line, is_enriched));
            }
            Some(ResponseAction::Forward) | None => {}
        }
        self.client.send(line);
    }

    /// Handles a line that is not JSON. Some programs print a banner first, which is dropped.
    async fn handle_garbage(&mut self, line: &[u8]) {
        let line = line.trim_ascii_start();
        let has_sent_message = self.upstream.as_ref().is_some_and(|it| it.has_sent_message);
        if line.is_empty() {
            return;
        }
        if has_sent_message || line.starts_with(b"{") {
            return self.fail("sent a line that is not a message").await;
        }
        (self.warn)("dropped a line from the upstream server that is not a message");
    }
}

/// Returns the context of a call, or warns that there is none.
fn context_or_warn(result: ContextResult, warn: &Warn) -> Option<CallContext> {
    let error = match result {
        Ok(Ok(context)) => return Some(context),
        Ok(Err(error)) => error,
        Err(error) => error.to_string(),
    };
    warn(&format!("a call was forwarded without context: {error}"));
    None
}

/// Decodes the arguments of a call. Those that cannot be decoded, such as numbers that are too large,
/// become `null`.
fn decode(arguments: &RawValue) -> Value {
    let arguments = arguments.get().as_bytes();
    let decode =
        |value: &RawValue| -> Value { parse_lenient(value.get().as_bytes()).unwrap_or_default() };
    parse_lenient(arguments).unwrap_or_else(|_| {
        let members = members(arguments).unwrap_or_default().into_iter();
        members.map(|(name, value)| (name, decode(value))).collect()
    })
}

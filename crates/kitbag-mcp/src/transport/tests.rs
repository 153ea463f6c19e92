//! Requests that arrive faster than they are answered.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;
use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::unconstrained;

/// Bytes between the client and the transport.
const PIPE_BYTES: usize = 4 << 10;

struct Client {
    transport: LineTransport<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>,
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
}

impl Client {
    /// At most two calls are admitted.
    fn new() -> Self {
        let limits = McpLimits { concurrency: 1, queue: 1, ..McpLimits::default() };
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let (read, write) = tokio::io::split(theirs);
        let transport = LineTransport::new(read, write, &limits);
        let (read, write) = tokio::io::split(ours);
        Self { transport, read: BufReader::new(read), write }
    }

    /// Sends a message; `false` if it would block.
    fn try_send(&mut self, message: &Value) -> bool {
        let line = format!("{message}\n");
        let sending = unconstrained(self.write.write_all(line.as_bytes()));
        sending.now_or_never().is_some_and(|sent| sent.is_ok())
    }

    fn send(&mut self, message: &Value) {
        assert!(self.try_send(message), "{message}");
    }

    /// Returns the id or method of the next message if the transport passes one on.
    fn receive(&mut self) -> Option<String> {
        let message = unconstrained(self.transport.receive()).now_or_never()?.expect("not the end");
        Some(match message {
            JsonRpcMessage::Request(request) => request.id.to_string(),
            JsonRpcMessage::Notification(_) => "notification".to_owned(),
            JsonRpcMessage::Response(_) => "response".to_owned(),
            JsonRpcMessage::Error(_) => "error".to_owned(),
        })
    }

    async fn answer(&mut self, id: i64) {
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": {} });
        let answer = serde_json::from_value(answer).unwrap();
        self.transport.send(answer).await.unwrap();
        assert_eq!(self.read_line().await["id"], id);
    }

    async fn read_line(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn call(id: i64) -> Value {
    let params = json!({ "name": "search_code", "arguments": { "task": "login" } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

fn ping(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
}

fn cancel(id: i64) -> Value {
    let params = json!({ "requestId": id });
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
}

#[tokio::test]
async fn reading_stops_while_too_many_requests_are_pending() {
    let mut client = Client::new();
    let mut sent = 0;
    while client.try_send(&call(sent)) && sent < 100_000 {
        sent += 1;
        while client.receive().is_some() {}
    }
    let bytes = PIPE_BYTES + (64 << 10);
    let in_pipe = bytes / call(0).to_string().len();
    assert!(client.transport.held.len() == MAX_HELD_REQUESTS, "{}", client.transport.held.len());
    assert!(sent <= (2 + MAX_HELD_REQUESTS + in_pipe) as i64, "{sent} were read");
    client.answer(0).await;
    assert_eq!(client.receive().as_deref(), Some("2"), "the next in order");
    assert_eq!(client.receive(), None);
}

#[tokio::test]
async fn held_requests_can_be_cancelled_and_pings_pass() {
    let mut client = Client::new();
    (0..5).for_each(|id| client.send(&call(id)));
    assert_eq!((client.receive().as_deref(), client.receive().as_deref()), (Some("0"), Some("1")));
    client.send(&cancel(2));
    client.send(&ping(10));
    assert_eq!(client.receive().as_deref(), Some("10"));
    // A cancelled request is not answered, so its place is free.
    client.send(&cancel(0));
    assert_eq!(client.receive().as_deref(), Some("notification"));
    assert_eq!(client.receive().as_deref(), Some("3"));
    assert_eq!(client.receive(), None);
}

#[tokio::test]
async fn responses_pass_while_requests_are_refused() {
    let mut client = Client::new();
    let question = json!({ "jsonrpc": "2.0", "id": 1, "method": "roots/list" });
    client.transport.send(serde_json::from_value(question).unwrap()).await.unwrap();
    assert_eq!(client.read_line().await["method"], "roots/list");
    let first_refused = 2 + MAX_HELD_REQUESTS as i64;
    for id in 0..first_refused {
        client.send(&call(id));
        while client.receive().is_some() {}
    }
    client.send(&call(first_refused));
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "result": { "roots": [] } }));
    let mut received = client.receive();
    while received.is_none() {
        // The refusal is written by a task of its own.
        tokio::task::yield_now().await;
        received = client.receive();
    }
    assert_eq!(received.as_deref(), Some("response"));
    let refused = client.read_line().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(first_refused), &json!(-32603))
    );
}

#[tokio::test]
async fn the_id_of_a_pending_request_cannot_be_used_again() {
    let mut client = Client::new();
    client.send(&call(7));
    client.send(&call(7));
    assert_eq!(client.receive().as_deref(), Some("7"));
    assert_eq!(client.receive(), None);
    tokio::task::yield_now().await;
    let refused = client.read_line().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)));
    client.answer(7).await;
    client.send(&call(7));
    assert_eq!(client.receive().as_deref(), Some("7"));
}

#[tokio::test]
async fn held_requests_are_answered_after_the_end_of_input() {
    let mut client = Client::new();
    (0..4).for_each(|id| client.send(&call(id)));
    client.write.shutdown().await.unwrap();
    let mut received = Vec::new();
    for id in 0..4 {
        while received.len() < 4
            && let Some(next) = client.receive()
        {
            received.push(next);
        }
        client.answer(id).await;
    }
    assert_eq!(received, ["0", "1", "2", "3"]);
    assert!(client.transport.receive().await.is_none());
}

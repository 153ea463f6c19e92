//! A client that writes messages itself, in both revisions of the protocol.

use kitbag_mcp::{McpError, McpState, serve_on};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

/// A revision of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// 2025-11-25, with a handshake.
    Legacy,
    /// 2026-07-28, in which every request describes the client.
    Modern,
}

pub const BOTH: [Revision; 2] = [Revision::Legacy, Revision::Modern];

/// A client on in-memory streams.
pub struct Wire {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    revision: Revision,
    next: u64,
    /// The notifications that arrived before a response.
    pub notifications: Vec<Value>,
    server: JoinHandle<Result<(), McpError>>,
}

impl Wire {
    /// Connects a client to a server of its own, and performs the handshake of its revision.
    pub async fn connect(state: Arc<McpState>, revision: Revision) -> Self {
        let mut wire = Self::raw(state, revision);
        if revision == Revision::Legacy {
            let answer = wire.request("initialize", initialize()).await;
            assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
            wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        }
        wire
    }

    /// Connects a client that has not sent anything yet.
    pub fn raw(state: Arc<McpState>, revision: Revision) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let server = tokio::spawn(serve_on(state, read, write));
        let (read, write) = tokio::io::split(ours);
        let lines = BufReader::new(read).lines();
        Self { lines, write, revision, next: 1, notifications: Vec::new(), server }
    }

    pub async fn send(&mut self, frame: &Value) {
        self.send_text(&frame.to_string()).await;
    }

    pub async fn send_text(&mut self, line: &str) {
        self.write.write_all(line.as_bytes()).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    /// Receives a message; `None` if the server has disconnected.
    pub async fn receive(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Sends a request and returns its id.
    pub async fn begin(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let params = if self.revision == Revision::Modern { with_meta(params) } else { params };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// Waits for the response to a request.
    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            let frame = self.receive().await.expect("the server should answer");
            if frame["id"] == id {
                return frame;
            }
            self.notifications.push(frame);
        }
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    /// Closes the streams and returns the server.
    pub fn disconnect(self) -> JoinHandle<Result<(), McpError>> {
        self.server
    }

    /// Calls a tool and checks that it succeeds.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer =
            self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        let result = answer["result"].clone();
        assert_ne!(result["isError"], true, "{answer}");
        assert!(result.is_object(), "{answer}");
        result
    }

    /// Calls a tool that fails and returns the error.
    pub async fn fail(&mut self, tool: &str, arguments: Value) -> String {
        let answer =
            self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

pub fn initialize() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// Adds the `_meta` of every request of the later revision.
pub fn with_meta(mut params: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if params.is_null() {
        params = json!({});
    }
    for (key, value) in meta.as_object().unwrap() {
        params["_meta"][key] = value.clone();
    }
    params
}

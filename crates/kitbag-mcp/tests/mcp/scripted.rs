//! A proxy whose upstream server is a shell script.

use crate::fixture::Fixture;
use kitbag::Engine;
use kitbag_mcp::proxy::{ProxyError, ProxyOptions, run};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

/// How long a test waits for anything.
pub const LIMIT: Duration = Duration::from_secs(120);

/// A server that logs its input, and has tools that fail in different ways.
pub const SERVER: &str = r#"
while IFS= read -r line; do
  printf '%s\n' "$line" >> "$LOG"
  case "$line" in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}' ;;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"plain","inputSchema":{"type":"object"}},{"name":"asking","inputSchema":{"properties":{"_context":{}}}}]}}' ;;
    *'"plain"'*) echo '{ "jsonrpc": "2.0", "id":3, "result": {"content": [{"type":"text","text":"done"}], "structuredContent": {"n": 1.10} } }' ;;
    *'"asking"'*) echo '{"jsonrpc":"2.0","id":4,"result":{"content":[]}}' ;;
    *'"refused"'*) echo '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no"}}' ;;
    *'"die"'*) exit 3 ;;
    *'"broken"'*) echo '{"jsonrpc":"2.0","id":5,"resul' ;;
    *'"noise"'*) echo 'Traceback: something' ;;
    *'"hang"'*) : ;;
  esac
done
"#;

pub struct Proxy {
    pub lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub write: WriteHalf<DuplexStream>,
    pub proxy: JoinHandle<Result<(), ProxyError>>,
    pub log: std::path::PathBuf,
}

pub fn options(fixture: &Fixture, script: &str, budget: usize) -> ProxyOptions {
    let log = fixture.path("log").display().to_string();
    let script = format!("LOG='{log}'\n{script}");
    ProxyOptions {
        command: ["sh", "-c", &script].map(str::to_owned).to_vec(),
        repo: fixture.path("app"),
        budget,
        profile: None,
        context: None,
        min_relevance: 0.2,
        tools: Vec::new(),
        no_tools: Vec::new(),
        timeout: None,
        context_timeout: Duration::from_secs(60),
    }
}

impl Proxy {
    pub fn start(fixture: &Fixture, options: ProxyOptions) -> Self {
        Self::start_until(fixture, options, std::future::pending())
    }

    /// Starts a proxy that is interrupted when `interrupted` completes.
    pub fn start_until(
        fixture: &Fixture,
        options: ProxyOptions,
        interrupted: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let engine = Engine::with_threads(2).unwrap();
        let proxy = tokio::spawn(run(engine, options, read, write, |_| {}, interrupted));
        let (read, write) = tokio::io::split(ours);
        let lines = BufReader::new(read).lines();
        Self { lines, write, proxy, log: fixture.path("log") }
    }

    pub async fn send(&mut self, line: &str) {
        self.write.write_all(line.as_bytes()).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    pub async fn receive(&mut self) -> String {
        let line = tokio::time::timeout(LIMIT, self.lines.next_line()).await;
        line.expect("a result in time").unwrap().expect("the proxy should answer")
    }

    pub async fn ask(&mut self, line: &str) -> Value {
        self.send(line).await;
        serde_json::from_str(&self.receive().await).unwrap()
    }

    /// Performs the handshake and lists the tools.
    pub async fn initialize(&mut self) {
        self.ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}").await;
        self.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}").await;
        self.ask("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}").await;
    }

    /// Disconnects and waits for the proxy to end.
    pub async fn disconnect(self) {
        drop((self.lines, self.write));
        tokio::time::timeout(LIMIT, self.proxy).await.expect("a result in time").unwrap().unwrap();
    }

    /// Returns the lines that the server has received.
    pub fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.log).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

pub fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

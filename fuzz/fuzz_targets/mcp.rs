//! Messages of an MCP client: any bytes are answered with JSON, line by line, and the server ends when
//! the client does.
//!
//! The first byte chooses whether the client introduces itself before it sends the rest.

#![no_main]

use kitbag::Engine;
use kitbag_fuzz::Bytes;
use kitbag_mcp::{McpOptions, McpState, serve_on};
use libfuzzer_sys::fuzz_target;
use std::cell::LazyCell;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};
use tokio::runtime::{Builder, Runtime};

const INTRODUCTION: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

/// State that is created once per thread.
struct World {
    state: Arc<McpState>,
    runtime: Runtime,
    _folder: TempDir,
}

thread_local! {
    static WORLD: LazyCell<World> = LazyCell::new(World::new);
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("login.py"), "def login(user):\n    return user\n").expect("a file");
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let _guard = runtime.enter();
        let engine = Engine::with_threads(1).expect("an engine");
        let repos = [folder.path().to_owned()];
        let state = McpState::new(engine, &repos, McpOptions::default()).expect("a state");
        drop(_guard);
        Self { state, runtime, _folder: folder }
    }

    fn check(&self, input: &[u8]) {
        let answers = self.runtime.block_on(async {
            let (client, server) = duplex(1 << 16);
            let (read, write) = split(server);
            let server = tokio::spawn(serve_on(Arc::clone(&self.state), read, write));
            let (mut read, mut write) = split(client);
            let input = input.to_vec();
            let sender = tokio::spawn(async move {
                // Fails if the server has given up on this client.
                let _ = write.write_all(&input).await;
                let _ = write.shutdown().await;
            });
            let mut answers = Vec::new();
            read.read_to_end(&mut answers).await.expect("a stream in memory");
            sender.await.expect("no panic");
            let _ = server.await.expect("no panic");
            answers
        });
        for line in answers.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            serde_json::from_slice::<serde_json::Value>(line).expect("an answer is JSON");
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let mut bytes = Bytes(input);
    let introduction = if bytes.byte() & 1 == 1 { INTRODUCTION } else { b"" };
    WORLD.with(|world| world.check(&[introduction, bytes.0].concat()));
});

//! Over a real socket: slow clients, disconnects and shutdown.

use crate::fixture::Fixture;
use kitbag_http::{HttpLimits, HttpOptions, Router, ServeError, serve};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

struct SocketServer {
    fixture: Fixture,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), ServeError>>,
}

impl SocketServer {
    async fn new() -> Self {
        Self::with_options(HttpOptions::default()).await
    }

    async fn with_options(options: HttpOptions) -> Self {
        let fixture = Fixture::with_options(options);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = async { drop(stopped.await) };
        let serving = tokio::spawn(serve(fixture.state.clone(), listener, Router::new(), ended));
        Self { fixture, address, stop, serving }
    }

    async fn send(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    async fn healthz(&self) -> String {
        let get = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let mut text = String::new();
        self.send(get).await.read_to_string(&mut text).await.unwrap();
        text
    }
}

fn pack(task: &str) -> String {
    let body = format!("{{\"task\":\"{task}\"}}");
    format!(
        "POST /v1/pack HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn a_pack_over_a_socket_then_a_clean_shutdown() {
    let served = SocketServer::new().await;
    let mut stream = served.send(&pack("login")).await;
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert!(text.contains("pub fn login"));
    served.stop.send(()).unwrap();
    served.serving.await.unwrap().unwrap();
    assert!(TcpStream::connect(served.address).await.is_err());
}

#[tokio::test]
async fn slow_and_disconnected_clients_do_not_block_others() {
    let served = SocketServer::new().await;
    // Clients that send nothing, half a head or half a body, that disconnect, and that do not read.
    let quiet = served.send("").await;
    let half_head = served.send("POST /v1/pack HTTP/1.1\r\nhost: loc").await;
    let whole = pack("login");
    let half_body = served.send(&whole[..whole.len() - 5]).await;
    drop(served.send(&pack("gone")).await);
    let mut unread = served.send(&pack("unread")).await;
    let events = served.send("GET /v1/events HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    for _ in 0..20 {
        assert!(served.healthz().await.starts_with("HTTP/1.1 200 OK\r\n"));
    }
    let pack = served.fixture.post("/v1/pack", &serde_json::json!({"task": "login"})).await;
    assert_eq!(pack.status, 200);
    let mut text = String::new();
    unread.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"));
    drop((quiet, half_head, half_body, events));
    served.stop.send(()).unwrap();
    served.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn invalid_http_is_refused_and_the_server_survives() {
    let served = SocketServer::new().await;
    for nonsense in ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut stream = served.send(nonsense).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    }
    assert!(served.healthz().await.starts_with("HTTP/1.1 200 OK\r\n"));
}

#[tokio::test]
async fn listening_beyond_the_loopback_requires_a_token() {
    let fixture = Fixture::new();
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let served =
        serve(fixture.state.clone(), listener, Router::new(), std::future::pending()).await;
    assert!(matches!(served, Err(ServeError::TokenRequired { .. })));
}

#[tokio::test]
async fn a_client_that_never_reads_is_disconnected() {
    let limits = HttpLimits { write_timeout: Duration::from_millis(100), ..HttpLimits::default() };
    let served = SocketServer::with_options(HttpOptions { limits, ..HttpOptions::default() }).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let requests = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100);
    // Once the server cannot write it stops reading, so sending blocks until it closes the
    // connection.
    let sending = async { while stream.write_all(requests.as_bytes()).await.is_ok() {} };
    tokio::time::timeout(Duration::from_secs(120), sending).await.unwrap();
    assert!(served.healthz().await.starts_with("HTTP/1.1 200 OK\r\n"));
}

/// Reads a response until the server closes the connection.
async fn read_all(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn a_slow_body_is_refused_and_a_steady_one_is_not() {
    let limits = HttpLimits {
        body_timeout: Duration::from_millis(300),
        body_bytes_per_second: 1_000,
        ..HttpLimits::default()
    };
    let served = SocketServer::with_options(HttpOptions { limits, ..HttpOptions::default() }).await;
    let head = "POST /v1/pack HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                connection: close\r\ncontent-length: 2000\r\n\r\n";
    let mut slow = served.send(head).await;
    // A byte at a time neither completes the body nor keeps the rate.
    let trickle = async {
        for _ in 0..1_000 {
            if slow.write_all(b" ").await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let mut steady = served.send(head).await;
    let stream = async {
        let body = format!("{{\"task\":\"login\"{}}}", " ".repeat(2_000 - 16));
        for part in body.as_bytes().chunks(500) {
            steady.write_all(part).await.unwrap();
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        read_all(steady).await
    };
    let ((), answer) = tokio::join!(trickle, stream);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let answer = read_all(slow).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[tokio::test]
async fn a_body_that_stalls_gets_408() {
    let limits = HttpLimits { body_timeout: Duration::from_millis(50), ..HttpLimits::default() };
    let served = SocketServer::with_options(HttpOptions { limits, ..HttpOptions::default() }).await;
    let whole = pack("login");
    let stalled = served.send(&whole[..whole.len() - 5]).await;
    let answer = read_all(stalled).await;
    assert!(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{answer}");
}

#[tokio::test]
async fn stalled_large_bodies_leave_room_for_small_ones() {
    let limits = HttpLimits { request_bytes: 200_000, ..HttpLimits::default() };
    let served = SocketServer::with_options(HttpOptions { limits, ..HttpOptions::default() }).await;
    let large = format!(
        "POST /v1/pack HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         connection: close\r\ncontent-length: 199999\r\n\r\n{}",
        " ".repeat(199_000)
    );
    // More than may be buffered: the last ones are refused at once.
    let mut open = Vec::new();
    for _ in 0..10 {
        open.push(served.send(&large).await);
    }
    let last = open.pop().unwrap();
    let answers = async {
        for stream in open.drain(5..) {
            let answer = read_all(stream).await;
            assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        }
    };
    answers.await;
    drop(last);
    let answer = read_all(served.send(&pack("login")).await).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[tokio::test]
async fn ambiguous_requests_are_refused() {
    let served = SocketServer::new().await;
    let end = "connection: close\r\n\r\n";
    for head in [
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n",
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n",
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\n\
         Origin: http://evil.example\r\n",
        "GET http://localhost/healthz HTTP/1.1\r\nhost: localhost\r\n",
        "GET http://evil.example/healthz HTTP/1.1\r\nhost: localhost\r\n",
        "CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n",
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer a\r\n\
         authorization: Bearer b\r\n",
    ] {
        let answer = read_all(served.send(&format!("{head}{end}")).await).await;
        assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}: {answer}");
        assert!(answer.contains("urn:kitbag:"), "{answer}");
    }
}

#[tokio::test]
async fn a_short_token_is_refused() {
    let access = kitbag_http::AccessPolicy { token: Some("x".into()), ..Default::default() };
    let fixture = Fixture::with_options(HttpOptions { access, ..HttpOptions::default() });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let served = serve(fixture.state.clone(), listener, Router::new(), std::future::pending());
    assert!(matches!(served.await, Err(ServeError::ShortToken)));
}

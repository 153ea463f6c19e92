//! Two small repositories, and a service for them.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use kitbag::Engine;
use kitbag_http::{HttpOptions, HttpState, app};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use tower::ServiceExt;

/// Two repositories, and a service for them.
pub struct Fixture {
    pub dir: TempDir,
    pub engine: Arc<Engine>,
    pub state: Arc<HttpState>,
    pub app: Router,
}

#[derive(Debug)]
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl TestResponse {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Checks that this is a problem of a status and code, and returns it.
    pub fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["type"], format!("urn:kitbag:{code}"), "{problem}");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["correlation_id"], self.header("x-correlation-id"));
        assert!(!problem["detail"].as_str().unwrap().is_empty());
        problem
    }
}

pub const AUTH: &str = "/// Logs a user in.\npub fn login(user: &str) -> bool {\n    check(user)\n}\n\n\
    /// Checks a user.\nfn check(user: &str) -> bool {\n    !user.is_empty()\n}\n";

impl Fixture {
    pub fn new() -> Self {
        Self::with_options(HttpOptions::default())
    }

    pub fn with_options(options: HttpOptions) -> Self {
        Self::with_engine(Engine::with_threads(2).unwrap(), options)
    }

    pub fn with_engine(engine: Engine, options: HttpOptions) -> Self {
        Self::of(&["app", "library"], engine, options)
    }

    /// A service of the first of the two repositories.
    pub fn of_app(options: HttpOptions) -> Self {
        Self::of(&["app"], Engine::with_threads(2).unwrap(), options)
    }

    fn of(served: &[&str], engine: Engine, options: HttpOptions) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, content: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        write("app/src/auth.rs", AUTH);
        write(
            "app/src/colour.rs",
            "/// Mixes paint.\npub fn mix(paint: u32) -> u32 {\n    paint\n}\n",
        );
        write("app/README.md", "# App\n\nUsers login.\n");
        write("app/.env", "TOKEN=hush\n");
        write("app/keys.txt", "one\naws = \"AKIAQ3EGUS4KSVDHG6TN\"\nthree\n");
        write("library/src/lib.rs", "/// Parses a date.\npub fn parse_date() {}\n");
        let repos: Vec<PathBuf> = served.iter().map(|it| dir.path().join(it)).collect();
        let engine = Arc::new(engine);
        let state = HttpState::new(Arc::clone(&engine), &repos, options).unwrap();
        let app = app(Arc::clone(&state), kitbag_http::Router::new());
        Self { dir, engine, state, app }
    }

    pub async fn send(&self, request: Request<Body>) -> TestResponse {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        TestResponse { status: parts.status, headers: parts.headers, text }
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(request("GET", path).body(Body::empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, json: &Value) -> TestResponse {
        self.raw("POST", path, json.to_string()).await
    }

    pub async fn raw(&self, method: &str, path: &str, body: impl Into<Body>) -> TestResponse {
        let request = request(method, path).header("content-type", "application/json");
        self.send(request.body(body.into()).unwrap()).await
    }
}

/// A request with the headers of a program on the same machine.
pub fn request(method: &str, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path).header("host", "127.0.0.1:7420")
}

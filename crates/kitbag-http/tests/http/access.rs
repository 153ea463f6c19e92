//! Access checks: forged hosts, origins and forms, and missing tokens.

use crate::fixture::{Fixture, request};
use axum::body::Body;
use axum::http::Request;
use kitbag_http::{AccessPolicy, HttpOptions};

const ROUTES: [(&str, &str); 12] = [
    ("GET", "/"),
    ("GET", "/healthz"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/v1/packs"),
    ("GET", "/v1/packs/x"),
    ("GET", "/v1/events"),
    ("GET", "/v1/repos"),
    ("GET", "/v1/file?path=README.md"),
    ("GET", "/nothing"),
    ("POST", "/v1/pack"),
    ("PUT", "/v1/providers/search"),
];

fn fixture_with_token() -> Fixture {
    let access = AccessPolicy {
        token: Some("hush".into()),
        hosts: vec!["build.example.org".into()],
        ..AccessPolicy::default()
    };
    Fixture::with_options(HttpOptions { access, ..HttpOptions::default() })
}

#[tokio::test]
async fn a_forged_host_is_refused_on_every_route() {
    let fixture = Fixture::new();
    for (method, path) in ROUTES {
        for host in
            ["evil.test", "evil.test:7420", "localhost.evil.test", "127.0.0.1.evil.test", ""]
        {
            let forged = Request::builder().method(method).uri(path).header("host", host);
            let response = fixture.send(forged.body(Body::empty()).unwrap()).await;
            response.problem(403, "host");
        }
        let without = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        fixture.send(without).await.problem(403, "host");
        let twice = request(method, path).header("host", "evil.test").body(Body::empty()).unwrap();
        fixture.send(twice).await.problem(400, "repeated_header");
    }
}

#[tokio::test]
async fn a_cross_origin_request_is_refused_on_every_route() {
    let fixture = Fixture::new();
    for (method, path) in ROUTES {
        for origin in [
            "http://evil.test",
            "null",
            "http://127.0.0.1:3000",
            "http://localhost:7420",
            "file://127.0.0.1:7420",
        ] {
            let forged = request(method, path)
                .header("origin", origin)
                .header("content-type", "application/json");
            let response = fixture.send(forged.body(Body::from("{}")).unwrap()).await;
            response.problem(403, "origin");
        }
    }
    let own = request("GET", "/healthz").header("origin", "http://127.0.0.1:7420");
    assert_eq!(fixture.send(own.body(Body::empty()).unwrap()).await.status, 200);
}

#[tokio::test]
async fn loopback_host_names_are_accepted() {
    let fixture = Fixture::new();
    for host in ["localhost", "localhost:7420", "127.0.0.1:1", "[::1]:7420", "LOCALHOST:7420"] {
        let named = Request::builder().uri("/healthz").header("host", host);
        assert_eq!(fixture.send(named.body(Body::empty()).unwrap()).await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_cross_site_form_is_refused() {
    let fixture = Fixture::new();
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
    {
        let forged = request("POST", "/v1/pack").header("content-type", media_type);
        let forged = forged.body(Body::from(r#"{"task": "login"}"#)).unwrap();
        fixture.send(forged).await.problem(415, "unsupported_media_type");
    }
    for (site, mode) in
        [("cross-site", "cors"), ("same-site", "no-cors"), ("cross-site", "no-cors")]
    {
        let forged = request("POST", "/v1/pack")
            .header("content-type", "application/json; charset=utf-8")
            .header("sec-fetch-site", site)
            .header("sec-fetch-mode", mode);
        let forged = forged.body(Body::from(r#"{"task": "login"}"#)).unwrap();
        fixture.send(forged).await.problem(403, "origin");
    }
    // Following a link to the page is fine.
    let link = request("GET", "/")
        .header("sec-fetch-site", "cross-site")
        .header("sec-fetch-mode", "navigate");
    assert_eq!(fixture.send(link.body(Body::empty()).unwrap()).await.status, 200);
}

#[tokio::test]
async fn every_route_but_health_and_the_page_requires_the_token() {
    let fixture = fixture_with_token();
    for (method, path) in ROUTES {
        let json = |builder: axum::http::request::Builder| {
            builder.header("content-type", "application/json").body(Body::from("{}")).unwrap()
        };
        for wrong in ["Bearer wrong", "hush", "Basic hush", "Bearer ", "Bearer hushh"] {
            let response =
                fixture.send(json(request(method, path).header("authorization", wrong))).await;
            if matches!(path, "/" | "/healthz") {
                assert_eq!(response.status, 200, "{path}");
            } else {
                response.problem(401, "token");
                assert_eq!(response.header("www-authenticate"), "Bearer");
            }
        }
    }
    for host in ["127.0.0.1:7420", "build.example.org:7420", "BUILD.example.org"] {
        let right = Request::builder()
            .uri("/v1/repos")
            .header("host", host)
            .header("authorization", "Bearer hush");
        assert_eq!(fixture.send(right.body(Body::empty()).unwrap()).await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn every_response_has_security_headers() {
    let fixture = Fixture::new();
    for (method, path) in ROUTES.into_iter().filter(|route| route.1 != "/v1/events") {
        let response = fixture.raw(method, path, "{}").await;
        let policy = response.header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(response.header("x-content-type-options"), "nosniff");
        assert_eq!(response.header("x-frame-options"), "DENY");
        assert_eq!(response.header("access-control-allow-origin"), "");
    }
    let forged = Request::builder().uri("/").header("host", "evil.test");
    let response = fixture.send(forged.body(Body::empty()).unwrap()).await;
    assert_eq!(response.header("x-content-type-options"), "nosniff");
}

//! A request to an endpoint with retries, within one timeout.
//!
//! Errors contain nothing of a response body but a short code, since endpoints may echo keys there.

use super::{ApiKey, JudgeError};
use kitbag_core::Cancel;
use serde_json::Value;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::Uri;

/// Maximum size of a response.
const MAX_RESPONSE_BYTES: u64 = 4 << 20;
/// Maximum number of attempts.
const MAX_ATTEMPTS: u32 = 6;
/// Delay before the first retry, doubled for each further one.
const INITIAL_BACKOFF: Duration = Duration::from_millis(250);
/// Interval at which cancellation is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// An endpoint and its configuration.
#[derive(Clone)]
pub(super) struct Endpoint {
    pub url: String,
    agent: Agent,
    headers: Vec<(&'static str, String)>,
    timeout: Duration,
    /// Kept to check that no error code contains it.
    key: Option<ApiKey>,
}

/// A response of an endpoint.
struct Reply {
    status: u16,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl Endpoint {
    pub fn new(
        url: String,
        key: Option<ApiKey>,
        headers: Vec<(&'static str, String)>,
        timeout: Duration,
    ) -> Result<Self, JudgeError> {
        let uri: Uri = url.parse().map_err(|_| JudgeError::Endpoint)?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(JudgeError::Endpoint);
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect could send the key elsewhere.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("kitbag/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&uri) {
            config = config.proxy(None);
        }
        let agent = Agent::new_with_config(config.build());
        Ok(Self { url, agent, headers, timeout, key })
    }

    /// Sends a request and waits for status 200. Runs on a separate thread, so that cancellation does not
    /// wait for the response.
    pub fn ask(
        &self,
        body: &Value,
        until: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Value, JudgeError> {
        let start = Instant::now();
        let left = until.map(|until| until.saturating_duration_since(start));
        let timeout = left.map_or(self.timeout, |left| left.min(self.timeout));
        let endpoint = Self { timeout, ..self.clone() };
        let (body, flag) = (body.to_string(), cancel.clone());
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            // Fails if the caller has stopped waiting.
            let _ = sender.send(endpoint.retry(&body, start, &flag));
        });
        loop {
            cancel.check().map_err(|_| JudgeError::Cancelled)?;
            match receiver.recv_timeout(POLL_INTERVAL) {
                Ok(reply) => return self.read(&reply?),
                Err(RecvTimeoutError::Timeout) if start.elapsed() > timeout + POLL_INTERVAL => {
                    return Err(timed_out(timeout));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = "the request was aborted".to_owned();
                    return Err(JudgeError::Unreachable { reason });
                }
            }
        }
    }

    /// Sends a request. Retries while the endpoint is busy and time is left.
    fn retry(&self, body: &str, start: Instant, cancel: &Cancel) -> Result<Reply, JudgeError> {
        let left = || self.timeout.saturating_sub(start.elapsed());
        let mut backoff = INITIAL_BACKOFF;
        for attempt in 1.. {
            cancel.check().map_err(|_| JudgeError::Cancelled)?;
            if left().is_zero() {
                break;
            }
            let reply = self.exchange(body, left())?;
            if !is_retryable(reply.status) {
                return Ok(reply);
            }
            let wait = reply.retry_after.unwrap_or(backoff);
            backoff *= 2;
            if attempt == MAX_ATTEMPTS || wait >= left() {
                return Err(JudgeError::Busy { status: reply.status, attempts: attempt });
            }
            thread::sleep(wait);
        }
        Err(timed_out(self.timeout))
    }

    fn exchange(&self, body: &str, left: Duration) -> Result<Reply, JudgeError> {
        let mut request = self.agent.post(&self.url).content_type("application/json");
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request = request.config().timeout_global(Some(left)).build();
        let mut response = request.send(body).map_err(|error| self.failed(&error))?;
        let status = response.status().as_u16();
        let retry_after = response.headers().get("retry-after");
        let retry_after = retry_after.and_then(|value| parse_retry_after(value.to_str().ok()?));
        let body = response.body_mut().with_config().limit(MAX_RESPONSE_BYTES).read_to_vec();
        let body = match body {
            Ok(body) => body,
            // The body of an error response is optional.
            Err(_) if status != 200 => Vec::new(),
            Err(error) => return Err(self.failed(&error)),
        };
        Ok(Reply { status, retry_after, body })
    }

    fn read(&self, reply: &Reply) -> Result<Value, JudgeError> {
        let body: Result<Value, _> = serde_json::from_slice(&reply.body);
        if reply.status == 200 {
            return body.map_err(|_| JudgeError::Malformed { reason: "not JSON" });
        }
        let code = body.ok().and_then(|body| self.code(&body));
        Err(JudgeError::Status { status: reply.status, code })
    }

    /// Returns the error code of a response, if it is a plain word without the key.
    fn code(&self, body: &Value) -> Option<String> {
        let error = &body["error"];
        let code = error["code"].as_str().or(error["type"].as_str())?;
        let is_word = |c: char| c.is_ascii_lowercase() || c == '_';
        let holds_key = self.key.as_ref().is_some_and(|key| code.contains(&key.0));
        (code.len() <= 64 && code.chars().all(is_word) && !holds_key).then(|| code.to_owned())
    }

    fn failed(&self, error: &ureq::Error) -> JudgeError {
        let reason = match error {
            ureq::Error::Timeout(_) => return timed_out(self.timeout),
            ureq::Error::BodyExceedsLimit(_) => {
                return JudgeError::Malformed { reason: "too large" };
            }
            ureq::Error::HostNotFound => "host not found".to_owned(),
            ureq::Error::Io(error) => error.kind().to_string(),
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => "TLS failed".to_owned(),
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => return JudgeError::Endpoint,
            _ => "the request failed".to_owned(),
        };
        JudgeError::Unreachable { reason }
    }
}

/// Whether a status may be transient.
fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502..=504 | 529)
}

/// Parses `Retry-After`: seconds or a date.
fn parse_retry_after(value: &str) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    let wait = date.as_second() - jiff::Timestamp::now().as_second();
    Some(Duration::from_secs(u64::try_from(wait).unwrap_or(0)))
}

fn timed_out(timeout: Duration) -> JudgeError {
    JudgeError::Timeout { ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX) }
}

/// Whether a host is the loopback interface, which is reached without a proxy.
fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_hosts_are_recognized() {
        let uri = |host: &str| format!("http://{host}/v1").parse::<Uri>().expect("a URL");
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:8080", "u:p@127.0.0.2"] {
            assert!(is_loopback(&uri(host)), "{host}");
        }
        for host in ["example.org", "127.0.0.1.example.org", "10.0.0.1", "localhost.example"] {
            assert!(!is_loopback(&uri(host)), "{host}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(parse_retry_after("3"), Some(Duration::from_secs(3)));
        assert_eq!(parse_retry_after("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(parse_retry_after("soon"), None);
    }
}

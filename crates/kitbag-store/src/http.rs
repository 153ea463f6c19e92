//! The HTTP client of the cloud stores: `ureq`, which the program has anyway, on blocking threads.

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use std::io::{self, Read};
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig};

/// Maximum duration of connecting, of waiting for an answer, and of waiting for more of it. Each is
/// below the time limit of the whole operation in all but the largest transfers.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum size in bytes of a response that has no limit of its own, such as a page of a listing with
/// thousands of long names.
const MAX_RESPONSE_BYTES: u64 = 16 << 20;

/// How much of an error's text is read, in bytes.
const MAX_ERROR_BYTES: u64 = 64 << 10;

/// Services of cloud machines that hand out credentials.
const CREDENTIAL_HOSTS: [&str; 3] =
    ["169.254.169.254", "169.254.170.2", "metadata.google.internal"];

/// Beginnings of the paths at which they do, because their hosts can be set: AWS, Google and Azure.
const CREDENTIAL_PATHS: [&str; 4] = [
    "/latest/api/token",
    "/latest/meta-data/iam/security-credentials",
    "/computeMetadata/v1/instance/service-accounts/",
    "/metadata/identity/oauth2/token",
];

/// Whether a request asks the machine for credentials.
pub(crate) fn is_for_credentials(uri: &Uri) -> bool {
    uri.host().is_some_and(|host| CREDENTIAL_HOSTS.contains(&host))
        || CREDENTIAL_PATHS.iter().any(|path| uri.path().starts_with(path))
}

/// Maximum size of a response in bytes, among the extensions of its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaxBytes(pub u64);

/// Reason why a response is not used, among the causes of an error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResponseError {
    #[error("the response is larger than {max} bytes")]
    TooLarge { max: u64 },
    #[error("fewer than {min_rate} bytes per second arrived")]
    TooSlow { min_rate: u64 },
    #[error("{source}")]
    NoCredentials { source: Box<ureq::Error> },
}

/// Slowest transfer that is not given up: a server that sends a byte now and then never reaches a timeout.
#[derive(Debug, Clone, Copy)]
struct MinRate {
    bytes_per_second: u64,
    /// Time before the rate is measured.
    after: Duration,
}

const MIN_RATE: MinRate = MinRate { bytes_per_second: 1 << 10, after: Duration::from_secs(10) };

/// Creates clients with the user's certificates.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    agent: Agent,
}

impl Connector {
    /// `certificates` are in PEM format and replace the built-in authorities.
    pub fn new(certificates: Option<&[u8]>) -> Result<Self, String> {
        let roots = certificates.map(parse_certificates).transpose()?;
        let tls = TlsConfig::builder().root_certs(roots.unwrap_or(RootCerts::WebPki)).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(true)
            .user_agent(concat!("kitbag/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(IDLE_TIMEOUT))
            .timeout_per_read(Some(IDLE_TIMEOUT))
            .timeout_per_write(Some(IDLE_TIMEOUT))
            .build();
        Ok(Self { agent: config.new_agent() })
    }
}

fn parse_certificates(pem: &[u8]) -> Result<RootCerts, String> {
    let items = ureq::tls::parse_pem(pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
        Ok(_) => None,
        Err(error) => Some(Err(error.to_string())),
    });
    let certificates: Vec<_> = items.collect::<Result<_, _>>()?;
    match certificates.is_empty() {
        true => Err("the file of certificates has none in PEM format".to_owned()),
        false => Ok(RootCerts::new_with_certs(&certificates)),
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Connector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let agent = self.agent.clone();
        let send = move || {
            let has_body = !body.is_empty() || parts.headers.contains_key("content-length");
            let max = parts.extensions.get().map_or(MAX_RESPONSE_BYTES, |MaxBytes(max)| *max);
            let is_for_credentials = is_for_credentials(&parts.uri);
            let response = match has_body {
                true => agent.run(ureq::http::Request::from_parts(parts, &body[..])),
                false => agent.run(ureq::http::Request::from_parts(parts, ())),
            };
            let (parts, body) =
                response.map_err(|error| failed(error, is_for_credentials))?.into_parts();
            let bytes = match parts.status.is_success() {
                true => read_body(body.into_reader(), max, MIN_RATE)?,
                false => {
                    let start = body.into_reader().take(MAX_ERROR_BYTES);
                    let text = read_body(start, MAX_ERROR_BYTES, MIN_RATE)?;
                    // The end of the text may be in the middle of a character.
                    String::from_utf8_lossy(&text).into_owned().into_bytes()
                }
            };
            Ok(HttpResponse::from_parts(parts, bytes.into()))
        };
        let answer = tokio::task::spawn_blocking(send).await;
        answer.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?
    }
}

/// Reads at most `max` bytes, as long as they arrive fast enough.
fn read_body(mut body: impl Read, max: u64, min_rate: MinRate) -> Result<Vec<u8>, HttpError> {
    // Asking again would end in the same way.
    let refused = |error: ResponseError| HttpError::new(HttpErrorKind::Unknown, error);
    let (mut bytes, mut buffer, started) = (Vec::new(), vec![0; 64 << 10], Instant::now());
    loop {
        let length = body.read(&mut buffer).map_err(|error| failed(error.into(), false))?;
        if length == 0 {
            return Ok(bytes);
        }
        bytes.extend_from_slice(&buffer[..length]);
        let (received, elapsed) = (bytes.len() as u64, started.elapsed());
        if received > max {
            return Err(refused(ResponseError::TooLarge { max }));
        }
        let needed = elapsed.as_secs_f64() * min_rate.bytes_per_second as f64;
        if elapsed > min_rate.after && (received as f64) < needed {
            let min_rate = min_rate.bytes_per_second;
            return Err(refused(ResponseError::TooSlow { min_rate }));
        }
    }
}

fn failed(error: ureq::Error, is_for_credentials: bool) -> HttpError {
    let kind = kind(&error);
    if is_for_credentials {
        return HttpError::new(kind, ResponseError::NoCredentials { source: Box::new(error) });
    }
    HttpError::new(kind, error)
}

fn kind(error: &ureq::Error) -> HttpErrorKind {
    match error {
        ureq::Error::Timeout(_) => HttpErrorKind::Timeout,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => HttpErrorKind::Connect,
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            HttpErrorKind::Connect
        }
        ureq::Error::Io(_) | ureq::Error::Protocol(_) => HttpErrorKind::Interrupted,
        _ => HttpErrorKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    /// Returns a byte at a time, forever.
    struct Drip(Duration);

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(self.0);
            buffer[0] = b'x';
            Ok(1)
        }
    }

    fn reason(error: &HttpError) -> &ResponseError {
        error.source().and_then(|source| source.downcast_ref()).expect("a reason")
    }

    #[test]
    fn endless_bodies_end_at_the_maximum() {
        let error = read_body(io::repeat(1), 100_000, MIN_RATE).expect_err("it is endless");
        assert!(matches!(reason(&error), ResponseError::TooLarge { max: 100_000 }), "{error}");
        assert_eq!(read_body(&[1; 100][..], 100, MIN_RATE).expect("it fits").len(), 100);
    }

    #[test]
    fn transfers_that_barely_move_are_given_up() {
        let min_rate = MinRate { bytes_per_second: 1_000, after: Duration::from_millis(50) };
        let drip = Drip(Duration::from_millis(10));
        let error = read_body(drip, 1 << 20, min_rate).expect_err("it is too slow");
        assert!(matches!(reason(&error), ResponseError::TooSlow { .. }), "{error}");
    }
}

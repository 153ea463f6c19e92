//! The HTTP client of the cloud stores: `ureq`, which the program has anyway, on blocking threads.

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use std::io;
use std::time::Duration;
use ureq::Agent;
use ureq::tls::{PemItem, RootCerts, TlsConfig};

/// Maximum duration of connecting, of waiting for an answer, and of waiting for more of it. Each is
/// below the time limit of the whole operation in all but the largest transfers.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum size of a response in bytes.
const MAX_RESPONSE_BYTES: u64 = 1 << 30;

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
            let response = match has_body {
                true => agent.run(ureq::http::Request::from_parts(parts, &body[..])),
                false => agent.run(ureq::http::Request::from_parts(parts, ())),
            };
            let (parts, mut body) = response?.into_parts();
            let bytes = body.with_config().limit(MAX_RESPONSE_BYTES).read_to_vec()?;
            Ok(HttpResponse::from_parts(parts, bytes.into()))
        };
        let answer = tokio::task::spawn_blocking(send).await;
        let answer = answer.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        answer.map_err(|error: ureq::Error| HttpError::new(kind(&error), error))
    }
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

//! Errors of stores.

use crate::http::{ResponseError, is_for_credentials};
use crate::layout::MARKER;
use object_store::client::HttpError;
use std::error::Error;
use std::io;

/// Reason why an operation on a store failed. Every message names the store or the object.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be opened as described.
    #[error("the store `{url}` cannot be opened: {reason}")]
    Open {
        /// URL of the store.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The settings of the store are invalid, such as the address of its server.
    #[error("the store `{url}` cannot be opened: {reason}")]
    Settings {
        /// URL of the store.
        url: String,
        /// What is wrong.
        reason: String,
        /// What the user can do.
        hint: &'static str,
    },
    /// A request failed.
    #[error("the store `{url}` {failure}: {detail}")]
    Request {
        /// URL of the store.
        url: String,
        /// Kind of the failure.
        failure: Failure,
        /// Message of the server or of the operating system.
        detail: String,
    },
    /// The answer of a server is larger than what any server of a store answers.
    #[error("the store `{url}` answers with more than was expected: {detail}")]
    ResponseTooLarge {
        /// URL of the store.
        url: String,
        /// The limit.
        detail: String,
    },
    /// The time limit was reached.
    #[error("the store `{url}` did not answer in time")]
    TimedOut {
        /// URL of the store.
        url: String,
    },
    /// The caller cancelled the operation.
    #[error("the operation on the store `{url}` was cancelled")]
    Cancelled {
        /// URL of the store.
        url: String,
    },
    /// A newer version of the program wrote the store or an object.
    #[error(
        "`{place}` has format {found}, which a newer version of Kitbag wrote; this version reads format {expected}"
    )]
    Version {
        /// The store or the object.
        place: String,
        /// The version found.
        found: u32,
        /// The version that this program reads.
        expected: u32,
    },
    /// Nothing was pushed yet.
    #[error("`{url}` is not a Kitbag store yet")]
    NoStore {
        /// URL of the store.
        url: String,
    },
    /// The prefix holds objects of another program.
    #[error("`{url}` is not a Kitbag store: it holds something else, such as `{example}`")]
    Foreign {
        /// URL of the store.
        url: String,
        /// One of the objects.
        example: String,
    },
    /// The store has objects, and lacks the one that says how they are stored.
    #[error("the store `{url}` has lost its `kitbag-store.json`")]
    MarkerMissing {
        /// URL of the store.
        url: String,
    },
    /// The store is encrypted, and there is no key.
    #[error("the store `{url}` is encrypted, and no key is configured")]
    KeyMissing {
        /// URL of the store.
        url: String,
    },
    /// The store is not encrypted, and there is a key.
    #[error("the store `{url}` is not encrypted, but a key is configured")]
    NotEncrypted {
        /// URL of the store.
        url: String,
    },
    /// The store is encrypted with another key.
    #[error("the store `{url}` is encrypted with another key")]
    WrongKey {
        /// URL of the store.
        url: String,
    },
    /// The bytes of an object are not those that were written.
    #[error("the object `{object}` in the store `{url}` is damaged: {reason}")]
    Damaged {
        /// URL of the store.
        url: String,
        /// Name of the object.
        object: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// An object is larger than readers accept, and was not written.
    #[error("the object `{object}` is too large for the store `{url}`")]
    TooLarge {
        /// URL of the store.
        url: String,
        /// Name of the object.
        object: String,
    },
    /// A list names an object that does not exist.
    #[error("the object `{object}` is missing from the store `{url}`")]
    Missing {
        /// URL of the store.
        url: String,
        /// Name of the object.
        object: String,
    },
    /// The store failed a moment ago and is left alone for a while.
    #[error("the store `{url}` failed a moment ago and is not asked again yet")]
    Resting {
        /// URL of the store.
        url: String,
    },
    /// The operation took longer than objects are protected from collection.
    #[error("the push to the store `{url}` took longer than half the grace period of a collection")]
    TooSlow {
        /// URL of the store.
        url: String,
    },
}

/// Kind of a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// No connection, or one that was cut.
    Unreachable,
    /// An answer that arrives too slowly to wait for.
    TooSlow,
    /// Wrong or insufficient credentials.
    Forbidden,
    /// No credentials are set, and the machine provides none.
    NoCredentials,
    /// The user may not use the folder or a file in it.
    PermissionDenied,
    /// The folder is on a file system that cannot be written.
    ReadOnly,
    /// The bucket or folder does not exist.
    NotFound,
    /// The bucket is somewhere else.
    WrongRegion,
    /// The clock of this machine differs from that of the server.
    WrongTime,
    /// Too many requests, or an overloaded server.
    Throttled,
    /// The disk or quota of the store is used up.
    Full,
    /// The server has a problem of its own.
    ServerError,
    /// Anything else.
    Other,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Unreachable => "cannot be reached",
            Self::TooSlow => "is too slow",
            Self::Forbidden => "refuses access",
            Self::NoCredentials => "needs credentials",
            Self::PermissionDenied => "cannot be used with the permissions of this user",
            Self::ReadOnly => "is on a read-only file system",
            Self::NotFound => "does not exist",
            Self::WrongRegion => "is not where it was looked for",
            Self::WrongTime => "refuses requests because of their time",
            Self::Throttled => "rejects requests because of their rate",
            Self::Full => "has no space left",
            Self::ServerError => "reports an error of its own",
            Self::Other => "failed",
        })
    }
}

impl Failure {
    /// Returns what the user can do about the store `url`.
    fn hint(self, url: &str) -> Option<&'static str> {
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
        Some(match (self, scheme) {
            (Self::Unreachable, "s3") => {
                "check the network, and `AWS_ENDPOINT_URL` for a server of your own"
            }
            (Self::Unreachable, "az") => "check the network and `AZURE_STORAGE_ACCOUNT_NAME`",
            (Self::Unreachable | Self::TooSlow, _) => "check the network",
            (Self::Forbidden, "s3") => {
                "check the credentials, such as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, \
                 and their permissions to list, read and write"
            }
            (Self::Forbidden, "gs") => {
                "check the credentials, such as `GOOGLE_APPLICATION_CREDENTIALS`, and their \
                 permissions to list, read and write"
            }
            (Self::Forbidden, "az") => {
                "check the credentials, such as `AZURE_STORAGE_ACCOUNT_NAME` and \
                 `AZURE_STORAGE_ACCOUNT_KEY`, and their permissions to list, read and write"
            }
            (Self::Forbidden, _) => "check the credentials",
            (Self::NoCredentials, "s3") => "set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`",
            (Self::NoCredentials, "gs") => "set `GOOGLE_APPLICATION_CREDENTIALS`",
            (Self::NoCredentials, "az") => "set `AZURE_STORAGE_ACCOUNT_KEY`",
            (Self::NoCredentials, _) => "set the credentials",
            (Self::PermissionDenied, _) => {
                "let this user read the folder; `kitbag index push` and `gc` also write to it"
            }
            (Self::ReadOnly, _) => "push from a machine that can write to the folder",
            (Self::NotFound, "s3") => "check the name of the bucket and `AWS_REGION`",
            (Self::NotFound, "file") => "check the path, and whether the share is mounted",
            (Self::NotFound, _) => "check the name of the bucket or container",
            (Self::WrongRegion, "s3") => {
                "set `AWS_REGION` to the region of the bucket, or check `AWS_ENDPOINT_URL`"
            }
            (Self::WrongRegion, _) => "check the address of the server",
            (Self::WrongTime, _) => "set the clock of this machine",
            (Self::Throttled, _) => "try again later, or with fewer clients",
            (Self::Full, _) => "free some space, and push again",
            (Self::ServerError, _) => "try again later, or read the log of the server",
            (Self::Other, _) => return None,
        })
    }
}

impl StoreError {
    /// Returns what the user can do.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Request { failure, url, .. } => return failure.hint(url),
            Self::Settings { hint, .. } => hint,
            Self::TimedOut { .. } => "check the network, or raise `store.timeout_ms`",
            Self::Version { .. } => "update Kitbag, or use another prefix",
            Self::NoStore { .. } => "`kitbag index push` creates it",
            Self::Foreign { .. } => "check the URL, or choose an empty prefix",
            Self::MarkerMissing { .. } => {
                "`kitbag index push`, with the key of the store if it is encrypted, writes it again"
            }
            Self::KeyMissing { .. } => "set `store.key_file` or `store.key_env`",
            Self::NotEncrypted { .. } => "remove the key, or use another prefix",
            Self::WrongKey { .. } => "use the key of the store, or another prefix",
            Self::Damaged { object, .. } if object == MARKER => {
                "delete it; `kitbag index push`, with the key of the store if it is encrypted, writes it \
                 again"
            }
            Self::Damaged { .. } => "delete the object; the next push adds its contents again",
            Self::Missing { .. } => "push again",
            Self::TooSlow { .. } => "push again; what was uploaded is collected later",
            Self::Open { .. }
            | Self::ResponseTooLarge { .. }
            | Self::TooLarge { .. }
            | Self::Cancelled { .. }
            | Self::Resting { .. } => return None,
        })
    }

    /// Whether the store answered, so that asking for other objects makes sense.
    pub fn is_of_object(&self) -> bool {
        match self {
            Self::Damaged { object, .. } => object != MARKER,
            Self::Missing { .. } | Self::Version { .. } | Self::TooLarge { .. } => true,
            _ => false,
        }
    }

    pub(crate) fn of_request(url: String, error: &object_store::Error) -> Self {
        let request = FailedRequest::of(error);
        let refused = RefusedDelete::of(error);
        let detail = match (&request, &refused) {
            (Some(request), _) => chain(request.reason),
            (None, Some(refused)) => refused.to_string(),
            (None, None) => chain(error),
        };
        let detail = without_prefixes(without_generic(&detail), &DETAIL_PREFIXES);
        let detail = shortened(&without_xml(detail));
        if let Some(ResponseError::TooLarge { .. }) = cause(error) {
            return Self::ResponseTooLarge { url, detail };
        }
        match refused.map_or_else(|| failure(error, request.as_ref()), |it| it.failure()) {
            failure @ Failure::NoCredentials => {
                let detail = format!("none are set, and this machine provides none: {detail}");
                Self::Request { url, failure, detail }
            }
            failure => Self::Request { url, failure, detail },
        }
    }

    /// Returns the error of a folder.
    pub(crate) fn of_io(url: String, error: &io::Error) -> Self {
        Self::Request { url, failure: folder_failure(error), detail: shortened(&error.to_string()) }
    }
}

/// What the client says before the status of an answer, and before an error in the body of a 200.
const STATUS_PREFIX: &str = "Server returned non-2xx status code: ";
const RESPONSE_PREFIX: &str = "Server returned error response: ";

/// What the client says about a redirect, which S3 answers with if the bucket is in another region.
const REDIRECT: &str = "Received redirect without LOCATION";

/// What precedes the parts of a message that help.
const DETAIL_PREFIXES: [&str; 3] = [STATUS_PREFIX, RESPONSE_PREFIX, "HTTP error: "];

/// What the client says before errors that it has no kind for.
const GENERIC_PREFIXES: [&str; 4] = [
    "Generic S3 error: ",
    "Generic GCS error: ",
    "Generic MicrosoftAzure error: ",
    "Generic LocalFileSystem error: ",
];

fn without_prefixes<'a>(text: &'a str, prefixes: &[&str]) -> &'a str {
    prefixes.iter().fold(text, |text, prefix| text.strip_prefix(prefix).unwrap_or(text))
}

/// Returns the message of an error of the client without the kind of the store, which the URL says.
pub(crate) fn without_generic(message: &str) -> &str {
    without_prefixes(message, &GENERIC_PREFIXES)
}

/// Returns an error and its causes.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// Returns the cause that has a type.
fn cause<T: Error + 'static>(error: &object_store::Error) -> Option<&T> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// A request that failed. The types of the client's errors are private, so their texts tell what they are.
struct FailedRequest<'a> {
    /// Method, URL, duration and retries.
    description: String,
    /// What went wrong, without the request itself: its URL has names that may look like anything.
    reason: &'a (dyn Error + 'static),
}

impl<'a> FailedRequest<'a> {
    /// Listings and others wrap `Error performing GET` in `Error performing list request`, so the last cause counts.
    fn of(error: &'a object_store::Error) -> Option<Self> {
        let request =
            causes(error).filter(|cause| cause.to_string().starts_with(REQUEST_PREFIX)).last()?;
        Some(Self { description: request.to_string(), reason: request.source()? })
    }

    /// Returns the words after `Error performing`: the method and the URL, unless that is secret.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.description.strip_prefix(REQUEST_PREFIX).unwrap_or_default().split(' ')
    }

    /// Whether it was about many objects, or none.
    fn is_post(&self) -> bool {
        self.words().next() == Some("POST")
    }

    /// Whether it asked the machine for credentials.
    fn is_for_credentials(&self) -> bool {
        let uri = self.words().nth(1).and_then(|uri| uri.parse().ok());
        uri.is_some_and(|uri| is_for_credentials(&uri))
    }
}

const REQUEST_PREFIX: &str = "Error performing ";

/// An object that a server did not delete although it accepted the request.
struct RefusedDelete {
    path: String,
    /// Code of an S3 server, or HTTP status of Azure.
    code: String,
    message: String,
}

impl RefusedDelete {
    fn of(error: &object_store::Error) -> Option<Self> {
        causes(error).find_map(|cause| Self::parse(&cause.to_string()))
    }

    /// Parses `DeleteObjects request failed for key PATH: MESSAGE (code: CODE)`. Paths of objects have no spaces.
    fn parse(text: &str) -> Option<Self> {
        let prefixes =
            ["DeleteObjects request failed for key ", "Bulk delete request failed for key "];
        let rest = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        let (path, rest) = rest.split_once(": ")?;
        let (message, code) = rest.rsplit_once(" (code: ")?;
        let code = code.strip_suffix(')')?.to_owned();
        Some(Self { path: path.to_owned(), code, message: message.to_owned() })
    }

    fn failure(&self) -> Failure {
        let of_status = || failure_of_status(self.code.parse().ok()?);
        failure_of_code(&self.code).or_else(of_status).unwrap_or(Failure::Other)
    }
}

impl std::fmt::Display for RefusedDelete {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, code, message } = self;
        write!(formatter, "`{path}` was not deleted: {code}: {message}")
    }
}

/// Whether an object is missing, rather than its bucket.
pub(crate) fn is_missing(error: &object_store::Error) -> bool {
    if let Some(refused) = RefusedDelete::of(error) {
        return matches!(refused.code.as_str(), "NoSuchKey" | "404");
    }
    let object_store::Error::NotFound { .. } = error else { return false };
    let Some(request) = FailedRequest::of(error) else { return true };
    let text = request.reason.to_string();
    // Deletions of many objects report a missing one in the body of a 200.
    !request.is_post()
        && !["NoSuchBucket", "ContainerNotFound", "bucket does not exist"]
            .iter()
            .any(|it| text.contains(it))
}

/// Returns the text of an element in the XML of an S3 server.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
}

/// Replaces the XML of an S3 server by its code and message, such as `SlowDown: Please reduce your
/// request rate.`
fn without_xml(detail: &str) -> String {
    let Some(code) = element(detail, "Code") else { return detail.to_owned() };
    let status = detail.split('<').next().unwrap_or_default();
    let message = element(detail, "Message").map(|text| format!(": {text}")).unwrap_or_default();
    format!("{status}{code}{message}")
}

/// Joins the messages of an error and its causes, without repetitions.
fn chain(error: &(dyn Error + 'static)) -> String {
    causes(error).fold(String::new(), |text, cause| {
        let message = cause.to_string();
        match text.as_str() {
            "" => message,
            _ if text.contains(&message) => text,
            _ => format!("{text}: {message}"),
        }
    })
}

/// Maximum length of a server's message, in characters.
const MAX_DETAIL: usize = 300;

/// Keeps a message of a server on one line, and short.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text: String = words.join(" ").chars().filter(|it| !it.is_control()).collect();
    // An answer may have a status and no body.
    let text = text.trim_end_matches(':');
    match text.char_indices().nth(MAX_DETAIL) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

fn failure(error: &object_store::Error, request: Option<&FailedRequest<'_>>) -> Failure {
    use object_store::Error as Cause;
    match cause::<ResponseError>(error) {
        Some(ResponseError::TooSlow { .. }) => return Failure::TooSlow,
        Some(ResponseError::NoCredentials { .. }) => return Failure::NoCredentials,
        Some(ResponseError::TooLarge { .. }) | None => {}
    }
    if let Some(request) = request {
        if request.is_for_credentials() {
            return Failure::NoCredentials;
        }
        let answer = request.reason.to_string();
        let code = element(&answer, "Code").unwrap_or_default();
        if let Some(failure) = failure_of_code(code).or_else(|| failure_of_answer(&answer)) {
            return failure;
        }
    }
    match error {
        Cause::PermissionDenied { .. } | Cause::Unauthenticated { .. } => Failure::Forbidden,
        Cause::NotFound { .. } => Failure::NotFound,
        _ if cause::<HttpError>(error).is_some() => Failure::Unreachable,
        _ => cause::<io::Error>(error).map_or(Failure::Other, folder_failure),
    }
}

/// Returns what the code of an error in XML means, which says more than the status.
fn failure_of_code(code: &str) -> Option<Failure> {
    Some(match code {
        "RequestTimeTooSkewed" => Failure::WrongTime,
        "NoSuchBucket" | "ContainerNotFound" => Failure::NotFound,
        "SlowDown" | "ServerBusy" | "TooManyRequests" => Failure::Throttled,
        "PermanentRedirect" | "TemporaryRedirect" | "AuthorizationHeaderMalformed" => {
            Failure::WrongRegion
        }
        "AccessDenied"
        | "ExpiredToken"
        | "InvalidAccessKeyId"
        | "InvalidToken"
        | "SignatureDoesNotMatch" => Failure::Forbidden,
        "QuotaExceeded" | "XMinioStorageFull" => Failure::Full,
        // In the body of a 200, or for one object of many.
        "InternalError" => Failure::ServerError,
        _ => return None,
    })
}

/// Returns what the answer means whose status the client names at the beginning of its message.
fn failure_of_answer(answer: &str) -> Option<Failure> {
    if answer.starts_with(REDIRECT) {
        return Some(Failure::WrongRegion);
    }
    failure_of_status(answer.strip_prefix(STATUS_PREFIX)?.get(..3)?.parse().ok()?)
}

fn failure_of_status(status: u16) -> Option<Failure> {
    Some(match status {
        301 | 302 | 307 | 308 => Failure::WrongRegion,
        401 | 403 => Failure::Forbidden,
        404 => Failure::NotFound,
        429 | 503 => Failure::Throttled,
        507 => Failure::Full,
        500..=599 => Failure::ServerError,
        _ => return None,
    })
}

fn folder_failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Failure::PermissionDenied,
        io::ErrorKind::ReadOnlyFilesystem => Failure::ReadOnly,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Failure::Full,
        io::ErrorKind::NotFound => Failure::NotFound,
        _ => Failure::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_a_folder_follow_from_their_kind() {
        let failure = |kind| {
            let source = Box::new(io::Error::new(kind, "/srv/503/credentials/429"));
            let error = object_store::Error::Generic { store: "LocalFileSystem", source };
            match StoreError::of_request("file:///srv/503".to_owned(), &error) {
                StoreError::Request { failure, .. } => failure,
                error => panic!("{error}"),
            }
        };
        assert_eq!(failure(io::ErrorKind::PermissionDenied), Failure::PermissionDenied);
        assert_eq!(failure(io::ErrorKind::ReadOnlyFilesystem), Failure::ReadOnly);
        assert_eq!(failure(io::ErrorKind::StorageFull), Failure::Full);
        assert_eq!(failure(io::ErrorKind::InvalidData), Failure::Other);
    }

    #[test]
    fn hints_name_the_variables_of_the_service() {
        let hint = |url: &str, failure: Failure| failure.hint(url).unwrap_or_default();
        for (url, variables) in [("s3://b", "AWS_"), ("gs://b", "GOOGLE_"), ("az://b", "AZURE_")] {
            assert!(hint(url, Failure::Forbidden).contains(variables), "{url}");
        }
        for (url, variable) in [
            ("s3://b", "AWS_SECRET_ACCESS_KEY"),
            ("gs://b", "GOOGLE_APPLICATION_CREDENTIALS"),
            ("az://b", "AZURE_STORAGE_ACCOUNT_KEY"),
        ] {
            assert!(hint(url, Failure::NoCredentials).contains(variable), "{url}");
        }
        assert!(hint("s3://b", Failure::WrongRegion).contains("AWS_REGION"));
        for failure in [Failure::PermissionDenied, Failure::NotFound, Failure::Unreachable] {
            assert!(!hint("file:///a", failure).contains("AWS_"), "{failure}");
        }
    }
}

//! Errors of stores.

use std::error::Error;

/// Reason why an operation on a store failed. Every message names the store or the object.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be opened as described.
    #[error("the store `{url}` cannot be opened: {reason}")]
    Open {
        /// URL of the store.
        url: String,
        /// What is wrong.
        reason: String,
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
    /// The prefix holds objects of another program.
    #[error("`{url}` holds objects that Kitbag did not write, such as `{example}`")]
    Foreign {
        /// URL of the store.
        url: String,
        /// One of the objects.
        example: String,
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
    /// Missing, wrong or insufficient credentials.
    Forbidden,
    /// The bucket or folder does not exist.
    NotFound,
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
            Self::Forbidden => "refuses access",
            Self::NotFound => "does not exist",
            Self::WrongTime => "refuses requests because of their time",
            Self::Throttled => "rejects requests because of their rate",
            Self::Full => "has no space left",
            Self::ServerError => "reports an error of its own",
            Self::Other => "failed",
        })
    }
}

impl StoreError {
    /// Returns what the user can do.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Request { failure, .. } => match failure {
                Failure::Unreachable => {
                    "check the network, and `AWS_ENDPOINT_URL` for a server of your own"
                }
                Failure::Forbidden => {
                    "check the credentials, such as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, \
                     and their permissions to list, read and write"
                }
                Failure::NotFound => "check the name of the bucket or folder, and the region",
                Failure::WrongTime => "set the clock of this machine",
                Failure::Throttled => "try again later, or with fewer clients",
                Failure::Full => "free some space, and push again",
                Failure::ServerError => "try again later, or read the log of the server",
                Failure::Other => return None,
            },
            Self::TimedOut { .. } => "check the network, or raise `store.timeout_ms`",
            Self::Version { .. } => "update Kitbag, or use another prefix",
            Self::Foreign { .. } => "choose an empty prefix",
            Self::KeyMissing { .. } => "set `store.key_file` or `store.key_env`",
            Self::NotEncrypted { .. } => "remove the key, or use another prefix",
            Self::WrongKey { .. } => "use the key of the store, or another prefix",
            Self::Damaged { .. } => "delete the object; the next push adds its contents again",
            Self::Missing { .. } => "push again",
            Self::TooSlow { .. } => "push again; what was uploaded is collected later",
            Self::Open { .. } | Self::Cancelled { .. } | Self::Resting { .. } => return None,
        })
    }

    /// Whether the store answered, so that asking for other objects makes sense.
    pub fn is_of_object(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Missing { .. } | Self::Version { .. })
    }

    pub(crate) fn of_request(url: String, error: &object_store::Error) -> Self {
        let chain = chain(error);
        let failure = failure(error, &chain.to_ascii_lowercase());
        // What precedes the dash is the request, with the time that it took.
        let detail = chain.rsplit_once(" - ").map_or(chain.as_str(), |(_, detail)| detail);
        let known = [STATUS_PREFIX, RESPONSE_PREFIX, "Generic LocalFileSystem error: "];
        let detail = known.iter().fold(detail, |text, it| text.strip_prefix(it).unwrap_or(text));
        Self::Request { url, failure, detail: shortened(&without_xml(detail)) }
    }
}

/// What the client says before the status of an answer, and before an error in the body of a 200.
const STATUS_PREFIX: &str = "Server returned non-2xx status code: ";
const RESPONSE_PREFIX: &str = "Server returned error response: ";

/// Replaces the XML of an S3 server by its code and message, such as `SlowDown: Please reduce your
/// request rate.`
fn without_xml(detail: &str) -> String {
    let element = |name: &str| {
        let (_, rest) = detail.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
    };
    let Some(code) = element("Code") else { return detail.to_owned() };
    let status = detail.split('<').next().unwrap_or_default();
    let message = element("Message").map(|text| format!(": {text}")).unwrap_or_default();
    format!("{status}{code}{message}")
}

/// Joins the messages of an error and its causes, without repetitions.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let message = cause.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        next = cause.source();
    }
    text
}

/// Maximum length of a server's message, in characters.
const MAX_DETAIL: usize = 300;

/// Keeps a message of a server on one line, and short.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text: String = words.join(" ").chars().filter(|it| !it.is_control()).collect();
    match text.char_indices().nth(MAX_DETAIL) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// The status is only part of the message: the type that has it is private.
fn failure(error: &object_store::Error, chain: &str) -> Failure {
    use object_store::Error as Cause;
    let has = |parts: &[&str]| parts.iter().any(|part| chain.contains(part));
    match error {
        _ if has(&["requesttimetooskewed", "request time too skewed"]) => Failure::WrongTime,
        Cause::PermissionDenied { .. } | Cause::Unauthenticated { .. } => Failure::Forbidden,
        Cause::NotFound { .. } => Failure::NotFound,
        _ if has(&["no space left", "quota exceeded", "status code: 507"]) => Failure::Full,
        _ if has(&["503", "429", "slowdown", "slow down", "too many requests"]) => {
            Failure::Throttled
        }
        _ if has(&[
            "invalidaccesskeyid",
            "status code: 403",
            "status code: 401",
            "permission denied",
        ]) || has(&["missing region", "credentials", "169.254.169.254"]) =>
        {
            Failure::Forbidden
        }
        _ if has(&["nosuchbucket", "status code: 404"]) => Failure::NotFound,
        _ if has(&["status code: 5"]) => Failure::ServerError,
        _ if has(&["http error", "timeout", "connection"]) => Failure::Unreachable,
        _ => Failure::Other,
    }
}

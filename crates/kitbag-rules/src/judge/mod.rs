//! Judges: models that decide whether conditions in plain language hold.
//!
//! All conditions go in one call, and the answer is parsed strictly against a schema. After a failure
//! the conditions are undecided. API keys come from the environment and are never in errors, logs,
//! records or `Debug` output.

mod cache;
mod http;
mod prompt;
mod protocols;

pub(crate) use cache::{JudgeCache, JudgeOutcome, judge_all};

use crate::model::ConditionOutcome;
use kitbag_config::JudgeSettings;
use kitbag_core::Cancel;
use protocols::HttpJudge;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The question which conditions hold in a situation.
#[derive(Debug, Clone, Copy)]
pub struct JudgeQuestion<'a> {
    /// Description of the situation.
    pub situation: &'a str,
    /// Conditions in plain language.
    pub conditions: &'a [&'a str],
    /// Deadline of the answer.
    pub until: Option<Instant>,
}

/// Decides which conditions hold. It may block until the deadline of the question or until cancelled,
/// since it is called on the engine's threads.
pub trait ConditionJudge: Send + Sync {
    /// Returns the name for reports, such as `openai:qwen3`.
    fn name(&self) -> &str;

    /// Returns what distinguishes its verdicts from those of others: protocol, address and model.
    fn identity(&self) -> String;

    /// Returns a verdict for each condition, in order.
    fn judge(
        &self,
        question: JudgeQuestion<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ConditionOutcome>, JudgeError>;
}

/// A failure of a judge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The environment variable of the key is not set.
    #[error("the environment variable `{variable}` from `judge.key_env` is not set")]
    KeyMissing {
        /// Name of the variable.
        variable: String,
    },
    /// The value of the variable is not a valid key.
    #[error("the environment variable `{variable}` from `judge.key_env` is not a valid key")]
    KeyUnusable {
        /// Name of the variable.
        variable: String,
    },
    /// The address is invalid.
    #[error("`judge.endpoint` must start with `http://` or `https://`")]
    Endpoint,
    /// An endpoint is set without a model.
    #[error("`judge.endpoint` requires `judge.model`")]
    NoModel,
    /// The time limit was exceeded.
    #[error("no answer within {ms} ms")]
    Timeout {
        /// Time limit in milliseconds.
        ms: u64,
    },
    /// The endpoint is busy, and no time is left for another attempt.
    #[error("status {status} after {attempts} attempts")]
    Busy {
        /// Status of the last attempt.
        status: u16,
        /// Number of attempts.
        attempts: u32,
    },
    /// The endpoint rejected the request.
    #[error("status {status}{}", code.as_ref().map_or_else(String::new, |code| format!(": {code}")))]
    Status {
        /// HTTP status.
        status: u16,
        /// Error code of the endpoint, if any.
        code: Option<String>,
    },
    /// The model refused to answer.
    #[error("the model refused to answer")]
    Refused,
    /// The answer is malformed.
    #[error("malformed answer: {reason}")]
    Malformed {
        /// What is wrong with the answer.
        reason: &'static str,
    },
    /// The endpoint cannot be reached.
    #[error("cannot reach the endpoint: {reason}")]
    Unreachable {
        /// The transport error, without the URL.
        reason: String,
    },
    /// The caller cancelled the call.
    #[error("cancelled")]
    Cancelled,
}

/// Creates the judge that is configured, if any. `variable` looks up environment variables.
pub fn judge_from_settings(
    settings: &JudgeSettings,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Arc<dyn ConditionJudge>>, JudgeError> {
    let Some(model) = &settings.model else {
        return if settings.endpoint.is_some() { Err(JudgeError::NoModel) } else { Ok(None) };
    };
    let key =
        settings.key_env.as_ref().map(|name| ApiKey::new(name, variable(name))).transpose()?;
    let endpoint = settings.endpoint.as_deref().unwrap_or(settings.kind.endpoint());
    let timeout = Duration::from_millis(settings.timeout_ms);
    Ok(Some(Arc::new(HttpJudge::new(settings.kind, endpoint, model, key, timeout)?)))
}

/// An API key. It implements neither `Debug` nor `Display`, so that it cannot be logged.
#[derive(Clone)]
struct ApiKey(String);

impl ApiKey {
    /// Checks the value of an environment variable.
    fn new(variable: &str, value: Option<String>) -> Result<Self, JudgeError> {
        let variable = variable.to_owned();
        let Some(value) = value.filter(|value| !value.trim().is_empty()) else {
            return Err(JudgeError::KeyMissing { variable });
        };
        let value = value.trim().to_owned();
        if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(JudgeError::KeyUnusable { variable });
        }
        Ok(Self(value))
    }
}

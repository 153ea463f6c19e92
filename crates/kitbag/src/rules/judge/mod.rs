//! Judges: models that tell whether conditions in plain language hold.
//!
//! All conditions go in one call, and the answer has a schema and is read strictly: anything but an
//! answer to every condition is a failure, and after a failure the conditions are undecided. A key
//! comes from the environment, and is in no error, log, record or `Debug`.

mod anthropic;
mod cache;
mod http;
mod openai;
mod prompt;

pub use anthropic::AnthropicJudge;
pub use cache::JudgeCache;
pub use openai::OpenAiJudge;
pub use prompt::PROMPT_VERSION;

pub(super) use cache::{Judged, judge_all};

use super::truth::Truth;
use kitbag_core::Cancel;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Whose protocol an endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgeKind {
    /// OpenAI's chat completions: OpenAI, Ollama, vLLM, llama.cpp, LM Studio and others.
    #[default]
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

impl JudgeKind {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// The endpoint of its maker.
    fn endpoint(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }
}

/// Which model judges conditions. Without a model none does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeSettings {
    /// The address of the endpoint; that of the protocol's maker if it is not given.
    pub endpoint: Option<String>,
    /// Whose protocol it speaks.
    pub kind: JudgeKind,
    /// The model's name there.
    pub model: Option<String>,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// How many milliseconds an answer may take, with all that is tried again.
    pub timeout_ms: u64,
}

impl Default for JudgeSettings {
    fn default() -> Self {
        let kind = JudgeKind::default();
        Self { endpoint: None, kind, model: None, key_env: None, timeout_ms: 10_000 }
    }
}

/// What a judge is asked: which of some conditions hold in a situation.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The situation in words.
    pub situation: &'a str,
    /// The conditions.
    pub conditions: &'a [&'a str],
}

/// Tells which conditions hold. It may block: it is asked on the engine's threads.
pub trait ConditionJudge: Send + Sync {
    /// What reports call it, such as `openai:qwen3`.
    fn name(&self) -> &str;

    /// What tells its answers from another judge's: protocol, address and model.
    fn identity(&self) -> String;

    /// An answer for each condition, in order.
    fn judge(&self, question: Question<'_>, cancel: &Cancel) -> Result<Vec<Truth>, JudgeError>;
}

/// Why a judge gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The variable that should hold the key is not set.
    #[error("the environment variable `{variable}` of `judge.key_env` is not set")]
    KeyMissing {
        /// The variable.
        variable: String,
    },
    /// What the variable holds can be no key.
    #[error("the environment variable `{variable}` of `judge.key_env` holds no key")]
    KeyUnusable {
        /// The variable.
        variable: String,
    },
    /// The address is none.
    #[error("`judge.endpoint` is no address that begins with `http://` or `https://`")]
    Endpoint,
    /// An endpoint is set, and no model.
    #[error("`judge.endpoint` is set, and `judge.model` is not")]
    NoModel,
    /// It took too long.
    #[error("no answer within {ms} ms")]
    Timeout {
        /// How long it was waited for.
        ms: u64,
    },
    /// The endpoint is busy or broken, and asks to come back later than there is time.
    #[error("status {status} after {attempts} attempts")]
    Busy {
        /// The last status.
        status: u16,
        /// How often it was tried.
        attempts: u32,
    },
    /// The endpoint does not accept the request.
    #[error("status {status}{}", code.as_ref().map_or_else(String::new, |code| format!(": {code}")))]
    Status {
        /// The status.
        status: u16,
        /// The endpoint's name for it, where it gives one.
        code: Option<String>,
    },
    /// The model refuses to answer.
    #[error("the model refuses to answer")]
    Refused,
    /// The answer is not what was asked for.
    #[error("the answer cannot be used: {reason}")]
    Malformed {
        /// Why.
        reason: &'static str,
    },
    /// The endpoint cannot be reached.
    #[error("the endpoint cannot be reached: {reason}")]
    Unreachable {
        /// Why.
        reason: String,
    },
    /// The caller has cancelled it.
    #[error("cancelled")]
    Cancelled,
}

/// The judge that settings describe: none without a model. `variable` looks up the environment.
pub fn judge_of(
    settings: &JudgeSettings,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Arc<dyn ConditionJudge>>, JudgeError> {
    let Some(model) = &settings.model else {
        let is_begun = settings.endpoint.is_some();
        return if is_begun { Err(JudgeError::NoModel) } else { Ok(None) };
    };
    let key = match &settings.key_env {
        None => None,
        Some(name) => Some(Key::new(name, variable(name))?),
    };
    let endpoint = settings.endpoint.as_deref().unwrap_or(settings.kind.endpoint());
    let timeout = Duration::from_millis(settings.timeout_ms);
    Ok(Some(match settings.kind {
        JudgeKind::OpenAi => Arc::new(OpenAiJudge::new(endpoint, model, key, timeout)?),
        JudgeKind::Anthropic => Arc::new(AnthropicJudge::new(endpoint, model, key, timeout)?),
    }))
}

/// A key. It has no way to be shown.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// The key that a variable holds.
    pub fn new(variable: &str, value: Option<String>) -> Result<Self, JudgeError> {
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

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

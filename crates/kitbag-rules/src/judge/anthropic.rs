//! Anthropic's messages protocol, with a tool whose input schema is that of the answer.

use super::http::Endpoint;
use super::{ApiKey, ConditionJudge, JudgeError, JudgeQuestion, prompt};
use crate::outcome::ConditionOutcome;
use kitbag_core::Cancel;
use serde_json::{Value, json};
use std::time::Duration;

/// Version of the protocol.
const VERSION: &str = "2023-06-01";
/// Maximum number of tokens of an answer: a constant part, and a part for each condition.
const BASE_TOKENS: usize = 256;
const TOKENS_PER_CONDITION: usize = 32;

/// A model behind an endpoint with Anthropic's protocol.
pub struct AnthropicJudge {
    name: String,
    model: String,
    endpoint: Endpoint,
}

impl AnthropicJudge {
    /// Creates a judge for a model at an address such as `https://api.anthropic.com`.
    pub fn new(
        address: &str,
        model: &str,
        key: Option<ApiKey>,
        timeout: Duration,
    ) -> Result<Self, JudgeError> {
        let address = address.trim_end_matches('/');
        let url = match address.ends_with("/v1") {
            true => format!("{address}/messages"),
            false => format!("{address}/v1/messages"),
        };
        let endpoint = Endpoint::new(url, key, |key| ("x-api-key", key.to_owned()), timeout)?
            .header("anthropic-version", VERSION);
        Ok(Self { name: format!("anthropic:{model}"), model: model.to_owned(), endpoint })
    }

    fn body(&self, question: JudgeQuestion<'_>) -> Value {
        json!({
            "model": self.model,
            "max_tokens": BASE_TOKENS + TOKENS_PER_CONDITION * question.conditions.len(),
            "system": prompt::SYSTEM,
            "messages": [{"role": "user", "content": prompt::user(question)}],
            "tools": [{
                "name": prompt::ANSWER_NAME,
                "description": "Gives the verdicts, one for each condition.",
                "input_schema": prompt::schema(),
            }],
            "tool_choice": {"type": "tool", "name": prompt::ANSWER_NAME},
        })
    }
}

impl ConditionJudge for AnthropicJudge {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> String {
        format!("anthropic {} {}", self.endpoint.url(), self.model)
    }

    fn judge(
        &self,
        question: JudgeQuestion<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ConditionOutcome>, JudgeError> {
        let reply = self.endpoint.ask(&self.body(question), cancel)?;
        read(&reply, question.conditions.len())
    }
}

fn read(reply: &Value, count: usize) -> Result<Vec<ConditionOutcome>, JudgeError> {
    let malformed = |reason| JudgeError::Malformed { reason };
    match reply["stop_reason"].as_str() {
        Some("refusal") => return Err(JudgeError::Refused),
        Some("max_tokens") => return Err(malformed("it is truncated")),
        _ => {}
    }
    let blocks = reply["content"].as_array().ok_or(malformed("it has no content"))?;
    let mut calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    match (calls.next(), calls.next()) {
        (Some(call), None) if call["name"] == prompt::ANSWER_NAME => {
            prompt::read(call["input"].clone(), count)
        }
        _ => Err(malformed("it does not call the tool exactly once")),
    }
}

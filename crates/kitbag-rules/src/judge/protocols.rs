//! Models behind OpenAI's chat completions protocol, which many others support, or Anthropic's messages
//! protocol. The former answers by a schema, the latter by a tool whose input has that schema.

use super::http::Endpoint;
use super::{ApiKey, ConditionJudge, JudgeError, JudgeQuestion, prompt};
use crate::model::ConditionOutcome;
use kitbag_config::JudgeKind;
use kitbag_core::Cancel;
use serde_json::{Value, json};
use std::time::Duration;

/// Version of Anthropic's protocol.
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// Maximum number of tokens of an answer: a constant part, and a part for each condition.
const BASE_TOKENS: usize = 256;
const TOKENS_PER_CONDITION: usize = 32;

/// A model behind an endpoint.
pub(super) struct HttpJudge {
    kind: JudgeKind,
    name: String,
    model: String,
    endpoint: Endpoint,
}

impl HttpJudge {
    /// Creates a judge for a model at an address such as `http://localhost:11434/v1`.
    pub fn new(
        kind: JudgeKind,
        address: &str,
        model: &str,
        key: Option<ApiKey>,
        timeout: Duration,
    ) -> Result<Self, JudgeError> {
        let address = address.trim_end_matches('/');
        let mut headers = Vec::new();
        let url = match kind {
            JudgeKind::OpenAi => {
                headers
                    .extend(key.iter().map(|key| ("authorization", format!("Bearer {}", key.0))));
                format!("{address}/chat/completions")
            }
            JudgeKind::Anthropic => {
                headers.extend(key.iter().map(|key| ("x-api-key", key.0.clone())));
                headers.push(("anthropic-version", ANTHROPIC_VERSION.to_owned()));
                let version = if address.ends_with("/v1") { "" } else { "/v1" };
                format!("{address}{version}/messages")
            }
        };
        let endpoint = Endpoint::new(url, key, headers, timeout)?;
        let name = format!("{}:{model}", kind.name());
        Ok(Self { kind, name, model: model.to_owned(), endpoint })
    }

    fn body(&self, question: JudgeQuestion<'_>) -> Value {
        match self.kind {
            JudgeKind::OpenAi => json!({
                "model": self.model,
                "messages": [
                    {"role": "system", "content": prompt::SYSTEM},
                    {"role": "user", "content": prompt::user(question)},
                ],
                "temperature": 0,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {
                        "name": prompt::ANSWER_NAME, "strict": true, "schema": prompt::schema(),
                    },
                },
            }),
            JudgeKind::Anthropic => json!({
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
            }),
        }
    }
}

impl ConditionJudge for HttpJudge {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> String {
        format!("{} {} {}", self.kind.name(), self.endpoint.url, self.model)
    }

    fn judge(
        &self,
        question: JudgeQuestion<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ConditionOutcome>, JudgeError> {
        let mut body = self.body(question);
        let reply = match self.endpoint.ask(&body, question.until, cancel) {
            // Reasoning models reject `temperature` with this code.
            Err(JudgeError::Status { status: 400, code: Some(code) })
                if code.starts_with("unsupported_") && self.kind == JudgeKind::OpenAi =>
            {
                if let Some(body) = body.as_object_mut() {
                    body.remove("temperature");
                }
                self.endpoint.ask(&body, question.until, cancel)?
            }
            reply => reply?,
        };
        let answer = match self.kind {
            JudgeKind::OpenAi => openai_answer(&reply)?,
            JudgeKind::Anthropic => anthropic_answer(&reply)?,
        };
        prompt::read(answer, question.conditions.len())
    }
}

fn openai_answer(reply: &Value) -> Result<Value, JudgeError> {
    let choice = &reply["choices"][0];
    let refusal = choice["message"]["refusal"].as_str().unwrap_or_default();
    if !refusal.is_empty() || choice["finish_reason"] == "content_filter" {
        return Err(JudgeError::Refused);
    }
    if choice["finish_reason"] == "length" {
        return Err(malformed("it is truncated"));
    }
    let content = choice["message"]["content"].as_str().ok_or(malformed("no content"))?;
    serde_json::from_str(content.trim()).map_err(|_| malformed("content is not JSON"))
}

fn anthropic_answer(reply: &Value) -> Result<Value, JudgeError> {
    match reply["stop_reason"].as_str() {
        Some("refusal") => return Err(JudgeError::Refused),
        Some("max_tokens") => return Err(malformed("it is truncated")),
        _ => {}
    }
    let blocks = reply["content"].as_array().ok_or(malformed("no content"))?;
    let mut calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    match (calls.next(), calls.next()) {
        (Some(call), None) if call["name"] == prompt::ANSWER_NAME => Ok(call["input"].clone()),
        _ => Err(malformed("expected exactly one tool call")),
    }
}

fn malformed(reason: &'static str) -> JudgeError {
    JudgeError::Malformed { reason }
}

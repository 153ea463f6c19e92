//! OpenAI's chat completions protocol, which many others support, with a schema for the answer.

use super::http::Endpoint;
use super::{ApiKey, ConditionJudge, JudgeError, JudgeQuestion, prompt};
use crate::outcome::ConditionOutcome;
use kitbag_core::Cancel;
use serde_json::{Value, json};
use std::time::Duration;

/// A model behind an endpoint with OpenAI's protocol.
pub struct OpenAiJudge {
    name: String,
    model: String,
    endpoint: Endpoint,
}

impl OpenAiJudge {
    /// Creates a judge for a model at an address such as `http://localhost:11434/v1`.
    pub fn new(
        address: &str,
        model: &str,
        key: Option<ApiKey>,
        timeout: Duration,
    ) -> Result<Self, JudgeError> {
        let url = format!("{}/chat/completions", address.trim_end_matches('/'));
        let bearer = |key: &str| ("authorization", format!("Bearer {key}"));
        let endpoint = Endpoint::new(url, key, bearer, timeout)?;
        Ok(Self { name: format!("openai:{model}"), model: model.to_owned(), endpoint })
    }

    fn body(&self, question: JudgeQuestion<'_>) -> Value {
        json!({
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
        })
    }
}

impl ConditionJudge for OpenAiJudge {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> String {
        format!("openai {} {}", self.endpoint.url(), self.model)
    }

    fn judge(
        &self,
        question: JudgeQuestion<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ConditionOutcome>, JudgeError> {
        let mut body = self.body(question);
        let reply = match self.endpoint.ask(&body, cancel) {
            // Reasoning models reject `temperature` with this code.
            Err(JudgeError::Status { status: 400, code: Some(code) })
                if code.starts_with("unsupported_") =>
            {
                if let Some(body) = body.as_object_mut() {
                    body.remove("temperature");
                }
                self.endpoint.ask(&body, cancel)?
            }
            reply => reply?,
        };
        read(&reply, question.conditions.len())
    }
}

fn read(reply: &Value, count: usize) -> Result<Vec<ConditionOutcome>, JudgeError> {
    let malformed = |reason| JudgeError::Malformed { reason };
    let choice = &reply["choices"][0];
    let is_refusal = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    if is_refusal(&choice["message"]["refusal"]) || choice["finish_reason"] == "content_filter" {
        return Err(JudgeError::Refused);
    }
    if choice["finish_reason"] == "length" {
        return Err(malformed("it is truncated"));
    }
    let content = choice["message"]["content"].as_str().ok_or(malformed("it has no content"))?;
    let answer = serde_json::from_str(content.trim());
    prompt::read(answer.map_err(|_| malformed("its content is not JSON"))?, count)
}

//! Settings of rules and of the model that judges their conditions.

use crate::resolved::ResolvedConfig;
use serde::Deserialize;

/// The keys of `context.rules`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct RulesSettings {
    /// Treatment of rules whose condition is undecided.
    pub undecided: UndecidedPolicy,
    /// Order of the instructions of nested folders.
    pub order: RuleOrder,
}

/// Treatment of rules whose condition is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndecidedPolicy {
    /// List name and description, so that the reader of the pack can decide.
    #[default]
    List,
    /// Inject the rule.
    Inject,
}

/// Order of the instructions of nested folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOrder {
    /// From the root to the nearest folder.
    #[default]
    RootFirst,
    /// From the nearest folder to the root.
    LeafFirst,
}

/// Protocol of a judge's endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JudgeKind {
    /// Chat completions: OpenAI, Ollama, vLLM, llama.cpp, LM Studio and others.
    #[default]
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

impl JudgeKind {
    /// Returns the name used in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// Returns the address of the vendor's own endpoint.
    pub fn endpoint(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }
}

/// Settings of the model that judges conditions. Without a model, conditions are not judged.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct JudgeSettings {
    /// Address of the endpoint; by default the vendor's.
    pub endpoint: Option<String>,
    /// Protocol of the endpoint.
    pub kind: JudgeKind,
    /// Name of the model at the endpoint.
    pub model: Option<String>,
    /// Environment variable that holds the API key.
    pub key_env: Option<String>,
    /// Maximum duration of an answer in milliseconds, retries included.
    pub timeout_ms: u64,
}

impl Default for JudgeSettings {
    fn default() -> Self {
        ResolvedConfig::defaults().section("judge")
    }
}

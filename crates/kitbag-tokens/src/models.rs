//! Known models, with their tokenizers and context windows.

use crate::bpe::Vocabulary;
use crate::choice::TokenizerChoice;
use crate::estimate::Estimator;
use crate::suggestion::similar;

/// A model with a known context window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    /// Name used by its vendor. Dated and longer names match by this prefix.
    pub name: &'static str,
    /// Name of its counter, or `None` if its tokenizer is published but not built in.
    pub counter: Option<&'static str>,
    /// Size of its context window in tokens; the smallest if several models share the name.
    pub window: usize,
}

impl Model {
    /// Returns its built-in tokenizer.
    pub fn choice(&self) -> Result<TokenizerChoice, NeedsTokenizer> {
        self.counter.map(TokenizerChoice::Named).ok_or(NeedsTokenizer { name: self.name })
    }
}

/// Error for an unknown model name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model `{name}`")]
pub struct UnknownModel {
    /// The name as given.
    pub name: String,
    /// Known model with a similar name.
    pub similar: Option<&'static str>,
}

impl UnknownModel {
    /// Suggests a model with a similar name, or says how to do without one.
    pub fn hint(&self) -> String {
        match self.similar {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "omit the model, and set a budget and a tokenizer instead".to_owned(),
        }
    }
}

/// Error for a model whose tokenizer is published but not built in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tokenizer of `{name}` is not built in")]
pub struct NeedsTokenizer {
    /// Name of the model.
    pub name: &'static str,
}

impl NeedsTokenizer {
    /// Says how to provide the tokenizer.
    pub fn hint(&self) -> &'static str {
        "pass the `tokenizer.json` published with the model: --tokenizer PATH, or `model.tokenizer` \
         in the configuration"
    }
}

/// Returns all known models.
pub fn models() -> impl Iterator<Item = Model> {
    MODELS.iter().flat_map(|&(counter, window, names)| {
        names.split(' ').map(move |name| Model { name, counter, window })
    })
}

/// Finds a model by name. `gpt-4o` is also found as `gpt-4o-2024-11-20`, `openai/gpt-4o` or
/// `GPT-4o-mini`.
pub fn model(name: &str) -> Result<Model, UnknownModel> {
    let normalized = normalize(name);
    let matches = |model: &Model| {
        let rest = normalized.strip_prefix(model.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@']))
    };
    let unknown = || {
        let similar = similar(&normalized, models().map(|model| model.name));
        UnknownModel { name: name.to_owned(), similar }
    };
    models().filter(matches).max_by_key(|model| model.name.len()).ok_or_else(unknown)
}

/// Converts a name to the form used in the table: lowercase, without the vendor, and with one spelling
/// for names that have several (`llama3.1`, `meta-llama-3.1`, `claude-sonnet-4.5`).
fn normalize(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let name = name.rsplit('/').next().unwrap_or_default();
    let name = name.rsplit_once("anthropic.").map_or(name, |(_, name)| name);
    let name = name.strip_prefix("meta-").unwrap_or(name);
    if name.starts_with("claude") {
        return name.replace('.', "-");
    }
    match name.strip_prefix("llama") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => format!("llama-{rest}"),
        _ => name.to_owned(),
    }
}

const O200K: Option<&str> = Some(Vocabulary::O200kBase.name());
const CL100K: Option<&str> = Some(Vocabulary::Cl100kBase.name());
const CLAUDE: Option<&str> = Some(Estimator::Claude.name());
const CLAUDE_NEXT: Option<&str> = Some(Estimator::ClaudeNext.name());
const GEMINI: Option<&str> = Some(Estimator::Gemini.name());
/// Published as a `tokenizer.json`.
const FILE: Option<&str> = None;

/// Counter, context window and names of models.
const MODELS: &[(Option<&str>, usize, &str)] = &[
    (O200K, 400_000, "gpt-5 gpt-5.1 gpt-5.2 gpt-5.3 gpt-5.4 gpt-5.5"),
    (O200K, 128_000, "gpt-5-chat gpt-5.1-chat gpt-5.2-chat gpt-4.5 gpt-4o chatgpt-4o"),
    (O200K, 131_072, "gpt-oss"),
    (O200K, 1_047_576, "gpt-4.1"),
    (O200K, 200_000, "o1 o3 o4-mini codex-mini"),
    (O200K, 128_000, "o1-mini o1-preview"),
    (CL100K, 128_000, "gpt-4-turbo"),
    (CL100K, 32_768, "gpt-4-32k"),
    (CL100K, 8_192, "gpt-4"),
    (CL100K, 16_385, "gpt-3.5-turbo gpt-3.5"),
    (CLAUDE, 200_000, "claude-3 claude-opus-4 claude-sonnet-4 claude-haiku-4"),
    (CLAUDE_NEXT, 1_000_000, "claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-sonnet-5"),
    (CLAUDE_NEXT, 200_000, "claude-haiku-5"),
    (CLAUDE_NEXT, 1_000_000, "claude-fable-5"),
    (GEMINI, 2_097_152, "gemini-1.5-pro"),
    (
        GEMINI,
        1_048_576,
        "gemini-1.5 gemini-2.0 gemini-2.5 gemini-3 gemini-3.1 gemini-3.5 gemini-3.6",
    ),
    (GEMINI, 1_000_000, "gemini-3.8"),
    (FILE, 8_192, "gemma-2"),
    (FILE, 32_768, "gemma-3"),
    (FILE, 4_096, "llama-2"),
    (FILE, 16_384, "codellama"),
    (FILE, 8_192, "llama-3"),
    (FILE, 131_072, "llama-3.1 llama-3.2 llama-3.3"),
    (FILE, 1_048_576, "llama-4"),
    (FILE, 32_768, "qwen2 qwen2.5 qwen3 qwq"),
    (FILE, 262_144, "qwen3-coder qwen3.5"),
    (FILE, 131_072, "deepseek-chat deepseek-reasoner deepseek-coder-v2 deepseek-v3 deepseek-v3.1"),
    (FILE, 131_072, "deepseek-v3.2 deepseek-r1"),
    (FILE, 16_384, "deepseek-coder"),
    (FILE, 8_192, "mistral-7b"),
    (FILE, 32_768, "mistral-small mixtral codestral"),
    (
        FILE,
        131_072,
        "mistral-medium mistral-large mistral-nemo open-mistral-nemo devstral ministral",
    ),
    (FILE, 40_960, "magistral"),
    (FILE, 16_384, "starcoder2 phi-4"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str, counter: Option<&str>) {
        let found = model(name);
        assert_eq!(found.as_ref().map(|it| it.name), Ok(expected), "{name}");
        assert_eq!(found.map(|it| it.counter), Ok(counter), "{name}");
    }

    // Shows: FR-016-74, AC-046
    #[test]
    fn dated_and_sized_names_match_their_family() {
        check("gpt-4o", "gpt-4o", O200K);
        check("gpt-4o-mini", "gpt-4o", O200K);
        check("gpt-4-turbo-2024-04-09", "gpt-4-turbo", CL100K);
        check("gpt-4-0613", "gpt-4", CL100K);
        check("gpt-4.1-nano", "gpt-4.1", O200K);
        check("gpt-5.1-codex", "gpt-5.1", O200K);
        check("o3-pro", "o3", O200K);
        check("claude-3-5-sonnet-20241022", "claude-3", CLAUDE);
        check("claude-sonnet-4-5-20250929", "claude-sonnet-4", CLAUDE);
        check("claude-opus-4-7", "claude-opus-4-7", CLAUDE_NEXT);
        check("claude-opus-5-5", "claude-opus-5", CLAUDE_NEXT);
        check("gemini-2.5-flash-lite", "gemini-2.5", GEMINI);
        check("gemini-3-pro-preview", "gemini-3", GEMINI);
    }

    #[test]
    fn alternative_spellings_are_recognized() {
        check("openai/gpt-4o", "gpt-4o", O200K);
        check("anthropic/claude-sonnet-4.5", "claude-sonnet-4", CLAUDE);
        check("us.anthropic.claude-opus-4-7-v1:0", "claude-opus-4-7", CLAUDE_NEXT);
        check("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1", FILE);
        check("llama3.1:8b", "llama-3.1", FILE);
        check("Qwen/Qwen2.5-Coder-32B-Instruct", "qwen2.5", FILE);
        check("deepseek-ai/DeepSeek-V3", "deepseek-v3", FILE);
        check("codestral-latest", "codestral", FILE);
    }

    #[test]
    fn unknown_model_suggests_a_similar_one() {
        for (wrong, similar) in [
            ("gpt4o", "gpt-4o"),
            ("gpt-4p", "gpt-4"),
            ("claude-sonet-4", "claude-sonnet-4"),
            ("gemini-2.9", "gemini-2.0"),
            ("llama-5", "llama-2"),
        ] {
            let error = model(wrong).expect_err("not a name");
            assert_eq!((error.name.as_str(), error.similar), (wrong, Some(similar)));
        }
        let error = model("foo").expect_err("not a name");
        assert_eq!(error.similar, None);
        assert!(!error.hint().contains("did you mean"), "{}", error.hint());
    }

    #[test]
    fn model_without_a_built_in_tokenizer_says_how_to_provide_one() {
        let qwen = model("qwen3-8b").expect("known");
        let error = qwen.choice().expect_err("it needs a file");
        assert_eq!(error.to_string(), "the tokenizer of `qwen3` is not built in");
        assert!(error.hint().contains("--tokenizer PATH"));
    }

    #[test]
    fn every_counter_is_built_in() {
        for model in models() {
            let known = |name: &str| TokenizerChoice::names().any(|other| other == name);
            assert!(model.counter.is_none_or(known), "{}", model.name);
            assert!(model.window >= 4_096, "{}", model.name);
        }
    }
}

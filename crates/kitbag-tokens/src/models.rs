//! Which tokenizer a model wants, and how large its window is.

use crate::{Choice, Family, Vocabulary};

/// A model that Kitbag knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    /// Its name, as its provider writes it. Dated and longer names match by this prefix.
    pub name: &'static str,
    /// The name of its counter; nothing where its tokenizer is published, but not built in.
    pub counter: Option<&'static str>,
    /// The tokens of its context window; the smallest of those that the name stands for.
    pub window: usize,
}

impl Model {
    /// The tokenizer that is built in for it.
    pub fn choice(&self) -> Result<Choice, NeedsTokenizer> {
        self.counter.map(Choice::Named).ok_or(NeedsTokenizer { name: self.name })
    }
}

/// No model of that name is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model `{name}`")]
pub struct UnknownModel {
    /// What was asked for.
    pub name: String,
    /// The known model whose name is nearest.
    pub nearest: &'static str,
}

/// The model's tokenizer is public, but not built in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tokenizer of `{name}` is not built in")]
pub struct NeedsTokenizer {
    /// The model.
    pub name: &'static str,
}

impl NeedsTokenizer {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        "give the `tokenizer.json` that it is published with: --tokenizer PATH, or `model.tokenizer` \
         in the configuration"
    }
}

/// Every model that is known by name.
pub fn models() -> &'static [Model] {
    MODELS
}

/// The model of that name: `gpt-4o`, and `gpt-4o-2024-11-20`, `openai/gpt-4o` or `GPT-4o-mini` as
/// well.
pub fn model(name: &str) -> Result<Model, UnknownModel> {
    let plain = plain(name);
    let belongs = |model: &&Model| {
        plain
            .strip_prefix(model.name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@']))
    };
    MODELS
        .iter()
        .filter(belongs)
        .max_by_key(|model| model.name.len())
        .copied()
        .ok_or_else(|| UnknownModel { name: name.to_owned(), nearest: nearest(&plain) })
}

/// A name as the table has it: without whom it is from, in small letters, and where people write it
/// in several ways (`llama3.1`, `meta-llama-3.1`, `claude-sonnet-4.5`), in one.
fn plain(name: &str) -> String {
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

fn nearest(name: &str) -> &'static str {
    let distance = |model: &&Model| strsim::damerau_levenshtein(name, model.name);
    MODELS.iter().min_by_key(distance).map_or("", |model| model.name)
}

const O200K: Option<&str> = Some(Vocabulary::O200kBase.name());
const CL100K: Option<&str> = Some(Vocabulary::Cl100kBase.name());
const CLAUDE: Option<&str> = Some(Family::Claude.name());
const CLAUDE_NEXT: Option<&str> = Some(Family::ClaudeNext.name());
const GEMINI: Option<&str> = Some(Family::Gemini.name());
/// Its tokenizer is published as a `tokenizer.json`.
const FILE: Option<&str> = None;

const fn of(name: &'static str, counter: Option<&'static str>, window: usize) -> Model {
    Model { name, counter, window }
}

const MODELS: &[Model] = &[
    of("gpt-5", O200K, 400_000),
    of("gpt-5-chat", O200K, 128_000),
    of("gpt-5.1", O200K, 400_000),
    of("gpt-5.1-chat", O200K, 128_000),
    of("gpt-5.2", O200K, 400_000),
    of("gpt-5.2-chat", O200K, 128_000),
    of("gpt-5.3", O200K, 400_000),
    of("gpt-5.4", O200K, 400_000),
    of("gpt-5.5", O200K, 400_000),
    of("gpt-oss", O200K, 131_072),
    of("gpt-4.5", O200K, 128_000),
    of("gpt-4.1", O200K, 1_047_576),
    of("gpt-4o", O200K, 128_000),
    of("chatgpt-4o", O200K, 128_000),
    of("gpt-4-turbo", CL100K, 128_000),
    of("gpt-4-32k", CL100K, 32_768),
    of("gpt-4", CL100K, 8_192),
    of("gpt-3.5-turbo", CL100K, 16_385),
    of("gpt-3.5", CL100K, 16_385),
    of("o1", O200K, 200_000),
    of("o1-mini", O200K, 128_000),
    of("o1-preview", O200K, 128_000),
    of("o3", O200K, 200_000),
    of("o4-mini", O200K, 200_000),
    of("codex-mini", O200K, 200_000),
    of("claude-3", CLAUDE, 200_000),
    of("claude-opus-4", CLAUDE, 200_000),
    of("claude-sonnet-4", CLAUDE, 200_000),
    of("claude-haiku-4", CLAUDE, 200_000),
    of("claude-opus-4-7", CLAUDE_NEXT, 1_000_000),
    of("claude-opus-4-8", CLAUDE_NEXT, 1_000_000),
    of("claude-opus-5", CLAUDE_NEXT, 1_000_000),
    of("claude-sonnet-5", CLAUDE_NEXT, 1_000_000),
    of("claude-haiku-5", CLAUDE_NEXT, 200_000),
    of("claude-fable-5", CLAUDE_NEXT, 1_000_000),
    of("gemini-1.5-pro", GEMINI, 2_097_152),
    of("gemini-1.5", GEMINI, 1_048_576),
    of("gemini-2.0", GEMINI, 1_048_576),
    of("gemini-2.5", GEMINI, 1_048_576),
    of("gemini-3", GEMINI, 1_048_576),
    of("gemini-3.1", GEMINI, 1_048_576),
    of("gemini-3.5", GEMINI, 1_048_576),
    of("gemini-3.6", GEMINI, 1_048_576),
    of("gemini-3.8", GEMINI, 1_000_000),
    of("gemma-2", FILE, 8_192),
    of("gemma-3", FILE, 32_768),
    of("llama-2", FILE, 4_096),
    of("codellama", FILE, 16_384),
    of("llama-3", FILE, 8_192),
    of("llama-3.1", FILE, 131_072),
    of("llama-3.2", FILE, 131_072),
    of("llama-3.3", FILE, 131_072),
    of("llama-4", FILE, 1_048_576),
    of("qwen2", FILE, 32_768),
    of("qwen2.5", FILE, 32_768),
    of("qwen3", FILE, 32_768),
    of("qwen3-coder", FILE, 262_144),
    of("qwen3.5", FILE, 262_144),
    of("qwq", FILE, 32_768),
    of("deepseek-chat", FILE, 131_072),
    of("deepseek-reasoner", FILE, 131_072),
    of("deepseek-coder", FILE, 16_384),
    of("deepseek-coder-v2", FILE, 131_072),
    of("deepseek-v3", FILE, 131_072),
    of("deepseek-v3.1", FILE, 131_072),
    of("deepseek-v3.2", FILE, 131_072),
    of("deepseek-r1", FILE, 131_072),
    of("mistral-7b", FILE, 8_192),
    of("mistral-small", FILE, 32_768),
    of("mistral-medium", FILE, 131_072),
    of("mistral-large", FILE, 131_072),
    of("mistral-nemo", FILE, 131_072),
    of("open-mistral-nemo", FILE, 131_072),
    of("mixtral", FILE, 32_768),
    of("codestral", FILE, 32_768),
    of("devstral", FILE, 131_072),
    of("magistral", FILE, 40_960),
    of("ministral", FILE, 131_072),
    of("starcoder2", FILE, 16_384),
    of("phi-4", FILE, 16_384),
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
    fn dated_and_sized_names_find_their_family() {
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
    fn names_are_known_however_they_are_written() {
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
    fn an_unknown_model_names_the_nearest() {
        for (wrong, nearest) in [
            ("gpt4o", "gpt-4o"),
            ("gpt-4p", "gpt-4o"),
            ("claude-sonet-4", "claude-sonnet-4"),
            ("gemini-2.9", "gemini-2.0"),
            ("llama-5", "llama-2"),
        ] {
            let error = model(wrong).expect_err("not a name");
            assert_eq!((error.name.as_str(), error.nearest), (wrong, nearest));
        }
    }

    #[test]
    fn a_model_without_a_built_in_tokenizer_says_what_it_needs() {
        let qwen = model("qwen3-8b").expect("known");
        let error = qwen.choice().expect_err("it needs a file");
        assert_eq!(error.to_string(), "the tokenizer of `qwen3` is not built in");
        assert!(error.hint().contains("--tokenizer PATH"));
    }

    #[test]
    fn every_counter_is_built_in() {
        for model in models() {
            let known = |name: &str| Choice::names().any(|other| other == name);
            assert!(model.counter.is_none_or(known), "{}", model.name);
            assert!(model.window >= 4_096, "{}", model.name);
        }
    }
}

//! The settings of what is around a pack: the model, the judge, safety, logs, the server.

use super::Setting;
use crate::config::value::Shape::{Choice, Flag, List, Text, Tokens, Whole};

/// How much is logged.
const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

pub(super) const SETTINGS: &[Setting] = settings! {
    /// The model that reads the packs, where none is named with `--model`: it decides how tokens are
    /// counted, and how large the window is.
    "model.name": Text, "null", "gpt-4";
    /// How tokens are counted, whatever `model.name` says: exactly by a vocabulary that is built in or
    /// by a `tokenizer.json`, given by its path, or estimated. Only the user may name a file.
    "model.tokenizer": Text, "null", "cl100k_base";
    /// The tokens of the model's window, where it is not the one that is known for its name.
    "model.window": Tokens(1, 1_000_000_000), "null", "32000";

    /// The address of the endpoint; by default that of the protocol's maker.
    "judge.endpoint": Text, "null", "http://localhost:11434/v1", UserOnly;
    /// Whose protocol the endpoint speaks: OpenAI's, which Ollama, vLLM, llama.cpp and LM Studio
    /// speak too, or Anthropic's.
    "judge.kind": Choice(&["openai", "anthropic"]), "openai", "anthropic", UserOnly;
    /// The model's name at the endpoint. Without it nobody judges conditions.
    "judge.model": Text, "null", "qwen3", UserOnly;
    /// The environment variable that holds the key. It is never a repository's to name.
    "judge.key_env": Text, "null", "OPENAI_API_KEY", UserOnly;
    /// How many milliseconds an answer may take, with all that is tried again.
    "judge.timeout_ms": Whole(1, 600_000), "10000", "3000", UserOnly;

    /// Patterns of paths that are never read, beside those that are built in. In a pattern `*`, `?` and
    /// `[0-9]` stand for characters of a name, `{a,b}` for either, and `**` for any folders; case is
    /// ignored. It denies what it matches at any depth, and all that is in it; after `./` at the
    /// root of the repository alone, after `/` there and at that of the file system. A pattern that
    /// cannot be understood is an error, and so is `!`: what one denies, no other allows.
    "security.deny": List, "[]", "[*.secret, vault/**]";
    /// Whether secrets inside files are replaced with a marker. A repository may switch it on; that it
    /// switches it off holds only where the user trusts it.
    "security.redact": Flag, "true", "false";

    /// How much of the packing is logged, on standard error. Commands that end by themselves tell their
    /// warnings anyway, and log only where this is set, or with `-v`.
    "logging.context_packer": Choice(LEVELS), "warn", "debug";
    /// How logs are written.
    "logging.format": Choice(&["text", "json"]), "text", "json";

    /// The address that the server listens on.
    "server.listen": Text, "127.0.0.1:7420", "127.0.0.1:8080", UserOnly;
    /// The environment variable that holds the token which requests must carry. Without a token the
    /// server listens on the loopback only.
    "server.token_env": Text, "null", "KITBAG_TOKEN", UserOnly;
    /// The most bytes that a request may have.
    "server.limits.request_bytes": Whole(1_024, 1_073_741_824), "16777216", "1048576", UserOnly;
    /// How many requests are worked on at the same time.
    "server.limits.concurrency": Whole(1, 10_000), "16", "4", UserOnly;
    /// How many more may wait for that; others are asked to come back later.
    "server.limits.queue": Whole(0, 100_000), "128", "16", UserOnly;
    /// How many milliseconds a request may take, waiting included.
    "server.limits.timeout_ms": Whole(1, 3_600_000), "60000", "10000", UserOnly;
};

//! Settings outside the pack: the model, the judge, the store, security, logging and the server.

use super::Setting;
use crate::value::ValueType::{Bool, Choice, Integer, List, Text, Tokens};

/// Log levels.
const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

pub(super) const SETTINGS: &[Setting] = settings! {
    /// Model that reads the packs, unless `--model` names one. It determines the tokenizer and the size
    /// of the window.
    "model.name": Text, "null", "gpt-4";
    /// Tokenizer, overriding that of `model.name`: a built-in vocabulary, the path of a `tokenizer.json`,
    /// or an estimator. Only the user can set a path.
    "model.tokenizer": Text, "null", "cl100k_base";
    /// Size of the model's window in tokens, overriding the known size.
    "model.window": Tokens(1, 1_000_000_000), "null", "32000";

    /// Address of the endpoint; by default the vendor's.
    "judge.endpoint": Text, "null", "http://localhost:11434/v1";
    /// Protocol of the endpoint: that of OpenAI, which Ollama, vLLM, llama.cpp and LM Studio support too,
    /// or that of Anthropic.
    "judge.kind": Choice(&["openai", "anthropic"]), "openai", "anthropic";
    /// Name of the model at the endpoint. Without it, conditions are not judged.
    "judge.model": Text, "null", "qwen3";
    /// Environment variable that holds the API key. A repository can never set it.
    "judge.key_env": Text, "null", "OPENAI_API_KEY", UserOnly;
    /// Time limit for an answer in milliseconds, retries included.
    "judge.timeout_ms": Integer(1, 600_000), "10000", "3000";

    /// Object store that shares the index: `s3://bucket/prefix`, `gs://`, `az://` or `file:///path`. A pack
    /// takes from it what others have analyzed already. A repository can never set it.
    "store.url": Text, "null", "s3://bucket/kitbag", UserOnly;
    /// Add to the store what a pack had to analyze, as in continuous integration.
    "store.write": Bool, "false", "true", UserOnly;
    /// File with the key of an encrypted store: 64 hexadecimal digits.
    "store.key_file": Text, "null", "/etc/kitbag/store.key", UserOnly;
    /// Environment variable with the key of an encrypted store, instead of `store.key_file`.
    "store.key_env": Text, "null", "STORE_KEY", UserOnly;
    /// Time that a pack may spend on reading from the store, and again on writing to it, in milliseconds.
    "store.timeout_ms": Integer(100, 600_000), "5000", "2000", UserOnly;

    /// Patterns of paths that are never read, in addition to the built-in ones. `*`, `?` and `[0-9]` match
    /// characters of a name, `{a,b}` either alternative, and `**` any folders; case is ignored. A
    /// pattern denies what it matches at any depth, and everything below. It is anchored to the root of
    /// the repository by a leading `./`, and to that root and the root of the file system by a leading
    /// `/`. Invalid patterns are errors, and so is `!`: no pattern can allow what another denies.
    "security.deny": List, "[]", "[*.secret, vault/**]", Free;
    /// Replace secrets in files by a marker. A repository can enable it; it can disable it only if the
    /// user trusts it.
    "security.redact": Bool, "true", "false", Enable;

    /// Level of logs about packing, on standard error. Short-lived commands always print their
    /// warnings, and log only if this is set, or with `-v`.
    "logging.context_packer": Choice(LEVELS), "warn", "debug";
    /// Format of log lines.
    "logging.format": Choice(&["text", "json"]), "text", "json";

    /// Address that the server listens on.
    "server.listen": Text, "127.0.0.1:7420", "127.0.0.1:8080", UserOnly;
    /// Environment variable that holds the token requests must carry. Without a token, the server listens
    /// on the loopback interface only.
    "server.token_env": Text, "null", "KITBAG_TOKEN", UserOnly;
    /// Further tokens, each for some of the repositories: the name of an environment variable that holds a token,
    /// and the names of repositories, in which `*` stands for any characters of one part. A request with such
    /// a token sees no other repository: not in lists, searches and errors, and not in what other tokens pack.
    "server.tokens": List, "[]", "[TEAM_TOKEN=acme/* tools/lint]", UserOnly;
    /// Time in milliseconds for which a server that was asked to stop still accepts requests, while `/readyz` has
    /// load balancers send them elsewhere.
    "server.drain_ms": Integer(0, 600_000), "0", "15000", UserOnly;
    /// Maximum size of a request, in bytes.
    "server.limits.request_bytes": Integer(1_024, 1_073_741_824), "16777216", "1048576", UserOnly;
    /// Maximum number of requests that are handled concurrently.
    "server.limits.concurrency": Integer(1, 10_000), "16", "4", UserOnly;
    /// Maximum number of requests that wait. Further requests are rejected with the advice to retry later.
    "server.limits.queue": Integer(0, 100_000), "128", "16", UserOnly;
    /// Time limit for a request in milliseconds, waiting included.
    "server.limits.timeout_ms": Integer(1, 3_600_000), "60000", "10000", UserOnly;
};

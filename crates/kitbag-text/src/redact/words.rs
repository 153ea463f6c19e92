//! Words in values that are not secret: placeholders, examples and technical terms.

use super::heuristics::{has_word, is_wordy, leet};
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Words that do not occur in real tokens. All have at least four letters, so that random tokens rarely
/// contain one. The last two are the key of the Azure storage emulator and `password` in base64.
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "example", "placeholder", "redacted", "xxxx", "your", "dummy", "changeme", "change-me",
    "change_me", "insert", "replace", "sample", "fake", "deadbeef", "0000000000", "notreal",
    "eby8vdm02xnocqflquwjpllmetlcdxj1", "cgfzc3dvcmq",
];

/// Words in invented values, for rules that rely on the name alone.
#[rustfmt::skip]
pub(super) const INVENTED_WORDS: &[&str] = &[
    "test", "secret", "passw", "passphrase", "pwd", "token", "mock", "demo", "default", "admin",
    "qwerty", "letmein", "hello", "user", "login", "value", "string", "foo", "bar", "baz", "key",
    "todo", "none", "null", "true", "undefined", "welcome", "hunter", "swordfish", "monkey",
    "dragon", "abc123", "1234", "ipsum", "stub", "anonymous", "guest", "private", "public", "world",
    "other", "should", "correct", "wrong", "valid", "change", "client", "connect", "require", "encrypt",
    "protect", "missing", "empty", "plain", "hidden", "random", "generat", "unknown", "thing", "whatever",
    "cassandra", "postgres", "mongo", "mysql", "rabbitmq", "elastic", "oracle", "mariadb", "influx", "grafana",
    "minio", "keycloak", "homestead", "wordpress", "jenkins", "nextcloud", "kubernetes", "docker", "storageos",
    "ansible", "django", "laravel", "symfony", "spring", "database", "mandatory", "forbidden", "optional",
    "server", "service", "local", "account", "credential", "sesame", "forgot", "disable", "enable",
    "boolean", "object", "number", "array", "function", "integer", "config", "setting", "system", "manager",
    "confirm", "update", "reset", "create", "delete", "remove", "param", "field", "input", "output", "result",
    "check", "verify", "match", "wordlist", "interactive", "prompt", "required", "external", "internal",
];

static PLACEHOLDER_AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(PLACEHOLDERS));
static INVENTED_AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(INVENTED_WORDS));

/// Builds an automaton for words in any case. A loop over a long list is slow for texts that are full of passwords.
pub(super) fn automaton(words: &[&str]) -> AhoCorasick {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(words)
        .expect("a few hundred short words make a small automaton")
}

/// Whether a value contains a placeholder.
pub(super) fn has_placeholder(value: &str) -> bool {
    PLACEHOLDER_AUTOMATON.is_match(value)
}

/// Whether a value contains a word of invented values.
pub(super) fn has_invented_word(value: &str) -> bool {
    INVENTED_AUTOMATON.is_match(value)
}

/// Passwords of examples and local services in URLs.
#[rustfmt::skip]
pub(super) const WEAK_PASSWORDS: &[&str] = &[
    "pw", "pwd", "root", "postgres", "mysql", "mongo", "redis", "rabbitmq", "guest", "admin",
    "user", "username", "foo", "bar", "baz", "token", "key", "apikey", "credentials", "port",
    "host", "dev", "local", "docker",
];

/// Words in passwords that were invented for examples.
pub(super) const EXAMPLE_WORDS: &[&str] = &["pass", "secret", "test", "1234"];

/// Words that are combined with [`EXAMPLE_WORDS`] in such passwords, longest first.
#[rustfmt::skip]
pub(super) const FILLER_WORDS: &[&str] = &[
    "postgres", "database", "password", "rabbitmq", "invalid", "access", "secure", "strong", "simple",
    "service", "valid", "wrong", "correct", "another",
    "admin", "mysql", "mongo", "redis", "super", "local", "wd", "word", "phrase", "root", "user",
    "very", "some", "here", "your", "test", "this", "host", "name", "code", "prod", "key", "the", "top", "new",
    "old", "bad", "dev", "app", "abc", "aws", "123", "foo", "bar", "ing", "me", "my", "is", "db", "pw",
];

/// Words in tokens that were invented for examples. All have at least four letters, so that random tokens rarely
/// contain one.
pub(super) const TOKEN_EXAMPLE_WORDS: &[&str] =
    &["test", "insecure", "secret", "passw", "token", "value", "string"];

/// Technical words with digits, which do not make a value a password.
#[rustfmt::skip]
pub(super) const TECHNICAL_WORDS: &[&str] = &[
    "curve25519", "ed25519", "x25519", "sha256", "sha384", "sha512", "sha224", "sha1", "sha2", "sha3", "md5",
    "base64", "base32", "base58", "utf8", "utf16", "utf-8", "int8", "int16", "int32", "int64", "uint8",
    "float32", "float64", "x509", "oauth2", "oauth1", "argon2id", "argon2", "bcrypt12", "pbkdf2", "rs256",
    "hs256", "hs512", "es256", "aes256", "aes128", "aes-256", "aes-128", "http2", "http1", "ipv4", "ipv6",
    "p256", "k8s", "s3", "ec2", "kv2", "kv1", "v1", "v2", "v3", "v4", "b64", "i18n", "l10n", "a11y", "pkcs12",
    "pkcs8", "pkcs1", "p12", "auth0", "log4j", "h2", "db2", "saml2", "smb2", "secp256k1", "iso8859", "latin1",
    "ascii85", "crc32", "neo4j", "2fa", "mp3", "mp4", "es6", "html5", "win32", "x86", "x64", "amd64", "arm64",
];

/// Whether a password is invented: it consists almost entirely of words such as `pass` and `test`, possibly
/// spelled with digits and followed by a number, or of lowercase words that include one of them.
pub(super) fn is_invented(value: &str) -> bool {
    let spelled = leet(value);
    let is_lowercase = !spelled.bytes().any(|it| it.is_ascii_digit())
        && !value.bytes().any(|it| it.is_ascii_uppercase());
    // `p@ssage` is a word of its own, unlike `p@ssw0rd`.
    let is_spelled = value.contains(['@', '$']) && {
        let words = FILLER_WORDS.iter().chain(EXAMPLE_WORDS);
        let rest = words.fold(spelled.clone(), |rest, word| rest.replace(word, ""));
        rest.bytes().filter(u8::is_ascii_alphabetic).count() >= 3
    };
    if is_lowercase && !is_spelled && has_word(&spelled, EXAMPLE_WORDS) && is_wordy(&spelled) {
        return true;
    }
    let stem = value.trim_end_matches(|it: char| it.is_ascii_digit() || it.is_ascii_punctuation());
    let spellings = [leet(stem), stem.to_ascii_lowercase(), value.to_ascii_lowercase()];
    value.len() - stem.len() <= 6 && spellings.iter().any(|spelling| consists_of_words(spelling))
}

/// Whether few letters and digits remain after removing all known words.
pub(super) fn consists_of_words(lower: &str) -> bool {
    if !EXAMPLE_WORDS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let words = FILLER_WORDS.iter().chain(EXAMPLE_WORDS);
    let rest = words.fold(lower.to_owned(), |rest, word| rest.replace(word, " "));
    let count = |matches: fn(&u8) -> bool| rest.bytes().filter(matches).count();
    count(u8::is_ascii_alphabetic) <= 2 && count(u8::is_ascii_digit) <= 4
}

//! Words of names, by what they say about the value.

/// Words for passwords.
#[rustfmt::skip]
pub(super) const PASSWORD_WORDS: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "pswd", "psk",
    "passwort", "masterauth", "bindpw", "rootpw", "passw", "passe", "mdp", "kennwort", "senha", "contrasena",
    "wachtwoord", "haslo", "heslo", "authtok",
];
pub(super) const PASSWORD_ENDINGS: &[&str] =
    &["password", "passwd", "passphrase", "passcode", "pwd", "pass"];

/// Words that end like a password but are none.
#[rustfmt::skip]
pub(super) const OTHER_WORDS: &[&str] = &[
    "bypass", "compass", "encompass", "surpass", "trespass", "overpass", "underpass", "onepass",
    "multipass", "singlepass", "firstpass", "lastpass", "pypass", "oldpwd", "getpass",
];

#[rustfmt::skip]
pub(super) const TOKEN_ENDINGS: &[&str] = &[
    "token", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "signingkey",
    "encryptionkey", "masterkey", "sessionkey", "aeskey", "hmackey",
];
#[rustfmt::skip]
pub(super) const TOKEN_WORDS: &[&str] = &[
    "credential", "credentials", "creds", "cred", "tokens", "secrets", "passwords", "apikeys",
    "pat", "keypass",
];
pub(super) const AMBIGUOUS_WORDS: &[&str] = &[
    "key",
    "keys",
    "auth",
    "login",
    "salt",
    "session",
    "sessionid",
    "sessid",
    "sid",
    "cookie",
    "seed",
    "hmac",
    "phpsessid",
    "jsessionid",
    "sess",
    "fernet",
];

/// Words before `key` that make it a secret.
#[rustfmt::skip]
pub(super) const SECRET_KEY_WORDS: &[&str] = &[
    "api", "access", "secret", "private", "priv", "auth", "authorization", "account",
    "encryption", "encrypt", "encrypted", "signing", "sign", "signature", "app", "application",
    "license", "licence", "master", "session", "hmac", "aes", "jwt", "jws", "ssh", "deploy",
    "service", "client", "storage", "shared", "preshared", "crypto", "cipher", "symmetric",
    "fernet", "decryption", "decrypt", "validation", "server", "consumer", "webhook",
    "integration", "write", "admin", "root", "cookie", "ssl", "tls", "rsa", "wallet", "deployer",
    "security", "secure", "sas", "unseal", "recovery", "function", "host", "subscription",
    "pre-shared", "psk", "nonce", "logged", "ingest", "gateway",
];

/// Words before `key` and other ambiguous words that make it harmless.
#[rustfmt::skip]
pub(super) const HARMLESS_KEY_WORDS: &[&str] = &[
    "public", "pub", "publishable", "primary", "foreign", "sort", "partition", "cache",
    "idempotency", "feature", "flag", "event", "map", "index", "row", "object", "query", "dict",
    "hash", "group", "route", "hot", "short", "translation", "message", "label", "lookup",
    "unique", "composite", "search", "config", "i18n", "local", "host", "known", "site", "anon",
    "peer", "verify", "verification", "verifying", "trusted", "etag", "image", "file", "content",
    "cursor", "page", "websocket", "customer", "product", "order", "item", "user", "employee",
    "member", "tenant", "entity", "record", "metric", "accept", "socket", "authenticity",
];

/// Words anywhere in a name that make its value harmless.
#[rustfmt::skip]
pub(super) const HARMLESS_WORDS: &[&str] = &[
    "public", "publishable", "csrf", "xsrf", "encrypted", "masked", "redacted", "example",
    "sample", "dummy", "fake", "mock", "mocked", "test", "testing", "invalid", "not", "empty", "checksum",
    "integrity", "sha", "sha1", "sha256", "sha512", "md5", "digest", "hash", "hashed", "error",
    "label", "placeholder", "hint", "i18n", "title", "max", "min", "tokenizer", "tokenize",
    "expected", "fingerprint", "continuation", "cancellation", "authenticity", "message", "msg",
    "prompt", "class", "css", "icon",
];

/// Words that, at the end of a name, make its value harmless.
#[rustfmt::skip]
pub(super) const HARMLESS_ENDS: &[&str] = &[
    "url", "uri", "endpoint", "path", "file", "filename", "folder", "dir", "directory", "name",
    "type", "field", "regex", "regexp", "pattern", "help", "length", "len", "size", "count",
    "limit", "maximum", "minimum", "expires", "expiry", "expiration", "ttl", "age", "header",
    "headers", "param", "params", "parameter", "selector", "kind", "format", "column", "symbol",
    "address", "contract", "version", "revision", "commit", "uuid", "guid", "mask", "text",
    "desc", "description", "algorithm", "alg", "algo", "source", "policy", "arn", "id", "ids",
    "ref", "reference", "backend", "store", "helper", "method", "mode", "provider", "rotation",
    "days", "reset", "encoder", "encoding", "hasher", "hashers", "hashing", "validator",
    "validators", "strength", "required", "enabled", "disabled", "button", "input", "dialog",
    "page", "form", "view", "screen", "template", "event", "action", "kdf", "plugin", "rules",
    "rule", "manager", "service", "handler", "factory", "generator", "level", "scope", "scopes",
    "prefix", "suffix", "index", "position", "pos", "start", "end", "line", "stream", "list",
    "set", "map", "table", "property", "properties", "attribute", "attr", "option", "options",
    "usage", "change", "changed", "expired", "callback", "function", "func", "fn", "req",
    "request", "response", "res", "status", "state", "code", "codes", "exception", "issuer",
    "audience", "subject", "claims", "claim", "lifetime", "timeout", "interval", "duration",
    "time", "at", "date", "user", "username", "email", "link", "route", "domain", "host", "port",
    "server", "api", "model", "entity", "dto", "ring", "pair", "bits", "vault", "chain", "word",
    "words", "down", "up", "press", "frame", "frames", "board", "stroke", "strokes", "binding",
    "bindings", "accessor", "comment", "note",
];

/// Words that may follow the word that decides.
#[rustfmt::skip]
pub(super) const TRAILING_WORDS: &[&str] = &[
    "prod", "production", "dev", "development", "staging", "stage", "live", "base", "pem", "hex",
    "b64", "base64", "raw", "plain", "plaintext", "value", "default", "new", "old", "current",
    "bytes", "str", "string", "data", "primary", "secondary", "main", "json", "v1", "v2", "v3",
    "v4", "env", "confirmation", "literal", "const", "root", "admin", "internal", "external",
];

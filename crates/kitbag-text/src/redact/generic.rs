//! Rules for secrets recognizable by their context: tokens in headers, passwords in URLs, and values
//! assigned to names such as `password` and `api_key`.

use super::candidate::SecretCandidate;
use super::guard;
use super::rule::{SecretRule, rule};

/// The rest of a name and the text between it and the value: a closing quote or bracket, a type, and an
/// assignment operator.
macro_rules! assignment {
    () => {
        concat!(
            r#"[A-Za-z0-9_.-]{3,48}["'`\])]{0,3}[ \t]{0,16}"#,
            r#"(?::[ \t]{0,4}[A-Za-z&'<>\[\]]{1,24}[ \t]{1,4}=|:=|=>|\?=|\+?=|:|,|\(|>)[ \t]{0,16}"#,
        )
    };
}

/// A quoted value without spaces, quotes or backslashes, with an optional string prefix.
macro_rules! quoted {
    ($min_length:literal) => {
        concat!(
            assignment!(),
            r#"(?:[A-Za-z]{1,2}|@|\()?["'`]([!#-&(-\[\]-_a-~]{"#,
            $min_length,
            r#",})["'`]"#
        )
    };
}

/// An unquoted value.
macro_rules! unquoted {
    () => {
        concat!(
            r#"[A-Za-z0-9_.-]{3,48}["']?[ \t]{0,16}(?::=|\?=|=|:|>)[ \t]{0,16}"#,
            r#"([A-Za-z0-9+/=_~.-]{16,})(?:[\s,;<&"'#)}\]]|\z)"#,
        )
    };
}

/// An unquoted password, which may be shorter and contain punctuation.
macro_rules! unquoted_password {
    () => {
        concat!(
            r#"[A-Za-z0-9_.-]{3,48}["']?[ \t]{0,16}(?::=|\?=|=|:|>)[ \t]{0,16}"#,
            r#"([A-Za-z0-9!@#$%^*+/=_~.?|-]{8,128})(?:[\s,;<&"')}\]]|\z)"#,
        )
    };
}

/// Names of keys in their usual spellings.
#[rustfmt::skip]
const KEY_NAMES: &[&str] = &[
    "secret", "Secret", "SECRET", "token", "Token", "TOKEN", "api_key", "apikey", "apiKey",
    "ApiKey", "APIKey", "API_KEY", "APIKEY", "api-key", "Api-Key", "API-Key", "access_key",
    "accessKey", "AccessKey", "ACCESS_KEY", "access-key", "private_key", "privateKey",
    "PRIVATE_KEY", "private-key", "auth_key", "authKey", "AUTH_KEY", "account_key", "accountKey",
    "AccountKey", "ACCOUNT_KEY", "encryption_key", "encryptionKey", "ENCRYPTION_KEY", "signing_key",
    "signingKey", "SIGNING_KEY", "credential", "Credential", "CREDENTIAL", "app_key", "appKey",
    "APP_KEY", "license_key", "licenseKey", "LICENSE_KEY", "master_key", "masterKey", "MASTER_KEY",
];

/// Names of passwords in their usual spellings.
#[rustfmt::skip]
const PASSWORD_NAMES: &[&str] = &[
    "password", "Password", "PASSWORD", "passwd", "Passwd", "PASSWD", "passphrase", "Passphrase",
    "PASSPHRASE", "pwd", "Pwd", "PWD", "db_pass", "DB_PASS", "dbPass",
];

pub(super) const RULES: &[SecretRule] = &[
    rule("jwt", "JSON web token", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")
    .with_guard(is_not_example_jwt),
    rule("connection-string", "password in the URL of a database or another service", r"://[A-Za-z0-9._%+~-]{0,64}:([A-Za-z0-9!#$%&*+,.;=?^_~|-]{3,})@[A-Za-z0-9\[$%({-]").after(&["://"])
    .with_guard(guard::is_url_password),
    rule("connection-string", "password in a connection string", r#"[A-Za-z]+=([!#-&(-+\--:<-\[\]-_a-~]{4,})[;"']"#).after(&["Password=", "password=", "Pwd=", "pwd=", "PWD=", "PASSWORD="])
    .with_guard(guard::is_connection_password),
    rule("authorization-header", "credentials in an Authorization header", r"[A-Za-z]+ {1,2}([A-Za-z0-9._~+/-]{16,}={0,2})").after(&["earer ", "EARER ", "Basic ", "basic "])
    .with_guard(guard::is_credential),
    rule("authorization-header", "token in an Authorization header", r#"[A-Za-z]+["'\]]{0,2}[ \t]{0,4}[:=,][ \t]{0,4}["'`]?(?:[Tt]oken |[Aa]pi[Kk]ey )?([A-Za-z0-9._~+/-]{20,}={0,2})"#).after(&["uthorization", "UTHORIZATION"])
    .with_guard(guard::is_credential),
    rule("password", "quoted password in an assignment", quoted!("8")).after(PASSWORD_NAMES)
        .with_guard(guard::is_assigned_password),
    rule("secret", "quoted key, token or secret in an assignment", quoted!("16")).after(KEY_NAMES)
        .with_guard(guard::is_assigned_key),
    rule("secret", "unquoted key, token or secret in an assignment", unquoted!()).after(KEY_NAMES)
        .with_guard(guard::is_assigned_unquoted_key),
    rule("password", "long unquoted password in an assignment", unquoted!()).after(PASSWORD_NAMES)
        .with_guard(guard::is_assigned_unquoted_key),
    rule("password", "unquoted password in an assignment", unquoted_password!()).after(PASSWORD_NAMES)
        .with_guard(guard::is_assigned_unquoted_password),
];

/// Rejects the well-known example token, whose subject is `1234567890`.
fn is_not_example_jwt(candidate: &SecretCandidate<'_>) -> bool {
    !candidate.value().contains(".eyJzdWIiOiIxMjM0NTY3ODkw") && guard::is_not_placeholder(candidate)
}

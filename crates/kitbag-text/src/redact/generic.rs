//! What is a secret by where it stands: tokens in headers, passwords in addresses, and values that
//! are assigned to names such as `password` and `api_key`.

use super::guard;
use super::rule::{Place, Rule, token, value};

/// The name from the keyword on, and what may stand between it and the value: a closing quote or
/// bracket, a type, and a sign of assignment.
macro_rules! sign {
    () => {
        concat!(
            r#"[A-Za-z0-9_.-]{3,48}["'`\])]{0,3}[ \t]{0,16}"#,
            r#"(?::[ \t]{0,4}[A-Za-z&'<>\[\]]{1,24}[ \t]{1,4}=|:=|=>|\?=|\+?=|:|,|\(|>)[ \t]{0,16}"#,
        )
    };
}

/// A quoted value without spaces, quotes or backslashes. A letter or two may mark the string.
macro_rules! quoted {
    ($least:literal) => {
        concat!(
            sign!(),
            r#"(?:[A-Za-z]{1,2}|@|\()?["'`]([!#-&(-\[\]-_a-~]{"#,
            $least,
            r#",})["'`]"#
        )
    };
}

/// A value to the end of its word.
macro_rules! bare {
    () => {
        concat!(
            r#"[A-Za-z0-9_.-]{3,48}["']?[ \t]{0,16}(?::=|\?=|=|:|>)[ \t]{0,16}"#,
            r#"([A-Za-z0-9+/=_~.-]{16,})(?:[\s,;<&"'#)}\]]|\z)"#,
        )
    };
}

/// The same for passwords, which have signs in them and are shorter.
macro_rules! bare_password {
    () => {
        concat!(
            r#"[A-Za-z0-9_.-]{3,48}["']?[ \t]{0,16}(?::=|\?=|=|:|>)[ \t]{0,16}"#,
            r#"([A-Za-z0-9!@#$%^*+/=_~.?|-]{8,128})(?:[\s,;<&"')}\]]|\z)"#,
        )
    };
}

/// Names of keys, as they are written.
const KEY_NAMES: &[&str] = &[
    "secret",
    "Secret",
    "SECRET",
    "token",
    "Token",
    "TOKEN",
    "api_key",
    "apikey",
    "apiKey",
    "ApiKey",
    "APIKey",
    "API_KEY",
    "APIKEY",
    "api-key",
    "Api-Key",
    "API-Key",
    "access_key",
    "accessKey",
    "AccessKey",
    "ACCESS_KEY",
    "access-key",
    "private_key",
    "privateKey",
    "PRIVATE_KEY",
    "private-key",
    "auth_key",
    "authKey",
    "AUTH_KEY",
    "account_key",
    "accountKey",
    "AccountKey",
    "ACCOUNT_KEY",
    "encryption_key",
    "encryptionKey",
    "ENCRYPTION_KEY",
    "signing_key",
    "signingKey",
    "SIGNING_KEY",
    "credential",
    "Credential",
    "CREDENTIAL",
    "app_key",
    "appKey",
    "APP_KEY",
    "license_key",
    "licenseKey",
    "LICENSE_KEY",
    "master_key",
    "masterKey",
    "MASTER_KEY",
];

/// Names of passwords, as they are written.
const PASSWORD_NAMES: &[&str] = &[
    "password",
    "Password",
    "PASSWORD",
    "passwd",
    "Passwd",
    "PASSWD",
    "passphrase",
    "Passphrase",
    "PASSPHRASE",
    "pwd",
    "Pwd",
    "PWD",
    "db_pass",
    "DB_PASS",
    "dbPass",
];

pub(super) const RULES: &[Rule] = &[
    token(
        "jwt",
        "JSON web token",
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    )
    .guarded(is_not_the_known_jwt),
    Rule {
        place: Place::Within,
        ..token(
            "connection-string",
            "the password in the address of a database or another service",
            &["://"],
            r"://[A-Za-z0-9._%+~-]{0,64}:([A-Za-z0-9!#$%&*+,.;=?^_~|-]{3,})@[A-Za-z0-9\[$%({-]",
        )
        .guarded(guard::is_address_password)
    },
    value(
        "connection-string",
        "the password among the keys of a connection string",
        &["Password=", "password=", "Pwd=", "pwd=", "PWD=", "PASSWORD="],
        r#"[A-Za-z]+=([!#-&(-+\--:<-\[\]-_a-~]{4,})[;"']"#,
    )
    .guarded(guard::is_connection_password),
    value(
        "authorization-header",
        "the credentials of an Authorization header",
        &["earer ", "EARER ", "Basic ", "basic "],
        r"[A-Za-z]+ {1,2}([A-Za-z0-9._~+/-]{16,}={0,2})",
    )
    .guarded(guard::is_credential),
    value(
        "authorization-header",
        "a token in an Authorization header",
        &["uthorization", "UTHORIZATION"],
        r#"[A-Za-z]+["'\]]{0,2}[ \t]{0,4}[:=,][ \t]{0,4}["'`]?(?:[Tt]oken |[Aa]pi[Kk]ey )?([A-Za-z0-9._~+/-]{20,}={0,2})"#,
    )
    .guarded(guard::is_credential),
    value("password", "a quoted password that is assigned", PASSWORD_NAMES, quoted!("8"))
        .guarded(guard::is_assigned_password),
    value("secret", "a quoted key, token or secret that is assigned", KEY_NAMES, quoted!("16"))
        .guarded(guard::is_assigned_key),
    value("secret", "a key, token or secret that is assigned without quotes", KEY_NAMES, bare!())
        .guarded(guard::is_assigned_bare_key),
    value("password", "a long password that is assigned without quotes", PASSWORD_NAMES, bare!())
        .guarded(guard::is_assigned_bare_key),
    value("password", "a password that is assigned without quotes", PASSWORD_NAMES, bare_password!())
        .guarded(guard::is_assigned_bare_password),
];

/// Anything but the token that is shown wherever JSON web tokens are explained: its subject is
/// `1234567890`.
fn is_not_the_known_jwt(candidate: &super::Candidate<'_>) -> bool {
    !candidate.value().contains(".eyJzdWIiOiIxMjM0NTY3ODkw") && guard::is_no_placeholder(candidate)
}

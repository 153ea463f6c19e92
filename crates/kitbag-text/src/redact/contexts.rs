//! Rules for secrets recognizable by their context: tokens in headers, passwords in URLs and connection strings,
//! cookies, and parts of keys.

use super::candidate::SecretCandidate;
use super::guard;
use super::rule::{SecretRule, rule};

/// Names of cookies and parameters of sessions.
macro_rules! session {
    () => {
        r"[A-Za-z0-9_.-]{0,32}(?i:sess(?:ion)?(?:[_-]?id)?|sid|token|auth|remember[a-z_]{0,12}|jwt)"
    };
}

pub(super) const RULES: &[SecretRule] = &[
    rule("jwt", "JSON web token", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")
        .with_guard(is_not_example_jwt),
    rule(
        "connection-string",
        "password in the address of a database driver",
        r#"(?:\A|[\s"'`=])[A-Za-z0-9._%+-]{1,64}:([^\s"'`]{4,128})@(?:tcp|unix|udp)\("#,
    )
    .near(&["@tcp(", "@unix("])
    .with_guard(guard::is_plain_password),
    rule(
        "connection-string",
        "password in the address of an Oracle database",
        r"jdbc:oracle:[a-z]{3,4}:[A-Za-z0-9_]{1,64}/([^\s@/]{4,128})@",
    )
    .after(&["jdbc:oracle:"])
    .with_guard(guard::is_plain_password),
    rule(
        "connection-string",
        "password in a connection string",
        r#"[A-Za-z]+=([!#-&(-+\--:<-\[\]-_a-~][ !#-&(-+\--:<-\[\]-_a-~]{3,63})[;"']"#,
    )
    .after(&["Password=", "password=", "Pwd=", "pwd=", "PWD=", "PASSWORD="])
    .with_guard(guard::is_connection_password),
    rule(
        "authorization-header",
        "login in an Authorization header",
        r"[A-Za-z]+ {1,2}([A-Za-z0-9+/]{8,}={0,2})",
    )
    .after(&["Basic ", "basic "])
    .with_guard(guard::is_basic_credential),
    rule(
        "authorization-header",
        "credentials in an Authorization header",
        r"[A-Za-z]+ {1,2}([A-Za-z0-9._~+/-]{16,}={0,2})",
    )
    .after(&["earer ", "EARER ", "Basic ", "basic "])
    .with_guard(guard::is_credential),
    rule(
        "authorization-header",
        "token in an Authorization header",
        r#"[A-Za-z]+["'\]]{0,2}[ \t]{0,4}[:=,][ \t]{0,4}["'`]?(?:[Tt]oken |[Aa]pi[Kk]ey )?([A-Za-z0-9._~+/-]{20,}={0,2})"#,
    )
    .after(&["uthorization", "UTHORIZATION"])
    .with_guard(guard::is_credential),
    rule(
        "session-cookie",
        "cookie of a session",
        concat!(r#"ookie["']?\s{0,4}[:=,][^\n]{0,160}?["' ;]"#, session!(), r"=(?:s%3A)?([A-Za-z0-9._%+/-]{20,})"),
    )
    .at_distance(64)
    .after(&["ookie:", "ookie =", "ookie\",", "ookie',", "ookie\":", "Cookie: "])
    .with_guard(guard::is_random),
    rule(
        "session-cookie",
        "cookie of a session, in a file of cookies",
        concat!(r"(?:TRUE|FALSE)\t[0-9]{1,20}\t", session!(), r"\t([A-Za-z0-9._%+/-]{20,})"),
    )
    .after(&["TRUE\t", "FALSE\t"])
    .with_guard(guard::is_random),
    rule(
        "oauth-code",
        "code of an OAuth redirect",
        r"[?&](?:state=[^&\s]{1,200}&)?code=([A-Za-z0-9._~/%-]{20,})(?:&[a-z_]{1,20}=|[\s\x22'`#]|\z)",
    )
    .near(&["?code=", "&code="])
    .with_guard(guard::is_random),
    rule(
        "twilio-token",
        "token of a Twilio account, after its id",
        r#"[A-Za-z_]{1,20}(?:\(["']AC[0-9a-f]{32}["']|["'\])]{0,3})\s{0,2},\s{0,2}["']([0-9a-f]{32})["']"#,
    )
    .after(&["account_sid", "accountSid", "ACCOUNT_SID", "AccountSid", "Client(\"AC", "Client('AC", "wilio(\"AC", "wilio('AC"])
    .with_guard(guard::is_random),
    rule("url-signature", "signature of a presigned URL", r"X-(?:Amz|Goog)-Signature=([a-f0-9]{64,})"),
    rule("otp-secret", "secret of one-time passwords", r"otpauth://[^\s\x22']{1,200}?[?&]secret=([A-Za-z2-7]{16,})"),
    rule(
        "otp-secret",
        "secret of one-time passwords",
        r#"(?i:otp|mfa|2fa)[A-Za-z0-9_.-]{0,24}["'\]]{0,2}\s{0,4}[:=(,]\s{0,4}["'`]?([A-Z2-7]{16,64}={0,6})(?:[^A-Za-z0-9_]|\z)"#,
    )
    .after(&["otp_", "otp.", "otp-", "otpS", "otpK", "Otp", "OTP", "mfa", "Mfa", "MFA", "2fa", "2FA"])
    .with_guard(guard::is_base32),
    rule(
        "otp-secret",
        "secret of one-time passwords, in groups",
        r"(?i:setup|secret) key[:=]? {0,2}[`']?((?:[a-z2-7]{4} ){3,15}[a-z2-7]{4})(?:[^A-Za-z0-9]|\z)",
    )
    .after(&["setup key", "Setup key", "secret key", "Secret key"])
    .with_guard(guard::has_digit),
    rule(
        "seed-phrase",
        "words from which the keys of a wallet are derived",
        r#"(?i:seed|mnemonic|recovery)[ _]?(?i:phrase|words)?["']?\s{0,3}[:=][ \t]{0,4}["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b"#,
    )
    .near(&["seed", "Seed", "SEED", "mnemonic", "Mnemonic", "MNEMONIC", "recovery phrase", "Recovery phrase"])
    .with_guard(guard::is_not_placeholder),
    rule(
        "json-web-key",
        "private part of a JSON web key",
        r#""(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{20,})""#,
    )
    .after(&["\"d\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"", "\"k\""])
    .with_guard(guard::is_part_of_key),
    rule(
        "webhook",
        "secret part of a webhook URL",
        r"(?:hooks\.zapier\.com/hooks/catch/|maker\.ifttt\.com/trigger/[^/\s]{1,64}/with/key/|webhook\.office\.com/webhookb2/|events\.pagerduty\.com/integration/)([A-Za-z0-9/@_-]{16,})",
    )
    .after(&["hooks.zapier.com/", "maker.ifttt.com/", "webhook.office.com/", "events.pagerduty.com/"])
    .with_guard(guard::is_not_placeholder),
];

/// Rejects the well-known example token, whose subject is `1234567890`.
fn is_not_example_jwt(candidate: &SecretCandidate<'_>) -> bool {
    !candidate.value().contains(".eyJzdWIiOiIxMjM0NTY3ODkw") && guard::is_not_placeholder(candidate)
}

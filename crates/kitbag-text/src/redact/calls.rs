//! Positional arguments that are secrets, such as the third one of `getConnection(url, user, password)`.

use super::assignment::ValueForm;
use super::literal::{MIN_JOINED_BYTES, is_quote, read, read_continuations, skip_space_and_lines};
use super::names::{NameKind, SecretName};
use super::rule::{SecretRule, custom};
use super::verdict;
use std::ops::Range;

/// A function and the index of its argument that is secret.
struct Call {
    name: &'static str,
    argument: usize,
    kind: NameKind,
}

const fn password(name: &'static str, argument: usize) -> Call {
    Call { name, argument, kind: NameKind::Password }
}

const fn token(name: &'static str, argument: usize) -> Call {
    Call { name, argument, kind: NameKind::Token }
}

/// Functions of widely used libraries.
#[rustfmt::skip]
const CALLS: &[Call] = &[
    // Databases.
    password("getConnection", 2), password("PDO", 2), password("mysqli_connect", 2),
    password("mysqli", 2), password("mysql_connect", 2), password("mysql_real_connect", 3),
    password("DBI->connect", 2), password("fromDriverManager", 3), password("odbc_connect", 2),
    password("oci_connect", 1), password("sqlsrv_connect", 2), password("GraphDatabase.driver", 2),
    password("createCredential", 2), password("createScramSha256Credential", 2),
    password("DriverManagerDataSource", 2), password("AuthTokens.basic", 1), password("neo4j.auth.basic", 1),
    // Credentials of HTTP, mail, directories and file transfer.
    password("SetBasicAuth", 1), password("basic_auth", 1), password("setBasicAuth", 1),
    password("basicAuth", 1), password("BasicAuth", 1), password("HTTPBasicAuth", 1),
    password("HTTPDigestAuth", 1), password("HttpBasicAuthenticator", 1),
    password("NetworkCredential", 1), password("UsernamePasswordCredentials", 1),
    password("UsernamePasswordCredentialsImpl", 4), password("PasswordAuthentication", 1),
    password("UsernamePasswordAuthenticationToken", 1), password("PasswordCredential", 1),
    password("Credentials.basic", 1), password("smtp.PlainAuth", 2), password("PlainAuth", 2),
    password("ldap_bind", 2), password("ftp_login", 2), password("imap_open", 2), password("login", 1),
    password("simple_bind_s", 1), password("credentials", 3), password("signInWithEmailAndPassword", 2),
    password("username_pw_set", 1), password("WiFi.begin", 1), password("mqtt.connect", 2),
    password("client.connect", 2), password("FTP", 2), password("create_credential", 2), password("ConvertTo-SecureString", 0),
    // Keys and tokens.
    token("BasicAWSCredentials", 1), token("AwsBasicCredentials.create", 1),
    token("BasicSessionCredentials", 1), token("NewStaticCredentials", 1), token("NewStaticV4", 1),
    token("NewStaticCredentialsProvider", 1), token("Aws::Credentials.new", 1), token("AzureKeyCredential", 0),
    token("ClientSecretCredential", 2), token("StorageSharedKeyCredential", 1),
    token("createHmac", 1), token("createCipheriv", 1), token("createDecipheriv", 1), token("hash_hmac", 2),
    token("openssl_encrypt", 2), token("HMAC.hexdigest", 1), token("hmac.new", 0), token("hmac.New", 1),
    token("jwt.sign", 1), token("jwt.verify", 1), token("jwt.encode", 1), token("jwt.decode", 1),
    token("JWT.encode", 1), token("JWT.decode", 1), token("JWT::encode", 1), token("JWT::decode", 1),
    token("HMAC256", 0), token("HMAC512", 0), token("hmacShaKeyFor", 0), token("signWith", 1),
    token("EncodingKey::from_secret", 0), token("DecodingKey::from_secret", 0), token("Fernet", 0),
    token("SymmetricSecurityKey", 0), token("SecretKeySpec", 0), token("aes.NewCipher", 0),
    token("AuthenticationHeaderValue", 1), token("bearer_auth", 0), token("bearerAuth", 0),
    token("setBearerAuth", 0), token("Twilio", 1), token("twilio", 1), token("createClient", 1),
    token("create_client", 1), token("new Stripe", 0), token("Pusher", 1), token("omniauth", 2),
    token("provider", 2), token("algoliasearch", 1), token("Octokit::Client.new", 0),
];

const NAMES: &[&str] = &{
    let mut names = [""; CALLS.len()];
    let mut at = 0;
    while at < CALLS.len() {
        names[at] = CALLS[at].name;
        at += 1;
    }
    names
};

pub(super) const RULES: &[SecretRule] =
    &[custom("credential-argument", "password or key that is an argument of a call", NAMES, find)];

/// Longest list of arguments that is read.
const MAX_ARGUMENTS_BYTES: usize = 512;

/// Finds the secret argument of the call whose name is at `keyword`.
fn find(content: &str, keyword: Range<usize>) -> Vec<Range<usize>> {
    let bytes = content.as_bytes();
    let before = keyword.start.checked_sub(1).map(|at| bytes[at]);
    if before.is_some_and(|it| it.is_ascii_alphanumeric() || it == b'_') {
        return Vec::new();
    }
    let Some(call) = CALLS.iter().find(|it| it.name.as_bytes() == &bytes[keyword.clone()]) else {
        return Vec::new();
    };
    let Some(start) = arguments_start(bytes, keyword.end) else { return Vec::new() };
    // Without parentheses, the arguments end with the line.
    let is_line = bytes[start - 1] == b' ';
    let Some(argument) = argument(bytes, start, call.argument, is_line) else { return Vec::new() };
    let quote = bytes[argument.clone()].iter().position(|it| is_quote(*it));
    let Some(quote) = quote else { return Vec::new() };
    let Some(literal) = read(bytes, argument.start + quote) else { return Vec::new() };
    let mut parts = vec![literal.inner];
    if parts[0].len() >= MIN_JOINED_BYTES {
        parts.extend(read_continuations(bytes, literal.end, false));
    }
    let value: String = parts.iter().map(|it| &content[it.clone()]).collect();
    let name = SecretName {
        kind: call.kind,
        is_qualified: true,
        is_verb: false,
        has_purpose: call.name != "login",
        is_strong: true,
    };
    // Many other functions are named `login`.
    let has_email = || memchr::memchr(b'@', &bytes[start..argument.start]).is_some();
    let is_other =
        call.name == "login" && !has_email() && !has_mail_client(&bytes[..keyword.start]);
    let form = if is_other { ValueForm::Argument } else { ValueForm::Quoted };
    // Other letters are arguments of tests of encodings.
    let is_secret = value.is_ascii() && verdict::is_secret(name, form, &value);
    if is_secret { parts } else { Vec::new() }
}

/// Whether the method of a client for mail or files follows, as in `ftp.login(...)` and `$imap->login(...)`.
fn has_mail_client(before: &[u8]) -> bool {
    const CLIENTS: &[&[u8]] =
        &[b"ftp", b"ftps", b"sftp", b"imap", b"smtp", b"pop", b"pop3", b"mailbox"];
    let Some(receiver) = before.strip_suffix(b"->").or_else(|| before.strip_suffix(b".")) else {
        return false;
    };
    let length = receiver.iter().rev().take_while(|it| it.is_ascii_alphanumeric()).count();
    CLIENTS.contains(&receiver[receiver.len() - length..].to_ascii_lowercase().as_slice())
}

/// Returns the beginning of the arguments: after a parenthesis and type arguments, or after a space as in Ruby.
fn arguments_start(bytes: &[u8], mut at: usize) -> Option<usize> {
    if bytes.get(at) == Some(&b'[') {
        let window = &bytes[at..(at + 32).min(bytes.len())];
        at += memchr::memchr(b']', window)? + 1;
    }
    match bytes.get(at)? {
        b'(' => Some(at + 1),
        b' ' if bytes.get(at + 1).is_some_and(|it| *it == b':' || is_quote(*it)) => Some(at + 1),
        _ => None,
    }
}

/// Whether an arrow at `at` follows a string, as in `"user" => "password"`.
fn is_pair(bytes: &[u8], at: usize) -> bool {
    let before = bytes[at.saturating_sub(8)..at].trim_ascii_end();
    bytes[at..].starts_with(b"=>") && before.last().is_some_and(|it| is_quote(*it))
}

/// Returns the range of the argument with this index.
fn argument(bytes: &[u8], start: usize, index: usize, is_line: bool) -> Option<Range<usize>> {
    let limit = (start + MAX_ARGUMENTS_BYTES).min(bytes.len());
    let (mut at, mut depth, mut count) = (start, 0usize, 0);
    let mut from = skip_space_and_lines(bytes, start);
    while at < limit {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b';' if depth == 0 => break,
            b'\n' if depth == 0 && is_line => break,
            // Perl also separates arguments with an arrow, which begins a function elsewhere.
            byte if depth == 0 && (byte == b',' || is_pair(bytes, at)) => {
                if count == index {
                    return Some(from..at);
                }
                count += 1;
                at += usize::from(bytes[at] == b'=');
                from = skip_space_and_lines(bytes, at + 1);
            }
            byte if is_quote(byte) => match read(bytes, at) {
                Some(literal) => {
                    at = literal.end;
                    continue;
                }
                None => return None,
            },
            _ => {}
        }
        at += 1;
    }
    (count == index && from < at && at < limit).then_some(from..at)
}

//! What tells a secret from a placeholder, a hash, a sentence or code.

use super::rule::Candidate;

/// Words that no real token has in it; four letters or more, so that chance hardly makes one.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "placeholder",
    "redacted",
    "xxxx",
    "your",
    "dummy",
    "changeme",
    "change-me",
    "change_me",
    "insert",
    "replace",
    "sample",
    "fake",
    "deadbeef",
    "0000000000",
    "notreal",
];

/// Words that tell an invented value where only its name says that it is a secret.
const INVENTED: &[&str] = &[
    "test",
    "secret",
    "passw",
    "passphrase",
    "token",
    "mock",
    "demo",
    "default",
    "admin",
    "qwerty",
    "letmein",
    "hello",
    "user",
    "login",
    "value",
    "string",
    "foo",
    "bar",
    "baz",
    "key",
    "todo",
    "none",
    "null",
    "true",
    "undefined",
    "welcome",
    "hunter2",
    "swordfish",
    "monkey",
    "dragon",
    "abc123",
    "1234",
    "ipsum",
    "stub",
    "anonymous",
    "guest",
    "private",
    "public",
    "world",
];

/// Passwords of examples and of local services, in addresses.
const WEAK: &[&str] = &[
    "pass",
    "pw",
    "pwd",
    "passwd",
    "password",
    "root",
    "postgres",
    "mysql",
    "mongo",
    "redis",
    "rabbitmq",
    "guest",
    "admin",
    "user",
    "username",
    "test",
    "secret",
    "example",
    "foo",
    "bar",
    "baz",
    "token",
    "key",
    "apikey",
    "credentials",
    "port",
    "host",
    "dev",
    "local",
    "docker",
];

/// The longest value that is thought about by characters.
const LONGEST: usize = 512;

/// For tokens that their form gives away: anything but a placeholder.
pub(super) fn is_no_placeholder(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    !has_word(value, PLACEHOLDERS) && !is_monotonous(value)
}

/// For long random strings that stand beside a word: as random as they look.
pub(super) fn is_random(candidate: &Candidate<'_>) -> bool {
    is_no_placeholder(candidate) && looks_random(candidate.value())
}

/// For passwords within addresses and connection strings.
pub(super) fn is_address_password(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    let user = user_of(candidate);
    let lower = value.to_ascii_lowercase();
    let is_short_word = value.len() <= 8 && value.bytes().all(|it| it.is_ascii_alphabetic());
    value.len() >= 4
        && !is_short_word
        && !WEAK.contains(&lower.as_str())
        && !user.eq_ignore_ascii_case(value)
        && !has_word(value, PLACEHOLDERS)
        && !has_word(&plain(&lower), &["passw", "secret", "test", "123456"])
        && !is_template(value)
        && !is_monotonous(value)
        && !value.bytes().all(|it| it.is_ascii_digit() && value.len() < 6)
}

/// For passwords of connection strings by keys: the line has other keys of one.
pub(super) fn is_connection_password(candidate: &Candidate<'_>) -> bool {
    const KEYS: &[&str] = &["server=", "data source=", "host=", "user id=", "uid=", "database="];
    let bytes = candidate.content.as_bytes();
    let before = &bytes[candidate.keyword.start.saturating_sub(LONGEST)..candidate.keyword.start];
    let after = &bytes[candidate.secret.end..(candidate.secret.end + LONGEST).min(bytes.len())];
    let is_inside = |byte: &&u8| !b"\n\"'".contains(byte);
    let before = before.iter().rev().take_while(is_inside).count();
    let after = after.iter().take_while(is_inside).count();
    let line = &bytes[candidate.keyword.start - before..candidate.secret.end + after];
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    KEYS.iter().any(|key| line.contains(key)) && is_address_password(candidate)
}

/// For what follows `Bearer` and `Basic`.
pub(super) fn is_credential(candidate: &Candidate<'_>) -> bool {
    /// `user:pass`, `username:password`, `Aladdin:open sesame`, `foo:bar`, `test:test`.
    const KNOWN: &[&str] = &["dXNlcj", "dXNlcm5hbWU6", "QWxhZGRpbjpvcGVu", "Zm9vOm", "dGVzdD"];
    let value = candidate.value();
    !KNOWN.iter().any(|known| value.starts_with(known))
        && is_no_placeholder(candidate)
        && !has_word(value, &["token", "secret", "test", "passw", "invalid"])
        && looks_random(value)
}

/// For values that are assigned to a name of a key, a token or a secret.
pub(super) fn is_assigned_key(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    is_secret_name(candidate)
        && value.len() >= 16
        && value.len() <= LONGEST
        && !is_uuid(value)
        && is_no_placeholder(candidate)
        && !has_word(&value.to_ascii_lowercase(), INVENTED)
        && !is_template(value)
        && !is_path(value)
        && looks_random(value)
}

/// The same for values without quotes, which might as well be code.
pub(super) fn is_assigned_bare_key(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    changes(value) * 3 >= value.len() && is_assigned_key(candidate)
}

/// For values that are assigned to a name of a password.
pub(super) fn is_assigned_password(candidate: &Candidate<'_>) -> bool {
    let value = candidate.value();
    let count = |wanted: fn(&u8) -> bool| value.bytes().filter(wanted).count();
    let (lower, upper) = (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let (digits, other) = (count(u8::is_ascii_digit), count(u8::is_ascii_punctuation));
    let kinds = [lower, upper, digits, other].into_iter().filter(|&count| count > 0).count();
    let is_mixed = kinds >= 3 || (kinds == 2 && digits >= 2 && value.len() >= 10);
    is_secret_name(candidate)
        && is_mixed
        && digits > 0
        && (8..=128).contains(&value.len())
        && !is_uuid(value)
        && is_no_placeholder(candidate)
        && !has_word(&plain(&value.to_ascii_lowercase()), INVENTED)
        && !is_template(value)
        && !is_path(value)
        && !is_wordy(value)
}

/// Whether the whole name that the keyword is part of is that of a secret, and not of something
/// about one.
fn is_secret_name(candidate: &Candidate<'_>) -> bool {
    const ABOUT: &[&str] = &[
        "hash",
        "sha1",
        "sha2",
        "sha5",
        "digest",
        "checksum",
        "public",
        "url",
        "uri",
        "endpoint",
        "path",
        "file",
        "folder",
        "dir",
        "name",
        "type",
        "field",
        "label",
        "placeholder",
        "regex",
        "pattern",
        "prompt",
        "message",
        "error",
        "hint",
        "help",
        "length",
        "count",
        "limit",
        "max",
        "min",
        "expir",
        "ttl",
        "header",
        "param",
        "class",
        "selector",
        "kind",
        "format",
        "column",
        "symbol",
        "address",
        "contract",
        "version",
        "tokeniz",
        "tokens",
        "integrity",
        "revision",
        "commit",
        "uuid",
        "guid",
        "fingerprint",
        "encrypted",
        "mask",
        "test",
        "example",
        "mock",
        "fake",
        "dummy",
        "title",
        "text",
        "desc",
        "algorithm",
        "source",
        "i18n",
        "policy",
        "arn",
    ];
    let bytes = candidate.content.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let before = bytes[..candidate.keyword.start].iter().rev().take(40).take_while(is_part).count();
    let after = bytes[candidate.keyword.end..].iter().take(40).take_while(is_part).count();
    let name = candidate.keyword.start - before..candidate.keyword.end + after;
    let name = String::from_utf8_lossy(&bytes[name]);
    let is_id = name.ends_with("_id") || name.ends_with("Id") || name.ends_with("_ID");
    !is_id && !has_word(&name.to_ascii_lowercase(), ABOUT)
}

/// The user's name before a password in an address.
fn user_of<'a>(candidate: &Candidate<'a>) -> &'a str {
    let between = &candidate.content[candidate.keyword.end..candidate.secret.start];
    between.strip_suffix(':').unwrap_or(between)
}

fn has_word(value: &str, words: &[&str]) -> bool {
    let lower = value.to_ascii_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// `p@ssw0rd` as it is meant.
fn plain(lower: &str) -> String {
    let letter = |c: char| match c {
        '0' => 'o',
        '@' | '4' => 'a',
        '$' | '5' => 's',
        '1' | '!' => 'i',
        '3' => 'e',
        other => other,
    };
    let plain: String = lower.chars().map(letter).collect();
    // Digits that are digits keep their words too.
    format!("{plain} {lower}")
}

/// Whether something else is to stand in its place, or in a part of it.
fn is_template(value: &str) -> bool {
    const SIGNS: &[&str] =
        &["${", "{{", "#{", "$(", "%(", "%s", "%d", "%v", "{}", "<%", "@{", "..."];
    let braced = |open: char, close: char| value.contains(open) && value.contains(close);
    let is_variable = value
        .strip_prefix('$')
        .is_some_and(|name| name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_'));
    let is_windows_variable = value.len() > 2 && value.starts_with('%') && value.ends_with('%');
    is_variable
        || is_windows_variable
        || SIGNS.iter().any(|sign| value.contains(sign))
        || braced('{', '}')
        || braced('<', '>')
        || braced('(', ')')
}

fn is_path(value: &str) -> bool {
    let is_address = value.contains("://") || value.starts_with(['/', '.', '~', '#']);
    let parts = value.split(['/', '.', ':']).filter(|part| part.len() > 1);
    is_address || (value.contains('/') && parts.clone().count() > 2 && parts.clone().all(is_wordy))
}

/// `3f2504e0-4f89-11d3-9a0c-0305e82c3301`.
pub(super) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether the same few characters, or characters in the order of the alphabet, make it up.
fn is_monotonous(value: &str) -> bool {
    let value = &value.as_bytes()[..value.len().min(LONGEST)];
    let mut run = 1;
    let in_order = value.windows(2).any(|pair| {
        run = if pair[0].wrapping_add(1) == pair[1] { run + 1 } else { 1 };
        run >= 8
    });
    let mut same = 1;
    let repeated = value.windows(2).any(|pair| {
        same = if pair[0] == pair[1] { same + 1 } else { 1 };
        same >= 8
    });
    in_order || repeated || (value.len() >= 16 && entropy(value) < 2.5)
}

/// Whether it has letters and digits without order, as keys have.
fn looks_random(value: &str) -> bool {
    let bytes = &value.as_bytes()[..value.len().min(LONGEST)];
    let digits = bytes.iter().filter(|it| it.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    let is_hex = bytes.iter().all(u8::is_ascii_hexdigit);
    let least = if is_hex {
        2.8
    } else if bytes.len() < 24 {
        3.2
    } else {
        3.6
    };
    digits >= 2 && letters >= 2 && entropy(bytes) >= least && !is_wordy(value)
}

/// Whether words make up more than half of it.
fn is_wordy(value: &str) -> bool {
    let bytes = &value.as_bytes()[..value.len().min(LONGEST)];
    let (mut in_words, mut at) = (0, 0);
    while at < bytes.len() {
        let kind = |byte: &u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
        let first = kind(&bytes[at]);
        let mut end = at + 1;
        // A capital may begin a word of small letters.
        let rest = bytes.get(end).map_or(first, kind);
        let of = if first.1 && rest.0 { rest } else { first };
        while bytes.get(end).is_some_and(|byte| kind(byte) == of) {
            end += 1;
        }
        if (of.0 || of.1) && end - at >= 4 {
            in_words += end - at;
        }
        at = end;
    }
    in_words * 2 > bytes.len()
}

/// How often it changes between small letters, capitals, digits and the rest.
fn changes(value: &str) -> usize {
    let kind = |it: u8| (it.is_ascii_digit(), it.is_ascii_lowercase(), it.is_ascii_uppercase());
    value.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

/// Bits a character.
fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for &byte in value {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let bits = |&count: &u32| {
        let share = f64::from(count) / length;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

//! Heuristics for values: random strings, words, paths, ids and templates.

/// Number of bytes of a value that are analyzed.
const MAX_ANALYZED_BYTES: usize = 512;

/// Whether a value contains one of `words`, which must be lowercase, in any case.
pub(super) fn has_word(value: &str, words: &[&str]) -> bool {
    let lower = value.to_ascii_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// Lowercases and replaces digits and punctuation used as letters, as in `P@ssw0rd`.
pub(super) fn leet(value: &str) -> String {
    let letter = |c: char| match c {
        '0' => 'o',
        '@' | '4' => 'a',
        '$' | '5' => 's',
        '1' | '!' => 'i',
        '3' => 'e',
        other => other.to_ascii_lowercase(),
    };
    value.chars().map(letter).collect()
}

/// Decodes percent-encoded bytes, such as `%40`, as Latin-1.
pub(super) fn percent_decoded(value: &str) -> String {
    let mut parts = value.split('%');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => {
                decoded.push(char::from(byte));
                decoded.push_str(&part[2..]);
            }
            None => decoded.push_str(part),
        }
    }
    decoded
}

/// Whether a value contains a placeholder or an expression.
pub(super) fn is_template(value: &str) -> bool {
    const MARKERS: &[&str] =
        &["${", "{{", "#{", "$(", "%(", "%s", "%d", "%v", "{}", "<%", "@{", "...", "a-z", "\\w"];
    let braced = |open: char, close: char| value.contains(open) && value.contains(close);
    let is_name = |name: &str| name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let is_windows_variable = value.len() > 2 && value.starts_with('%') && value.ends_with('%');
    value.strip_prefix('$').is_some_and(is_name)
        || is_windows_variable
        || MARKERS.iter().any(|marker| value.contains(marker))
        || braced('{', '}')
        || braced('<', '>')
        || braced('(', ')')
}

/// Whether a value is a password hash.
pub(super) fn is_stored_hash(value: &str) -> bool {
    const SCHEMES: &[&str] = &[
        "pbkdf2", "scrypt", "bcrypt", "argon2", "md5$", "sha1$", "sha256$", "{ssha", "{sha",
        "{crypt",
    ];
    let lower = value.to_ascii_lowercase();
    let is_crypt = lower.starts_with('$') && lower[1..].contains('$');
    is_crypt || SCHEMES.iter().any(|scheme| lower.starts_with(scheme))
}

pub(super) fn is_path(value: &str) -> bool {
    let is_address = value.contains("://") || value.starts_with(['/', '.', '~', '#']);
    let parts = value.split(['/', '.', ':']).filter(|part| part.len() > 1);
    is_address || (value.contains('/') && parts.clone().count() > 2 && parts.clone().all(is_wordy))
}

/// Whether a value looks like `1.2.3-rc1`.
pub(super) fn is_version(value: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let mut parts = value.strip_prefix('v').unwrap_or(value).split('.');
    let starts_with_digit = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    parts.next().is_some_and(is_number) && parts.next().is_some_and(starts_with_digit)
}

/// Whether a value is a path of names, such as `form.Field2`.
pub(super) fn is_member_path(value: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name = |part: &str| {
        part.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && part.bytes().all(is_part)
    };
    value.contains('.') && value.split('.').all(is_name)
}

pub(super) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a value has long runs of equal or consecutive characters, or only a few distinct ones.
pub(super) fn is_monotonous(value: &str) -> bool {
    let value = &value.as_bytes()[..value.len().min(MAX_ANALYZED_BYTES)];
    let has_run = |follows: fn(u8, u8) -> bool| {
        let mut run = 1;
        value.windows(2).any(|pair| {
            run = if follows(pair[0], pair[1]) { run + 1 } else { 1 };
            run >= 8
        })
    };
    has_run(|a, b| a.wrapping_add(1) == b)
        || has_run(|a, b| a == b)
        || (value.len() >= 16 && entropy(value) < 2.5)
}

/// Whether a value consists of random letters and digits, like a key.
pub(super) fn looks_random(value: &str) -> bool {
    let bytes = &value.as_bytes()[..value.len().min(MAX_ANALYZED_BYTES)];
    let digits = bytes.iter().filter(|it| it.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    let min_entropy = match bytes.len() {
        _ if bytes.iter().all(u8::is_ascii_hexdigit) => 2.8,
        0..24 => 3.2,
        _ => 3.6,
    };
    // One digit suffices if the case of letters changes often.
    let has_digits = digits >= 2 || (digits == 1 && class_changes(value) * 2 >= value.len());
    has_digits && letters >= 2 && entropy(bytes) >= min_entropy && !is_wordy(value)
}

/// Whether more than half of a value consists of words of at least four letters.
pub(super) fn is_wordy(value: &str) -> bool {
    let bytes = &value.as_bytes()[..value.len().min(MAX_ANALYZED_BYTES)];
    let kind = |byte: &u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
    let (mut in_words, mut at) = (0, 0);
    while at < bytes.len() {
        let first = kind(&bytes[at]);
        let mut end = at + 1;
        // A capital may begin a lowercase word.
        let rest = bytes.get(end).map_or(first, kind);
        let word_kind = if first.1 && rest.0 { rest } else { first };
        while bytes.get(end).is_some_and(|byte| kind(byte) == word_kind) {
            end += 1;
        }
        if (word_kind.0 || word_kind.1) && end - at >= 4 && is_pronounceable(&bytes[at..end]) {
            in_words += end - at;
        }
        at = end;
    }
    in_words * 2 > bytes.len() && class_changes(value) * 2 < value.len()
}

/// Whether letters have as many vowels as words usually have.
fn is_pronounceable(letters: &[u8]) -> bool {
    let is_vowel = |letter: &u8| b"aeiouyAEIOUY".contains(letter);
    letters.iter().filter(|it| is_vowel(it)).count() * 4 >= letters.len()
        && letters.split(is_vowel).all(|between| between.len() <= 4)
}

/// Counts the changes between lowercase, uppercase, digits and other characters.
pub(super) fn class_changes(value: &str) -> usize {
    let kind = |it: u8| (it.is_ascii_digit(), it.is_ascii_lowercase(), it.is_ascii_uppercase());
    value.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(value: &[u8]) -> f64 {
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

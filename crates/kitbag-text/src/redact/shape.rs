//! What a value looks like: random, a word, a path, an id, a template.

/// The longest part of a value that is looked at by characters.
const LONGEST: usize = 512;

/// Whether one of the words, which are in small letters, stands in it.
pub(super) fn has_word(value: &str, words: &[&str]) -> bool {
    let lower = value.to_ascii_lowercase();
    words.iter().any(|word| lower.contains(word))
}

/// `P@ssw0rd` as it is meant, in small letters, and as it stands.
pub(super) fn plain(value: &str) -> String {
    format!("{} {value}", leet(value))
}

/// `P@ssw0rd` as it is meant, in small letters.
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

/// An address's `%40` as the character that it stands for, where that is ASCII.
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

/// Whether something else is to stand in its place, or in a part of it, or it is an expression.
pub(super) fn is_template(value: &str) -> bool {
    const SIGNS: &[&str] =
        &["${", "{{", "#{", "$(", "%(", "%s", "%d", "%v", "{}", "<%", "@{", "...", "a-z", "\\w"];
    let braced = |open: char, close: char| value.contains(open) && value.contains(close);
    let is_name = |name: &str| name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    let is_windows_variable = value.len() > 2 && value.starts_with('%') && value.ends_with('%');
    value.strip_prefix('$').is_some_and(is_name)
        || is_windows_variable
        || SIGNS.iter().any(|sign| value.contains(sign))
        || braced('{', '}')
        || braced('<', '>')
        || braced('(', ')')
}

/// Whether it is the hash of a password, as systems store it.
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

/// `1.2.3-rc1`.
pub(super) fn is_version(value: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let mut parts = value.strip_prefix('v').unwrap_or(value).split('.');
    parts.next().is_some_and(is_number) && parts.next().is_some_and(|it| it.starts_with(is_digit))
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

/// `sha256Sum1`: a name by its characters, whose parts are as long as words are.
pub(super) fn is_name(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_character = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    // A part begins with the first letter, and with a capital after anything but a capital.
    let begins = |at: &usize| match (at.checked_sub(1).map(|before| bytes[before]), bytes[*at]) {
        (Some(before), letter) if letter.is_ascii_uppercase() => !before.is_ascii_uppercase(),
        (Some(before), letter) => letter.is_ascii_lowercase() && !before.is_ascii_alphabetic(),
        (None, letter) => letter.is_ascii_alphabetic(),
    };
    let parts = (0..bytes.len()).filter(begins).count();
    bytes.iter().all(is_character) && letters >= parts * 3
}

/// `form.Field2`: names, with a dot between each two.
pub(super) fn is_member(value: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name = |part: &str| {
        part.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && part.bytes().all(is_part)
    };
    value.contains('.') && value.split('.').all(is_name)
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
pub(super) fn is_monotonous(value: &str) -> bool {
    let value = &value.as_bytes()[..value.len().min(LONGEST)];
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

/// Whether it has letters and digits without order, as keys have.
pub(super) fn looks_random(value: &str) -> bool {
    let bytes = &value.as_bytes()[..value.len().min(LONGEST)];
    let digits = bytes.iter().filter(|it| it.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    let least = match bytes.len() {
        _ if bytes.iter().all(u8::is_ascii_hexdigit) => 2.8,
        0..24 => 3.2,
        _ => 3.6,
    };
    // Few digits are enough where the letters change their case all the time.
    let has_digits = digits >= 2 || (digits == 1 && changes(value) * 2 >= value.len());
    has_digits && letters >= 2 && entropy(bytes) >= least && !is_wordy(value)
}

/// Whether words make up more than half of it. Random letters make words too, but not for long.
pub(super) fn is_wordy(value: &str) -> bool {
    let bytes = &value.as_bytes()[..value.len().min(LONGEST)];
    let kind = |byte: &u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
    let (mut in_words, mut at) = (0, 0);
    while at < bytes.len() {
        let first = kind(&bytes[at]);
        let mut end = at + 1;
        // A capital may begin a word of small letters.
        let rest = bytes.get(end).map_or(first, kind);
        let of = if first.1 && rest.0 { rest } else { first };
        while bytes.get(end).is_some_and(|byte| kind(byte) == of) {
            end += 1;
        }
        if (of.0 || of.1) && end - at >= 4 && is_speakable(&bytes[at..end]) {
            in_words += end - at;
        }
        at = end;
    }
    in_words * 2 > bytes.len() && changes(value) * 2 < value.len()
}

/// Whether letters have vowels among them as words have.
fn is_speakable(letters: &[u8]) -> bool {
    let is_vowel = |letter: &u8| b"aeiouyAEIOUY".contains(letter);
    letters.iter().filter(|it| is_vowel(it)).count() * 4 >= letters.len()
        && letters.split(is_vowel).all(|between| between.len() <= 4)
}

/// How often it changes between small letters, capitals, digits and the rest.
pub(super) fn changes(value: &str) -> usize {
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

//! Shapes of values: random characters, identifiers, expressions, numbers and names of resources.

use super::heuristics::{class_changes, entropy, is_member_path, is_wordy};
use super::words::TECHNICAL_WORDS;

/// Counts of characters by kind.
pub(super) struct Shape {
    pub lower: usize,
    pub upper: usize,
    pub digits: usize,
    pub symbols: usize,
    /// Symbols that separate no words.
    pub special_symbols: usize,
    pub spaces: usize,
    pub trailing_digits: usize,
    pub changes: usize,
}

impl Shape {
    pub fn of(value: &str) -> Self {
        let [mut lower, mut upper, mut digits, mut symbols, mut special_symbols, mut spaces] =
            [0; 6];
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' => lower += 1,
                b'A'..=b'Z' => upper += 1,
                b'0'..=b'9' => digits += 1,
                b' ' => spaces += 1,
                _ if byte.is_ascii_punctuation() => {
                    symbols += 1;
                    special_symbols += usize::from(b"!@#$%^&*?+=~".contains(&byte));
                }
                _ => {}
            }
        }
        let without_symbol = value.trim_end_matches(|it: char| it.is_ascii_punctuation());
        let digits_at_end = without_symbol.bytes().rev().take_while(u8::is_ascii_digit).count();
        Self {
            lower,
            upper,
            digits,
            symbols,
            special_symbols,
            spaces,
            trailing_digits: digits_at_end,
            changes: class_changes(value),
        }
    }

    pub fn letters(&self) -> usize {
        self.lower + self.upper
    }

    pub fn special(&self) -> usize {
        self.special_symbols
    }

    pub fn kinds(&self) -> usize {
        [self.lower, self.upper, self.digits, self.symbols].iter().filter(|it| **it > 0).count()
    }
}

/// Whether a value mixes all kinds of characters, as passwords of generators do.
pub(super) fn is_scrambled(value: &str) -> bool {
    let shape = Shape::of(value);
    value.len() >= 10 && shape.kinds() == 4 && shape.spaces == 0 && shape.changes * 2 >= value.len()
}

/// Whether a value contains the beginning of an expression. Brackets alone also occur in random values.
pub(super) fn has_expression(value: &str) -> bool {
    let is_name = |it: &u8| it.is_ascii_alphanumeric() || b"_.:- ".contains(it);
    ["${", "{{", "#{", "$(", "%(", "<%", "@{"].iter().any(|begin| {
        let Some((_, rest)) = value.split_once(begin) else { return false };
        let name = rest.bytes().take_while(is_name).count();
        name > 0 && rest.as_bytes().get(name).is_some_and(|it| b"})%".contains(it))
    })
}

/// Whether a value contains escapes of other characters, as text in URLs and strings does.
pub(super) fn is_escaped(value: &str) -> bool {
    value.contains("\\u")
        || value.contains("\\r")
        || ["%0d", "%0a", "%20", "%22"].iter().any(|it| value.contains(it))
        || value.starts_with('%') && value.matches('%').count() > 2
}

pub(super) fn is_unlike_path(value: &str) -> bool {
    !value.contains(['.', ':']) || Shape::of(value).special_symbols >= 6
}

/// Whether a value is a number, possibly hexadecimal.
pub(super) fn is_numeral(value: &str) -> bool {
    let digits = value.trim_start_matches(['-', '+']);
    let hex = digits.strip_prefix("0x").filter(|it| it.len() <= 16);
    let is_decimal = digits.bytes().all(|it| it.is_ascii_digit() || b"._".contains(&it));
    is_decimal || hex.is_some_and(is_hex)
}

/// Whether a value begins with a date.
pub(super) fn is_date(value: &str) -> bool {
    let is_digit = |it: &u8| it.is_ascii_digit();
    match value.as_bytes() {
        [year @ .., b'-', m, n, b'-', d, e] if year.len() == 4 => {
            year.iter().chain([m, n, d, e]).all(is_digit)
        }
        bytes => bytes.len() > 10 && bytes[10] == b'T' && is_date(&value[..10]),
    }
}

/// Whether a value names its hash algorithm, as in `sha256:...` and `sha512-...`.
pub(super) fn has_hash_prefix(value: &str) -> bool {
    let lower = value.get(..7).unwrap_or(value).to_ascii_lowercase();
    ["sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:", "md5:"]
        .iter()
        .any(|prefix| lower.starts_with(&prefix[..prefix.len().min(7)]))
}

pub(super) fn is_hex(value: &str) -> bool {
    value.bytes().all(|it| it.is_ascii_hexdigit())
}

/// Whether a value consists of random characters.
pub(super) fn is_random(value: &str) -> bool {
    let shape = Shape::of(value);
    if shape.spaces > 0 && shape.symbols * 6 < value.len() {
        return false;
    }
    let min_entropy = match value.len() {
        _ if is_hex(value) => 2.8,
        0..24 => 3.2,
        _ => 3.6,
    };
    let is_mixed = shape.digits >= 2 && shape.letters() >= 2
        || shape.digits >= 1 && shape.changes * 2 >= value.len()
        || shape.upper > 0 && shape.lower > 0 && shape.changes * 5 >= value.len() * 2
        || shape.upper > 0
            && shape.digits > 0
            && value.len() >= 24
            && shape.changes * 3 >= value.len();
    is_mixed && entropy(value.as_bytes()) >= min_entropy && !is_wordy(value) && !is_slug(value)
}

/// Whether digits remain without the words that have some, such as `sha256`.
pub(super) fn has_own_digits(value: &str) -> bool {
    if class_changes(value) * 2 >= value.len() {
        return true;
    }
    let rest = without_technical_words(value);
    rest.bytes().any(|it| it.is_ascii_digit()) && rest.bytes().any(|it| it.is_ascii_alphabetic())
}

/// Whether a value contains a word such as `sha256`, and few digits besides.
pub(super) fn has_technical_words(value: &str) -> bool {
    let rest = without_technical_words(value);
    rest.len() < value.len() && rest.bytes().filter(u8::is_ascii_digit).count() < 2
}

fn without_technical_words(value: &str) -> String {
    let lower = value.to_ascii_lowercase();
    // All of the words have digits.
    if !lower.bytes().any(|it| it.is_ascii_digit()) {
        return lower;
    }
    TECHNICAL_WORDS.iter().fold(lower, |rest, word| rest.replace(word, ""))
}

/// Whether a value consists of lowercase words and numbers with separators, as names of resources do, or of words
/// in title case with separators, as headers and ciphers do.
pub(super) fn is_slug(value: &str) -> bool {
    let separators = value.bytes().filter(|it| b"-_./:".contains(it)).count();
    let is_plain = value.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_./:".contains(&it));
    if separators == 0 || !is_plain {
        return false;
    }
    let parts = || value.split(['-', '_', '.', '/', ':']).filter(|part| !part.is_empty());
    let is_lower = !value.bytes().any(|it| it.is_ascii_uppercase());
    let is_upper = !value.bytes().any(|it| it.is_ascii_lowercase());
    let is_word =
        |part: &str| is_wordy(part) || part.len() <= 3 || is_number(part) || !has_own_digits(part);
    if is_upper && value.contains('_') && value.len() < 40 && class_changes(value) * 2 < value.len()
    {
        return true;
    }
    if is_lower || is_upper {
        return parts().all(is_word);
    }
    separators >= 2 && parts().all(is_word)
}

fn is_number(part: &str) -> bool {
    part.bytes().all(|it| it.is_ascii_digit())
}

/// Whether an unquoted value may be the name of a variable or type.
pub(super) fn is_identifier(value: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it == b'.';
    if !value.bytes().all(is_part) || value.starts_with(|it: char| it.is_ascii_digit()) {
        return false;
    }
    let shape = Shape::of(value);
    if shape.changes * 2 >= value.len() && shape.digits > 0 {
        return false;
    }
    let is_dated = shape.upper > 0
        && shape.trailing_digits >= 2
        && value.bytes().filter(|it| b"_.".contains(it)).count() == 1
        && value.trim_end_matches(|it: char| it.is_ascii_digit()).ends_with(['_', '.']);
    if is_dated {
        return false;
    }
    let has_separator = value.trim_end_matches('_').contains('_') || is_member_path(value);
    has_separator || has_technical_words(value) || shape.digits < 2 && is_wordy(value)
}

/// Whether a value is a call, a path of names or another expression.
pub(super) fn is_expression(value: &str) -> bool {
    value.contains(['(', ')', '{', '}', '[', ']']) && !is_random(value)
        || is_reference(value)
        || value.ends_with(':')
        || value.contains("=>")
        || is_email(value)
}

/// Whether a value is a variable, an alias or a tag, such as `$password` and `*default`.
fn is_reference(value: &str) -> bool {
    let Some(name) = value.strip_prefix(['$', '@', '&', '*', '%', '<', '!']) else { return false };
    name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_.->:".contains(&it))
}

fn is_email(value: &str) -> bool {
    let Some((user, host)) = value.split_once('@') else { return false };
    let is_host = |host: &str| {
        let domain = host.rsplit('.').next().unwrap_or_default();
        domain.len() >= 2
            && domain.len() < host.len()
            && domain.bytes().all(|it| it.is_ascii_lowercase())
            && host.bytes().all(|it| it.is_ascii_alphanumeric() || b".-".contains(&it))
    };
    !user.is_empty() && is_host(host)
}

//! Decides whether the value of a name is a secret, by the name, the form and the value itself.

use super::assignment::ValueForm;
use super::heuristics::{
    class_changes, entropy, has_word, is_member_path, is_monotonous, is_path, is_stored_hash,
    is_template, is_uuid, is_version, is_wordy, leet,
};
use super::names::{NameKind, SecretName};
use super::words::{
    EXAMPLE_WORDS, INVENTED_WORDS, PLACEHOLDERS, TECHNICAL_WORDS, TOKEN_EXAMPLE_WORDS,
    consists_of_words, is_invented,
};

/// Longest value that is recognized by its name.
const MAX_VALUE_BYTES: usize = 4 << 10;

/// Shortest password, and shortest random token.
const MIN_PASSWORD_BYTES: usize = 6;
const MAX_PASSWORD_BYTES: usize = 128;
const MIN_TOKEN_BYTES: usize = 16;

/// Whether the value of a name is a secret.
pub(super) fn is_secret(name: SecretName, form: ValueForm, value: &str) -> bool {
    if !(MIN_PASSWORD_BYTES..=MAX_VALUE_BYTES).contains(&value.len())
        || value.len() > MAX_PASSWORD_BYTES && !is_random(value)
        || is_inert(value)
    {
        return false;
    }
    if is_uuid(value) {
        return name.is_qualified && name.kind != NameKind::Ambiguous;
    }
    let is_token = value.len() >= MIN_TOKEN_BYTES
        && is_random(value)
        && !is_code(form, value)
        && ![value, &leet(value)].iter().any(|value| has_word(value, TOKEN_EXAMPLE_WORDS));
    match name.kind {
        NameKind::Password => is_token || is_password(form, value),
        NameKind::Secret => is_token || is_chosen_secret(form, value),
        NameKind::Token => {
            let is_direct = matches!(form, ValueForm::Quoted | ValueForm::Line);
            is_token || is_direct && is_generated_password(value)
        }
        NameKind::Ambiguous => {
            matches!(form, ValueForm::Quoted | ValueForm::Line) && is_token && is_long_key(value)
        }
    }
}

/// Whether a value is certainly not a secret: a placeholder, a reference, a path, a hash or code.
fn is_inert(value: &str) -> bool {
    let is_long_random = value.len() >= 32 && is_random(value) || is_scrambled(value);
    has_word(value, PLACEHOLDERS)
        || is_monotonous(value)
        || is_template(value) && !(is_long_random && !has_expression(value))
        || is_stored_hash(value)
        || is_path(value) && !(is_long_random && is_unlike_path(value))
        || is_escaped(value)
        || value.starts_with('{') && !is_long_random
        || is_numeral(value)
        || is_date(value)
        || is_version(value)
        || value.starts_with("arn:")
        || has_hash_prefix(value)
        || !value.bytes().all(|it| it.is_ascii_graphic() || it == b' ')
}

/// Whether a value mixes all kinds of characters, as passwords of generators do.
fn is_scrambled(value: &str) -> bool {
    let shape = Shape::of(value);
    value.len() >= 10 && shape.kinds() == 4 && shape.spaces == 0 && shape.changes * 2 >= value.len()
}

/// Whether a value contains the beginning of an expression. Brackets alone also occur in random values.
fn has_expression(value: &str) -> bool {
    let is_name = |it: &u8| it.is_ascii_alphanumeric() || b"_.:- ".contains(it);
    ["${", "{{", "#{", "$(", "%(", "<%", "@{"].iter().any(|begin| {
        let Some((_, rest)) = value.split_once(begin) else { return false };
        let name = rest.bytes().take_while(is_name).count();
        name > 0 && rest.as_bytes().get(name).is_some_and(|it| b"})%".contains(it))
    })
}

/// Whether a value contains escapes of other characters, as text in URLs and strings does.
fn is_escaped(value: &str) -> bool {
    value.contains("\\u")
        || value.contains("\\r")
        || ["%0d", "%0a", "%20", "%22"].iter().any(|it| value.contains(it))
        || value.starts_with('%') && value.matches('%').count() > 2
}

fn is_unlike_path(value: &str) -> bool {
    !value.contains(['.', ':']) || Shape::of(value).special_symbols >= 6
}

/// Whether a value is a number, possibly hexadecimal.
fn is_numeral(value: &str) -> bool {
    let digits = value.trim_start_matches(['-', '+']);
    let hex = digits.strip_prefix("0x").filter(|it| it.len() <= 16);
    let is_decimal = digits.bytes().all(|it| it.is_ascii_digit() || b"._".contains(&it));
    is_decimal || hex.is_some_and(is_hex)
}

/// Whether a value begins with a date.
fn is_date(value: &str) -> bool {
    let is_digit = |it: &u8| it.is_ascii_digit();
    match value.as_bytes() {
        [year @ .., b'-', m, n, b'-', d, e] if year.len() == 4 => {
            year.iter().chain([m, n, d, e]).all(is_digit)
        }
        bytes => bytes.len() > 10 && bytes[10] == b'T' && is_date(&value[..10]),
    }
}

/// Whether a value names its hash algorithm, as in `sha256:...` and `sha512-...`.
fn has_hash_prefix(value: &str) -> bool {
    let lower = value.get(..7).unwrap_or(value).to_ascii_lowercase();
    ["sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:", "md5:"]
        .iter()
        .any(|prefix| lower.starts_with(&prefix[..prefix.len().min(7)]))
}

/// Whether a value without quotes may be code.
fn is_code(form: ValueForm, value: &str) -> bool {
    matches!(form, ValueForm::Bare | ValueForm::Loose)
        && class_changes(value) * 4 < value.len()
        && !is_hex(value)
        || form != ValueForm::Quoted && is_member_path(value)
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
        || shape.upper > 0 && shape.lower > 0 && shape.changes * 5 >= value.len() * 2;
    is_mixed && entropy(value.as_bytes()) >= min_entropy && !is_wordy(value) && !is_slug(value)
}

/// Whether a random value is so long that an ambiguous name suffices.
fn is_long_key(value: &str) -> bool {
    let shape = Shape::of(value);
    if is_hex(value) {
        return value.len() >= 32;
    }
    // Cookies and queries consist of assignments.
    let name = value.trim_end_matches('=').split_once('=').map(|(name, _)| name);
    let is_assignment = name.is_some_and(|name| {
        !is_random(name)
            && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_.-".contains(&it))
    });
    let is_file = value.contains('/') && value.contains(['.', '-']) && shape.special_symbols == 0;
    value.len() >= 20
        && shape.changes * 3 >= value.len()
        && !is_assignment
        && !is_file
        && !value.contains("ath=")
        && (value.len() >= 48 || !has_word(value, INVENTED_WORDS))
}

/// Whether a value looks like a password that a program generated: many changes between kinds of characters.
fn is_generated_password(value: &str) -> bool {
    let shape = Shape::of(value);
    value.len() >= 10
        && shape.kinds() >= 3
        && shape.digits > 0
        && shape.changes * 5 >= value.len() * 2
        && !is_slug(value)
        && !is_invented_value(value)
        && !is_wordy(value)
}

/// Whether a value of a name such as `secret` looks like a password that someone chose.
fn is_chosen_secret(form: ValueForm, value: &str) -> bool {
    is_generated_password(value)
        || (form == ValueForm::Quoted && value.len() >= 8 && is_password(form, value) && {
            let shape = Shape::of(value);
            shape.upper > 0 && shape.digits > 0 || shape.special() > 0
        })
}

/// Whether a value looks like a password.
fn is_password(form: ValueForm, value: &str) -> bool {
    let shape = Shape::of(value);
    if shape.spaces > 0 || value.len() > MAX_PASSWORD_BYTES || is_invented_value(value) {
        return false;
    }
    if is_slug(value) {
        return form != ValueForm::Bare && is_passphrase(value);
    }
    let has_digits = shape.digits > 0 && has_own_digits(value);
    let is_mixed = shape.letters() > 0 && (has_digits || shape.special_symbols > 0);
    let has_both_cases = value.len() >= 10
        && shape.upper >= 3
        && shape.lower >= 3
        && !is_wordy(value)
        && shape.symbols == 0;
    match form {
        ValueForm::Quoted => {
            (is_mixed || has_both_cases || is_words(value)) && !is_expression(value)
        }
        ValueForm::Line if is_words(value) => true,
        ValueForm::Line => is_mixed && !is_expression(value) && !is_identifier(value),
        ValueForm::Bare | ValueForm::Loose => {
            is_mixed
                && has_digits
                && !is_expression(value)
                && !is_identifier(value)
                && (shape.kinds() >= 3 || shape.trailing_digits >= 2)
        }
    }
}

/// Whether a value consists of at least four words that are joined, as generators of passphrases do.
fn is_passphrase(value: &str) -> bool {
    let separator = value.chars().find(|it| it.is_ascii_punctuation()).unwrap_or('-');
    let is_word = |word: &str| {
        (3..=9).contains(&word.len()) && word.bytes().all(|it| it.is_ascii_lowercase())
    };
    matches!(separator, '-' | '.' | '_')
        && value.split(separator).count() >= 4
        && value.split(separator).all(is_word)
}

/// Whether a value consists of several lowercase words without a separator, and none of them is usual in examples.
fn is_words(value: &str) -> bool {
    value.len() >= 9 && value.bytes().all(|it| it.is_ascii_lowercase())
}

/// Whether a value contains words that people put into examples.
fn is_invented_value(value: &str) -> bool {
    if is_random(value) && value.len() >= 20 {
        return false;
    }
    let spelled = leet(value);
    has_word(&spelled, EXAMPLE_WORDS)
        || is_invented(value)
        || consists_of_words(&value.to_ascii_lowercase())
        || [value, &spelled].iter().any(|value| has_word(value, INVENTED_WORDS))
}

/// Whether digits remain without the words that have some, such as `sha256`.
fn has_own_digits(value: &str) -> bool {
    if class_changes(value) * 2 >= value.len() {
        return true;
    }
    let rest = without_technical_words(value);
    rest.bytes().any(|it| it.is_ascii_digit()) && rest.bytes().any(|it| it.is_ascii_alphabetic())
}

fn without_technical_words(value: &str) -> String {
    let lower = value.to_ascii_lowercase();
    TECHNICAL_WORDS.iter().fold(lower, |rest, word| rest.replace(word, ""))
}

/// Whether a value consists of lowercase words and numbers with separators, as names of resources do, or of words
/// in title case with separators, as headers and ciphers do.
fn is_slug(value: &str) -> bool {
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
    if is_upper && value.contains('_') && value.len() < 40 {
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
fn is_identifier(value: &str) -> bool {
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
    let rest = without_technical_words(value);
    let is_technical =
        rest.len() < value.len() && rest.bytes().filter(u8::is_ascii_digit).count() < 2;
    has_separator || is_technical || shape.digits < 2 && is_wordy(value)
}

/// Whether a value is a call, a path of names or another expression.
fn is_expression(value: &str) -> bool {
    value.contains(['(', ')', '{', '}', '[', ']']) && !is_random(value)
        || is_reference(value)
        || value.ends_with(':')
        || value.contains("=>")
        || value.contains("==")
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

/// Counts of characters by kind.
struct Shape {
    lower: usize,
    upper: usize,
    digits: usize,
    symbols: usize,
    /// Symbols that separate no words.
    special_symbols: usize,
    spaces: usize,
    trailing_digits: usize,
    changes: usize,
}

impl Shape {
    fn of(value: &str) -> Self {
        let count = |matches: fn(&u8) -> bool| value.bytes().filter(matches).count();
        let without_symbol = value.trim_end_matches(|it: char| it.is_ascii_punctuation());
        let digits_at_end = without_symbol.bytes().rev().take_while(u8::is_ascii_digit).count();
        Self {
            lower: count(u8::is_ascii_lowercase),
            upper: count(u8::is_ascii_uppercase),
            digits: count(u8::is_ascii_digit),
            symbols: count(u8::is_ascii_punctuation),
            special_symbols: count(|it| b"!@#$%^&*?+=~".contains(it)),
            spaces: count(|it| *it == b' '),
            trailing_digits: digits_at_end,
            changes: class_changes(value),
        }
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }

    fn special(&self) -> usize {
        self.special_symbols
    }

    fn kinds(&self) -> usize {
        [self.lower, self.upper, self.digits, self.symbols].iter().filter(|it| **it > 0).count()
    }
}

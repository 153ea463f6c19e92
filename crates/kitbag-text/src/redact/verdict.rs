//! Decides whether the value of a name is a secret, by the name, the form and the value itself.

use super::assignment::ValueForm;
use super::chosen;
use super::folding::folded;
use super::heuristics::{
    class_changes, has_word, is_member_path, is_monotonous, is_path, is_stored_hash, is_template,
    is_uuid, is_version, is_wordy, leet,
};
use super::names::{NameKind, SecretName};
use super::numbers::{is_numeric_password, is_pin};
use super::shape::{
    Shape, has_expression, has_hash_prefix, has_own_digits, is_date, is_escaped, is_expression,
    is_hex, is_identifier, is_numeral, is_random, is_scrambled, is_slug, is_unlike_path,
};
use super::words::{
    EXAMPLE_WORDS, TOKEN_EXAMPLE_WORDS, consists_of_words, has_invented_word, has_placeholder,
    is_invented,
};

/// Longest value that is recognized by its name.
const MAX_VALUE_BYTES: usize = 4 << 10;

/// Shortest value, shortest password of usual form, and shortest random token.
const MIN_CHOSEN_BYTES: usize = 4;
const MIN_PASSWORD_BYTES: usize = 6;
const MAX_PASSWORD_BYTES: usize = 128;
const MIN_TOKEN_BYTES: usize = 16;
/// Shortest chosen values of a name that is `secret` only: with a digit, and of letters.
const MIN_SECRET_BYTES: usize = 7;
const MIN_SENTENCE_BYTES: usize = 24;

/// Whether the value of a name is a secret.
pub(super) fn is_secret(name: SecretName, form: ValueForm, value: &str) -> bool {
    let is_direct = is_quoted(form) || is_line(form);
    if name.kind == NameKind::Pin {
        return form != ValueForm::Loose && is_pin(value);
    }
    if name.kind == NameKind::Password && is_numeric_password(value) {
        return is_quoted(form) || form == ValueForm::Plain;
    }
    if !value.is_ascii() {
        // A capital begins the words of a user interface.
        let is_clear = name.has_purpose || !value.starts_with(char::is_uppercase);
        let is_chosen = |value: String| {
            name.kind == NameKind::Password
                && is_clear
                && !is_inert(&value)
                && is_chosen_password(name, form, &value)
        };
        return folded(value).is_some_and(is_chosen);
    }
    if form == ValueForm::Phrase {
        let is_secret =
            matches!(name.kind, NameKind::Password | NameKind::Secret) || name.is_strong;
        return is_secret && !is_inert(value) && is_chosen_password(name, form, value);
    }
    if !(MIN_CHOSEN_BYTES..=MAX_VALUE_BYTES).contains(&value.len())
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
        NameKind::Password => {
            is_token || is_password(form, value) || is_chosen_password(name, form, value)
        }
        NameKind::Secret => {
            let is_literal = form == ValueForm::Quoted && !has_invented_word(value);
            is_token
                || is_chosen_secret(form, value)
                || is_chosen_password(name, form, value)
                    && (is_clear_secret(name, value) || is_literal && !is_slug(value))
        }
        NameKind::Token => {
            is_token
                || is_direct && is_generated_password(value)
                || is_chosen_password(name, form, value) && is_chosen_token(name, value)
        }
        NameKind::Pin => false,
        NameKind::Ambiguous => is_direct && is_token && is_long_key(value),
    }
}

/// Whether a value is certainly not a secret: a placeholder, a reference, a path, a hash or code.
fn is_inert(value: &str) -> bool {
    let is_long_random = value.len() >= 32 && is_random(value) || is_scrambled(value);
    has_placeholder_word(value)
        || is_monotonous(value)
        || is_template(value) && (!is_long_random || has_expression(value))
        || is_stored_hash(value)
        || is_path(value) && !(is_long_random && is_unlike_path(value))
        || is_escaped(value)
        || value.starts_with('{') && value.contains('}')
        || ["a-z", "0-9]"].iter().any(|it| value.contains(it))
        || is_numeral(value)
        || is_date(value)
        || is_version(value)
        || value.starts_with("arn:")
        || has_hash_prefix(value)
        || !value.bytes().all(|it| it.is_ascii_graphic() || it == b' ')
}

/// Whether a value has a placeholder. In a phrase, `your` is a word as any other.
fn has_placeholder_word(value: &str) -> bool {
    match value.contains(' ') {
        true => has_placeholder(&value.to_ascii_lowercase().replace(" your ", " ")),
        false => has_placeholder(value),
    }
}

/// Whether a value without quotes may be code.
fn is_code(form: ValueForm, value: &str) -> bool {
    matches!(form, ValueForm::Listed | ValueForm::Bare | ValueForm::Loose)
        && class_changes(value) * 4 < value.len()
        && !is_hex(value)
        || !is_quoted(form) && is_member_path(value)
}

fn is_quoted(form: ValueForm) -> bool {
    matches!(form, ValueForm::Quoted | ValueForm::Argument)
}

fn is_line(form: ValueForm) -> bool {
    matches!(form, ValueForm::Plain | ValueForm::Line)
}

/// Whether a value is a password that someone chose, judged by what it is not.
fn is_chosen_password(name: SecretName, form: ValueForm, value: &str) -> bool {
    // `pass` alone is a verb as well.
    let is_clear = name.is_qualified || !name.is_verb || {
        let shape = Shape::of(value);
        shape.upper + shape.digits + shape.special() > 0
    };
    match form {
        // Without a purpose, short words are the values of tests.
        ValueForm::Quoted => {
            is_clear
                && (chosen::is_chosen(value)
                    || name.has_purpose && chosen::is_chosen_with_underscores(value))
                && (name.has_purpose || !chosen::is_short_word(value, name.is_qualified))
        }
        ValueForm::Plain | ValueForm::Listed | ValueForm::Phrase => {
            let is_plain = form == ValueForm::Plain;
            is_clear
                && (chosen::is_chosen_bare(value)
                    || is_plain && chosen::is_chosen_with_underscores(value)
                    || is_plain && name.has_purpose && chosen::is_chosen_with_dot(value))
        }
        // With a hyphen and a digit, a value is not the name of a variable.
        ValueForm::Line => {
            value.contains('-')
                && value.contains(|it: char| it.is_ascii_digit())
                && chosen::is_chosen_bare(value)
        }
        ValueForm::Argument | ValueForm::Bare | ValueForm::Loose => false,
    }
}

/// Whether the name of a secret and its value leave no doubt. The value may be the name of a secret instead.
fn is_clear_secret(name: SecretName, value: &str) -> bool {
    if is_slug(value) {
        return name.is_strong;
    }
    let has_digit = value.contains(|it: char| it.is_ascii_digit());
    name.is_qualified
        || value.contains(' ')
        || has_digit && value.len() >= MIN_SECRET_BYTES
        || value.len() >= MIN_SENTENCE_BYTES
}

/// Whether a chosen value is a token: several words, or words and a number.
fn is_chosen_token(name: SecretName, value: &str) -> bool {
    let separators = value.bytes().filter(|it| b"- ".contains(it)).count();
    let has_digits = value.bytes().any(|it| it.is_ascii_digit());
    let is_example = has_word(value, &["test", "insecure", "secret", "passw", "value"]);
    let has_words = separators >= 3 && !has_word(value, &["token"])
        || value.contains(' ')
        || !chosen::has_known_part(value);
    let is_word = separators == 0
        && value.len() >= MIN_PASSWORD_BYTES
        && !has_invented_word(value)
        && value.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
    name.is_strong
        && !is_example
        && (is_word || value.len() >= 8 && separators > 0 && (has_digits || has_words))
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
        && (value.len() >= 48 || !has_invented_word(value))
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
        || (is_quoted(form) && value.len() >= 8 && is_password(form, value) && {
            let shape = Shape::of(value);
            shape.upper > 0 && shape.digits > 0 || shape.special() > 0
        })
}

/// Whether a value looks like a password.
fn is_password(form: ValueForm, value: &str) -> bool {
    let shape = Shape::of(value);
    if shape.spaces > 0
        || !(MIN_PASSWORD_BYTES..=MAX_PASSWORD_BYTES).contains(&value.len())
        || is_invented_value(value)
    {
        return false;
    }
    if is_slug(value) {
        return !matches!(form, ValueForm::Listed | ValueForm::Bare) && is_passphrase(value);
    }
    let has_digits = shape.digits > 0 && has_own_digits(value);
    let is_mixed = shape.letters() > 0 && (has_digits || shape.special_symbols > 0);
    let has_both_cases = value.len() >= 10
        && shape.upper >= 3
        && shape.lower >= 3
        && !is_wordy(value)
        && shape.symbols == 0;
    match form {
        ValueForm::Quoted | ValueForm::Argument => {
            (is_mixed || has_both_cases || is_words(value)) && !is_expression(value)
        }
        ValueForm::Plain | ValueForm::Line if is_words(value) => true,
        ValueForm::Plain | ValueForm::Line => {
            is_mixed && !is_expression(value) && !is_identifier(value)
        }
        ValueForm::Phrase | ValueForm::Listed | ValueForm::Bare | ValueForm::Loose => {
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
        || has_invented_word(value)
        || has_invented_word(&spelled)
}

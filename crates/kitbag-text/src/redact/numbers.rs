//! Secret numbers: PINs, codes of locks and alarms, and passwords that consist of digits.

/// Number of digits of a PIN, and of a password that is a number.
const PIN_DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
const PASSWORD_DIGITS: std::ops::RangeInclusive<usize> = 5..=12;

/// Whether a value is a PIN, possibly followed by the key that confirms it.
pub(super) fn is_pin(value: &str) -> bool {
    let digits = value.strip_suffix(['#', '*']).unwrap_or(value);
    PIN_DIGITS.contains(&digits.len()) && is_chosen_number(digits)
}

/// Whether a value is a password of digits only.
pub(super) fn is_numeric_password(value: &str) -> bool {
    PASSWORD_DIGITS.contains(&value.len()) && is_chosen_number(value)
}

/// Whether digits are none of those that examples have: a row of the keyboard, or a repeated group.
fn is_chosen_number(digits: &str) -> bool {
    let bytes = digits.as_bytes();
    let is_row = |bytes: &[u8]| [1, 9].iter().any(|step| is_row(bytes, *step));
    let repeats = |length: usize| bytes.iter().zip(&bytes[length..]).all(|(a, b)| a == b);
    let mut distinct = bytes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    bytes.iter().all(u8::is_ascii_digit)
        && distinct.len() > 1
        && !is_row(bytes)
        && !(1..=bytes.len() / 2).any(|it| repeats(it) && (it < 3 || is_row(&bytes[..it])))
}

/// Whether nearly all digits follow the one before at a distance of `step`.
fn is_row(bytes: &[u8], step: i8) -> bool {
    let follows = |pair: &[u8]| (pair[1] as i8 - pair[0] as i8).rem_euclid(10) == step;
    bytes.windows(2).filter(|pair| follows(pair)).count() + 2 >= bytes.len()
}

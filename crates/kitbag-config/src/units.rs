//! Token counts and times as people write them: `32k`, `2026-11-15T12:00:00Z`.

/// Largest accepted token count; no model has a window this large, so more is a typo.
const MAX_TOKENS: usize = 1_000_000_000;

/// A time that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is not a time such as `2026-11-15T12:00:00Z` or seconds since 1970")]
pub struct TimeError {
    /// The rejected text.
    pub value: String,
}

/// Parses a time: seconds since 1970, or a date and time such as `2026-11-15T12:00:00Z`.
pub fn parse_time(value: &str) -> Result<i64, TimeError> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<i64>() {
        return Ok(seconds);
    }
    let time: Result<jiff::Timestamp, _> = value.parse();
    time.map(jiff::Timestamp::as_second).map_err(|_| TimeError { value: value.to_owned() })
}

/// Formats seconds since 1970 in UTC: `2026-11-15T12:00:00Z`.
pub fn format_time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |it| it.to_string())
}

/// Parses a number of tokens: `8000`, `8_000`, `32k` or `1m`.
pub fn parse_budget(value: &str) -> Result<usize, String> {
    let plain: String = value.trim().replace(['_', ','], "").to_ascii_lowercase();
    let (digits, unit) = match plain.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => plain.strip_suffix('m').map_or((plain.as_str(), 1), |digits| (digits, 1_000_000)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a number of tokens such as `8000` or `32k`".to_owned());
    }
    let number: Option<usize> = digits.parse().ok();
    number
        .and_then(|number| number.checked_mul(unit))
        .filter(|&tokens| tokens <= MAX_TOKENS)
        .ok_or_else(|| format!("more than the maximum of {MAX_TOKENS} tokens"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_accept_separators_and_suffixes() {
        assert_eq!(parse_budget("8000"), Ok(8_000));
        assert_eq!(parse_budget("32k"), Ok(32_000));
        assert_eq!(parse_budget("32K"), Ok(32_000));
        assert_eq!(parse_budget("1m"), Ok(1_000_000));
        assert_eq!(parse_budget("100_000"), Ok(100_000));
        assert_eq!(parse_budget("0"), Ok(0));
        for wrong in ["", "-1", "k", "1.5k", "+5", "ten", "2000m", "99999999999999999999"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_seconds_or_timestamps() {
        assert_eq!(parse_time("1794744000").ok(), Some(1_794_744_000));
        assert_eq!(parse_time("1970-01-02T00:00:00Z").ok(), Some(86_400));
        assert_eq!(parse_time("1970-01-01T01:00:00+01:00").ok(), Some(0));
        assert!(parse_time("yesterday").is_err());
    }
}

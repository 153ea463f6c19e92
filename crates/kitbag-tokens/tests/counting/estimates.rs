//! Estimates: their factors, rounding and error margins.

use kitbag_tokens::{CachedCounter, Estimator, TokenCounter, TokenizerChoice, Vocabulary};

const PAGE: &str = include_str!("../../../../docs/estimates.md");

#[test]
fn documented_factors_match_the_code() {
    for (family, title) in [
        (Estimator::Claude, "Claude 3 to 4.6"),
        (Estimator::ClaudeNext, "Claude Opus 4.7 and later"),
        (Estimator::Gemini, "Gemini"),
    ] {
        let factor = family.percent().expect("a factor") as f64 / 100.0;
        let heading = format!("## {title}: {factor:.2} times o200k_base\n");
        assert!(PAGE.contains(&heading), "run scripts/measure-estimates: {heading}");
        let margin = family.error_margin().unwrap_or_default();
        assert!(margin.contains(&format!("{factor:.2} times")), "{margin}");
    }
}

#[test]
fn estimate_is_rounded_up_once() {
    let base = Vocabulary::O200kBase;
    let text = "fn main() {}\n".repeat(3);
    for family in Estimator::ALL {
        let Some(percent) = family.percent() else { continue };
        let exact = base.count(&text) as u64 * percent;
        assert_eq!(family.count(&text) as u64, exact.div_ceil(100), "{}", family.name());
        assert!(family.count("a") > 1 && family.count("") == 0);
    }
}

#[test]
fn exactly_the_estimates_have_an_error_margin() {
    for name in TokenizerChoice::names() {
        let cached = CachedCounter::named(name).expect("built in");
        let counter = cached.counter();
        assert_eq!(counter.error_margin().is_none(), counter.is_exact(), "{name}");
        assert!(counter.error_margin().is_none_or(|margin| margin.contains('%')), "{name}");
    }
}

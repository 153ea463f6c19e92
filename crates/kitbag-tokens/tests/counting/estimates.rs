//! What is said of estimates: as high as the page of measurements says, and never quietly.

use kitbag_tokens::{Bpe, Choice, Counting, Family, TokenCounter, Vocabulary};

const PAGE: &str = include_str!("../../../../docs/estimates.md");

#[test]
fn the_page_has_the_factors_of_the_code() {
    for (family, title) in
        Family::ALL.into_iter().zip(["Claude 3 to 4.6", "Claude Opus 4.7 and later", "Gemini"])
    {
        let factor = family.percent() as f64 / 100.0;
        let heading = format!("## {title}: {factor:.2} times o200k_base\n");
        assert!(PAGE.contains(&heading), "run scripts/measure-estimates: {heading}");
        let said = family.error().unwrap_or_default();
        assert!(said.contains(&format!("{factor:.2} times")), "{said}");
    }
}

#[test]
fn an_estimate_is_rounded_up_once() {
    let base = Bpe::new(Vocabulary::O200kBase);
    let text = "fn main() {}\n".repeat(3);
    for family in Family::ALL {
        let exact = base.count(&text) as u64 * family.percent();
        assert_eq!(family.count(&text) as u64, exact.div_ceil(100), "{}", family.name());
        assert!(family.count("a") > 1 && family.count("") == 0);
    }
}

#[test]
fn only_estimates_have_an_error_and_all_of_them_do() {
    for name in Choice::names() {
        let counting = Counting::named(name).expect("built in");
        let counter = counting.counter();
        assert_eq!(counter.error().is_none(), counter.is_exact(), "{name}");
        assert!(counter.error().is_none_or(|error| error.contains('%')), "{name}");
    }
}

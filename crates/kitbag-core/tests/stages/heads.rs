//! The head of a pack, and the budget that it leaves.

use super::request::{COUNTING, NOW, file, lines, pack_within};
use kitbag_core::{
    Cancel, HeadInput, HeadWriter, Job, PackOptions, Packed, Reason, Settings, head_reserve,
    pack_with_options,
};
use kitbag_text::Source;

/// Lists the chunks, with a number of words for each.
struct Contents(usize);

impl HeadWriter for Contents {
    fn write(&self, input: HeadInput<'_>, max_items: usize) -> String {
        let listed = input.included.iter().take(max_items);
        let item = |path: &str| format!("- {path}{}\n", " word".repeat(self.0));
        let items: String = listed.map(|chunk| item(&chunk.path)).collect();
        let budget = input.excluded.iter().filter(|it| it.reason == Reason::Budget).count();
        format!("Contents\n{items}Left out: {budget}\n")
    }
}

/// Files of five to fifty lines, each a chunk of its own.
fn sources() -> Vec<Source> {
    let source = |number: u32| {
        let content = lines(&format!("word{number}"), 5 + number * 7 % 46);
        file(&format!("f{number:02}.txt"), &content, 1.0 - f64::from(number) / 100.0)
    };
    (0..60).map(source).collect()
}

fn pack(budget: usize, writer: &dyn HeadWriter) -> Packed {
    let (settings, cancel) = (Settings::default(), Cancel::default());
    let job = Job {
        sources: sources(),
        task: "",
        now: Some(NOW),
        budget,
        settings: &settings,
        counting: &COUNTING,
        cancel: &cancel,
    };
    let options = PackOptions { head: Some(writer), ..PackOptions::default() };
    pack_with_options(job, options, true, &mut ()).expect("it can be packed")
}

#[test]
fn nothing_that_was_left_out_would_fit_beside_the_head() {
    // Each is a file of its own, with a header and fences.
    let alone = pack_within(sources().split_off(59), 10_000).decision;
    let frame = alone.total_tokens - alone.included[0].tokens;
    for words in [0, 3, 12] {
        for budget in (300..6_000).step_by(61) {
            let packed = pack(budget, &Contents(words));
            let (decision, body) = (&packed.decision, packed.body.expect("a body"));
            assert_eq!(COUNTING.counter().count(&packed.text), decision.total_tokens);
            assert!(decision.total_tokens <= budget);
            let left = budget - decision.total_tokens;
            let left_out = decision.excluded.iter().filter(|it| it.reason == Reason::Budget);
            let least = left_out.map(|it| it.tokens + frame).min().unwrap_or(usize::MAX);
            assert!(least > left, "{least} tokens would fit in the {left} left of {budget}");
            assert!(body.reserve <= head_reserve(budget));
            let text = body.text.expect("a head fits");
            assert_eq!(COUNTING.counter().count(&text), body.tokens);
            assert!(packed.text.starts_with("Contents\n- f") && packed.text.ends_with(&text));
        }
    }
}

/// A writer with nothing to say.
struct Silent;

impl HeadWriter for Silent {
    fn write(&self, _input: HeadInput<'_>, _max_items: usize) -> String {
        String::new()
    }
}

#[test]
fn a_pack_without_a_head_has_the_whole_budget() {
    let packed = pack(2_000, &Silent);
    let body = packed.body.expect("a body");
    assert_eq!((body.text, body.reserve, body.tokens), (None, 0, packed.decision.total_tokens));
    assert!(packed.decision.total_tokens > 1_960, "{}", packed.decision.total_tokens);
}

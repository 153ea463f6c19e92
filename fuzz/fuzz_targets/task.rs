//! Tasks: any text can be parsed.

#![no_main]

use kitbag_fuzz::Bytes;
use kitbag_index::ParsedTask;
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;

fuzz_target!(|input: &[u8]| {
    let text = Bytes(input).text();
    let task = ParsedTask::new(&text);
    let words: BTreeSet<&str> = task.terms.iter().map(|term| term.word.as_str()).collect();
    assert_eq!(words.len(), task.terms.len(), "duplicate words");
    for term in task.terms.iter().chain(&task.compound_names) {
        let weights = [term.weight, term.title, term.prose, term.code];
        assert!(weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0), "{term:?}");
    }
    assert_eq!(format!("{:?}", ParsedTask::new(&text)), format!("{task:?}"), "not deterministic");
});

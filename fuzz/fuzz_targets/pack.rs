//! The whole packer, with any sources, settings and budgets.
//!
//! The request is packed again with budgets that are just enough, just too small, and half the size.

#![no_main]

use kitbag_fuzz::{Bytes, Case, check_pack, check_parses, parse_in_workers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    parse_in_workers();
    let mut case = Case::new(Bytes(input));
    let format = case.settings.formatting.format;
    let Some(packed) = check_pack(&case) else { return };
    check_parses(format, &packed.text);
    let total = packed.decision.total_tokens;
    for budget in [total, total.saturating_sub(1), total / 2] {
        case.budget = budget;
        let packed = check_pack(&case).expect("the settings are valid");
        check_parses(format, &packed.text);
    }
});

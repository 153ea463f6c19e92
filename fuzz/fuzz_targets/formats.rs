//! Every request in every format: counts are exact, and XML and JSON are valid.

#![no_main]

use kitbag_core::Format;
use kitbag_fuzz::{Bytes, Case, check_pack, check_parses, parse_in_workers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    parse_in_workers();
    let mut case = Case::new(Bytes(input));
    for format in Format::ALL {
        case.settings.formatting.format = format;
        if let Some(packed) = check_pack(&case) {
            check_parses(format, &packed.text);
        }
    }
});

//! Templates: any text is rendered within the budget, or rejected with an error.

#![no_main]

use kitbag_core::Template;
use kitbag_fuzz::{Bytes, Case, check_pack};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut bytes = Bytes(input);
    let mut case = Case::small(bytes.below(256) * 4);
    let template = Template { name: "t.j2".to_owned(), source: bytes.text() };
    case.settings.formatting.template = Some(template);
    check_pack(&case);
});

//! Output of tools: any text is read, or rejected with a message, and every diagnostic has a place.

#![no_main]

use kitbag_diagnostics::{MAX_DIAGNOSTICS, read, read_task};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    match read("output", &text) {
        Ok(output) => assert!(output.diagnostics.len() <= MAX_DIAGNOSTICS),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert!(read_task(&text).diagnostics.len() <= MAX_DIAGNOSTICS);
});

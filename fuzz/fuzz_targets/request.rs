//! Requests and lists of sources: any JSON is accepted, or rejected with a message.

#![no_main]

use kitbag::{Request, parse_source_lines};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    if let Err(error) = parse_source_lines("sources", &text) {
        assert!(!error.to_string().is_empty());
    }
    let Ok(json) = serde_json::from_str(&text) else { return };
    if let Err(error) = Request::from_json(&json) {
        assert!(!error.to_string().is_empty());
    }
});

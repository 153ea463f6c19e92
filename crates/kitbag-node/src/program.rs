//! The program inside the addon. The launcher beside it loads the addon and calls this.

use kitbag_cli::Launch;
use std::ffi::OsString;

/// First argument of the launcher when it is started as a parser process.
const WORKER_ARGUMENT: &str = "--parse-worker";

/// Runs the program with arguments that are separated by NUL, and returns its exit status.
///
/// # Safety
///
/// `arguments` points to `length` bytes that the launcher of the same build has encoded.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the launcher calls this through the C ABI")]
pub unsafe extern "C" fn kitbag_main(arguments: *const u8, length: usize) -> u8 {
    // SAFETY: see above.
    let bytes = unsafe { std::slice::from_raw_parts(arguments, length) };
    let decode = |bytes: &[u8]| {
        // SAFETY: no encoding splits a character at a NUL.
        unsafe { OsString::from_encoded_bytes_unchecked(bytes.to_vec()) }
    };
    let arguments: Vec<OsString> = bytes.split(|byte| *byte == 0).map(decode).collect();
    if arguments.get(1).is_some_and(|argument| argument == WORKER_ARGUMENT) {
        kitbag::run_worker();
        return 0;
    }
    let workers = kitbag::WorkerCommand::this_program([WORKER_ARGUMENT.into()]);
    Launch { arguments, program: Vec::new(), workers }.run()
}

//! The process that the program runs in: how it was started, and what it does about signals and panics.

use std::io;
use std::sync::{Once, OnceLock};

static PROGRAM: OnceLock<Vec<String>> = OnceLock::new();

/// Sets the words that start the program, if it runs inside a process of another program.
pub fn set_program(words: Vec<String>) {
    // The first call is that of the process.
    let _ = PROGRAM.set(words);
}

/// Returns the words that start this program: at least one.
pub fn program() -> io::Result<Vec<String>> {
    match PROGRAM.get().filter(|words| !words.is_empty()) {
        Some(words) => Ok(words.clone()),
        None => Ok(vec![std::env::current_exe()?.to_string_lossy().into_owned()]),
    }
}

/// Prepares the process for failures that are errors of one file or request.
pub fn prepare() {
    survive_file_size_limit();
    hide_contained_panics();
}

/// Makes panics that are reported as errors print nothing.
pub fn hide_contained_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !kitbag::contains_panics() {
                report(panic);
            }
        }));
    });
}

/// Makes a write beyond the limit on file sizes (`ulimit -f`) an error instead of the end of the
/// process. The signal is handled rather than ignored, since programs that are started inherit ignored
/// signals.
#[cfg(unix)]
fn survive_file_size_limit() {
    use signal_hook::consts::SIGXFSZ;
    // Without a handler, the process ends as it would have before.
    let _ = signal_hook::flag::register(SIGXFSZ, Default::default());
}

#[cfg(not(unix))]
fn survive_file_size_limit() {}

//! What the process does about signals and panics.

/// Prepares the process for failures that are errors of one file or request.
pub fn prepare() {
    survive_file_size_limit();
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The caller reports a contained panic as an error.
        if !kitbag::contains_panics() {
            report(panic);
        }
    }));
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

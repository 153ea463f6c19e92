//! What Ctrl-C does: work that can be cancelled is, and what merely waits ends on the spot.

use kitbag::Cancel;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the next interruption ends the program there and then.
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// A flag that Ctrl-C raises. A second Ctrl-C ends the program.
pub fn cancel_on_interrupt() -> Cancel {
    let cancel = Cancel::default();
    let flag = cancel.clone();
    // Without a handler Ctrl-C simply ends the program, which is as good.
    let _ = ctrlc::set_handler(move || {
        if AT_ONCE.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        flag.cancel();
    });
    cancel
}

/// From here on nothing looks at the flag: Ctrl-C ends the program.
pub fn end_at_once() {
    AT_ONCE.store(true, Ordering::SeqCst);
}

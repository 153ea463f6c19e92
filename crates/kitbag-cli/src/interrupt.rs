//! Ctrl-C cancels work, and ends the program where nothing checks for cancellation.

use kitbag::Cancel;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;

/// Exit status of an interrupted program.
const INTERRUPTED: i32 = 130;

/// Whether the next Ctrl-C exits.
static EXIT_ON_INTERRUPT: AtomicBool = AtomicBool::new(false);

/// Returns the flag that Ctrl-C sets. A second Ctrl-C exits.
pub fn cancel_on_interrupt() -> Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    let create = || {
        let cancel = Cancel::default();
        let flag = cancel.clone();
        on_interrupt(move || flag.cancel());
        cancel
    };
    CANCEL.get_or_init(create).clone()
}

/// Returns a token that Ctrl-C cancels. A second Ctrl-C exits.
pub fn token_on_interrupt() -> CancellationToken {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    on_interrupt(move || cancelled.cancel());
    token
}

fn on_interrupt(first: impl Fn() + Send + 'static) {
    // Without a handler, the first Ctrl-C exits, which is acceptable.
    let _ = ctrlc::set_handler(move || {
        if EXIT_ON_INTERRUPT.swap(true, Ordering::SeqCst) {
            std::process::exit(INTERRUPTED);
        }
        first();
    });
}

/// Makes the next Ctrl-C exit, because nothing checks for cancellation any more.
pub fn exit_on_interrupt() {
    EXIT_ON_INTERRUPT.store(true, Ordering::SeqCst);
}

//! How many workers may be in use at once.

use kitbag_text::{Cancel, Cancelled};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval between checks of the cancellation token while waiting.
const CANCEL_INTERVAL: Duration = Duration::from_millis(20);

/// Numbers of texts that may be parsed at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaxTexts {
    pub all: usize,
    /// Texts that need much memory.
    pub large: usize,
}

impl MaxTexts {
    /// Callers wait for their worker most of the time, so that there may be more of them than cores.
    pub fn for_cores(cores: usize) -> Self {
        Self { all: cores.saturating_mul(2).max(4), large: (cores / 4).max(2) }
    }
}

/// Slots for the texts that are being parsed.
pub(crate) struct Slots {
    max: MaxTexts,
    used: Mutex<UsedSlots>,
    released: Condvar,
}

#[derive(Debug, Default)]
struct UsedSlots {
    all: usize,
    large: usize,
}

/// A slot that is released when dropped.
pub(crate) struct Slot<'a> {
    slots: &'a Slots,
    is_large: bool,
}

impl Slots {
    pub fn new(max: MaxTexts) -> Self {
        Self { max, used: Mutex::default(), released: Condvar::new() }
    }

    /// Waits for a free slot.
    pub fn take(&self, is_large: bool, cancel: &Cancel) -> Result<Slot<'_>, Cancelled> {
        let mut used = self.lock();
        while used.all >= self.max.all || (is_large && used.large >= self.max.large) {
            cancel.check()?;
            let waited = self.released.wait_timeout(used, CANCEL_INTERVAL);
            used = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        used.all += 1;
        used.large += usize::from(is_large);
        Ok(Slot { slots: self, is_large })
    }

    fn lock(&self) -> MutexGuard<'_, UsedSlots> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut used = self.slots.lock();
        used.all -= 1;
        used.large -= usize::from(self.is_large);
        drop(used);
        // Those that wait for a large slot may not be able to use this one.
        self.slots.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_free(slots: &Slots, is_large: bool) -> bool {
        let cancelled = Cancel::default();
        cancelled.cancel();
        slots.take(is_large, &cancelled).is_ok()
    }

    #[test]
    fn slots_are_limited_and_released() {
        let slots = Slots::new(MaxTexts { all: 2, large: 1 });
        let never = Cancel::default();
        let large = slots.take(true, &never);
        assert!(is_free(&slots, false) && !is_free(&slots, true));
        let small = slots.take(false, &never);
        assert!(!is_free(&slots, false));
        drop((large, small));
        assert!(is_free(&slots, true));
    }

    #[test]
    fn waiting_ends_when_a_slot_is_released() {
        let slots = Slots::new(MaxTexts { all: 1, large: 1 });
        let never = Cancel::default();
        let first = slots.take(false, &never);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| slots.take(true, &never).is_ok());
            drop(first);
            assert!(waiting.join().expect("no panic"));
        });
    }
}

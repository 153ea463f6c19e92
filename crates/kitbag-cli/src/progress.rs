//! The bar that long work shows on a terminal.

use crate::ui;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use kitbag::Engine;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A bar for an index that is brought up to date. It is seen on a terminal only.
#[derive(Clone)]
pub struct Progress {
    began: Instant,
    patience: Duration,
    bar: Arc<OnceLock<ProgressBar>>,
}

impl Progress {
    /// A bar that shows itself once the work has taken half a second: most never does.
    pub fn after_a_while() -> Self {
        Self { began: Instant::now(), patience: Duration::from_millis(500), bar: Arc::default() }
    }

    /// A bar that shows itself at once.
    pub fn at_once() -> Self {
        Self { patience: Duration::ZERO, ..Self::after_a_while() }
    }

    /// An engine that moves the bar.
    pub fn tell(&self, engine: Engine) -> Engine {
        let progress = self.clone();
        engine.with_progress(move |done, of| progress.show(done, of))
    }

    fn show(&self, done: usize, of: usize) {
        if self.bar.get().is_none() && (done == of || self.began.elapsed() < self.patience) {
            return;
        }
        let bar = self.bar.get_or_init(|| ProgressBar::new(of as u64).with_style(style()));
        bar.set_position(done as u64);
        if done == of {
            bar.finish_and_clear();
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template(
        "indexing {wide_bar} {pos} of {len} files, {rate}, {eta} left",
    );
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate)
}

/// How fast it goes, as people read it: `3,144/s`.
fn rate(state: &ProgressState, text: &mut dyn std::fmt::Write) {
    // Where it cannot be written, there is nobody to see it.
    let _ = write!(text, "{}/s", ui::thousands(state.per_sec().round() as usize));
}

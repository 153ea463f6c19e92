//! Progress bar for indexing, shown on terminals only.

use crate::engine::block_on;
use crate::exit::Failure;
use crate::ui;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use kitbag::Engine;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Time that indexing takes before the bar appears. Most runs are faster.
const SHOW_AFTER: Duration = Duration::from_millis(500);

/// A bar for the files that are indexed.
#[derive(Clone)]
pub struct Progress {
    started: Instant,
    show_after: Duration,
    bar: Arc<OnceLock<ProgressBar>>,
}

impl Progress {
    /// A bar that appears if the work takes longer than half a second.
    pub fn delayed() -> Self {
        Self { started: Instant::now(), show_after: SHOW_AFTER, bar: Arc::default() }
    }

    /// A bar that appears immediately.
    pub fn immediate() -> Self {
        Self { show_after: Duration::ZERO, ..Self::delayed() }
    }

    /// Makes an engine report its progress to the bar.
    pub fn attach(&self, engine: Engine) -> Engine {
        let progress = self.clone();
        engine.with_progress(move |done, total| progress.update(done, total))
    }

    /// Waits for the engine, then removes the bar.
    pub fn block_on<T>(
        &self,
        work: impl Future<Output = Result<T, kitbag::Error>>,
    ) -> Result<T, Failure> {
        let result = block_on(work);
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
        result
    }

    fn update(&self, done: usize, total: usize) {
        let is_hidden = done == total || self.started.elapsed() < self.show_after;
        if self.bar.get().is_none() && is_hidden {
            return;
        }
        let bar = self.bar.get_or_init(|| ProgressBar::new(total as u64).with_style(style()));
        bar.set_position(done as u64);
        if done == total {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template(
        "indexing {wide_bar} {pos} of {len} files, {rate}, {eta} left",
    );
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", write_rate)
}

fn write_rate(state: &ProgressState, text: &mut dyn std::fmt::Write) {
    // The formatter of `indicatif` ignores errors as well.
    let _ = write!(text, "{}/s", ui::thousands(state.per_sec().round() as usize));
}

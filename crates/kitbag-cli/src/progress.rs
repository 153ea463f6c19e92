//! Progress bar for indexing, shown on terminals only.

use crate::engine::block_on;
use crate::exit::CliError;
use crate::ui;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use kitbag::Engine;
use std::time::{Duration, Instant};

/// Time that indexing takes before the bar appears. Most runs are faster.
const SHOW_AFTER: Duration = Duration::from_millis(500);

/// A bar for the files that are indexed.
#[derive(Clone)]
pub struct IndexProgress {
    show_at: Instant,
    bar: ProgressBar,
}

impl IndexProgress {
    /// A bar that appears if the work takes longer than half a second.
    pub fn delayed() -> Self {
        Self { show_at: Instant::now() + SHOW_AFTER, ..Self::immediate() }
    }

    /// A bar that appears immediately.
    pub fn immediate() -> Self {
        let bar = match ui::is_quiet() {
            true => ProgressBar::hidden(),
            false => ProgressBar::new(0).with_style(style()),
        };
        Self { show_at: Instant::now(), bar }
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
    ) -> Result<T, CliError> {
        let result = block_on(work);
        self.bar.finish_and_clear();
        result
    }

    /// Updates the bar, which is drawn from the first update on.
    fn update(&self, done: usize, total: usize) {
        if done == total {
            self.bar.finish_and_clear();
        } else if Instant::now() >= self.show_at {
            self.bar.set_length(total as u64);
            self.bar.set_position(done as u64);
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

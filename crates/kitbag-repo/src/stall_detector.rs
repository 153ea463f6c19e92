//! Notices processes that wait for something that never comes.

use std::time::{Duration, Instant};

/// Interval between looks at the process.
const INTERVAL: Duration = Duration::from_millis(100);

/// Watches a process that should either compute, wait for a disk, or write.
pub(crate) struct StallDetector {
    id: u32,
    limit: Duration,
    looked: Instant,
    /// CPU time at the last look, in ticks.
    ticks: u64,
    /// When the process was last seen doing something.
    active: Instant,
}

impl StallDetector {
    pub fn new(id: u32, limit: Duration) -> Self {
        let now = Instant::now();
        Self { id, limit, looked: now, ticks: 0, active: now }
    }

    /// Notes that the process has written something.
    pub fn note_output(&mut self) {
        self.active = Instant::now();
    }

    /// Whether the process has done nothing for too long. Unknown on systems without `/proc`, where
    /// elapsed time is the only limit.
    pub fn is_stalled(&mut self) -> bool {
        if self.looked.elapsed() < INTERVAL {
            return false;
        }
        self.looked = Instant::now();
        match sleeping_ticks(self.id) {
            Some(ticks) if ticks == self.ticks => {}
            other => {
                self.ticks = other.unwrap_or(self.ticks);
                self.active = self.looked;
            }
        }
        self.active.elapsed() > self.limit
    }
}

/// Returns the CPU time of a process that sleeps, in ticks. One that waits for a disk or for a processor
/// does not: it is slow, but will go on.
#[cfg(target_os = "linux")]
fn sleeping_ticks(id: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The fields after the name, beginning with the third, the state.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3);
    let ticks = |number: usize| field(number)?.parse::<u64>().ok();
    if *field(3)? != "S" {
        return None;
    }
    Some(ticks(14)? + ticks(15)?)
}

#[cfg(not(target_os = "linux"))]
fn sleeping_ticks(_id: u32) -> Option<u64> {
    None
}

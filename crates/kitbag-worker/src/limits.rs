//! Limits of a call to a worker.

use std::time::Duration;

/// What a worker may use to answer a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallLimits {
    pub cpu: Duration,
    /// Resident memory of the process.
    pub memory: u64,
    /// Elapsed time, for a worker that neither computes nor answers. It also limits the CPU time where
    /// that cannot be measured.
    pub elapsed: Duration,
    /// Size of the answer.
    pub reply_bytes: usize,
}

/// CPU time for any text, however small.
const CPU: Duration = Duration::from_millis(700);
/// CPU time per byte of text: twice what the slowest grammar needs for code on a slow machine.
const CPU_PER_BYTE: Duration = Duration::from_nanos(400);
/// Memory for any text, including the program itself.
const MEMORY: u64 = 192 << 20;
/// Memory per byte of text: twice what the tree of dense code needs.
const MEMORY_PER_BYTE: u64 = 100;
const REPLY_BYTES: usize = 1 << 20;
/// A text has fewer units and definitions than tokens, and each takes a few bytes and its symbol path.
const REPLY_BYTES_PER_BYTE: usize = 32;

impl CallLimits {
    /// Limits for the first call, which has to wait for the program to start.
    pub const START: Self = Self {
        cpu: Duration::from_secs(10),
        memory: MEMORY,
        elapsed: Duration::from_secs(60),
        reply_bytes: REPLY_BYTES,
    };

    /// Returns the limits for a text of `bytes`.
    pub fn for_text(bytes: usize) -> Self {
        let cpu = CPU + CPU_PER_BYTE * u32::try_from(bytes).unwrap_or(u32::MAX);
        Self {
            cpu,
            memory: MEMORY + MEMORY_PER_BYTE * bytes as u64,
            elapsed: if crate::usage::IS_MEASURED { cpu * 40 } else { cpu * 4 },
            reply_bytes: REPLY_BYTES + REPLY_BYTES_PER_BYTE * bytes,
        }
    }
}

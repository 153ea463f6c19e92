//! Limits of a call to a worker.
//!
//! Measured with files of 0.05 to 10 MB in ten languages, parsing takes 30 to 160 ns of CPU time and 9 to 34
//! bytes of memory per byte, 10 MB for the program, and a few more for the tables of a grammar. The limit on
//! parser steps ends it at about 1.4 s and 270 MB. No text may cost a second or 300 MB more than that.

use kitbag_text::ParseAllowance;
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
const CPU: Duration = Duration::from_millis(600);
/// CPU time per byte of text.
const CPU_PER_BYTE: Duration = Duration::from_nanos(140);
/// CPU time that any text may take without being charged for it.
const FREE_CPU: Duration = Duration::from_millis(50);
/// CPU time per byte that is not charged: twice what the slowest grammar needs on a slow machine.
const FREE_CPU_PER_BYTE: Duration = Duration::from_nanos(400);
/// CPU time for a text after others were expensive, in addition to what is not charged.
const REDUCED_CPU: Duration = Duration::from_millis(50);
/// Memory for any text, including the program itself.
const MEMORY: u64 = 96 << 20;
/// Memory per byte of text.
const MEMORY_PER_BYTE: u64 = 40;
/// Larger texts need so much memory that few are parsed at once.
const LARGE_TEXT_BYTES: usize = 1 << 20;
const REPLY_BYTES: usize = 1 << 20;
/// A text has fewer units and definitions than tokens, and each takes a few bytes and its symbol path.
const REPLY_BYTES_PER_BYTE: usize = 32;
/// Elapsed time per CPU time on a machine that does many other things.
const ELAPSED_FACTOR: u32 = 40;
/// Elapsed time per CPU time where CPU time cannot be measured.
pub(crate) const UNMEASURED_FACTOR: u32 = 4;

impl CallLimits {
    /// Limits for the first call, which has to wait for the program to start.
    pub const START: Self = Self {
        cpu: Duration::from_secs(10),
        memory: MEMORY,
        elapsed: Duration::from_secs(60),
        reply_bytes: REPLY_BYTES,
    };

    /// Returns the limits for a text of `bytes`.
    pub fn for_text(bytes: usize, is_measured: bool) -> Self {
        let cpu = scaled(CPU, CPU_PER_BYTE, bytes);
        Self {
            cpu,
            memory: MEMORY + MEMORY_PER_BYTE * bytes as u64,
            elapsed: cpu * if is_measured { ELAPSED_FACTOR } else { UNMEASURED_FACTOR },
            reply_bytes: REPLY_BYTES + REPLY_BYTES_PER_BYTE * bytes,
        }
    }

    /// Reduces the CPU time to what is left for a text of `bytes` after others were expensive.
    pub fn with_allowance(self, allowance: ParseAllowance, bytes: usize) -> Self {
        let reduced = free_cpu(bytes) + REDUCED_CPU;
        let is_reduced = allowance != ParseAllowance::Full;
        Self { cpu: if is_reduced { self.cpu.min(reduced) } else { self.cpu }, ..self }
    }

    /// Subtracts CPU time that the same text has used before.
    pub fn after(self, used: Duration) -> Self {
        Self { cpu: self.cpu.saturating_sub(used), ..self }
    }
}

/// Returns the CPU time that a text of `bytes` may take without being charged for it.
pub(crate) fn free_cpu(bytes: usize) -> Duration {
    scaled(FREE_CPU, FREE_CPU_PER_BYTE, bytes)
}

/// Whether a text of `bytes` needs so much memory that few such texts are parsed at once.
pub(crate) fn is_large(bytes: usize) -> bool {
    bytes > LARGE_TEXT_BYTES
}

fn scaled(base: Duration, per_byte: Duration, bytes: usize) -> Duration {
    base + per_byte * u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_grow_with_the_text() {
        let limits = |bytes| CallLimits::for_text(bytes, true);
        assert_eq!(limits(0).cpu, CPU);
        assert_eq!(limits(10_000_000).cpu, Duration::from_secs(2));
        assert_eq!(limits(10_000_000).memory, MEMORY + 400_000_000);
    }

    #[test]
    fn elapsed_time_is_limited_tightly_where_cpu_time_cannot_be_measured() {
        let elapsed = |is_measured| CallLimits::for_text(1_000, is_measured).elapsed;
        assert!(elapsed(false) < Duration::from_secs(3) && elapsed(true) > elapsed(false));
    }

    #[test]
    fn reduced_limits_are_above_what_is_free() {
        for bytes in [0, 100_000] {
            let limits = CallLimits::for_text(bytes, true);
            let reduced = limits.with_allowance(ParseAllowance::Reduced, bytes);
            assert!(reduced.cpu > free_cpu(bytes) && reduced.cpu < limits.cpu);
            assert_eq!(limits.with_allowance(ParseAllowance::Full, bytes), limits);
        }
    }
}

//! CPU time and memory of a process.

use std::sync::OnceLock;
use std::time::Duration;

/// What a process has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    pub cpu: Duration,
    /// Resident memory in bytes.
    pub memory: u64,
}

/// Whether [`usage`] is known on this system. On Linux it is, unless `/proc` is missing.
pub(crate) fn is_measured() -> bool {
    static IS_MEASURED: OnceLock<bool> = OnceLock::new();
    *IS_MEASURED.get_or_init(|| {
        let is_measured = usage(std::process::id()).is_some();
        if !is_measured {
            tracing::warn!("parser processes are limited by elapsed time");
        }
        is_measured
    })
}

/// Reads what the process `pid` has used.
#[cfg(target_os = "linux")]
pub(crate) fn usage(pid: u32) -> Option<Usage> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads what the process `pid` has used.
#[cfg(not(target_os = "linux"))]
pub(crate) fn usage(_pid: u32) -> Option<Usage> {
    None
}

/// Reads `/proc/PID/stat`. The name of the program is in parentheses and may contain anything.
#[cfg(target_os = "linux")]
fn parse_stat(stat: &str) -> Option<Usage> {
    // The fields after the name, beginning with the third, the state.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let ticks = field(14)? + field(15)?;
    let cpu = Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second());
    Some(Usage { cpu, memory: field(24)? * rustix::param::page_size() as u64 })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn usage_of_this_process_is_measured() {
        let usage = usage(std::process::id()).expect("Linux has /proc");
        assert!(usage.memory > 100_000, "{usage:?}");
    }

    #[test]
    fn names_with_parentheses_are_skipped() {
        let stat = "7 (a) b) (c) R 1 1 1 0 -1 0 0 0 0 0 150 50 0 0 20 0 1 0 9 1000 3 0";
        let page = rustix::param::page_size() as u64;
        let second = 1_000 / rustix::param::clock_ticks_per_second();
        let expected = Usage { cpu: Duration::from_millis(200 * second), memory: 3 * page };
        assert_eq!(parse_stat(stat), Some(expected));
        assert_eq!(parse_stat("7 (a) R 1"), None);
    }
}

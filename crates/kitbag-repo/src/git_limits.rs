//! The limits of git commands.
//!
//! A history can be small and its trees endless: ten nested trees of ten entries each have 10^10 paths.
//! Git keeps all changes of a commit in memory, so memory is what bounds `git log` and `git diff-index`.

use crate::process::ResourceLimits;
use std::time::Duration;

/// The limits of a git command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GitLimits {
    pub time: Duration,
    pub resources: ResourceLimits,
    pub output_bytes: usize,
}

/// A pack reads a few commands' worth of history: 5,000 commits of a large project take about 2 s and
/// 60 MB. A change of a file takes git about 400 bytes, so a commit may change half a million files.
const READ: GitLimits = GitLimits {
    time: Duration::from_secs(30),
    resources: ResourceLimits { cpu_seconds: 20, heap_bytes: 256 << 20 },
    output_bytes: 256 << 20,
};

/// Names and ids of commits.
const LOOKUP: GitLimits = GitLimits {
    time: Duration::from_secs(10),
    resources: ResourceLimits { cpu_seconds: 5, heap_bytes: 128 << 20 },
    output_bytes: 1 << 20,
};

/// Reading the index of a million files takes about 3 s.
const INDEX_TIME: Duration = Duration::from_secs(15);
/// Memory for a comparison with the index, in addition to the index itself. It bounds the differences, so
/// that a commit with endless paths fails early: this is repeated for every pack.
const INDEX_HEAP_BYTES: u64 = 64 << 20;
/// Git takes two to three times the size of an index for its entries, and as much for its differences
/// from a commit.
const HEAP_PER_INDEX_BYTE: u64 = 8;

/// A process that serves many requests, each of which has a time limit of its own.
pub(crate) const SERVER: ResourceLimits =
    ResourceLimits { cpu_seconds: 600, heap_bytes: READ.resources.heap_bytes };

/// Returns the limits of a command in a repository with an index of `index_bytes`.
pub(crate) fn limits_of(command: &str, index_bytes: u64) -> GitLimits {
    match command {
        "rev-parse" | "symbolic-ref" => LOOKUP,
        "ls-files" | "diff-index" => {
            let heap_bytes = index_bytes.saturating_mul(HEAP_PER_INDEX_BYTE) + INDEX_HEAP_BYTES;
            let heap_bytes = heap_bytes.min(1 << 30);
            let resources = ResourceLimits { heap_bytes, ..READ.resources };
            GitLimits { time: INDEX_TIME, resources, ..READ }
        }
        _ => READ,
    }
}

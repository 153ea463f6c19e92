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

/// 5,000 commits of Django, Vault or Ansible take git half a second of processor time and 40 to 90 MB, most
/// of it for the cache of deltas. Each file that a commit changes takes about 400 bytes more, so a commit may
/// change 400,000 files.
const READ: GitLimits = GitLimits {
    time: Duration::from_secs(30),
    resources: ResourceLimits { cpu_seconds: 10, heap_bytes: 256 << 20 },
    output_bytes: 256 << 20,
};

/// Time for which git may neither compute nor wait for a disk nor write anything. Only other processes that
/// it waits for, such as those of a file system in user space, take as long.
pub(crate) const STALL_TIME: Duration = Duration::from_secs(3);

/// Names and ids of commits.
const LOOKUP: GitLimits = GitLimits {
    time: Duration::from_secs(10),
    resources: ResourceLimits { cpu_seconds: 5, heap_bytes: 128 << 20 },
    output_bytes: 1 << 20,
};

// An index of 500,000 files has 56 MB. Listing it takes git 0.3 s and 140 MB, and comparing it with a
// commit in which all files differ 0.9 s and 440 MB. What is not in proportion to the index is bounded
// tightly, since a commit with endless paths is compared for every pack.
const INDEX_TIME: Duration = Duration::from_secs(15);
const INDEX_CPU_SECONDS: u64 = 2;
/// Bytes of an index for which a second is added.
const INDEX_BYTES_PER_SECOND: u64 = 16 << 20;
const INDEX_HEAP_BYTES: u64 = 64 << 20;
const HEAP_PER_INDEX_BYTE: u64 = 8;
const MAX_INDEX_HEAP_BYTES: u64 = 1 << 30;

/// A process that serves many requests, each of which has a time limit of its own.
pub(crate) const SERVER: ResourceLimits =
    ResourceLimits { cpu_seconds: 600, heap_bytes: READ.resources.heap_bytes };

/// Returns the limits of a command in a repository with an index of `index_bytes`.
pub(crate) fn limits_of(command: &str, index_bytes: u64) -> GitLimits {
    match command {
        "rev-parse" | "symbolic-ref" => LOOKUP,
        "ls-files" | "diff-index" => with_index(index_bytes),
        _ => READ,
    }
}

fn with_index(index_bytes: u64) -> GitLimits {
    let heap_bytes = index_bytes.saturating_mul(HEAP_PER_INDEX_BYTE);
    let heap_bytes = heap_bytes.saturating_add(INDEX_HEAP_BYTES).min(MAX_INDEX_HEAP_BYTES);
    let cpu_seconds = INDEX_CPU_SECONDS + index_bytes / INDEX_BYTES_PER_SECOND;
    let resources =
        ResourceLimits { cpu_seconds: cpu_seconds.min(READ.resources.cpu_seconds), heap_bytes };
    // The list of an index has two to four times its size.
    GitLimits { time: INDEX_TIME, resources, output_bytes: heap_bytes as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_grow_with_the_index_up_to_a_maximum() {
        let heap_megabytes = |size: u64| limits_of("ls-files", size).resources.heap_bytes >> 20;
        assert_eq!([0, 56 << 20, u64::MAX].map(heap_megabytes), [64, 512, 1024]);
        let cpu_seconds = |size: u64| limits_of("diff-index", size).resources.cpu_seconds;
        assert_eq!([0, 56 << 20, u64::MAX].map(cpu_seconds), [2, 5, 10]);
        assert_eq!(limits_of("log", u64::MAX), READ);
    }
}

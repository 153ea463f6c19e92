//! What a worker may do: compute, use memory, and answer on its pipes.
//!
//! Everything here is set by the worker itself before it reads its first request. A measure that the
//! system does not support is skipped: the pool's own limits hold regardless.

#[cfg(unix)]
use crate::limits::CallLimits;
use crate::protocol::Confinement;
#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Address space that a worker may add to that of the program. The pool kills a worker long before,
/// unless the pool itself is stalled.
#[cfg(unix)]
const ADDRESS_SPACE: u64 = 2 << 30;
/// Address space of the program where it cannot be measured, because `/proc` is missing.
#[cfg(target_os = "linux")]
const UNMEASURED_ADDRESS_SPACE: u64 = 1 << 30;

/// Gives up every permission that parsing does not need. Returns what the system supports.
pub(crate) fn confine() -> Confinement {
    #[cfg(unix)]
    limit_resources();
    #[cfg(target_os = "linux")]
    let filters_system_calls = seccomp::deny_system_calls().is_ok();
    #[cfg(not(target_os = "linux"))]
    let filters_system_calls = false;
    Confinement { filters_system_calls, max_cpu_seconds: max_cpu_seconds() }
}

/// Returns the limit on CPU time that cannot be raised.
#[cfg(unix)]
fn max_cpu_seconds() -> Option<u64> {
    getrlimit(Resource::Cpu).maximum
}

#[cfg(not(unix))]
fn max_cpu_seconds() -> Option<u64> {
    None
}

#[cfg(unix)]
fn limit_resources() {
    // Reads a file, so it comes before the limit on files.
    #[cfg(target_os = "linux")]
    set_limit(Resource::As, address_space().unwrap_or(UNMEASURED_ADDRESS_SPACE) + ADDRESS_SPACE);
    for resource in [Resource::Core, Resource::Fsize, Resource::Nproc, Resource::Nofile] {
        set_limit(resource, 0);
    }
}

#[cfg(unix)]
fn set_limit(resource: Resource, limit: u64) {
    // Fails only where the limit is already lower.
    _ = setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) });
}

#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().next()?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Limits the CPU time from now on to what a text of `bytes` may take and a margin, so that a worker
/// ends even if the program that started it is gone.
#[cfg(unix)]
pub(crate) fn limit_cpu_for(bytes: usize) {
    use rustix::time::{ClockId, clock_gettime};
    const MARGIN_SECONDS: u64 = 3;
    let used = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or_default();
    let limit = used + CallLimits::for_text(bytes, true).cpu.as_secs() + MARGIN_SECONDS;
    let maximum = getrlimit(Resource::Cpu).maximum;
    let limit = maximum.map_or(limit, |maximum| limit.min(maximum));
    _ = setrlimit(Resource::Cpu, Rlimit { current: Some(limit), maximum });
}

/// CPU time is limited by the pool alone.
#[cfg(not(unix))]
pub(crate) fn limit_cpu_for(_bytes: usize) {}

#[cfg(target_os = "linux")]
mod seccomp {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter,
    };
    use std::collections::BTreeMap;
    use std::error::Error;

    /// Memory, the pipes, the clock, signals to itself and the end. No call opens a file or a socket,
    /// starts a process or reaches another one.
    const ALLOWED: [i64; 25] = [
        libc::SYS_brk,
        libc::SYS_clock_gettime,
        libc::SYS_close,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_futex,
        libc::SYS_getpid,
        libc::SYS_getrandom,
        libc::SYS_gettid,
        libc::SYS_madvise,
        libc::SYS_mmap,
        libc::SYS_mprotect,
        libc::SYS_mremap,
        libc::SYS_munmap,
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_restart_syscall,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sched_yield,
        libc::SYS_set_robust_list,
        libc::SYS_sigaltstack,
        libc::SYS_write,
        libc::SYS_writev,
    ];

    /// Lets every other system call fail. A call that a library makes for comfort, such as naming its
    /// memory, does no harm that way.
    pub fn deny_system_calls() -> Result<(), Box<dyn Error>> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
        let this_process = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)?;
        rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![this_process])?]);
        let filter = SeccompFilter::new(
            rules,
            SeccompAction::Errno(libc::EPERM as u32),
            SeccompAction::Allow,
            std::env::consts::ARCH.try_into()?,
        )?;
        let program: BpfProgram = filter.try_into()?;
        Ok(apply_filter(&program)?)
    }
}

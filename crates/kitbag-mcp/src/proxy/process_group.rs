//! A child process and its descendants.
//!
//! Servers are often started by a wrapper: a shell, `npx`, `uv`. On Unix the child gets a process
//! group of its own, which is killed with it; descendants that leave the group (daemons) survive. On
//! other systems only the child itself is killed.

use std::io;
use tokio::process::{Child, Command};

/// The processes of a child. They are killed on drop.
pub(super) struct ProcessGroup {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl ProcessGroup {
    /// Spawns a child in a process group of its own.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        let child = command.process_group(0).spawn()?;
        let pid = child.id().and_then(|id| i32::try_from(id).ok());
        let leader = pid.and_then(rustix::process::Pid::from_raw);
        Ok((child, Self { leader }))
    }

    /// Sends `SIGTERM` to the group.
    pub fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Kills the group. Its id may be reused afterwards, so it is never signalled again.
    pub fn kill(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        self.leader = None;
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader {
            // Fails if all processes of the group have exited already.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

#[cfg(not(unix))]
impl ProcessGroup {
    /// Spawns a child.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        Ok((command.spawn()?, Self {}))
    }

    /// Does nothing, since there are no signals.
    pub fn terminate(&self) {}

    /// Does nothing: the child is killed by its handle.
    pub fn kill(&mut self) {}
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

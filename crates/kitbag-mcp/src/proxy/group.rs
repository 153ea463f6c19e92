//! A program and whatever it starts.
//!
//! Servers are often started by something else: a shell, `npx`, `uv`. On Unix the program gets a
//! process group of its own, and all of that group ends with it; what leaves the group (a daemon)
//! stays. Elsewhere only the program itself can be ended.

use std::io;
use tokio::process::{Child, Command};

/// The processes of a program. They are killed when it is dropped.
pub(super) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    /// Starts a program in a group of its own.
    pub fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let child = command.process_group(0).spawn()?;
        let number = child.id().and_then(|id| i32::try_from(id).ok());
        let leader = number.and_then(rustix::process::Pid::from_raw);
        Ok((child, Self { leader }))
    }

    /// Tells all of them to end.
    pub fn ask_to_end(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Ends all of them. After this the group is nobody's any more.
    pub fn kill(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        self.leader = None;
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader {
            // A group that is gone already has nothing left to end.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    /// Starts a program. Its own children cannot be ended with it.
    pub fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        Ok((command.spawn()?, Self {}))
    }

    /// There is no way to ask.
    pub fn ask_to_end(&self) {}

    /// The program itself is ended by its handle.
    pub fn kill(&mut self) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

//! Parsing in child processes.
//!
//! Grammars are C code. A hostile text can make one write past a buffer, abort, or use memory and time
//! without end. A [`WorkerPool`] therefore parses in child processes, which are the same program started
//! again: they have no files and no network, and they are killed when they exceed their memory or
//! CPU time. A text that kills or stalls its worker falls back to lines, and is not parsed again.
//!
//! This crate is the only one that starts these processes and the only one that confines them.

mod failures;
mod limits;
mod parser;
mod pool;
mod protocol;
mod sandbox;
mod serve;
mod session;
mod slots;
mod usage;
mod watchdog;
mod wire;
mod worker;

pub use pool::WorkerPool;
pub use serve::run_worker;
pub use worker::WorkerCommand;

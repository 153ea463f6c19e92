//! Running work: the one place that starts threads, catches panics and waits with a timeout.
//!
//! A [`Task`] is work on a thread or in a compute pool whose result can be awaited or waited for.
//! Dropping it cancels the work. [`ElasticPool`] hands out a bounded number of resources, first
//! come, first served; [`ComputePools`] are the rayon pools of an engine, handed out by one.

mod compute;
mod pool;
mod task;
mod thread;

pub(crate) use compute::ComputePools;
pub(crate) use pool::ElasticPool;
pub(crate) use task::Task;
pub(crate) use thread::{catch_panic, spawn_scoped, spawn_thread};

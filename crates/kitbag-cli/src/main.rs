//! The program `kitbag`.

mod args;
mod commands;
mod exit;
mod files;
mod gathering;
mod inspect_args;
mod interrupt;
mod layout;
mod logging;
mod progress;
mod ui;

/// The parsers take and give back a small piece of memory for every node, in C: this allocator
/// replaces theirs too, and is a tenth faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    exit::code(commands::run())
}

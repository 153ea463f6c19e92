//! The program `kitbag`.

mod args;
mod commands;
mod exit;
mod files;
mod interrupt;
mod ui;

fn main() -> std::process::ExitCode {
    exit::code(commands::run())
}

//! A parser process, for programs that use the library and cannot start themselves again.

fn main() -> std::process::ExitCode {
    kitbag_worker::run_worker()
}

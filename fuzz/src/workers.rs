//! Parsing in other processes, as the program does.

use kitbag::WorkerCommand;
use std::sync::Once;

/// Variable with the path of the parser program, which `scripts/fuzz` builds without instrumentation.
const PROGRAM: &str = "KITBAG_PARSE_WORKER";

/// Parses all texts of this process in workers.
pub fn parse_in_workers() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let program = std::env::var_os(PROGRAM).expect("`KITBAG_PARSE_WORKER` names the parser program");
        kitbag::parse_in_workers(WorkerCommand { program: program.into(), arguments: Vec::new() });
    });
}

//! Logs on standard error.

use crate::fixture::Fixture;
use serde_json::Value;

fn lines(stderr: &str) -> Vec<Value> {
    stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn a_pack_does_not_log_by_default() {
    let fixture = Fixture::project();
    let run = fixture.run(["pack", "login"]);
    assert!(!run.stderr.contains("context assembled"), "{}", run.stderr);
    let loud = fixture.run(["pack", "login", "-v"]);
    loud.stderr_contains(&["INFO", "context assembled", "tokens="]);
    assert!(!loud.stderr.contains("chunk included"));
    fixture.run(["-vv", "pack", "login"]).stderr_contains(&[
        "DEBUG",
        "chunk included",
        "src/auth.rs",
    ]);
    assert_eq!(loud.stdout, run.stdout);
}

// Shows: NFR-016-64
#[test]
fn logs_can_be_configured_as_json() {
    let fixture = Fixture::project();
    let config = "logging:\n  context_packer: info\n  format: json\n";
    fixture.write("../home/.config/kitbag/config.yml", config);
    let run = fixture.run(["pack", "why does login fail?"]);
    let lines = lines(&run.stderr);
    let ends = lines.iter().find(|line| line["fields"]["message"] == "context assembled");
    let ends = ends.unwrap_or_else(|| panic!("{}", run.stderr));
    assert_eq!(ends["level"], "INFO");
    assert_eq!(ends["span"]["mode"], "pack");
    assert!(!run.stderr.contains("why does login fail"), "no content is logged");
    let off = fixture.run(["pack", "login", "--set", "logging.context_packer=off"]);
    assert!(!off.stderr.contains("context assembled"), "{}", off.stderr);
}

//! The clipboard: through the system's own tool, or the terminal (OSC 52).

use crate::exit::CliError;
use base64::prelude::{BASE64_STANDARD, Engine};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// Terminals ignore longer sequences; 100,000 bytes is the limit of most.
const MAX_OSC_BYTES: usize = 100_000;

/// A program that copies its standard input, and the variable without which it cannot work.
struct ClipboardTool {
    program: &'static str,
    arguments: &'static [&'static str],
    needs: Option<&'static str>,
}

const TOOLS: [ClipboardTool; 6] = [
    ClipboardTool { program: "pbcopy", arguments: &[], needs: None },
    ClipboardTool { program: "wl-copy", arguments: &[], needs: Some("WAYLAND_DISPLAY") },
    ClipboardTool {
        program: "xclip",
        arguments: &["-selection", "clipboard"],
        needs: Some("DISPLAY"),
    },
    ClipboardTool {
        program: "xsel",
        arguments: &["--clipboard", "--input"],
        needs: Some("DISPLAY"),
    },
    ClipboardTool { program: "clip.exe", arguments: &[], needs: Some("WSL_DISTRO_NAME") },
    ClipboardTool { program: "clip", arguments: &[], needs: Some("SystemRoot") },
];

/// Copies a text, and returns how.
pub fn copy(text: &str) -> Result<&'static str, CliError> {
    for tool in TOOLS {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if tool.needs.is_none_or(is_set) && run(&tool, text).is_ok() {
            return Ok(tool.program);
        }
    }
    if text.len() <= MAX_OSC_BYTES && write_osc(text).is_ok() {
        return Ok("the terminal");
    }
    let hint = "install wl-copy, xclip or xsel, or write to a file with -o";
    Err(CliError::run("cannot copy: there is no clipboard", Some(hint)))
}

fn run(tool: &ClipboardTool, text: &str) -> io::Result<()> {
    let mut command = Command::new(tool.program);
    command.args(tool.arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A tool that fails early closes its input; its status says so.
        let _ = stdin.write_all(text.as_bytes());
    }
    match child.wait()?.success() {
        true => Ok(()),
        false => Err(io::Error::other("the tool failed")),
    }
}

/// Asks the terminal to copy, also from a remote machine.
fn write_osc(text: &str) -> io::Result<()> {
    let mut terminal = OpenOptions::new().write(true).open("/dev/tty")?;
    write!(terminal, "\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text))?;
    terminal.flush()
}

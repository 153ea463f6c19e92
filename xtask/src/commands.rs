//! The page of all commands: what the program says of each with `--help`.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The page, made by running the program, which is built first.
pub fn page(root: &Path) -> Result<String> {
    let program = build(root)?;
    let mut page = "# Commands\n\n\
        What `kitbag COMMAND --help` says of each. `cargo xtask generate` wrote this page.\n"
        .to_owned();
    // The commands that are still to be asked, the next one last.
    let mut open = vec![Vec::<String>::new()];
    while let Some(words) = open.pop() {
        let help = help(&program, &words)?;
        let name = [&["kitbag".to_owned()], words.as_slice()].concat().join(" ");
        page.push_str(&format!("\n## {name}\n\n```text\n{help}\n```\n"));
        let below = subcommands(&help).into_iter().rev();
        open.extend(below.map(|it| [words.as_slice(), &[it.to_owned()]].concat()));
    }
    Ok(page)
}

/// Builds the program, and says where it is.
fn build(root: &Path) -> Result<PathBuf> {
    let arguments =
        ["build", "--quiet", "--package", "kitbag-cli", "--bin", "kitbag", "--message-format=json"];
    let output = run(Command::new("cargo").args(arguments).current_dir(root))?;
    let messages = String::from_utf8(output.stdout)?;
    let executable = messages.lines().rev().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    executable.context("cargo names no program")
}

/// What the program says of a command, as wide as where there is no terminal.
fn help(program: &Path, words: &[String]) -> Result<String> {
    let output = run(Command::new(program).args(words).arg("--help").env_remove("COLUMNS"))?;
    let help = String::from_utf8(output.stdout)?;
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    Ok(lines.join("\n").trim_end().to_owned())
}

fn run(command: &mut Command) -> Result<Output> {
    let output = command.stdin(Stdio::null()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{command:?}` failed: {errors}");
    Ok(output)
}

/// The names in the list `Commands:`, without `help`.
fn subcommands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')));
    names.filter_map(|it| it.split(' ').next()).filter(|it| *it != "help").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_help_text_are_listed_without_help() {
        let help = "About\n\nUsage: x\n\nCommands:\n  pack   Packs\n         more\n  index  Shows\n  \
            help   Print this\n\nOptions:\n  -h, --help\n";
        assert_eq!(subcommands(help), ["pack", "index"]);
        assert!(subcommands("About\n\nOptions:\n  -h, --help\n").is_empty());
    }
}

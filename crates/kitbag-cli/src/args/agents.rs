//! The commands by which agents use Kitbag.

use clap::{Args, ValueEnum};
use kitbag::parse_budget;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

pub const MCP_EXAMPLE: &str = "Examples:
  kitbag mcp --repo ~/project
  kitbag mcp --repo ~/app --repo ~/library
  kitbag mcp --http 127.0.0.1:7420

Clients start it themselves once they know of it: see `kitbag init --help`.";

#[derive(Debug, Args)]
pub struct McpArgs {
    /// A repository to serve. Can be repeated; a call then names one. By default the folders that the
    /// client has open, if it tells them, else the current one.
    #[arg(long, value_name = "DIR")]
    pub repo: Vec<PathBuf>,
    /// Listen for clients over HTTP at this address, such as `127.0.0.1:7420`, in place of standard
    /// input and output. Port 0 takes a free one.
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub http: Option<SocketAddr>,
    /// The tokens of a pack where a call says nothing.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, default_value = "8k")]
    pub budget: usize,
    /// Let other machines call: the address need not be the loopback's. Needs a token.
    #[arg(long, requires = "http")]
    pub remote: bool,
    /// The environment variable with the token that clients must send, in place of the one that
    /// `server.token_env` names.
    #[arg(long, value_name = "NAME", requires = "http")]
    pub token_env: Option<String>,
    /// A name of this machine that clients may call it by, with --remote. Can be repeated.
    #[arg(long, value_name = "NAME", requires = "remote")]
    pub host: Vec<String>,
    /// With --http, print the address as JSON on standard output. Without it there is JSON only.
    #[arg(long)]
    pub json: bool,
}

pub const INIT_EXAMPLE: &str = "Examples:
  kitbag init claude-code
  kitbag init --all --dry-run
  kitbag init vscode --project
  kitbag init cursor --undo";

#[derive(Debug, Args)]
pub struct InitArgs {
    /// The clients to connect.
    #[arg(value_enum, required_unless_present = "all", conflicts_with = "all")]
    pub clients: Vec<ClientArg>,
    /// All clients that are found on this machine.
    #[arg(long)]
    pub all: bool,
    /// Write the repository's file, which those who share it get too, and not the user's own.
    #[arg(long)]
    pub project: bool,
    /// The repository for --project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Take the entry out again.
    #[arg(long)]
    pub undo: bool,
    /// Show the change, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The program that the client starts, in place of this one's path.
    #[arg(long, value_name = "PATH")]
    pub command: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClientArg {
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    #[value(name = "vscode")]
    VsCode,
    /// Zed.
    Zed,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
}

pub const PROXY_EXAMPLE: &str = "Examples:
  kitbag proxy -- npx -y @modelcontextprotocol/server-filesystem .
  kitbag proxy --budget 2k --tool 'read_*' --tool search -- my-server --flag";

#[derive(Debug, Args)]
pub struct ProxyArgs {
    /// The repository that the context is from.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// The most tokens of context that a call gets; 0 passes everything through as it is.
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget, default_value = "2k")]
    pub budget: usize,
    /// The profile of the context.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// The context of the rules that calls are made in, unless they name one by their argument `context`.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// Enrich only tools whose names match this glob. Can be repeated; all tools by default.
    #[arg(long, value_name = "GLOB")]
    pub tool: Vec<String>,
    /// Do not enrich tools whose names match this glob. Can be repeated.
    #[arg(long, value_name = "GLOB")]
    pub no_tool: Vec<String>,
    /// How long the server behind may take to answer, in seconds; 0 waits for ever.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub timeout: u64,
    /// Say what there is to say on standard error as JSON, a line each. Standard output has JSON only.
    #[arg(long)]
    pub json: bool,
    /// The server behind, and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

fn address(value: &str) -> Result<SocketAddr, String> {
    let unreadable = || "not an address such as `127.0.0.1:7420`".to_owned();
    value.to_socket_addrs().ok().and_then(|mut all| all.next()).ok_or_else(unreadable)
}

//! The commands that serve.

use clap::Args;
use std::path::PathBuf;

pub const SERVE_EXAMPLE: &str = "Examples:
  kitbag serve
  kitbag serve --repo ~/app --repo ~/library
  KITBAG_TOKEN=... kitbag serve --listen 0.0.0.0:7420 --host build.example.org \\
      --set server.token_env=KITBAG_TOKEN";

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// A repository to serve. Can be repeated; a request then names one, and else means the first.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: Vec<PathBuf>,
    /// Listen at this address [default: 127.0.0.1:7420, or `server.listen`]. Port 0 takes a free one.
    /// An address that other machines reach needs a token.
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// A name of this machine that clients may call it by. Can be repeated.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Set a setting, above all files: `server.limits.concurrency=4`. Can be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = super::pair)]
    pub set: Vec<(String, String)>,
    /// Print one line of JSON when the server listens.
    #[arg(long)]
    pub json: bool,
}

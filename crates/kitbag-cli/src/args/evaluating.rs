//! The command that evaluates.

use super::pair;
use clap::Args;
use std::path::PathBuf;

pub const EVAL_EXAMPLE: &str = "Examples:
  kitbag eval --from-git 50
  kitbag eval tasks.jsonl --repos ~/repositories --json > after.json
  kitbag eval --compare before.json after.json";

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Tasks as JSON lines: `instance_id`, `repo`, `base_commit`, `query`, `gold`.
    #[arg(value_name = "TASKS", required_unless_present_any = ["from_git", "compare"])]
    pub tasks: Option<PathBuf>,
    /// The folder that has the repositories, as `owner/name`, `owner+name` or `name`.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["from_git", "compare"])]
    pub repos: Option<PathBuf>,
    /// Make tasks from the last N commits of the repository at `--repo`.
    #[arg(long, value_name = "N", conflicts_with_all = ["tasks", "repos"],
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub from_git: Option<u32>,
    /// The repository for `--from-git`.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// Compare two results that `--json` wrote.
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"],
          conflicts_with_all = ["tasks", "repos", "from_git"])]
    pub compare: Vec<PathBuf>,
    /// The ranking weights of relevance, recency and source, which sum to 1 [default: 0.5,0.3,0.2].
    #[arg(long, value_name = "R,C,S", value_delimiter = ',', num_args = 1)]
    pub weights: Vec<f64>,
    /// Set a key of the configuration, such as `context.formatting.format=xml`. Can be repeated. No
    /// configuration file is read, so that results can be compared.
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// Run only tasks whose name contains this.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Where analyses are kept between runs; by default in the user's cache folder.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Rank by what was learnt without a task's own project, as `scripts/learn` writes it.
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,
    /// Write the features of each task's files and chunks, for learning, instead of packing.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub features: Option<PathBuf>,
    /// Print JSON, with every task.
    #[arg(long)]
    pub json: bool,
}

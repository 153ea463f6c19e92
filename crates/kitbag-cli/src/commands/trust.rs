//! `kitbag trust`.

use crate::args::RepoArgs;
use crate::exit::CliError;
use crate::terminal::escaped;
use crate::{engine, files, ui};
use clap::Args;
use kitbag::{Cancel, TrustReport, TrustState, WantedPiece};
use serde_json::json;

pub const EXAMPLES: &str = "Examples:
  kitbag trust --show
  kitbag trust --repo ~/project
  kitbag trust --revoke";

#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Print what requires trust and whether it is trusted, without changing anything.
    #[arg(long, conflicts_with = "revoke")]
    show: bool,
    /// Revoke all trust in the repository.
    #[arg(long)]
    revoke: bool,
    #[command(flatten)]
    common: RepoArgs,
}

pub fn run(args: &TrustArgs) -> Result<(), CliError> {
    let (engine, cancel) = (engine::open()?, Cancel::default());
    let (repo, json) = (args.common.repo(), &args.common.json);
    if args.revoke {
        let was_trusted = engine::block_on(engine.revoke_trust(repo, &cancel))?;
        if *json {
            return files::print_json(&json!({"version": 1, "revoked": was_trusted}));
        }
        let (revoked, nothing) = ("trust revoked", "nothing in this repository was trusted");
        ui::note(if was_trusted { revoked } else { nothing });
        return Ok(());
    }
    let mut report = engine::block_on(engine.trust_report(repo, &cancel))?;
    let is_untrusted = |it: &WantedPiece| it.standing != TrustState::Trusted;
    let grants = !args.show && report.wants.iter().any(is_untrusted);
    if grants {
        report = engine::block_on(engine.trust(repo, &report, &cancel))?;
    }
    files::print_report(*json, &report, &[], format_pieces)?;
    if !json {
        ui::note(summary(&report, grants));
    }
    Ok(())
}

fn format_pieces(report: &TrustReport) -> String {
    let mut text = String::new();
    for WantedPiece { piece, standing } in &report.wants {
        let state = match standing {
            TrustState::Trusted => "trusted",
            TrustState::Changed => "changed since it was trusted",
            TrustState::NotTrusted => "not trusted",
        };
        text.push_str(&format!("{}: {state}\n", piece.feature.as_str()));
        for line in piece.detail.lines() {
            text.push_str(&format!("  {}\n", escaped(line)));
        }
    }
    text
}

fn summary(report: &TrustReport, grants: bool) -> &'static str {
    if report.wants.is_empty() {
        "nothing in this repository requires trust"
    } else if grants {
        "trusted; changes will require trust again"
    } else if report.wants.iter().all(|it| it.standing == TrustState::Trusted) {
        "already trusted"
    } else {
        "trust it with `kitbag trust`"
    }
}

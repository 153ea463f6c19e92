//! `kitbag trust`.

use crate::args::TrustArgs;
use crate::exit::Failure;
use crate::{files, ui};
use kitbag::rules::{TrustReport, WantedPiece};
use kitbag::{Cancel, TrustStanding};
use serde_json::json;

/// Trusts what a repository wants, shows it, or takes it back.
pub fn trust(args: &TrustArgs) -> Result<(), Failure> {
    let (engine, cancel) = (files::engine()?, Cancel::default());
    if args.revoke {
        let was = files::wait_for(engine.revoke_trust(&args.repo, &cancel))?;
        if args.json {
            return files::write(None, &files::json(&json!({"version": 1, "revoked": was})));
        }
        let nothing = "nothing of this repository was trusted";
        ui::note(if was { "nothing of this repository is trusted any more" } else { nothing });
        return Ok(());
    }
    let mut report = files::wait_for(engine.trust_report(&args.repo, &cancel))?;
    let is_new = |it: &WantedPiece| it.standing != TrustStanding::Trusted;
    let grants = !args.show && report.wants.iter().any(is_new);
    if grants {
        report = files::wait_for(engine.trust(&args.repo, &report, &cancel))?;
    }
    let text = if args.json { files::json(&report) } else { listing(&report) };
    files::write(None, &text)?;
    if !args.json {
        ui::note(said(&report, grants));
    }
    Ok(())
}

/// Each piece, and exactly what it says.
fn listing(report: &TrustReport) -> String {
    let mut text = String::new();
    for WantedPiece { piece, standing } in &report.wants {
        let standing = match standing {
            TrustStanding::Trusted => "trusted",
            TrustStanding::Changed => "changed since you trusted it",
            TrustStanding::NotTrusted => "not trusted",
        };
        text.push_str(&format!("{}: {standing}\n", ui::visible(&piece.what)));
        for line in piece.detail.lines() {
            text.push_str(&format!("  {}\n", ui::visible(line)));
        }
    }
    text
}

fn said(report: &TrustReport, grants: bool) -> &'static str {
    if report.wants.is_empty() {
        "this repository wants nothing that needs trust"
    } else if grants {
        "recorded; a change of it will not be trusted"
    } else if report.wants.iter().all(|it| it.standing == TrustStanding::Trusted) {
        "it is trusted as it is"
    } else {
        "trust it with `kitbag trust`"
    }
}

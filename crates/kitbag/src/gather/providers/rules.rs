//! The contexts and rules that apply to the caller's situation.

use crate::exec::spawn_scoped;
use crate::gather::provider::{Gathered, Gathering, Provider, ProviderError};
use crate::gather::quotes::Quote;
use crate::request::Request;
use kitbag_core::{Excluded, Reason};
use kitbag_rules::{RuleOptions, RuleReader, RuleSection, RulesError, SectionKind, Situation};
use kitbag_text::{Kind, Provenance, Source, Text};
use serde_json::Value;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

/// Share of the budget for rules. The rest is for the formatting around them.
const BUDGET_SHARE: f64 = 0.9;
/// Share of the remaining time that a judge may use. If it does not answer, its conditions remain
/// undecided, and everything that needs no judge is still ready in time.
const JUDGE_SHARE: f64 = 0.8;

/// The rules provider. Caches parsed files and verdicts.
#[derive(Default)]
pub(super) struct Rules {
    reader: RuleReader,
}

impl Provider for Rules {
    fn id(&self) -> &str {
        "rules"
    }

    fn title(&self) -> &str {
        "Rules"
    }

    fn description(&self) -> &str {
        "The contexts of .agent/contexts and the rules of AGENTS.md, CLAUDE.md, Cursor, Copilot and \
         others that apply to the request."
    }

    fn has_input(&self, request: &Request) -> bool {
        has_rule_inputs(request)
    }

    fn is_enabled_by(&self, request: &Request) -> bool {
        has_rule_inputs(request)
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        let root = &gathering.root;
        let mut situation = situation(gathering);
        // Git is queried while the files are read.
        let (times, (set, mut problems)) = thread::scope(|scope| {
            let ask = || self.reader.times(root, gathering.request.now);
            let times =
                spawn_scoped(scope, move || kitbag_repo::with_cancel(&gathering.cancel, ask));
            let loaded = self.reader.load(root, &situation);
            (times(), loaded)
        });
        situation.now = times.now.or(situation.now);
        let tree = gathering.tree.as_ref().map(|tree| &**tree as _);
        let options = RuleOptions {
            settings: gathering.rules.settings,
            judge: gathering.rules.judge.as_deref(),
            judge_until: gathering.until().map(judge_deadline),
            changed: &|path| times.of(path),
            tree,
        };
        let assembled = self.reader.assemble(root, &set, &situation, &options, &gathering.cancel);
        let assembly = assembled.map_err(|error| match error {
            RulesError::Cancelled => ProviderError::Cancelled(kitbag_core::Cancelled),
            error => ProviderError::request(error),
        })?;
        problems.extend(assembly.problems.iter().cloned());
        let whole = gathering.limits.max_tokens.unwrap_or(gathering.budget);
        let budget = (whole as f64 * BUDGET_SHARE) as usize;
        let layout = assembly.layout(&[], budget, &|text| gathering.counting.count(text));
        // If no rule applies, the situation alone would only repeat the request. The caller of a tool through
        // the proxy knows its situation.
        let is_call = gathering.request().via == "proxy";
        let has_advice = layout.sections.iter().any(RuleSection::has_advice);
        let is_shown = |it: &&RuleSection| has_advice && (!is_call || it.has_advice());
        let sections: Vec<&RuleSection> = layout.sections.iter().filter(is_shown).collect();
        let mut gathered = Gathered::from(sources(&sections));
        gathered.quotes = quotes(&sections, &gathered.inputs.sources);
        gathered.warnings.extend(problems.iter().map(ToString::to_string));
        for out in &layout.left_out {
            let detail = format!("does not fit: it would take {} tokens", out.tokens);
            gathered.warnings.push(format!("`{}` {detail}", out.name));
            let excluded = Excluded::unranked(&out.name, Kind::Rule, Reason::Budget, detail);
            gathered.inputs.rejected.push(Excluded { tokens: out.tokens, ..excluded });
        }
        gathered.warnings.extend(gathering.rules.judge_problem.iter().cloned());
        gathered.rules = assembly.decisions;
        gathered.is_limited = true;
        Ok(gathered)
    }
}

/// Whether a request has inputs that only rules use. They switch rules on in every profile.
fn has_rule_inputs(request: &Request) -> bool {
    let texts = [&request.context, &request.intent, &request.situation];
    texts.into_iter().flatten().any(|text| !text.trim().is_empty())
}

/// Returns the time by which a judge must finish to leave time for the remaining steps.
fn judge_deadline(until: Instant) -> Instant {
    let now = Instant::now();
    now + until.saturating_duration_since(now).mul_f64(JUDGE_SHARE)
}

/// Describes the request in the terms of the rules.
fn situation(gathering: &Gathering) -> Situation {
    let request = gathering.request();
    let references = request.references.iter().map(|it| it.split(':').next().unwrap_or(it));
    let files = request.document.iter().chain(&request.open_files).map(|it| it.path.as_str());
    let sources = request.sources.iter().map(|it| it.path.as_str());
    let paths = files.chain(references).chain(sources);
    let mut paths: Vec<String> = paths.filter_map(|it| gathering.root.normalize(it).ok()).collect();
    paths.dedup();
    let given = [
        (request.document.is_some(), Kind::Document),
        (request.selection.is_some(), Kind::Selection),
        (!request.open_files.is_empty(), Kind::OpenFile),
        (!request.tool_results.is_empty(), Kind::ToolResult),
        (!request.diagnostics.is_empty(), Kind::Diagnostics),
        (!request.references.is_empty(), Kind::Reference),
    ];
    let facts = request.situation.as_deref().filter(|it| !it.trim().is_empty());
    let facts = facts.map(|it| serde_json::from_str(it).unwrap_or_else(|_| Value::from(it)));
    Situation {
        task: request.task.trim().to_owned(),
        intent: request.intent.clone(),
        context: request.context.clone(),
        paths,
        languages: Vec::new(),
        kinds: given.into_iter().filter(|(is_given, _)| *is_given).map(|(_, kind)| kind).collect(),
        facts,
        now: request.now,
    }
}

/// Turns the sections into sources, in order.
fn sources(sections: &[&RuleSection]) -> Vec<Source> {
    let source = |(at, section): (usize, &&RuleSection)| {
        let (folder, title) = labels(section.kind);
        let name = section.name.trim_matches('/');
        let path = match section.kind {
            SectionKind::Situation | SectionKind::Facts => folder.to_owned(),
            _ => format!("{folder}/{}", if name.is_empty() { "rule" } else { name }),
        };
        let from = Provenance { title: title.to_owned(), is_prose: true, ..Provenance::default() };
        Source {
            relevance: Some(1.0 / (1.0 + at as f64 / 100.0)),
            timestamp: section.timestamp,
            from: Some(Arc::new(from)),
            ..Source::new(path, Kind::Rule, Arc::new(Text::new(section.text.clone())))
        }
    };
    sections.iter().enumerate().map(source).collect()
}

/// Returns the files that the sections quote. `sources` are those of the sections, in the same order.
fn quotes(sections: &[&RuleSection], sources: &[Source]) -> Vec<Quote> {
    let quote = |(section, source): (&&RuleSection, &Source)| {
        let path = section.path.clone().filter(|_| section.kind == SectionKind::Rule)?;
        Some(Quote { path, label: source.path.clone(), text: Arc::clone(&source.text) })
    };
    sections.iter().zip(sources).filter_map(quote).collect()
}

/// Returns the path and the title of the sections of a kind.
fn labels(kind: SectionKind) -> (&'static str, &'static str) {
    match kind {
        SectionKind::Situation => ("rules/situation", "Current Situation"),
        SectionKind::Context => ("rules/contexts", "Active Contexts"),
        SectionKind::Behavior => ("rules/behavior", "Behavior Rules"),
        SectionKind::Rule => ("rules/applies", "Rules That Apply"),
        SectionKind::Offered => ("rules/to consider", "Rules to Consider"),
        SectionKind::Facts => ("rules/assembly", "Assembly"),
        SectionKind::History => ("rules/history", "Relevant History"),
    }
}

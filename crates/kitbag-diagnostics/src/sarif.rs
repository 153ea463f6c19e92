//! SARIF 2.1, the common format of static analyzers.
//!
//! Results that the tool marks as suppressed or passed are omitted. Tool notifications that have a
//! location are read as results, because eslint reports parse errors in this way.

use super::collect::{self, Collector};
use super::linters::last_line;
use super::{Diagnostic, DiagnosticsError, Input, Severity, json};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn read(input: &Input<'_>, into: &mut Collector) -> Result<(), DiagnosticsError> {
    json::each_value(input, "SARIF", |log: Log| {
        for run in log.runs {
            read_run(&run, into);
        }
    })
}

fn read_run(run: &Run, into: &mut Collector) {
    let reader = RunReader::new(run);
    for result in run.results.iter().flatten() {
        if !result.is_left_out() {
            reader.push(result, into);
        }
    }
    for invocation in run.invocations.iter().flatten() {
        let notes = invocation.tool_execution_notifications.iter().flatten();
        let notes = notes.chain(invocation.tool_configuration_notifications.iter().flatten());
        for note in notes.filter(|note| note.locations.as_ref().is_some_and(|at| !at.is_empty())) {
            reader.push(note, into);
        }
    }
}

/// A run with its rules indexed by id.
struct RunReader<'a> {
    run: &'a Run,
    tool: String,
    rules: BTreeMap<&'a str, &'a SarifRule>,
}

impl<'a> RunReader<'a> {
    fn new(run: &'a Run) -> Self {
        // Of several rules with one id, the first is used.
        let rules = run.tool.driver.rules.iter().rev().map(|rule| (rule.id.as_str(), rule));
        let tool = collect::name(&run.tool.driver.name).to_lowercase();
        Self { run, tool, rules: rules.collect() }
    }

    fn push(&self, result: &SarifResult, into: &mut Collector) {
        let rule = self.rule(result);
        let mut places = result.locations.iter().flatten();
        let Some(place) = places.find_map(|at| at.physical_location.as_ref()) else {
            return into.skip();
        };
        let region = place.region.clone().unwrap_or_default();
        let line = region.start_line.unwrap_or(1);
        let descriptor = || result.descriptor["id"].as_str();
        let code = result.rule_id.as_deref().or(rule.map(|rule| rule.id.as_str()));
        into.push(Diagnostic {
            path: self.path(&place.artifact_location),
            line,
            column: region.start_column,
            end_line: region.end_line.map(|end| last_line(line, end, region.end_column)),
            severity: severity(result, rule),
            // gcc repeats the level as the rule id if there is no rule.
            code: code
                .or_else(descriptor)
                .filter(|code| result.level.as_deref() != Some(code))
                .map(collect::name),
            message: message(&result.message, rule),
            tool: self.tool.clone(),
            depth: 0,
        });
    }

    fn rule(&self, result: &SarifResult) -> Option<&'a SarifRule> {
        let at = result.rule_index.or_else(|| result.rule["index"].as_i64());
        let by_index = at.and_then(|at| self.run.tool.driver.rules.get(usize::try_from(at).ok()?));
        by_index.or_else(|| self.rules.get(result.rule_id.as_deref()?).copied())
    }

    /// Returns the path of an artifact, resolved against its base. An artifact given only by index
    /// is looked up in the list of artifacts.
    fn path(&self, at: &ArtifactLocation) -> String {
        let listed = || {
            let index = usize::try_from(at.index?).ok()?;
            self.run.artifacts.as_ref()?.get(index)?.location.as_ref()
        };
        let at = if at.uri.is_some() { at } else { listed().unwrap_or(at) };
        let uri = collect::path(at.uri.as_deref().unwrap_or_default());
        let base = at.uri_base_id.as_ref().and_then(|id| self.run.original_uri_base_ids.get(id));
        let base = base.and_then(|base| base.uri.as_deref()).map(collect::path);
        match base {
            Some(base) if !uri.is_empty() && !uri.contains("://") && !uri.starts_with('/') => {
                format!("{}/{uri}", base.trim_end_matches('/'))
            }
            _ => uri.to_owned(),
        }
    }
}

/// Returns the level of the result or else of the rule. The standard defines `warning` as the
/// default.
fn severity(result: &SarifResult, rule: Option<&SarifRule>) -> Severity {
    let of_rule = || rule?.default_configuration["level"].as_str();
    match result.level.as_deref().or_else(of_rule) {
        Some(level) => Severity::of_level(level),
        None if result.kind.as_deref().is_some_and(|kind| kind != "fail") => Severity::Note,
        None => Severity::Warning,
    }
}

/// Returns the text of the message, or the rule's text with that id and its placeholders filled.
fn message(message: &SarifMessage, rule: Option<&SarifRule>) -> String {
    let of_rule = || rule?.message_strings.get(message.id.as_deref()?)?.text.as_deref();
    let Some(text) = message.text.as_deref().or_else(of_rule) else {
        return message.id.clone().unwrap_or_default();
    };
    fill(&collect::message(text), message.arguments.as_deref().unwrap_or_default())
}

/// Replaces `{0}`, `{1}` and so on in a single pass, so that placeholders inside arguments are not
/// expanded.
fn fill(text: &str, arguments: &[String]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let number = after.split_once('}');
        let argument = number.and_then(|(number, _)| arguments.get(number.parse::<usize>().ok()?));
        match (argument, number) {
            (Some(argument), Some((_, after))) => {
                filled.push_str(&collect::name(argument));
                rest = after;
            }
            _ => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled + rest
}

impl SarifResult {
    fn is_left_out(&self) -> bool {
        let passed = matches!(self.kind.as_deref(), Some("pass" | "notApplicable"));
        let suppressed = self.suppressions.iter().flatten().any(|suppression| {
            !matches!(suppression["status"].as_str(), Some("rejected" | "underReview"))
        });
        passed || suppressed || self.baseline_state.as_deref() == Some("absent")
    }
}

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    results: Option<Vec<SarifResult>>,
    artifacts: Option<Vec<Artifact>>,
    invocations: Option<Vec<Invocation>>,
    #[serde(default)]
    original_uri_base_ids: BTreeMap<String, ArtifactLocation>,
}

#[derive(Deserialize)]
struct Tool {
    driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    name: String,
    #[serde(default)]
    rules: Vec<SarifRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: String,
    #[serde(default)]
    default_configuration: Value,
    #[serde(default)]
    message_strings: BTreeMap<String, SarifMessage>,
}

/// A result or a tool notification.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: Option<String>,
    rule_index: Option<i64>,
    #[serde(default)]
    rule: Value,
    #[serde(default)]
    descriptor: Value,
    kind: Option<String>,
    level: Option<String>,
    message: SarifMessage,
    locations: Option<Vec<Location>>,
    suppressions: Option<Vec<Value>>,
    baseline_state: Option<String>,
}

#[derive(Deserialize)]
struct SarifMessage {
    text: Option<String>,
    id: Option<String>,
    arguments: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<PhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    #[serde(default)]
    artifact_location: ArtifactLocation,
    region: Option<Region>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: Option<String>,
    uri_base_id: Option<String>,
    index: Option<i64>,
}

#[derive(Deserialize, Clone, Default)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<u32>,
    start_column: Option<u32>,
    end_line: Option<u32>,
    end_column: Option<u32>,
}

#[derive(Deserialize)]
struct Artifact {
    location: Option<ArtifactLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    tool_execution_notifications: Option<Vec<SarifResult>>,
    tool_configuration_notifications: Option<Vec<SarifResult>>,
}

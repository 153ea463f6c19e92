//! Completions: what an argument of a prompt, or of a resource's name, could be.

use crate::prompts::{TASK, WHERE};
use crate::state::Repo;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference, Resource};

/// Budgets that people take.
const BUDGETS: [&str; 5] = ["2k", "4k", "8k", "16k", "32k"];

/// What begins with what was typed.
pub(crate) fn complete(
    repos: &[Repo],
    packs: &[Resource],
    request: &CompleteRequestParams,
) -> CompleteResult {
    let argument = request.argument.name.as_str();
    let values: Vec<String> = match &request.r#ref {
        Reference::Prompt(prompt) if prompt.name == TASK || prompt.name == WHERE => {
            match argument {
                "repo" => repos.iter().map(|repo| repo.name.clone()).collect(),
                "budget" if prompt.name == TASK => BUDGETS.map(str::to_owned).to_vec(),
                _ => Vec::new(),
            }
        }
        Reference::Resource(_) if argument == "id" => {
            let id = |pack: &Resource| pack.uri.rsplit('/').next().map(str::to_owned);
            packs.iter().filter_map(id).collect()
        }
        _ => Vec::new(),
    };
    let typed = request.argument.value.as_str();
    let mut values: Vec<String> = values.into_iter().filter(|it| it.starts_with(typed)).collect();
    values.truncate(CompletionInfo::MAX_VALUES);
    CompleteResult::new(CompletionInfo::with_all_values(values).unwrap_or_default())
}

//! Completion of the arguments of prompts and resource templates.

use crate::prompts::{TASK_PROMPT, WHERE_PROMPT};
use crate::repos::ServedRepo;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference, Resource};

/// Common token budgets.
const BUDGETS: [&str; 5] = ["2k", "4k", "8k", "16k", "32k"];

/// Returns the values that start with the typed text.
pub(crate) fn complete(
    repos: &[ServedRepo],
    packs: &[Resource],
    request: &CompleteRequestParams,
) -> CompleteResult {
    let argument = request.argument.name.as_str();
    let candidates: Vec<&str> = match &request.r#ref {
        Reference::Prompt(prompt) => match (prompt.name.as_str(), argument) {
            (TASK_PROMPT | WHERE_PROMPT, "repo") => {
                repos.iter().map(|repo| repo.name.as_str()).collect()
            }
            (TASK_PROMPT, "budget") => BUDGETS.to_vec(),
            _ => Vec::new(),
        },
        Reference::Resource(_) if argument == "id" => {
            packs.iter().filter_map(|pack| pack.uri.rsplit('/').next()).collect()
        }
        _ => Vec::new(),
    };
    let typed = request.argument.value.as_str();
    let matching = candidates.into_iter().filter(|value| value.starts_with(typed));
    let values = matching.take(CompletionInfo::MAX_VALUES).map(str::to_owned).collect();
    CompleteResult::new(CompletionInfo::with_all_values(values).unwrap_or_default())
}

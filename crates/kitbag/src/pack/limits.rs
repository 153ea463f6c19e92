//! The tokenizer and the budget of a request, and what a remote caller may not decide.

use crate::error::Error;
use crate::request::Request;
use kitbag_config::{BudgetLimit, EngineSettings};
use kitbag_core::Budget;
use kitbag_tokens::TokenizerChoice;

/// Refuses a remote request that decides what only the user may: which files outside the repository
/// are read, and whether secrets leave. Settings of that kind are marked in their table.
pub(crate) fn check_remote(request: &Request) -> Result<(), Error> {
    let refused = |field, setting| Err(Error::NotForRequests { field, setting });
    match (&request.tokenizer, request.redact) {
        _ if !request.is_remote => Ok(()),
        (Some(TokenizerChoice::File(_)), _) => refused("tokenizer", "model.tokenizer"),
        (_, Some(false)) => refused("redact", "security.redact"),
        _ => Ok(()),
    }
}

/// Returns the tokenizer and the token budget: the request's own, else the configured ones.
pub(crate) fn resolve_limits(
    request: &Request,
    settings: &EngineSettings,
) -> Result<(TokenizerChoice, usize), Error> {
    let model = request.model.as_deref().map(kitbag_tokens::model).transpose()?;
    let tokenizer = match (&request.tokenizer, model) {
        (Some(choice), _) => choice.clone(),
        (None, Some(model)) => model.choice()?,
        (None, None) => settings.counter.clone(),
    };
    let budget = |configured: BudgetLimit| match (request.budget, request.window, model) {
        (Some(budget), _, _) => Budget::Fixed(budget),
        (None, Some(window), _) => configured.within(window),
        (None, None, Some(model)) => {
            let total = configured.total.unwrap_or(model.window);
            reserves_that_fit(configured.within(total.min(model.window)))
        }
        (None, None, None) => configured.budget,
    };
    let own = budget(settings.own_budget()).available()?;
    // The user's reserves may not fit in the window of the request; then the repository's are used.
    let limit = settings.budget_limit.and_then(|limit| budget(limit).available().ok());
    Ok((tokenizer, limit.map_or(own, |limit| limit.min(own))))
}

/// Replaces the default reserves by a quarter of a small model's window if they do not fit in it.
fn reserves_that_fit(budget: Budget) -> Budget {
    match budget {
        Budget::Window { total, .. }
            if budget == Budget::window(total) && budget.available().is_err() =>
        {
            Budget::Fixed(total - total / 4)
        }
        budget => budget,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shows: FR-016-74, NFR-016-22
    #[test]
    fn a_budget_wins_over_window_and_model() {
        let request = |budget, window, model: Option<&str>| {
            let model = model.map(str::to_owned);
            let request = Request { budget, window, model, ..Request::default() };
            let limits = resolve_limits(&request, &EngineSettings::default()).ok();
            limits.map(|(tokenizer, budget)| (tokenizer.to_string(), budget))
        };
        let some = |name: &str, budget| Some((name.to_owned(), budget));
        assert_eq!(request(None, None, None), some("o200k_base", 90_000));
        assert_eq!(request(Some(500), Some(9), Some("gpt-4")), some("cl100k_base", 500));
        assert_eq!(request(None, Some(50_000), Some("gpt-4o")), some("o200k_base", 40_000));
        assert_eq!(request(None, None, Some("gpt-4o")), some("o200k_base", 118_000));
        let small = request(None, None, Some("gpt-4"));
        assert_eq!(small, some("cl100k_base", 6_144), "a quarter of its window is reserved");
        assert_eq!(request(None, None, Some("unheard-of")), None);
        assert_eq!(request(None, None, Some("claude-3-5-sonnet")), some("claude", 190_000));
        assert_eq!(request(Some(500), None, Some("qwen3")), None, "its tokenizer is not built in");
    }

    #[test]
    fn a_tokenizer_wins_over_the_models() {
        let file = TokenizerChoice::File("qwen/tokenizer.json".into());
        for (model, budget) in [(None, 90_000), (Some("gpt-4o"), 118_000), (Some("qwen3"), 22_768)]
        {
            let model = model.map(str::to_owned);
            let request = Request { model, tokenizer: Some(file.clone()), ..Request::default() };
            assert_eq!(
                resolve_limits(&request, &EngineSettings::default()).ok(),
                Some((file.clone(), budget))
            );
        }
    }
}

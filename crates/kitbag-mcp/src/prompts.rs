//! The prompts: templates that the user picks in the client.

use crate::arguments::{Arguments, name_hint};
use crate::session::ClientSession;
use crate::tool_error::ToolError;
use crate::tools::make_pack;
use kitbag::{Cancel, Request};
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

/// A task with its code.
pub(crate) const TASK_PROMPT: &str = "task_with_context";

/// A question about where something is.
pub(crate) const WHERE_PROMPT: &str = "where_is";

/// Returns all prompts.
pub(crate) fn list() -> Vec<Prompt> {
    let argument = |name: &str, title: &str, description: &str, is_required: bool| {
        PromptArgument::new(name)
            .with_title(title)
            .with_description(description)
            .with_required(is_required)
    };
    let task_description = "What to do, in plain language; error messages verbatim";
    let task = argument("task", "Task", task_description, true);
    let budget = argument(
        "budget",
        "Budget",
        "Maximum number of tokens of code, such as 8000 or 32k",
        false,
    );
    let repo = argument("repo", "Repository", "The repository, if several are served", false);
    let what = argument("what", "What", "What to look for, in plain language", true);
    let description = "Begin a task with the code that matters for it, packed to a token budget";
    let task_prompt =
        Prompt::new(TASK_PROMPT, Some(description), Some(vec![task, budget, repo.clone()]));
    let description = "Ask where something is in the code, and how it works";
    let where_prompt = Prompt::new(WHERE_PROMPT, Some(description), Some(vec![what, repo]));
    vec![task_prompt.with_title("Task with context"), where_prompt.with_title("Where is ...?")]
}

/// Returns the messages of a prompt.
pub(crate) async fn get(
    session: &ClientSession,
    request: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResult, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    match request.name.as_str() {
        TASK_PROMPT => {
            let task = required(&arguments, "task")?;
            let pack = pack(session, &arguments, context).await?;
            let messages = [
                format!("The code that matters for the task:\n\n{pack}"),
                format!("The task:\n\n{task}"),
            ];
            let messages = messages.map(|text| PromptMessage::new_text(Role::User, text));
            let description = "A task, with the code that matters for it";
            Ok(GetPromptResult::new(messages.to_vec()).with_description(description))
        }
        WHERE_PROMPT => {
            let text = format!(
                "Where in this repository is the code for the following, and how does it work? Find \
                 it with the tool `search_code`, read the best places, and answer with paths and \
                 lines.\n\n{}",
                required(&arguments, "what")?
            );
            let message = PromptMessage::new_text(Role::User, text);
            Ok(GetPromptResult::new(vec![message]).with_description("Where something is"))
        }
        other => {
            let hint = name_hint(other, [TASK_PROMPT, WHERE_PROMPT].into_iter());
            Err(ErrorData::invalid_params(format!("unknown prompt `{other}`{hint}"), None))
        }
    }
}

/// Returns an argument unless it is absent or blank.
fn optional<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

fn required<'a>(arguments: &'a Arguments, name: &str) -> Result<&'a str, ErrorData> {
    optional(arguments, name)
        .ok_or_else(|| ErrorData::invalid_params(format!("`{name}` is required"), None))
}

async fn pack(
    session: &ClientSession,
    arguments: &Arguments,
    context: &RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    let given = ["task", "repo", "budget"].map(|name| (name, optional(arguments, name)));
    let request = given.into_iter().filter_map(|(name, value)| Some((name.into(), value?.into())));
    let request = request.collect();
    let cancel = Cancel::default();
    let call = async {
        let request = Request { tool: "prompts/get", ..session.request(request)? };
        Ok(make_pack(session, request, &cancel).await?.0)
    };
    let pack = session.run_limited(context, call).await;
    pack.map(|pack| pack.text.clone())
        .map_err(|error: ToolError| ErrorData::invalid_params(error.message(), None))
}

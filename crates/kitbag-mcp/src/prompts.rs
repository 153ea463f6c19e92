//! The prompts: ways to begin that a person picks in the client.

use crate::client::Client;
use crate::request::{self, Arguments};
use crate::tools::{ToolError, packed};
use kitbag::Cancel;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

/// A task, with the code that matters for it.
pub(crate) const TASK: &str = "task_with_context";

/// A question of where something is.
pub(crate) const WHERE: &str = "where_is";

/// The prompts that there are.
pub(crate) fn list() -> Vec<Prompt> {
    let task = PromptArgument::new("task")
        .with_title("Task")
        .with_description("What is to be done, in plain language; error messages as they are")
        .with_required(true);
    let budget = PromptArgument::new("budget")
        .with_title("Budget")
        .with_description("The most tokens of code, such as 8000 or 32k")
        .with_required(false);
    let repo = PromptArgument::new("repo")
        .with_title("Repository")
        .with_description("Which repository, where several are served")
        .with_required(false);
    let what = PromptArgument::new("what")
        .with_title("What")
        .with_description("What to look for, in plain language")
        .with_required(true);
    let about = "Begin a task with the code that matters for it, packed to a token budget";
    let with_context = Prompt::new(TASK, Some(about), Some(vec![task, budget, repo.clone()]));
    let about = "Ask where something is in the code, and how it works";
    let place = Prompt::new(WHERE, Some(about), Some(vec![what, repo]));
    vec![with_context.with_title("Task with context"), place.with_title("Where is ...?")]
}

/// The messages of a prompt.
pub(crate) async fn get(
    client: &Client,
    request: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResult, ErrorData> {
    let given = request.arguments.unwrap_or_default();
    let wanted = match request.name.as_str() {
        TASK => "task",
        WHERE => "what",
        other => {
            let hint = request::nearest(other, [TASK, WHERE].into_iter());
            let hint = hint.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
            return Err(ErrorData::invalid_params(format!("unknown prompt `{other}`{hint}"), None));
        }
    };
    let missing = || ErrorData::invalid_params(format!("`{wanted}` is missing"), None);
    let task = request::text(&given, wanted).filter(|it| !it.trim().is_empty());
    let task = task.ok_or_else(missing)?;
    if request.name == WHERE {
        let told = format!(
            "Where in this repository is the code for the following, and how does it work? Find it \
             with the tool `search_code`, read the best places, and answer with paths and lines.\n\n\
             {task}"
        );
        let message = PromptMessage::new_text(Role::User, told);
        return Ok(GetPromptResult::new(vec![message]).with_description("Where something is"));
    }
    let pack = pack(client, task, &given, context).await?;
    let messages = vec![
        PromptMessage::new_text(
            Role::User,
            format!("The code that matters for the task:\n\n{pack}"),
        ),
        PromptMessage::new_text(Role::User, format!("The task:\n\n{task}")),
    ];
    Ok(GetPromptResult::new(messages).with_description("A task, with the code that matters for it"))
}

async fn pack(
    client: &Client,
    task: &str,
    given: &Arguments,
    context: &RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    let mut arguments = Arguments::new();
    arguments.insert("task".into(), task.into());
    if let Some(repo) = request::text(given, "repo").filter(|repo| !repo.is_empty()) {
        arguments.insert("repo".into(), repo.into());
    }
    if let Some(budget) = request::text(given, "budget").filter(|budget| !budget.is_empty()) {
        let budget = kitbag::parse_budget(budget)
            .map_err(|why| ErrorData::invalid_params(format!("`budget`: {why}"), None))?;
        arguments.insert("budget".into(), budget.into());
    }
    let cancel = Cancel::default();
    let work = async {
        let request = client.request(&arguments, &[])?;
        Ok(packed(client, request, &cancel).await?.0)
    };
    let pack = client.bounded(context, work).await?;
    pack.map(|pack| pack.text.clone())
        .map_err(|error: ToolError| ErrorData::invalid_params(error.told(), None))
}

//! From the arguments of a call to a request of the engine.

use crate::fields::Field;
use crate::state::{Repo, UnknownRepo};
use kitbag::{Request, RequestError, SearchRequest};
use serde_json::{Map, Value};

/// The arguments of a call.
pub(crate) type Arguments = Map<String, Value>;

/// What is wrong with the arguments of a call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArgumentError {
    /// No argument has this name.
    #[error("no argument is called `{name}`{}", nearest.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default())]
    Unknown { name: String, nearest: Option<&'static str> },
    /// An argument has a value of another kind.
    #[error("`{name}` is {expected}, not {found}")]
    Type { name: String, expected: String, found: String },
    /// An argument is missing.
    #[error("`{name}` is missing: {about}")]
    Missing { name: &'static str, about: &'static str },
    /// The request among the arguments cannot be read.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The repository is not served, or not named.
    #[error("{0}")]
    Repo(UnknownRepo),
}

/// Fails unless all arguments are the tool's, its own look as they should, numbers are within their
/// bounds, and the required are there.
/// `null` stands for an argument that is not given, since many clients send it so.
pub(crate) fn check(
    arguments: &mut Arguments,
    (own, all): (&[&Field], &[&Field]),
    required: &[&'static str],
) -> Result<(), ArgumentError> {
    arguments.retain(|_, value| !value.is_null());
    for (name, value) in arguments.iter() {
        let Some(field) = all.iter().find(|field| field.name == name) else {
            let nearest = nearest(name, all.iter().map(|field| field.name));
            return Err(ArgumentError::Unknown { name: name.clone(), nearest });
        };
        let is_own = own.iter().any(|field| field.name == name);
        if !field.shape.bounds(value) || (is_own && !field.shape.takes(value)) {
            let (expected, found) = (field.shape.noun(), found(value));
            return Err(ArgumentError::Type { name: name.clone(), expected, found });
        }
    }
    match required.iter().find(|name| !arguments.contains_key(**name)) {
        None => Ok(()),
        Some(name) => {
            let about = all.iter().find(|field| field.name == *name).map_or("", |it| it.about);
            Err(ArgumentError::Missing { name, about })
        }
    }
}

/// The name that was probably meant.
pub(crate) fn nearest(
    name: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let distance = |other: &'static str| (strsim::jaro_winkler(name, other), other);
    let best = names.map(distance).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness >= 0.7).map(|(_, other)| other)
}

/// A value, told in a few words.
fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
        Value::String(text) if text.chars().count() <= 40 => format!("`{text}`"),
        Value::String(_) => "a text".into(),
        Value::Array(_) => "a list, or one with other things in it".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// The text of an argument.
pub(crate) fn text<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// The number of an argument.
pub(crate) fn whole(arguments: &Arguments, name: &str) -> Option<usize> {
    arguments.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// The texts of an argument.
pub(crate) fn texts(arguments: &Arguments, name: &str) -> Vec<String> {
    let items = arguments.get(name).and_then(Value::as_array);
    let text = |item: &Value| item.as_str().map(str::to_owned);
    items.map(|items| items.iter().filter_map(text).collect()).unwrap_or_default()
}

/// Profiles that say nothing of a budget.
const WITHOUT_BUDGET: [&str; 2] = ["agent", "chunks"];

/// The request among arguments that were checked: all but those of the tool's own.
pub(crate) fn request(
    repo: &Repo,
    arguments: &Arguments,
    own: &[&Field],
    (budget, tenant): (usize, &str),
) -> Result<Request, ArgumentError> {
    let is_own = |name: &str| name == "repo" || own.iter().any(|field| field.name == name);
    let fields = arguments.iter().filter(|(name, _)| !is_own(name));
    let fields = fields.map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut request = Request::from_json(&Value::Object(fields))?;
    let profile = request.profile.as_deref();
    if profile.is_none_or(|profile| WITHOUT_BUDGET.contains(&profile)) {
        request.budget = request.budget.or(Some(budget));
    }
    request.repo = Some(repo.path.clone());
    request.tenant = tenant.to_owned();
    request.via = "mcp";
    Ok(request)
}

/// What to search for, by arguments that were checked.
pub(crate) fn search(repo: &Repo, arguments: &Arguments) -> SearchRequest {
    let default = SearchRequest::default();
    SearchRequest {
        task: text(arguments, "task").unwrap_or_default().to_owned(),
        repo: Some(repo.path.clone()),
        include: texts(arguments, "include"),
        exclude: texts(arguments, "exclude"),
        limit: whole(arguments, "limit").unwrap_or(default.limit),
        files: arguments.get("files").and_then(Value::as_bool).unwrap_or(default.files),
        ..default
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Shape;
    use serde_json::json;

    const TASK: Field = Field { name: "task", shape: Shape::Text, about: "the task." };
    const BUDGET: Field = Field { name: "budget", shape: Shape::Whole(1, 100), about: "tokens." };

    fn wrong(arguments: Value) -> String {
        let Value::Object(mut arguments) = arguments else { return "no object".into() };
        match check(&mut arguments, (&[&TASK, &BUDGET], &[&TASK, &BUDGET]), &["task"]) {
            Ok(()) => "nothing".into(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_is_wrong_with_arguments_is_named() {
        assert_eq!(wrong(json!({ "task": "a", "budget": 5 })), "nothing");
        assert_eq!(wrong(json!({ "task": "a", "budget": null })), "nothing");
        assert_eq!(
            wrong(json!({ "task": "a", "buget": 5 })),
            "no argument is called `buget`; did you mean `budget`?"
        );
        assert_eq!(wrong(json!({ "task": "a", "zzz": 5 })), "no argument is called `zzz`");
        assert_eq!(wrong(json!({ "task": 5 })), "`task` is a text, not `5`");
        assert_eq!(
            wrong(json!({ "task": "a", "budget": "5" })),
            "`budget` is a whole number from 1 to 100, not `5`"
        );
        assert_eq!(
            wrong(json!({ "task": "a", "budget": 101 })),
            "`budget` is a whole number from 1 to 100, not `101`"
        );
        assert_eq!(wrong(json!({ "task": null })), "`task` is missing: the task.");
    }
}

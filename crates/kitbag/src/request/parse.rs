//! Parses requests, and sources in JSON Lines format.

use crate::request::{Request, RequestError, SourceLine, SourceLineError};
use serde::de::DeserializeOwned;
use serde_json::Value;

impl Request {
    /// Parses a request from JSON, in which `null` counts as absent. An unknown field is an error
    /// that suggests the closest known one.
    ///
    /// ```
    /// use kitbag::Request;
    ///
    /// let json = serde_json::json!({"task": "why does login fail?", "budget": "8k",
    ///                               "document": "src/auth.rs", "cursor": 42});
    /// let request = Request::from_json(&json)?;
    /// assert_eq!(request.budget, Some(8_000));
    /// assert_eq!(request.cursor.map(|cursor| cursor.line), Some(42));
    /// assert!(Request::from_json(&serde_json::json!({"tsk": "..."})).is_err());
    /// # Ok::<(), kitbag::RequestError>(())
    /// ```
    pub fn from_json(json: &Value) -> Result<Self, RequestError> {
        let request: Self = parse_json(json)?;
        for (at, source) in request.sources.iter().enumerate() {
            let in_source =
                |message: String| RequestError::new(&format!("sources[{at}]"), &message);
            source.check().map_err(in_source)?;
        }
        Ok(request)
    }
}

/// Parses sources from JSON Lines. Errors refer to the file as `name`.
pub fn parse_source_lines(name: &str, text: &str) -> Result<Vec<SourceLine>, SourceLineError> {
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let in_line = |error| SourceLineError { name: name.to_owned(), line: at + 1, error };
            parse_source(line).map_err(in_line)
        })
        .collect()
}

fn parse_source(line: &str) -> Result<SourceLine, RequestError> {
    let json: Value = serde_json::from_str(line).map_err(|error| {
        RequestError::new("", &format!("invalid JSON: {}", without_line(&error)))
    })?;
    let source: SourceLine = parse_json(&json)?;
    source.check().map_err(|message| RequestError::new("", &message))?;
    Ok(source)
}

/// Deserializes a JSON object, in which `null` counts as absent, with errors as those of
/// [`Request::from_json`].
pub fn parse_json<T: DeserializeOwned>(json: &Value) -> Result<T, RequestError> {
    let Value::Object(fields) = json else { return Err(RequestError::not_an_object(json)) };
    let mut fields = fields.clone();
    fields.retain(|_, value| !value.is_null());
    let deserialized = serde_path_to_error::deserialize(Value::Object(fields));
    deserialized.map_err(|error| RequestError::in_json(json, &error))
}

impl SourceLine {
    /// Checks that the lines agree with each other and with the content.
    fn check(&self) -> Result<(), String> {
        let Some(end) = self.end_line else { return Ok(()) };
        let start = self.start_line.unwrap_or(1);
        if end < start {
            return Err("`end_line` must not be less than `start_line`".to_owned());
        }
        let lines = self.content.as_ref().map(|content| content.lines().count());
        match lines.filter(|lines| *lines != (end - start) as usize + 1) {
            Some(lines) => Err(format!(
                "`content` has {lines} lines, but `start_line` to `end_line` is {}",
                end - start + 1
            )),
            None => Ok(()),
        }
    }
}

/// Returns the message of a JSON error without its line, which is always 1 here.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(at) => format!("{} at column {}", &message[..at], error.column()),
        None => message,
    }
}

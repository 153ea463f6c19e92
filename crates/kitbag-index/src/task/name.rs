//! Tasks that are nothing but a name: `ClientSession`, `Rack::Response`, `the parse_header function`, `go.mod`.

/// Words around a name that only say what kind of item it is.
const ITEM_KINDS: &str = "a an the class struct enum trait interface type module function func fn \
    method def macro const constant variable file definition of";

/// A task that is a single name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskName {
    /// The name as written, without quotes and call parentheses.
    pub text: String,
    /// Its last identifier, such as `Response` in `Rack::Response`.
    pub last: String,
}

impl TaskName {
    /// Returns the name that a task consists of, if it is nothing else.
    pub(super) fn of_task(task: &str) -> Option<Self> {
        let is_kind = |word: &str| ITEM_KINDS.split(' ').any(|kind| kind == word.to_lowercase());
        let mut words = task.split_whitespace();
        let mut specific = words.by_ref().take(8).filter(|word| !is_kind(word));
        let name = specific.next()?;
        if specific.next().is_some() || words.next().is_some() {
            return None;
        }
        let text = name.trim_matches(['`', '"', '\'', '?', ',', ';']);
        let text = text.trim_end_matches("()").trim_end_matches('.');
        let is_name_char = |c: char| c.is_alphanumeric() || "_.:#/->\\$@!?".contains(c);
        let last =
            text.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).find(|it| !it.is_empty())?;
        let is_name = text.chars().all(is_name_char) && last.contains(char::is_alphabetic);
        is_name.then(|| Self { text: text.to_owned(), last: last.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_of_one_name_is_recognized() {
        for (task, last) in [
            ("ClientSession", "ClientSession"),
            ("`Rack::Response`", "Response"),
            ("the parse_header() function", "parse_header"),
            ("go.mod", "mod"),
            ("lib/view.js", "js"),
        ] {
            let name = TaskName::of_task(task).unwrap_or_else(|| panic!("{task}"));
            assert_eq!(name.last, last);
        }
        for task in ["", "the class", "login fails", "404", "why?! how", "a, b"] {
            assert_eq!(TaskName::of_task(task).filter(|it| it.last.len() > 3), None, "{task}");
        }
    }
}

//! Documents generated from the table: the reference, the JSON schema, and the starter file of
//! `kitbag config init`.

mod init;
mod reference;
mod schema;

pub use init::config_init;
pub use reference::config_reference;
pub use schema::config_schema;

/// Wraps a text into lines of at most `width` characters, each starting with `margin`.
fn wrap(text: &str, margin: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = margin.to_owned();
    for word in text.split(' ') {
        let has_words = line.len() > margin.len();
        if has_words && line.len() + 1 + word.len() > width {
            lines.push_str(&line);
            lines.push('\n');
            line = margin.to_owned();
        } else if has_words {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}

//! What people and editors read about the settings, made from the table: the reference page, the
//! JSON schema, and the file that `kitbag config init` writes.

mod init;
mod reference;
mod schema;

pub use init::config_init;
pub use reference::config_reference;
pub use schema::config_schema;

/// Lines of at most `width` characters, each behind a margin.
fn wrapped(text: &str, margin: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = margin.to_owned();
    for word in text.split(' ') {
        let is_begun = line.len() > margin.len();
        if is_begun && line.len() + 1 + word.len() > width {
            lines.push_str(&line);
            lines.push('\n');
            line = margin.to_owned();
        } else if is_begun {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}

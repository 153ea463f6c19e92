//! What can be seen of a message without reading it: which fields it has, and its id.
//!
//! It is for messages that cannot be read, since they are too long, cut off or no JSON, so it looks at
//! one byte after the other, in memory of a fixed size, and expects nothing of them.

use rmcp::model::RequestId;

/// The most bytes of an id, with its quotes.
const ID_BYTES: usize = 256;

/// The most bytes of a name that could be one that matters, with its quotes.
const NAME_BYTES: usize = 16;

/// What was seen of a message.
#[derive(Debug, Default)]
pub(super) struct Glance {
    /// How many objects and lists are open.
    depth: usize,
    /// Whether the outermost is an object.
    is_object: bool,
    in_text: bool,
    escaped: bool,
    /// Whether the value of a field is being read, and not its name.
    in_value: bool,
    /// The name of the field of the outermost object that is being read.
    name: Vec<u8>,
    /// Its value, if it is the id.
    value: Vec<u8>,
    id: Option<RequestId>,
    has_id: bool,
    has_method: bool,
    has_result: bool,
}

impl Glance {
    /// Looks at more of the message.
    pub fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.look(byte);
        }
    }

    /// The id, where it can be seen.
    pub fn id(&self) -> Option<RequestId> {
        self.id.clone()
    }

    /// Whether it answers something.
    pub fn is_answer(&self) -> bool {
        self.has_result && !self.has_method
    }

    /// Whether it says something that nobody is to answer.
    pub fn is_notification(&self) -> bool {
        self.has_method && !self.has_id
    }

    fn look(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'{' | b'[' => {
                self.is_object |= self.depth == 0 && byte == b'{';
                self.keep(byte);
                self.depth += 1;
            }
            b'}' | b']' => {
                self.end_of_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_of_value(),
            b':' if self.depth == 1 && !self.in_value => self.end_of_name(),
            _ => {
                self.in_text = byte == b'"';
                self.keep(byte);
            }
        }
    }

    /// Keeps a byte of what could matter.
    fn keep(&mut self, byte: u8) {
        if self.depth != 1 || !self.is_object {
            return;
        }
        let is_space = byte.is_ascii_whitespace() && !self.in_text;
        if !self.in_value && !is_space && self.name.len() < NAME_BYTES {
            self.name.push(byte);
        }
        if self.in_value && self.name == b"\"id\"" && self.value.len() <= ID_BYTES {
            self.value.push(byte);
        }
    }

    fn end_of_name(&mut self) {
        self.in_value = true;
        match self.name.as_slice() {
            b"\"id\"" => self.has_id = true,
            b"\"method\"" => self.has_method = true,
            b"\"result\"" | b"\"error\"" => self.has_result = true,
            _ => {}
        }
    }

    fn end_of_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.id.is_none() && self.value.len() <= ID_BYTES {
            self.id = serde_json::from_slice(&self.value).ok();
        }
        self.in_value = false;
        self.name.clear();
        self.value.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Glance {
        let mut whole = Glance::default();
        whole.feed(text.as_bytes());
        let mut parts = Glance::default();
        for byte in text.bytes() {
            parts.feed(&[byte]);
        }
        assert_eq!(format!("{whole:?}"), format!("{parts:?}"), "{text}");
        whole
    }

    #[test]
    fn the_id_is_seen_wherever_it_stands_and_only_there() {
        let long = "x".repeat(1_000);
        for (text, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"a"}"#, Some("7")),
            (r#" { "params" : {"id":1,"b":[{"id":2}]}, "id" : "a\"}b" } "#, Some("a\"}b")),
            (r#"{"method":"a","params":{"task":"\"id\":3,"},"id":-4}"#, Some("-4")),
            (r#"{"id":5,"method":"a","params":{"#, Some("5")),
            (&format!(r#"{{"{long}":"{long}","id":6}}"#), Some("6")),
            (r#"{"id":8"#, None),
            (r#"{"id":8 9,"method":"a"}"#, None),
            (r#"{"id":1.5,"method":"a"}"#, None),
            (r#"{"id":null,"method":"a"}"#, None),
            (r#"{"id":{"a":1},"method":"a"}"#, None),
            (&format!(r#"{{"id":"{long}"}}"#), None),
            (r#"[{"id":9}]"#, None),
            (r#""id":9,"#, None),
            ("hello, world", None),
        ] {
            let found = seen(text).id().map(|id| id.to_string());
            assert_eq!(found.as_deref(), id, "{text}");
        }
    }

    #[test]
    fn answers_and_notifications_are_told_from_requests() {
        let kind = |text: &str| (seen(text).is_answer(), seen(text).is_notification());
        assert_eq!(kind(r#"{"id":1,"method":"a"}"#), (false, false));
        assert_eq!(kind(r#"{"id":null,"method":"a"}"#), (false, false));
        assert_eq!(kind(r#"{"id":1,"result":{"method":"a"}}"#), (true, false));
        assert_eq!(kind(r#"{"error":{}}"#), (true, false));
        assert_eq!(kind(r#"{"method":"a","params":{"id":1}}"#), (false, true));
        assert_eq!(kind("{}"), (false, false));
    }
}

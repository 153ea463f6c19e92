//! Reads choices from the front of an input. Missing bytes are 0.

/// The rest of an input.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number below `end`, which is at most 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// A number of two bytes.
    pub fn number(&mut self) -> u32 {
        u32::from(self.byte()) << 8 | u32::from(self.byte())
    }

    /// A number from 0 to 1, both included.
    pub fn share(&mut self) -> f64 {
        f64::from(self.byte()) / 255.0
    }

    /// The eight bits of a byte.
    pub fn switches(&mut self) -> [bool; 8] {
        let byte = self.byte();
        std::array::from_fn(|bit| byte >> bit & 1 == 1)
    }

    /// The text before the next `end`.
    pub fn text_until(&mut self, end: u8) -> String {
        let at = self.0.iter().position(|&byte| byte == end);
        let (text, rest) = match at {
            Some(at) => (&self.0[..at], &self.0[at + 1..]),
            None => (self.0, &[][..]),
        };
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    /// The rest as text.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.0).into_owned()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

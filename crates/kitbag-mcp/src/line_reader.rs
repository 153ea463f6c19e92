//! Lines of a stream, as bytes and with bounded memory.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Number of bytes kept from the end of a line that is too long.
pub(crate) const TAIL_BYTES: usize = 1 << 10;

/// Reads lines with their line endings.
pub(crate) struct LineReader<R> {
    reader: BufReader<R>,
    /// The part of the next line that has been read. It outlives a cancelled call of `next`.
    line: Vec<u8>,
    max_bytes: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub fn new(reader: R, max_bytes: usize) -> Self {
        let reader = BufReader::with_capacity(64 << 10, reader);
        Self { reader, line: Vec::new(), max_bytes }
    }

    /// Returns the next line, or `None` at the end of the stream. The last line need not have a line
    /// ending. A line of more than `max_bytes` is returned without its middle.
    ///
    /// Cancel safe: a cancelled call loses no input.
    pub async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if self.reader.fill_buf().await?.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok((!rest.is_empty()).then_some(rest));
            }
            if let Some(line) = self.next_buffered() {
                return Ok(Some(line));
            }
            self.consume(self.reader.buffer().len());
        }
    }

    /// Returns the next line if all of it has been received already.
    pub fn next_buffered(&mut self) -> Option<Vec<u8>> {
        let newline = self.reader.buffer().iter().position(|byte| *byte == b'\n')?;
        self.consume(newline + 1);
        Some(std::mem::take(&mut self.line))
    }

    pub fn is_too_long(&self, line: &[u8]) -> bool {
        line.len() > self.max_bytes
    }

    fn consume(&mut self, length: usize) {
        self.line.extend_from_slice(&self.reader.buffer()[..length]);
        self.reader.consume(length);
        if self.line.len() > self.max_bytes.saturating_add(TAIL_BYTES) {
            self.line.drain(self.max_bytes..self.line.len() - TAIL_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &[u8], max_bytes: usize) -> Vec<Vec<u8>> {
        let mut reader = LineReader::new(text, max_bytes);
        let mut lines = Vec::new();
        while let Ok(Some(line)) = reader.next().await {
            assert_eq!(reader.is_too_long(&line), line.len() > max_bytes);
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn lines_keep_their_endings() {
        let lines = read(b"a\r\n\nb", 10).await;
        assert_eq!(lines, [&b"a\r\n"[..], b"\n", b"b"]);
    }

    #[tokio::test]
    async fn a_long_line_loses_its_middle_and_the_next_is_whole() {
        let text = [&b"start"[..], &vec![b'-'; 200_000], b"end\nnext\n"].concat();
        let lines = read(&text, 5).await;
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].len(), 5 + TAIL_BYTES);
        assert!(lines[0].starts_with(b"start-") && lines[0].ends_with(b"-end\n"));
        assert_eq!(lines[1], b"next\n");
    }
}

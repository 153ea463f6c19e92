//! Lines of a stream, as bytes and with bounded memory.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

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
    /// ending. A line of more than `max_bytes` is truncated to one more than that.
    ///
    /// Cancel safe: a cancelled call loses no input.
    pub async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if self.reader.fill_buf().await?.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok((!rest.is_empty()).then_some(rest));
            }
            match self.reader.buffer().iter().position(|byte| *byte == b'\n') {
                Some(newline) => {
                    self.consume(newline + 1);
                    return Ok(Some(std::mem::take(&mut self.line)));
                }
                None => self.consume(self.reader.buffer().len()),
            }
        }
    }

    pub fn is_too_long(&self, line: &[u8]) -> bool {
        line.len() > self.max_bytes
    }

    fn consume(&mut self, length: usize) {
        self.line.extend_from_slice(&self.reader.buffer()[..length]);
        self.reader.consume(length);
        self.line.truncate(self.max_bytes.saturating_add(1));
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
    async fn a_long_line_is_truncated_and_the_next_is_whole() {
        let text = [&b"start"[..], &vec![b'-'; 200_000], b"end\nnext\n"].concat();
        assert_eq!(read(&text, 5).await, [&b"start-"[..], b"next\n"]);
    }
}

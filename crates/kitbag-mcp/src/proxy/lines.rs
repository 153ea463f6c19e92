//! Lines of a stream, as bytes.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The most bytes of a line.
const MOST_BYTES: usize = 64 << 20;

/// Reads lines with their ends, as bytes. What was read is kept when waiting is given up.
pub(super) struct LineReader<R> {
    read: BufReader<R>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub fn new(read: R) -> Self {
        Self { read: BufReader::with_capacity(64 << 10, read), line: Vec::new() }
    }

    /// The next line; `None` at the end. The last one need not have an end.
    pub async fn next(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        loop {
            let buffer = self.read.fill_buf().await?;
            if buffer.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok((!rest.is_empty()).then_some(rest));
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let length = end.map_or(buffer.len(), |end| end + 1);
            if self.line.len() + length > MOST_BYTES {
                return Err(std::io::Error::other("a line is longer than 64 MB"));
            }
            self.line.extend_from_slice(&buffer[..length]);
            self.read.consume(length);
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }

    /// A line that is there already, and need not be waited for.
    pub fn ready(&mut self) -> Option<Vec<u8>> {
        let buffer = self.read.buffer();
        let length = buffer.iter().position(|&byte| byte == b'\n')? + 1;
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(&buffer[..length]);
        self.read.consume(length);
        Some(line)
    }
}

//! Messages between a program and its workers: frames of a length and a postcard value.

use crate::wire::FlatStructure;
use kitbag_text::Fallback;
use kitbag_text::syntax::{ParseLimits, Rows};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::ops::Range;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request<'a> {
    /// Answered with [`Reply::Ready`]. The first request.
    Start,
    /// Answered with [`Reply::Structure`]. The worker keeps the tree for split points.
    #[serde(borrow)]
    Parse(TextToParse<'a>),
    /// Answered with [`Reply::SplitPoints`] of the text that was parsed last.
    SplitPoints(Rows),
    /// Answered with [`Reply::Comments`].
    #[serde(borrow)]
    Comments(TextToParse<'a>),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct TextToParse<'a> {
    pub language: &'a str,
    pub content: &'a str,
    pub limits: ParseLimits,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    Structure(FlatStructure),
    /// Depth of each row.
    SplitPoints(Vec<u8>),
    Comments(Vec<Range<usize>>),
    /// The text exceeds a limit that is the same on every machine.
    Fallback(Fallback),
    /// Encoded unlike [`Request::Start`], so that a program which only repeats its input is noticed.
    Ready(Confinement),
}

/// How a worker is confined, as far as systems differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Confinement {
    /// Whether system calls that parsing does not need fail.
    pub filters_system_calls: bool,
    /// The limit on CPU time that the worker has inherited and cannot raise.
    pub max_cpu_seconds: Option<u64>,
}

/// Writes a value as a frame, using `buffer` as scratch space.
pub(crate) fn write_frame(
    mut writer: impl Write,
    value: &impl Serialize,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    buffer.clear();
    buffer.extend_from_slice(&[0; 4]);
    let mut frame = postcard::to_extend(value, std::mem::take(buffer)).map_err(io::Error::other)?;
    let length = u32::try_from(frame.len() - 4).map_err(io::Error::other)?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    let result = writer.write_all(&frame).and_then(|()| writer.flush());
    *buffer = frame;
    result
}

/// Reads the bytes of a frame into `buffer`. Returns whether there was one before the end of the stream.
pub(crate) fn read_frame(
    mut reader: impl Read,
    max_bytes: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<bool> {
    let mut length = [0; 4];
    match reader.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > max_bytes {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the frame is too large"));
    }
    buffer.clear();
    // Memory is allocated as bytes arrive, not as announced.
    if reader.take(length as u64).read_to_end(buffer)? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_written() {
        let (mut stream, mut buffer) = (Vec::new(), Vec::new());
        let limits = ParseLimits { max_file_bytes: 9, max_parse_steps: 8, max_nesting_depth: 7 };
        let text = TextToParse { language: "rust", content: "fn f() {}\n", limits };
        write_frame(&mut stream, &Request::Parse(text), &mut buffer).expect("memory");
        write_frame(&mut stream, &Request::SplitPoints(1..4), &mut buffer).expect("memory");
        let mut reader = stream.as_slice();
        assert!(read_frame(&mut reader, 100, &mut buffer).expect("a frame"));
        let request: Request<'_> = postcard::from_bytes(&buffer).expect("a request");
        assert_eq!(format!("{request:?}"), format!("{:?}", Request::Parse(text)));
        assert!(read_frame(&mut reader, 100, &mut buffer).expect("a frame"));
        assert!(!read_frame(&mut reader, 100, &mut buffer).expect("the end"));
    }

    #[test]
    fn large_and_cut_frames_are_errors() {
        let mut buffer = Vec::new();
        let error = read_frame(&[255u8; 8][..], 1_000, &mut buffer).expect_err("too large");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let error = read_frame(&[9u8, 0, 0, 0, 1][..], 1_000, &mut buffer).expect_err("cut");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}

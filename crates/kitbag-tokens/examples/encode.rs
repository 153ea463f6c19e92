//! Encodes texts for comparison with another implementation; run by `scripts/token-differential`.
//!
//! Standard input is a list of texts, each a length and that many bytes; invalid UTF-8 is replaced.
//! Standard output has, for each text, the count (computed without ids), the number of ids, and the
//! ids. All numbers are 32-bit little-endian. The only argument is the vocabulary, or the path of a
//! `tokenizer.json`. Each text is also tallied by line, which must give
//! the same count.

use kitbag_tokens::{HuggingFace, Tally, TokenCounter, Vocabulary};
use std::io::{self, BufWriter, Error, Read, Write};

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let mut output = BufWriter::new(io::stdout().lock());
    match Vocabulary::ALL.into_iter().find(|vocabulary| vocabulary.name() == name) {
        Some(vocabulary) => {
            encode_all(&vocabulary, |text| vocabulary.encode(text), &input, &mut output)?;
        }
        None => {
            let tokenizer = HuggingFace::open(name.as_ref()).map_err(Error::other)?;
            encode_all(&tokenizer, |text| tokenizer.encode(text), &input, &mut output)?;
        }
    }
    output.flush()
}

fn encode_all(
    counter: &dyn TokenCounter,
    encode: impl Fn(&str) -> Vec<u32>,
    mut input: &[u8],
    output: &mut impl Write,
) -> io::Result<()> {
    while !input.is_empty() {
        let (length, rest) = input.split_first_chunk().ok_or_else(truncated_input)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (bytes, rest) = rest.split_at_checked(length).ok_or_else(truncated_input)?;
        input = rest;
        let text = String::from_utf8_lossy(bytes);
        let ids = encode(&text);
        check_tally(counter, &text)?;
        let count = u32::try_from(counter.count(&text)).map_err(Error::other)?;
        let length = u32::try_from(ids.len()).map_err(Error::other)?;
        for number in [count, length].into_iter().chain(ids) {
            output.write_all(&number.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Checks that the sum over the lines equals the count of the whole text.
fn check_tally(counter: &dyn TokenCounter, text: &str) -> io::Result<()> {
    let mut at = 0;
    let row_starts: Vec<u32> =
        text.split_inclusive('\n').map(|line| (at, at += line.len() as u32).0).collect();
    let tally = Tally::new(counter, text, &row_starts);
    let sum = tally.measure(counter, text, &row_starts, 0..row_starts.len());
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let whole = counter.measure(&format!("{text}{newline}"));
    if sum == whole {
        return Ok(());
    }
    let (sum, whole) = (counter.tokens(sum), counter.tokens(whole));
    Err(Error::other(format!("sum over lines is {sum} tokens, whole text {whole}: {text:?}")))
}

fn truncated_input() -> Error {
    Error::other("the input ends inside a text")
}

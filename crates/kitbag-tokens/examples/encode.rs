//! Encodes texts, so that another implementation's token ids can be held against ours.
//!
//! Standard input is a list of texts, each a length and that many bytes; bytes that are not UTF-8
//! are replaced. Standard output has, for each text, the count that the counter gives without
//! making ids, the number of ids, and the ids. All numbers are 32 bits, little end first. The only
//! argument is the vocabulary. `scripts/token-differential` is what runs this.

use kitbag_tokens::{Bpe, TokenCounter, Vocabulary};
use std::io::{self, BufWriter, Error, Read, Write};

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let vocabulary = Vocabulary::ALL
        .into_iter()
        .find(|vocabulary| vocabulary.name() == name)
        .ok_or_else(|| Error::other(format!("unknown vocabulary `{name}`")))?;
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let mut output = BufWriter::new(io::stdout().lock());
    encode_all(Bpe::new(vocabulary), &input, &mut output)?;
    output.flush()
}

fn encode_all(counter: Bpe, mut input: &[u8], output: &mut impl Write) -> io::Result<()> {
    while !input.is_empty() {
        let (length, rest) = input.split_first_chunk().ok_or_else(cut_short)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (bytes, rest) = rest.split_at_checked(length).ok_or_else(cut_short)?;
        input = rest;
        let text = String::from_utf8_lossy(bytes);
        let ids = counter.encode(&text);
        let count = u32::try_from(counter.count(&text)).map_err(Error::other)?;
        let length = u32::try_from(ids.len()).map_err(Error::other)?;
        for number in [count, length].into_iter().chain(ids) {
            output.write_all(&number.to_le_bytes())?;
        }
    }
    Ok(())
}

fn cut_short() -> Error {
    Error::other("the input ends inside a text")
}

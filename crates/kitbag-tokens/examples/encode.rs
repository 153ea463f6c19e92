//! Encodes texts, so that another implementation's token ids can be held against ours.
//!
//! Standard input is a list of texts, each a length and that many bytes; bytes that are not UTF-8
//! are replaced. Standard output has, for each text, the count that the counter gives without
//! making ids, the number of ids, and the ids. All numbers are 32 bits, little end first. The only
//! argument is the vocabulary, or, with the feature `huggingface`, the path of a `tokenizer.json`.
//! Beside counting it as a whole, each text is tallied line by line: the two must agree.
//! `scripts/token-differential` is what runs this.

use kitbag_tokens::{Bpe, Tally, TokenCounter, Vocabulary};
use std::io::{self, BufWriter, Error, Read, Write};

fn main() -> io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let mut output = BufWriter::new(io::stdout().lock());
    match Vocabulary::ALL.into_iter().find(|vocabulary| vocabulary.name() == name) {
        Some(vocabulary) => {
            let bpe = Bpe::new(vocabulary);
            encode_all(&bpe, |text| bpe.encode(text), &input, &mut output)?;
        }
        None => encode_with_file(&name, &input, &mut output)?,
    }
    output.flush()
}

#[cfg(feature = "huggingface")]
fn encode_with_file(name: &str, input: &[u8], output: &mut impl Write) -> io::Result<()> {
    let tokenizer = kitbag_tokens::HuggingFace::open(name.as_ref()).map_err(Error::other)?;
    encode_all(&tokenizer, |text| tokenizer.encode(text), input, output)
}

#[cfg(not(feature = "huggingface"))]
fn encode_with_file(name: &str, _input: &[u8], _output: &mut impl Write) -> io::Result<()> {
    Err(Error::other(format!("unknown vocabulary `{name}`")))
}

fn encode_all(
    counter: &dyn TokenCounter,
    encode: impl Fn(&str) -> Vec<u32>,
    mut input: &[u8],
    output: &mut impl Write,
) -> io::Result<()> {
    while !input.is_empty() {
        let (length, rest) = input.split_first_chunk().ok_or_else(cut_short)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (bytes, rest) = rest.split_at_checked(length).ok_or_else(cut_short)?;
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

/// Sums of lines must be what the lines have together.
fn check_tally(counter: &dyn TokenCounter, text: &str) -> io::Result<()> {
    let mut at = 0;
    let starts: Vec<u32> =
        text.split_inclusive('\n').map(|line| (at, at += line.len() as u32).0).collect();
    let tally = Tally::new(counter, text, &starts);
    let sum = tally.measure(counter, text, &starts, 0..starts.len());
    let ended = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let whole = counter.measure(&format!("{text}{ended}"));
    if sum == whole {
        return Ok(());
    }
    let (sum, whole) = (counter.tokens(sum), counter.tokens(whole));
    Err(Error::other(format!("lines have {sum} tokens, the text has {whole}: {text:?}")))
}

fn cut_short() -> Error {
    Error::other("the input ends inside a text")
}

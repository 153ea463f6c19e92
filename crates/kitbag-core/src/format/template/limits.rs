//! What a template may not say, told before it is compiled: the engine works out constants then.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Error, ErrorKind};

/// The bytes that a template may have.
const MOST_SOURCE: usize = 1 << 20;

/// The words and signs that a tag may have: the engine descends as deep as an expression is long.
const MOST_TOKENS: usize = 1_000;

/// The bytes that all constants together may take once they are worked out.
const MOST_CONSTANT: u64 = 16 << 20;

/// Refuses a template that is too large, or whose constants are.
pub fn check(source: &str, syntax: SyntaxConfig) -> Result<(), Error> {
    if source.len() > MOST_SOURCE {
        return Err(refused(format!("it is larger than {} kB", MOST_SOURCE >> 10)));
    }
    let mut tag = Tag::default();
    let mut constants = 0u64;
    for token in tokenize(source, false, syntax) {
        // What cannot be read is told by whoever compiles it, with its place.
        let Ok((token, _)) = token else { return Ok(()) };
        match token {
            Token::VariableEnd | Token::BlockEnd => {
                constants = constants.saturating_add(tag.constant());
                tag = Tag::default();
            }
            token => tag.add(&token),
        }
        if tag.tokens > MOST_TOKENS {
            return Err(refused(format!("a tag has more than {MOST_TOKENS} words and signs")));
        }
        if constants > MOST_CONSTANT {
            return Err(refused("a constant is too large".to_owned()));
        }
    }
    Ok(())
}

fn refused(detail: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, detail)
}

/// What there is in a tag to make a constant of.
#[derive(Default)]
struct Tag {
    tokens: usize,
    /// The bytes of strings, and the items of lists.
    literals: u64,
    /// All whole numbers multiplied, where anything is.
    product: Option<u64>,
    numbers: Vec<u64>,
}

impl Tag {
    fn add(&mut self, token: &Token<'_>) {
        self.tokens += 1;
        match token {
            Token::Str(text) => self.literals += text.len() as u64 + 1,
            Token::String(text) => self.literals += text.len() as u64 + 1,
            Token::BracketOpen | Token::ParenOpen | Token::Comma => self.literals += 1,
            Token::Int(number) => self.numbers.push(*number),
            Token::Int128(_) => self.numbers.push(u64::MAX),
            Token::Mul => self.product = self.product.max(Some(1)),
            Token::Pow => self.product = Some(u64::MAX),
            _ => {}
        }
    }

    /// More than its constants can take.
    fn constant(&self) -> u64 {
        let numbers = self.numbers.iter().map(|&number| number.max(1));
        let factor = self.product.map_or(1, |product| numbers.fold(product, u64::saturating_mul));
        self.literals.saturating_mul(factor)
    }
}

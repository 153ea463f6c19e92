//! What a template may not say, told before it is compiled: the engine works out constants then.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

/// The bytes that a template may have.
const MOST_SOURCE: usize = 1 << 20;

/// The words and signs that a tag may have: the engine descends as deep as an expression is long.
const MOST_TOKENS: usize = 1_000;

/// The bytes that all constants together may take once they are worked out.
const MOST_CONSTANT: u64 = 16 << 20;

/// What a template says and may not, and in which line.
#[derive(Debug)]
pub struct Refusal {
    pub line: Option<usize>,
    pub detail: String,
}

/// Refuses a template that is too large, or whose constants are.
pub fn check(source: &str, syntax: SyntaxConfig) -> Result<(), Refusal> {
    if source.len() > MOST_SOURCE {
        let detail = format!("it is larger than {} kB", MOST_SOURCE >> 10);
        return Err(Refusal { line: None, detail });
    }
    let (mut tag, mut line) = (Tag::default(), 1);
    let mut constants = 0u64;
    for token in tokenize(source, false, syntax) {
        // What cannot be read is told by whoever compiles it, with its place.
        let Ok((token, span)) = token else { return Ok(()) };
        let refused = |detail: String| Err(Refusal { line: Some(line), detail });
        match token {
            Token::VariableStart | Token::BlockStart => {
                (tag, line) = (Tag::default(), usize::from(span.start_line));
            }
            Token::VariableEnd | Token::BlockEnd => {
                constants = constants.saturating_add(tag.constant());
                if constants > MOST_CONSTANT {
                    return refused("a constant is too large".to_owned());
                }
            }
            token => {
                tag.add(&token);
                if tag.tokens > MOST_TOKENS {
                    return refused(format!("a tag has more than {MOST_TOKENS} words and signs"));
                }
            }
        }
    }
    Ok(())
}

/// What there is in a tag to make constants of. Whatever has a name in it is no constant; what
/// stands between two names, outside of brackets, is cut where signs bind less than `*` does.
#[derive(Default)]
struct Tag {
    tokens: usize,
    /// The brackets that are open since the last name.
    depth: usize,
    /// What the terms before take.
    taken: u64,
    term: Term,
}

/// Literals and signs that may be one constant.
struct Term {
    /// The bytes of strings, and the items of lists.
    literals: u64,
    /// All numbers multiplied.
    factor: u64,
    /// The last number, where nothing came after it.
    last: Option<u64>,
    /// The number that the next one is the power of.
    base: Option<u64>,
    /// Whether anything is multiplied.
    multiplies: bool,
}

impl Default for Term {
    fn default() -> Self {
        Self { literals: 0, factor: 1, last: None, base: None, multiplies: false }
    }
}

impl Tag {
    fn add(&mut self, token: &Token<'_>) {
        self.tokens += 1;
        match token {
            Token::Int(number) => return self.term.number(*number),
            Token::Int128(_) => return self.term.number(u64::MAX),
            // The cast goes to the nearest number that there is.
            Token::Float(number) => return self.term.number(number.abs().ceil() as u64),
            _ => {}
        }
        let last = self.term.sign();
        match token {
            Token::Str(text) => self.term.literals += text.len() as u64 + 1,
            Token::String(text) => self.term.literals += text.len() as u64 + 1,
            Token::Mul => self.term.multiplies = true,
            Token::Pow => self.term.base = Some(last.unwrap_or(u64::MAX)),
            Token::BracketOpen | Token::BraceOpen | Token::ParenOpen => {
                self.depth += 1;
                self.term.literals += u64::from(!matches!(token, Token::ParenOpen));
            }
            Token::BracketClose | Token::BraceClose | Token::ParenClose => {
                self.depth = self.depth.saturating_sub(1);
            }
            Token::Ident("not" | "true" | "True" | "false" | "False" | "none" | "None") => {}
            Token::Ident("and" | "or" | "in") => self.binds_less(),
            Token::Ident(_) => {
                self.end();
                self.depth = 0;
            }
            // A minus may also be a sign of the number after it.
            Token::Div | Token::FloorDiv | Token::Mod | Token::Minus => {}
            Token::Comma if self.depth > 0 => self.term.literals += 2,
            _ => self.binds_less(),
        }
    }

    /// A sign that binds less than a multiplication ends a term, unless that is in brackets.
    fn binds_less(&mut self) {
        if self.depth == 0 {
            self.end();
        }
    }

    fn end(&mut self) {
        self.taken = self.taken.saturating_add(std::mem::take(&mut self.term).size());
    }

    /// No less than its constants can take.
    fn constant(&mut self) -> u64 {
        self.end();
        self.taken
    }
}

impl Term {
    fn number(&mut self, number: u64) {
        match self.base.take() {
            Some(base) => {
                // The base is among the factors already.
                let more = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX);
                self.multiply(base.saturating_pow(more));
            }
            None => {
                self.multiply(number);
                self.last = Some(number);
            }
        }
    }

    /// Something that is no number. The last number, if it stands just before.
    fn sign(&mut self) -> Option<u64> {
        // What is raised to an expression may become anything.
        if self.base.take().is_some_and(|base| base > 1) {
            self.factor = u64::MAX;
        }
        self.last.take()
    }

    fn multiply(&mut self, number: u64) {
        self.factor = self.factor.saturating_mul(number.max(1));
    }

    fn size(&self) -> u64 {
        self.literals.saturating_mul(if self.multiplies { self.factor } else { 1 })
    }
}

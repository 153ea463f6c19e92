//! Limits on the source of a template, checked before compiling it, because the compiler evaluates
//! constant expressions.

use super::{Template, TemplateError};
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

/// Maximum size of a template, in bytes.
const MAX_SOURCE_BYTES: usize = 1 << 20;

/// Maximum number of tokens in a tag, because the compiler recurses into expressions.
const MAX_TAG_TOKENS: usize = 1_000;

/// Maximum size of all evaluated constants, in bytes.
const MAX_CONSTANT_BYTES: u64 = 16 << 20;

/// Rejects a template that is too large, or that has constants that are.
pub fn check(template: &Template, syntax: SyntaxConfig) -> Result<(), TemplateError> {
    if template.source.len() > MAX_SOURCE_BYTES {
        let detail = format!("the template is larger than {} kB", MAX_SOURCE_BYTES >> 10);
        return Err(template.rejected(None, &detail));
    }
    let (mut tag, mut line) = (TagScan::default(), 1);
    let mut constants = 0u64;
    for token in tokenize(&template.source, false, syntax) {
        // The compiler reports syntax errors with their location.
        let Ok((token, span)) = token else { return Ok(()) };
        match token {
            Token::VariableStart | Token::BlockStart => {
                (tag, line) = (TagScan::default(), usize::from(span.start_line));
            }
            Token::VariableEnd | Token::BlockEnd => {
                constants = constants.saturating_add(tag.finish());
                if constants > MAX_CONSTANT_BYTES {
                    return Err(template.rejected(Some(line), "a constant is too large"));
                }
            }
            token => {
                tag.add(&token);
                if tag.tokens > MAX_TAG_TOKENS {
                    let detail = format!("a tag has more than {MAX_TAG_TOKENS} tokens");
                    return Err(template.rejected(Some(line), &detail));
                }
            }
        }
    }
    Ok(())
}

/// Estimates the size of the constants in a tag, which is never too low.
///
/// An expression with a name is not a constant. Between two names, and outside brackets, operators
/// that bind less tightly than `*` separate terms.
#[derive(Default)]
struct TagScan {
    tokens: usize,
    /// Brackets opened since the last name.
    depth: usize,
    /// Size of the previous terms.
    size: u64,
    term: ConstantTerm,
}

/// Literals and operators that may form one constant.
struct ConstantTerm {
    /// Bytes of strings, and items of lists.
    literals: u64,
    /// The product of all numbers.
    factor: u64,
    /// The number directly before, if any.
    last_number: Option<u64>,
    /// The base of a pending `**`.
    base: Option<u64>,
    has_product: bool,
}

impl Default for ConstantTerm {
    fn default() -> Self {
        Self { literals: 0, factor: 1, last_number: None, base: None, has_product: false }
    }
}

impl TagScan {
    fn add(&mut self, token: &Token<'_>) {
        self.tokens += 1;
        match token {
            Token::Int(number) => return self.term.add_number(*number),
            Token::Int128(_) => return self.term.add_number(u64::MAX),
            // The cast saturates.
            Token::Float(number) => return self.term.add_number(number.abs().ceil() as u64),
            _ => {}
        }
        let last_number = self.term.end_number();
        match token {
            Token::Str(text) => self.term.literals += text.len() as u64 + 1,
            Token::String(text) => self.term.literals += text.len() as u64 + 1,
            Token::Mul => self.term.has_product = true,
            Token::Pow => self.term.base = Some(last_number.unwrap_or(u64::MAX)),
            Token::BracketOpen | Token::BraceOpen | Token::ParenOpen => {
                self.depth += 1;
                self.term.literals += u64::from(!matches!(token, Token::ParenOpen));
            }
            Token::BracketClose | Token::BraceClose | Token::ParenClose => {
                self.depth = self.depth.saturating_sub(1);
            }
            Token::Ident("not" | "true" | "True" | "false" | "False" | "none" | "None") => {}
            Token::Ident("and" | "or" | "in") => self.end_term_outside_brackets(),
            Token::Ident(_) => {
                self.end_term();
                self.depth = 0;
            }
            // A minus may also be the sign of the next number.
            Token::Div | Token::FloorDiv | Token::Mod | Token::Minus => {}
            Token::Comma if self.depth > 0 => self.term.literals += 2,
            _ => self.end_term_outside_brackets(),
        }
    }

    fn end_term_outside_brackets(&mut self) {
        if self.depth == 0 {
            self.end_term();
        }
    }

    fn end_term(&mut self) {
        self.size = self.size.saturating_add(std::mem::take(&mut self.term).size());
    }

    /// Returns the size of all constants.
    fn finish(&mut self) -> u64 {
        self.end_term();
        self.size
    }
}

impl ConstantTerm {
    fn add_number(&mut self, number: u64) {
        match self.base.take() {
            Some(base) => {
                // The base has already been multiplied once.
                let exponent = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX);
                self.multiply(base.saturating_pow(exponent));
            }
            None => {
                self.multiply(number);
                self.last_number = Some(number);
            }
        }
    }

    /// Handles a token that is not a number. Returns the number directly before it, if any.
    fn end_number(&mut self) -> Option<u64> {
        // The exponent is an expression, so the power may have any value.
        if self.base.take().is_some_and(|base| base > 1) {
            self.factor = u64::MAX;
        }
        self.last_number.take()
    }

    fn multiply(&mut self, number: u64) {
        self.factor = self.factor.saturating_mul(number.max(1));
    }

    fn size(&self) -> u64 {
        self.literals.saturating_mul(if self.has_product { self.factor } else { 1 })
    }
}

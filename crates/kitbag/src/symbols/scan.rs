//! The lines of one file that have a name.

use super::name::{CaseMode, SymbolName};
use super::{MAX_LINE_CHARS, SymbolPlace, shortened};
use kitbag_text::{Chunk, CommentScanner, Language, Text};

/// Words before a name that define it, in any language with a grammar.
const DEFINING_WORDS: [&str; 38] = [
    "fn",
    "def",
    "defp",
    "defmacro",
    "defmodule",
    "func",
    "function",
    "fun",
    "sub",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "impl",
    "type",
    "module",
    "mod",
    "namespace",
    "const",
    "static",
    "let",
    "var",
    "val",
    "object",
    "record",
    "protocol",
    "extension",
    "union",
    "macro_rules",
    "data",
    "newtype",
    "instance",
    "package",
    "typedef",
    "template",
    "async",
    "export",
];

/// Those of them that precede nothing but the name of a definition.
const CERTAIN_WORDS: [&str; 12] = [
    "fn",
    "def",
    "defp",
    "func",
    "function",
    "sub",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "module",
];

/// A line with the name.
pub struct NamedLine {
    line: u32,
    end_line: u32,
    text: String,
    symbol: Option<String>,
    /// Whether a definition also has the qualifiers of the name.
    pub is_qualified: bool,
}

impl NamedLine {
    pub fn place(self, path: &str) -> SymbolPlace {
        let Self { line, end_line, text, symbol, .. } = self;
        SymbolPlace { path: path.to_owned(), line, end_line, text, symbol }
    }
}

/// The lines of one file that have the name.
pub struct FilePlaces {
    pub file: usize,
    pub definitions: Vec<NamedLine>,
    pub callers: Vec<NamedLine>,
    pub references: Vec<NamedLine>,
    /// The name as the file spells it.
    pub spelled: Option<String>,
}

impl FilePlaces {
    pub fn has_any(&self) -> bool {
        !(self.definitions.is_empty() && self.callers.is_empty() && self.references.is_empty())
    }
}

/// A definition in a chunk, at the line that introduces it.
struct Definition<'a> {
    symbol: &'a str,
    line: u32,
    chunk: &'a Chunk,
}

/// A file with the name.
pub struct ScannedFile<'a> {
    pub file: usize,
    pub path: &'a str,
    pub text: &'a Text,
    /// Whether the file is documentation, in which most names are ordinary words.
    pub is_prose: bool,
}

/// Finds the lines of a file that have the name. Comments, and words in sentences, are skipped.
pub fn scan(
    name: &SymbolName,
    case: CaseMode,
    scanned: &ScannedFile<'_>,
    chunks: &[Chunk],
) -> FilePlaces {
    let &ScannedFile { file, path, text, is_prose } = scanned;
    let (definitions, callers, references) = (Vec::new(), Vec::new(), Vec::new());
    let mut places = FilePlaces { file, definitions, callers, references, spelled: None };
    let known = definitions_of(text, chunks);
    let language = Language::for_text(path, text).map(Language::name);
    let mut comments = CommentScanner::new(language);
    let len = name.base.len();
    for (line, content) in (1..).zip(text.content().lines()) {
        let is_comment = comments.is_comment(content);
        if case == CaseMode::Exact && !content.contains(&name.base) {
            continue;
        }
        let is_word = |at: &usize| match is_prose {
            true => !is_marked_up(content, *at, len),
            false => is_in_sentence(content, *at),
        };
        let hits: Vec<usize> =
            occurrences(content, &name.base, case).filter(|at| !is_word(at)).collect();
        let Some(&first) = hits.first() else { continue };
        let known_here =
            known.iter().find(|it| it.line == line && name.matches(it.symbol, case).is_some());
        if known_here.is_none() && is_comment {
            continue;
        }
        places.spelled.get_or_insert_with(|| content[first..first + len].to_owned());
        let enclosing = enclosing(line, text, chunks, &known);
        let named = |end_line: u32, symbol: Option<&str>, is_qualified: bool| NamedLine {
            line,
            end_line,
            text: shortened(content),
            symbol: symbol.map(str::to_owned),
            is_qualified,
        };
        if let Some(it) = known_here {
            let is_qualified = name.matches(it.symbol, case) == Some(true);
            let end = end_of(it, text);
            let definition = named(end, Some(it.symbol), is_qualified);
            let text = signature(text, line, end);
            places.definitions.push(NamedLine { text, ..definition });
        } else if CERTAIN_WORDS.contains(&word_before(content, first)) {
            let is_qualified = enclosing.and_then(|it| name.matches(it, case)) == Some(true);
            places.definitions.push(named(line, enclosing, is_qualified));
        } else if hits.iter().any(|&at| is_call(content, at, len)) {
            places.callers.push(named(line, enclosing, true));
        } else {
            places.references.push(named(line, enclosing, true));
        }
    }
    places
}

/// Whether the name at a position is marked as code in a document: by a backtick, a dot, a parenthesis or the
/// like next to it.
fn is_marked_up(line: &str, at: usize, len: usize) -> bool {
    let before = line[..at].chars().next_back();
    let after = line[at + len..].chars();
    let is_mark = |c: char| "`(:#<_/$".contains(c);
    let mut after = after.peekable();
    let is_after = match after.next() {
        // A dot also ends a sentence.
        Some('.') => after.peek().is_some_and(|c| c.is_alphanumeric()),
        Some(c) => is_mark(c),
        None => false,
    };
    is_after || before.is_some_and(|c| is_mark(c) || c == '.')
}

/// Whether a position is inside a string literal with several words, or words joined by hyphens.
fn is_in_sentence(line: &str, at: usize) -> bool {
    ['"', '\''].into_iter().any(|quote| {
        let (before, after) = (&line[..at], &line[at..]);
        let quotes = || before.match_indices(quote).filter(|(at, _)| !is_apostrophe(line, *at));
        let is_open = quotes().count() % 2 == 1;
        let start = quotes().next_back().map_or(0, |(it, _)| it + 1);
        let end = after.find(quote).map_or(line.len(), |it| at + it);
        is_open
            && after.contains(quote)
            && line[start..end].contains([' ', '-'])
            && !line[start..end].contains('{')
    })
}

/// Whether the character at `at` is the apostrophe of a word such as `it's`, and not a quote.
fn is_apostrophe(line: &str, at: usize) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let after = line[at..].strip_prefix('\'');
    let word = line[..at].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    // A single letter is more likely the prefix of a string, such as `b'...'`.
    after.is_some_and(|after| is_letter(after.chars().next())) && word.len() > 1
}

/// Returns the word before a position.
fn word_before(line: &str, at: usize) -> &str {
    let before = line[..at].trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
    before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Returns all definitions of a file with their lines, in the order of the lines.
fn definitions_of<'a>(text: &Text, chunks: &'a [Chunk]) -> Vec<Definition<'a>> {
    let mut found: Vec<Definition<'a>> = Vec::new();
    for chunk in chunks {
        let mut from = chunk.span.start;
        // Later parts of a split item repeat its name.
        if chunk.part.is_some_and(|part| part.number > 1) {
            continue;
        }
        for symbol in &chunk.defines {
            let Some(name) = SymbolName::parse(symbol) else { continue };
            if let Some(line) = defining_line(text, chunk, from, &name.base) {
                from = line;
                found.push(Definition { symbol, line, chunk });
            }
        }
    }
    found.sort_by_key(|it| it.line);
    found
}

/// Returns the line of a chunk that defines a name: the first on which a word such as `fn` precedes it, or
/// else the first that has it and is not part of a doc comment.
fn defining_line(text: &Text, chunk: &Chunk, from: u32, base: &str) -> Option<u32> {
    let has_name =
        |line: &u32| occurrences(text.line(*line), base, CaseMode::Exact).next().is_some();
    let lines: Vec<u32> = (from..=chunk.span.end).filter(has_name).collect();
    let is_defining = |line: &&u32| {
        let content = text.line(**line);
        let at = occurrences(content, base, CaseMode::Exact).next().unwrap_or(0);
        DEFINING_WORDS.contains(&word_before(content, at)) && !looks_like_comment(content)
    };
    let is_code = |line: &&u32| !looks_like_comment(text.line(**line));
    let line = lines.iter().find(is_defining).or_else(|| lines.iter().find(is_code));
    line.or(lines.first()).copied()
}

fn looks_like_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "/*", "*", "--", "\"\"\""].iter().any(|mark| line.starts_with(mark))
        && !line.starts_with("#define")
}

/// Returns the last line of a definition within its chunk: the last one that is indented more deeply, or closes
/// what the definition opens.
fn end_of(definition: &Definition<'_>, text: &Text) -> u32 {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let (first, last) = (definition.line, definition.chunk.span.end);
    let base = indentation(text.line(first));
    let mut end = first;
    for line in first + 1..=last {
        let content = text.line(line).trim_end();
        let trimmed = content.trim_start();
        if trimmed.is_empty() {
            continue;
        }
        if indentation(content) <= base {
            let closes = ["}", "end"].iter().any(|it| trimmed.starts_with(it));
            if closes {
                return line;
            }
            if !trimmed.starts_with([')', ']', '{']) {
                return end;
            }
        }
        end = line;
    }
    end
}

/// Returns the innermost known definition that contains a line.
fn enclosing<'a>(
    line: u32,
    text: &Text,
    chunks: &'a [Chunk],
    all: &[Definition<'a>],
) -> Option<&'a str> {
    let chunk = chunks.iter().find(|chunk| chunk.span.contains_line(line))?;
    let mut own = all.iter().rev().filter(|it| std::ptr::eq(it.chunk, chunk) && it.line <= line);
    let innermost = own.find(|it| line <= end_of(it, text)).map(|it| it.symbol);
    // A part of a definition, or a member of a class, belongs to a definition in another chunk.
    let outer = chunk.symbol.as_ref().filter(|symbol| !chunk.defines.contains(symbol));
    let is_part = chunk.part.is_some_and(|part| part.number > 1);
    let outer = if is_part { chunk.symbol.as_ref() } else { outer };
    innermost.or(outer.map(String::as_str))
}

/// Iterates over the positions of an identifier in a line.
fn occurrences<'a>(
    line: &'a str,
    name: &'a str,
    case: CaseMode,
) -> impl Iterator<Item = usize> + 'a {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let starts = line.char_indices().map(|(at, _)| at);
    starts.filter(move |&at| {
        let Some(candidate) = line.get(at..at + name.len()) else { return false };
        let is_bounded = !line[..at].chars().next_back().is_some_and(is_part)
            && !line[at + name.len()..].chars().next().is_some_and(is_part);
        is_bounded && case.equals(candidate, name)
    })
}

/// Whether the name at a position is called: an argument list, a macro's bang, type arguments or a block
/// follows, or it is a method that is called without parentheses.
fn is_call(line: &str, at: usize, len: usize) -> bool {
    let after = &line[at + len..];
    let after = after.strip_prefix(['!', '?']).unwrap_or(after);
    let before = &line[..at];
    let is_import = ["import ", "from ", "use ", "require ", "#include"]
        .iter()
        .any(|word| line.trim_start().starts_with(word));
    if is_import {
        return false;
    }
    if after.starts_with('(') || after.starts_with("::<") || after.starts_with(".(") {
        return true;
    }
    if after.starts_with(".new") {
        return true;
    }
    let is_generic_call = after.starts_with('<')
        && closing_angle(after).is_some_and(|end| after[end..].starts_with('('));
    let is_bare_method = before.ends_with('.')
        && after.starts_with([' ', '\n'])
        && after.trim_start().starts_with(|c: char| c.is_alphanumeric() || "'\":@{[".contains(c));
    is_generic_call || is_bare_method
}

/// Returns the position after the angle bracket that closes the one at the beginning.
fn closing_angle(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Returns the line that introduces a definition, with the lines that complete its brackets.
pub fn signature(text: &Text, line: u32, end_line: u32) -> String {
    let brackets = |content: &str| -> i32 {
        let depth = content.chars().map(|c| match c {
            '(' | '[' => 1,
            ')' | ']' => -1,
            _ => 0,
        });
        depth.sum()
    };
    let mut signature = text.line(line).trim().to_owned();
    let mut open = brackets(&signature);
    for next in line + 1..=end_line {
        if open <= 0 || signature.chars().count() > MAX_LINE_CHARS {
            break;
        }
        let content = text.line(next).trim();
        open += brackets(content);
        let is_joined = signature.ends_with(['(', '[']) || content.starts_with([')', ']']);
        if content.starts_with([')', ']']) && signature.ends_with(',') {
            signature.pop();
        }
        if !is_joined {
            signature.push(' ');
        }
        signature.push_str(content);
    }
    shortened(&signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_has_all_its_lines() {
        let text = Text::new("def login(\n    self,\n    user: str,\n) -> bool:\n    return f(\n");
        assert_eq!(signature(&text, 1, 5), "def login(self, user: str) -> bool:");
        assert_eq!(signature(&text, 4, 5), ") -> bool:");
        assert_eq!(signature(&text, 5, 5), "return f(");
    }

    #[test]
    fn identifiers_are_found_as_a_whole() {
        let at = |line, name| occurrences(line, name, CaseMode::Exact).collect::<Vec<_>>();
        assert_eq!(at("login(relogin, login_2, login)", "login"), [0, 24]);
        assert_eq!(at("größe.log(größe)", "größe"), [0, 12]);
        assert_eq!(occurrences("Login()", "login", CaseMode::Ignore).count(), 1);
    }

    #[test]
    fn words_of_sentences_are_not_references() {
        let sentence = |line: &str| is_in_sentence(line, line.find("login").unwrap_or(0));
        assert!(sentence("raise Error(\"the login failed\")"));
        assert!(sentence("print(\"post-login-out\")"));
        assert!(!sentence("getattr(module, \"login\")"));
        assert!(!sentence("it's login('a b')"));
        assert!(!sentence("f'{login(user)} is in'"));
        let marked = |line: &str| is_marked_up(line, line.find("login").unwrap_or(0), 5);
        assert!(marked("call `login` first") && marked("user.login") && marked("login()"));
        assert!(!marked("The login. Then") && !marked("a login page"));
    }

    #[test]
    fn calls_differ_from_other_references() {
        let call = |line: &str| is_call(line, line.find("login").unwrap_or(0), 5);
        for line in
            ["x = login(1)", "login::<T>(1)", "a.login!(b)", "user.login 'x'", "login<T>(x)"]
        {
            assert!(call(line), "{line}");
        }
        assert!(!is_call("fn f<D: login<'a>>(d: D)", 8, 5), "a bound");
        for line in
            ["import login", "from a import login", "x = login", "use a::login;", "a.login == 1"]
        {
            assert!(!call(line), "{line}");
        }
    }
}

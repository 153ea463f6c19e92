//! Recognizes configuration, in which values need no quotes, by the lines around a name.

use aho_corasick::AhoCorasick;
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Number of lines on each side that are considered, and their length.
const LINES_AROUND: usize = 3;
const MAX_LINES_BYTES: usize = 400;

/// What a line is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Code,
    Configuration,
    /// A comment, prose or a command.
    Other,
}

/// Whether the value of a name is text rather than code: in the environment of a process
/// or in configuration.
pub(super) fn is_configuration(bytes: &[u8], name: &Range<usize>) -> bool {
    let start = line_start(bytes, name.start);
    let before = without_prefix(&bytes[start..name.start]);
    if is_environment_variable(bytes, name) {
        return true;
    }
    // Names may be indexes, as in `env[DB_PASSWORD] = ...`.
    let is_index = before
        .strip_suffix(b"[")
        .is_some_and(|it| it.iter().all(|it| it.is_ascii_lowercase() || *it == b'_'));
    let is_first = before.iter().all(|it| b" \t-#;\"':".contains(it)) || is_index;
    let is_member =
        [&b"self."[..], b"this.", b"@"].iter().any(|it| bytes[name.clone()].starts_with(it));
    // Configuration with spaces around `=` is not indented, unlike code.
    let rest = &bytes[name.end..];
    let is_indented = bytes[start] == b' ' || bytes[start] == b'\t';
    let is_statement =
        is_indented && rest.starts_with(b" ") && rest.trim_ascii_start().starts_with(b"=");
    if !is_first || is_member || is_statement {
        return false;
    }
    let end = line_end(bytes, name.end);
    if kind_of(&bytes[start..end]) == LineKind::Code {
        return false;
    }
    let mut has_configuration = false;
    let mut count = 0;
    for line in lines_before(bytes, start).chain(lines_after(bytes, end)) {
        match kind_of(line) {
            LineKind::Code => return false,
            LineKind::Configuration => has_configuration = true,
            LineKind::Other => {}
        }
        count += 1;
    }
    has_configuration || count == 0
}

/// Whether a name is that of a variable that is set without spaces, as in a shell.
pub(super) fn is_environment_variable(bytes: &[u8], name: &Range<usize>) -> bool {
    let start = line_start(bytes, name.start);
    bytes.get(name.end) == Some(&b'=')
        && is_environment(without_prefix(&bytes[start..name.start]), &bytes[name.clone()])
}

/// Whether a name is that of a variable of the environment, as in `export DB_PASSWORD=` and `- DB_PASSWORD=`.
fn is_environment(before: &[u8], name: &[u8]) -> bool {
    #[rustfmt::skip]
    const COMMANDS: &[&[u8]] = &[
        b"", b"export", b"ENV", b"ARG", b"set", b"-", b"- \"", b"- '", b"declare -x", b"typeset -x",
        b"readonly", b"-e", b"env", b"$", b"#",
    ];
    let is_upper = |it: &u8| it.is_ascii_uppercase() || it.is_ascii_digit() || *it == b'_';
    let before = before.trim_ascii();
    name.iter().all(is_upper)
        && COMMANDS.iter().any(|it| before == *it || !it.is_empty() && before.ends_with(it))
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(MAX_LINES_BYTES);
    memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |it| from + it + 1)
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let to = (at + MAX_LINES_BYTES).min(bytes.len());
    memchr::memchr(b'\n', &bytes[at..to]).map_or(to, |it| at + it)
}

fn lines_before(bytes: &[u8], start: usize) -> impl Iterator<Item = &[u8]> {
    let from = start.saturating_sub(MAX_LINES_BYTES);
    let lines = bytes[from..start].rsplit(|it| *it == b'\n');
    lines.filter(|line| !line.trim_ascii().is_empty()).take(LINES_AROUND)
}

fn lines_after(bytes: &[u8], end: usize) -> impl Iterator<Item = &[u8]> {
    let to = (end + MAX_LINES_BYTES).min(bytes.len());
    let lines = bytes[end..to].split(|it| *it == b'\n');
    lines.filter(|line| !line.trim_ascii().is_empty()).take(LINES_AROUND)
}

/// Strips what tools put before lines: `+` and `-` of a diff, `12:`, `12-`, `src/a.yml:12:`, `src/a.yml-12-`.
fn without_prefix(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"+").or(line.strip_prefix(b"-")).unwrap_or(line);
    let trimmed = line.trim_ascii_start();
    let digits = |rest: &[u8]| rest.iter().take_while(|it| it.is_ascii_digit()).count();
    let number = digits(trimmed);
    if let (1.., Some(b':' | b'\t' | b'|' | b'-')) = (number, trimmed.get(number)) {
        return &trimmed[number + 1..];
    }
    let is_place = |it: &u8| it.is_ascii_alphanumeric() || b"./_-".contains(it);
    let place = trimmed.iter().take_while(|it| is_place(it)).count();
    let place = &trimmed[..trimmed.len().min(place + 1)];
    // The extension of the file precedes the number of the line.
    let Some(dot) = memchr::memchr(b'.', place) else { return line };
    let separators = (dot..place.len()).filter(|at| b":-".contains(&place[*at]));
    for at in separators {
        let digits = digits(&trimmed[at + 1..]);
        if let (1.., Some(b':' | b'-')) = (digits, trimmed.get(at + 1 + digits)) {
            return &trimmed[at + digits + 2..];
        }
    }
    line
}

fn kind_of(line: &[u8]) -> LineKind {
    let line = without_prefix(line).trim_ascii();
    let Some((&first, &last)) = line.first().zip(line.last()) else { return LineKind::Other };
    let is_diff = line.starts_with(b"@@ ") || line.starts_with(b"++ ") || line.starts_with(b"-- ");
    // In JSON, all values have quotes.
    let is_json = first == b'"' && memchr::memmem::find(line, b"\":").is_some();
    if first == b'#' || first == b';' || line.starts_with(b"--") || is_diff || is_json {
        return LineKind::Other;
    }
    if is_code(line, first, last) {
        return LineKind::Code;
    }
    if first == b'[' && last == b']' {
        return LineKind::Configuration;
    }
    let entry = line.strip_prefix(b"- ").unwrap_or(line);
    let is_key = |it: &u8| it.is_ascii_alphanumeric() || b"_-./\"'$[]".contains(it);
    let key = entry.iter().take_while(|it| is_key(it)).count();
    let rest = entry[key..].trim_ascii_start();
    let is_entry = key > 0 && rest.first().is_some_and(|it| b":=".contains(it));
    if is_entry { LineKind::Configuration } else { LineKind::Other }
}

/// Words at the beginning of statements.
static STATEMENTS: LazyLock<FxHashSet<&[u8]>> = LazyLock::new(|| {
    #[rustfmt::skip]
    const KEYWORDS: &[&[u8]] = &[
        b"def", b"class", b"let", b"const", b"var", b"val", b"public", b"private", b"protected", b"static",
        b"return", b"if", b"elif", b"else", b"for", b"while", b"import", b"from", b"func", b"fun", b"fn",
        b"pub", b"use", b"package", b"namespace", b"struct", b"type", b"interface", b"async", b"await", b"try",
        b"except", b"catch", b"raise", b"throw", b"switch", b"case", b"end", b"do", b"begin", b"module",
        b"require", b"include", b"with", b"assert", b"yield", b"object", b"trait", b"impl", b"enum",
        b"internal", b"override", b"final", b"lateinit", b"unless", b"when",
    ];
    KEYWORDS.iter().copied().collect()
});

/// What only code contains.
static CODE_PARTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    #[rustfmt::skip]
    const PARTS: &[&[u8]] = &[
        b"->", b"=>", b"::", b"()", b" == ", b" != ", b"&&", b" || ", b"= new ", b"self.", b"this.", b"(self",
    ];
    AhoCorasick::new(PARTS).expect("a dozen short texts make a small automaton")
});

fn is_code(line: &[u8], first: u8, last: u8) -> bool {
    let word = line.iter().take_while(|it| it.is_ascii_alphanumeric() || **it == b'_').count();
    let rest = &line[word..];
    let is_statement = STATEMENTS.contains(&line[..word])
        && rest.first().is_none_or(|it| matches!(it, b' ' | b'(' | b'{'))
        && !rest.trim_ascii_start().starts_with(b"=")
        || matches!(line, b"else:" | b"try:" | b"finally:");
    let is_call = rest.starts_with(b"(") || rest.starts_with(b".") && rest.contains(&b'(');
    is_statement
        || is_call
        || b"{;(),)\\".contains(&last) && first != b'['
        || first == b'}'
        || first == b')'
        || first == b'@'
        || first == b'<' && !line.starts_with(b"<<:")
        || has_type(line)
        || CODE_PARTS.is_match(line)
}

/// Whether a line declares a type, as in `port: int` and `name: String?`.
fn has_type(line: &[u8]) -> bool {
    #[rustfmt::skip]
    const TYPES: &[&[u8]] = &[
        b"str", b"int", b"bool", b"float", b"bytes", b"String", b"Int", b"Boolean", b"Bool", b"string",
        b"number", b"boolean", b"any", b"Any", b"SecretStr", b"Optional", b"List", b"Option", b"Vec", b"u16",
        b"u32", b"u64", b"ID", b"Long", b"Double",
    ];
    let Some(colon) = memchr::memmem::find(line, b": ") else { return false };
    let value = line[colon + 2..].trim_ascii_start();
    let word = value.iter().take_while(|it| it.is_ascii_alphanumeric()).count();
    let is_end = value.get(word).is_none_or(|it| b" ?![<=|".contains(it));
    TYPES.contains(&&value[..word]) && is_end
}

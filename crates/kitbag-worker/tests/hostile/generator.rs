//! Generates texts that are hard on parsers: repeated tokens and pairs of tokens, deep nesting, long
//! names, here-documents, and unusual whitespace.

use kitbag_text::Language;
use kitbag_text::syntax::fixed_tokens;

/// A shape that can be generated in any size.
#[derive(Clone)]
pub struct HostileShape {
    pub language: &'static Language,
    pub name: String,
    generate: Generator,
}

#[derive(Clone)]
enum Generator {
    /// The unit, repeated.
    Repeat(String),
    /// An opening part repeated, then a closing part repeated as often.
    Nest(String, String),
    /// Lines that are each indented further than the one before.
    Stairs(&'static str, &'static str),
    /// A prefix, a long run of a unit, and a suffix that ends with the same run.
    Long(&'static str, &'static str, &'static str),
}

impl HostileShape {
    /// Generates a text of about `bytes` bytes.
    pub fn text(&self, bytes: usize) -> String {
        match &self.generate {
            Generator::Repeat(unit) => unit.repeat(bytes.div_ceil(unit.len())),
            Generator::Nest(open, close) => {
                let depth = bytes.div_ceil(open.len() + close.len());
                open.repeat(depth) + "x" + &close.repeat(depth)
            }
            Generator::Stairs(indent, line) => {
                let mut text = String::new();
                for depth in 0.. {
                    if text.len() > bytes {
                        break;
                    }
                    text += &indent.repeat(depth);
                    text += line;
                }
                text
            }
            Generator::Long(before, unit, between) => {
                let run = unit.repeat(bytes.div_ceil(2 * unit.len()));
                format!("{before}{run}{between}{run}\n")
            }
        }
    }
}

/// Fragments that no list of tokens has: quotes, names, numbers, whitespace of every kind.
const FRAGMENTS: &[&str] = &[
    "a",
    "1",
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{c}",
    " ",
    "é",
    "\u{feff}",
    "\0",
    "a|a|",
    "+ - * / ",
    "a<",
    "a,",
    "a.",
    "a(",
    "a[",
    "a{",
    "${",
    "#{",
    "<a>",
    "</a>",
    "<!--",
    "/*",
    "//",
    "#",
    "--",
    "- ",
    "-  ",
    "? ",
    ": ",
    "a: ",
    "&a ",
    "*a ",
    "<<A\n",
    "<<~A\n",
    "r#\"",
    "R\"(",
    "\"\"\"",
    "'''",
    "f\"{",
    "$(",
    "`${",
    "{{",
    "%w(",
    "if ",
    "else ",
    "x = ",
    "=> ",
    "@",
    "\\\n",
    "{-",
    "{-#",
    "-- |",
    "#if a\n",
    "#else\n",
    "where\n",
    "x :: ",
    "do\n",
    "def f, ",
    "~S\"\"\"",
    "\\\\a\n",
    "<<EOF\n",
    "<<-EOF\n",
    "${a ",
    "%{if a}",
    "%in% ",
    "<- function(a) ",
    "'$a",
    "$$a",
    "SELECT (",
    "CASE WHEN ",
    "FROM a AS b\n",
    "message a {",
    "rpc a(b) ",
    "a => ",
    "?..",
    "@a()",
];

const BRACKETS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("(\n", ")\n"),
    ("{\n", "}\n"),
    ("[1,", "]"),
    ("f(", ")"),
    ("a<", ">"),
    ("{a:", "}"),
    ("\"${", "}\""),
    ("`${", "}`"),
    ("\"#{", "}\""),
    ("f\"{", "}\""),
    ("/*", "*/"),
    ("{-", "-}"),
    ("f do\n", "end\n"),
    ("#if a\n", "#endif\n"),
    ("struct {", "}"),
    ("<a>", "</a>"),
    ("if x {", "}"),
    ("begin ", " end "),
    ("#if A\n", "#endif\n"),
    ("function f() {", "}"),
    ("class A {", "}"),
    ("-(", ")"),
    ("!", ""),
    ("- ", ""),
    ("a: ", ""),
    ("-  ", ""),
    ("a ? b : ", ""),
    ("a = ", ""),
    ("a -> ", ""),
    ("message A {", "}"),
    ("SELECT (", ")"),
    ("CASE WHEN a THEN ", " END"),
    ("a <- function() {", "}"),
    ("a \"b\" {\n", "}\n"),
    ("%{if a}", "%{endif}"),
    ("RUN <<A\n", "A\n"),
];

const STAIRS: &[(&str, &str)] = &[
    (" ", "if x:\n"),
    (" ", "a:\n"),
    ("\t", "a:\n"),
    ("  ", "- a\n"),
    (" ", "x\n"),
    ("\u{c}", "a\n"),
];

const LONG: &[(&str, &str, &str)] = &[
    ("", "a", " = "),
    ("x = <<", "A", "\nb\n"),
    ("x = <<~", "A", "\nb\n"),
    ("cat <<", "A", "\nb\n"),
    ("cat <<-'", "A", "'\nb\n"),
    ("R\"", "A", "(b)"),
    ("r", "#", "\"b\""),
    ("\"", "a", "\"\""),
    ("/*", "*", "*/"),
    ("x = \"\"\"", "a", "\"\"\""),
    ("<", "a", "></"),
    ("[", "=", "[b]"),
    ("1", "0", "."),
    ("@", "a", "("),
    ("#", "#", "\n"),
    ("$", "a", "$"),
    ("RUN <<", "A", "\nb\n"),
    ("a = <<", "A", "\nb\n"),
    ("SELECT $", "a", "$b$"),
    ("r\"", "-", "(b)"),
];

/// Returns the shapes of a language; of the pairs of tokens, about `pairs`, spread evenly.
pub fn shapes(language: &'static Language, pairs: usize) -> Vec<HostileShape> {
    let mut tokens = fixed_tokens(language);
    tokens.retain(|token| !token.is_empty());
    tokens.extend(FRAGMENTS);
    let shape = |name: String, generate| HostileShape { language, name, generate };
    let repeat = |unit: String| shape(format!("{unit:?}"), Generator::Repeat(unit));
    let mut shapes: Vec<HostileShape> = tokens
        .iter()
        .flat_map(|token| [repeat((*token).to_owned()), repeat(format!("{token} "))])
        .collect();
    let all = tokens.len() * tokens.len();
    let step = all.div_ceil(pairs.max(1)) | 1;
    shapes.extend((0..all).step_by(step).map(|at| {
        let (first, second) = (tokens[at / tokens.len()], tokens[at % tokens.len()]);
        repeat(format!("{first} {second} "))
    }));
    shapes.extend(BRACKETS.iter().map(|&(open, close)| {
        shape(format!("nested {open:?} {close:?}"), Generator::Nest(open.into(), close.into()))
    }));
    shapes.extend(STAIRS.iter().map(|&(indent, line)| {
        shape(format!("stairs {indent:?} {line:?}"), Generator::Stairs(indent, line))
    }));
    shapes.extend(LONG.iter().map(|&(before, unit, between)| {
        shape(
            format!("long {before:?} {unit:?} {between:?}"),
            Generator::Long(before, unit, between),
        )
    }));
    shapes
}

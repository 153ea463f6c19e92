//! Recognizes chunks without code of their own: imports, re-exports, licences and other comments.
//!
//! Lines are judged by how they begin, in any language. Such a chunk has words of everything that its file
//! uses, and says little about any of it.

use kitbag_text::{Chunk, ChunkKind, Text};

/// Share of other lines, in percent, up to which a chunk still counts as imports: a header often ends with a
/// constant or two.
const MAX_OTHER_PERCENT: usize = 20;

/// Beginnings of lines that bring in names, or pass them on.
const IMPORTS: &[&str] = &[
    "import ",
    "import(",
    "import\t",
    "from ",
    "use ",
    "using ",
    "package ",
    "namespace ",
    "module ",
    "require ",
    "require(",
    "require_relative ",
    "require_once",
    "include ",
    "#include",
    "#import",
    "#pragma once",
    "extern crate ",
    "mod ",
    "export * ",
    "export {",
    "export type {",
    "open ",
    "alias ",
    "library ",
    "__all__",
    "declare(",
    "<?php",
    "'use strict'",
    "\"use strict\"",
    "<script",
    "</script",
    "@import",
    "source ",
];

/// Beginnings of comment lines.
const COMMENTS: &[&str] =
    &["//", "/*", "*", "# ", "#!", "-- ", "--[", "<!--", "-->", ";;", "(*", "{-", "-}", "%"];

/// Marks the chunks of a text that hold only imports and comments.
pub(crate) fn mark_imports(chunks: &mut [Chunk], text: &Text) {
    let is_plain = |chunk: &&mut Chunk| {
        matches!(chunk.kind, ChunkKind::Code | ChunkKind::Lines) && chunk.part.is_none()
    };
    for chunk in chunks.iter_mut().filter(is_plain) {
        if is_imports(text.slice(chunk.span)) {
            chunk.kind = ChunkKind::Imports;
        }
    }
}

/// Whether lines are imports and comments. Comments alone are not: they may be all that a text has.
fn is_imports(lines: &str) -> bool {
    let (mut imports, mut other) = (0, 0);
    // Brackets that an import has left open, and the end of a block comment or string.
    let (mut depth, mut block_end) = (0, None);
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(end) = block_end {
            block_end = (!line.contains(end)).then_some(end);
        } else if depth > 0 && !is_statement(line) || is_import(line) {
            imports += 1;
            depth = (depth + bracket_balance(line)).max(0);
        } else if let Some(end) = opened_block(line) {
            block_end = Some(end);
        } else if !COMMENTS.iter().any(|mark| line.starts_with(mark)) && line != "#" {
            other += 1;
        }
    }
    imports > 0 && 100 * other <= MAX_OTHER_PERCENT * (imports + other)
}

fn is_import(line: &str) -> bool {
    let line = ["pub(crate) ", "pub(super) ", "pub ", "local ", "static "]
        .iter()
        .find_map(|before| line.strip_prefix(before))
        .unwrap_or(line);
    let begins = IMPORTS.iter().any(|mark| line.starts_with(mark));
    // `mod a { ... }` and `namespace a { ... }` have code of their own.
    let holds_code = line.ends_with('{') && !line.contains("use ") && !line.starts_with("export ");
    let holds_code = holds_code && !line.starts_with("import ");
    begins && !holds_code || is_required(line) || is_export(line)
}

/// Whether a line within the brackets of an import calls or defines something.
fn is_statement(line: &str) -> bool {
    ["=>", "function", "(", "return "].iter().any(|part| line.contains(part)) && !is_required(line)
}

/// Whether a line passes on names that are defined before it: `module.exports = Pool`.
fn is_export(line: &str) -> bool {
    let value = line.strip_prefix("module.exports =").or(line.strip_prefix("export default "));
    value.is_some_and(|value| {
        let is_name = |c: char| c.is_alphanumeric() || "_$.,{ ;".contains(c) || c == '}';
        value.chars().all(is_name)
    })
}

/// Whether a line binds a name to a module: `const fs = require("fs")`, `fs: require("fs"),`.
fn is_required(line: &str) -> bool {
    let value = line.split_once(['=', ':']).map_or("", |(_, value)| value.trim_start());
    ["require(", "require ", "require\"", "__importDefault(", "@import("]
        .iter()
        .any(|call| value.starts_with(call))
        && value.trim_end_matches([';', ',']).ends_with([')', '"', '\''])
}

/// Returns the end of a block comment or string that a line opens and does not close.
fn opened_block(line: &str) -> Option<&'static str> {
    let blocks =
        [("/*", "*/"), ("\"\"\"", "\"\"\""), ("'''", "'''"), ("<!--", "-->"), ("{-", "-}")];
    let (start, end) = blocks.into_iter().find(|(start, _)| line.starts_with(start))?;
    (!line[start.len()..].contains(end)).then_some(end)
}

fn bracket_balance(line: &str) -> i32 {
    line.chars().fold(0, |balance, c| match c {
        '(' | '{' | '[' => balance + 1,
        ')' | '}' | ']' => balance - 1,
        _ => balance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_reexports_are_imports() {
        let all = [
            "# Copyright\nimport os\nfrom a import (\n    b,\n    c,\n)\n",
            "\"\"\"A package.\n\nLonger.\n\"\"\"\nfrom ._api import *\n\n__all__ = [\n    \"a\",\n]\n",
            "//! Docs.\nmod a;\npub mod b;\n\npub use a::{\n    C,\n    D,\n};\nuse std::fs;\n",
            "\"use strict\";\nconst fs = require(\"fs\");\nconst { a, b } = require('./a');\n",
            "export * from './a';\nexport {\n  b,\n} from './b';\nexport type { C } from './c';\n",
            "/*\n * License\n */\npackage a;\n\nimport b.C;\nimport static d.E.f;\n",
            "<?php\n\nnamespace A\\B;\n\nuse C\\D;\n",
            "#include <stdio.h>\n#include \"a.h\"\n",
            "require 'set'\nrequire_relative 'a'\n",
            "module.exports = Pool\n",
            "module.exports = {\n  Pool,\n  Client: require('./client'),\n}\n",
        ];
        for lines in all {
            assert!(is_imports(lines), "{lines}");
        }
    }

    #[test]
    fn code_and_comments_alone_are_not_imports() {
        let all = [
            "// A long comment about the design.\n// And more.\n",
            "import os\nos.chdir('a')\nos.remove('b')\n",
            "describe('a', () => {\n  it('b', () => {});\n});\n",
            "module.exports = {\n  a (x) {\n    return x\n  }\n}\n",
            "LIMIT = 5\nNAMES = {\n    'a': 1,\n}\n",
            "mod tests {\n    use super::*;\n    fn a() {}\n}\n",
            "const pool = require('./pool').create({\n  size: 5,\n});\nserver.listen(pool);\n",
        ];
        for lines in all {
            assert!(!is_imports(lines), "{lines}");
        }
    }
}

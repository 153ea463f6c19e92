//! Recorded output of linters and compilers.

use super::super::{ToolFormat, read};
use super::{check, fixture};

#[test]
fn cargo_jsonl_is_read() {
    check(
        "cargo.jsonl",
        fixture!("cargo.jsonl"),
        r#"
        /srv/project/rust/src/cart.rs:3:22-3 error E0308 rustc: mismatched types: expected `&str`, found `u64`
        /srv/project/rust/src/main.rs:5:22-5 error E0308 rustc: mismatched types: expected `u32`, found `u64`
        "#,
    );
}

#[test]
fn clang_sarif_is_read() {
    check(
        "clang.sarif",
        fixture!("clang.sarif"),
        r#"
        file:///srv/project/c/cart.c:5:24-5 error 5321 clang: incompatible integer to pointer conversion initializing 'const char *' with an expression of type 'int'
        file:///srv/project/c/cart.c:6:12-6 error 3925 clang: no member named 'price' in 'struct cart'
        file:///srv/project/c/cart.c:6:26-6 error 3925 clang: no member named 'last' in 'struct cart'
        file:///srv/project/c/cart.c:10:5 error 5191 clang: call to undeclared function 'undeclared'; ISO C99 and later do not support implicit function declarations
        file:///srv/project/c/cart.c:10:18 error 1536 clang: expected ';' after expression
        "#,
    );
}

#[test]
fn clang_txt_is_read() {
    check(
        "clang.txt",
        fixture!("clang.txt"),
        r#"
        cart.c:5:17 error -Wint-conversion compiler: incompatible integer to pointer conversion initializing 'const char *' with an expression of type 'int'
        cart.c:6:18 error - compiler: no member named 'price' in 'struct cart'
        cart.c:6:26 error - compiler: no member named 'last' in 'struct cart'
        ./include/cart.h:1:30 note - compiler: expanded from macro 'LAST'
        cart.c:10:5 error -Wimplicit-function-declaration compiler: call to undeclared function 'undeclared'; ISO C99 and later do not support implicit function declarations
        cart.c:10:18 error - compiler: expected ';' after expression
        "#,
    );
}

#[test]
fn eslint_json_is_read() {
    check(
        "eslint.json",
        fixture!("eslint.json"),
        r#"
        /srv/project/web/src/broken.js:2:3 error - eslint: Parsing error: Unexpected keyword 'return'
        /srv/project/web/src/shop.js:2:9-2 warning no-unused-vars eslint: 'unused' is assigned a value but never used.
        /srv/project/web/src/shop.js:3:13-3 error eqeqeq eslint: Expected '===' and instead saw '=='.
        /srv/project/web/src/shop.js:3:29-3 error no-undef eslint: 'missing' is not defined.
        "#,
    );
}

#[test]
fn eslint_sarif_is_read() {
    check(
        "eslint.sarif",
        fixture!("eslint.sarif"),
        r#"
        file:///srv/project/web/src/shop.js:2:9-2 warning no-unused-vars eslint: 'unused' is assigned a value but never used.
        file:///srv/project/web/src/shop.js:3:13-3 error eqeqeq eslint: Expected '===' and instead saw '=='.
        file:///srv/project/web/src/shop.js:3:29-3 error no-undef eslint: 'missing' is not defined.
        file:///srv/project/web/src/broken.js:2:3 error ESL0999 eslint: Parsing error: Unexpected keyword 'return'
        "#,
    );
}

#[test]
fn gcc_json_is_read() {
    check(
        "gcc.json",
        fixture!("gcc.json"),
        r#"
        cart.c:5:24-5 warning -Wint-conversion gcc: initialization of ‘const char *’ from ‘int’ makes pointer from integer without a cast
        cart.c:6:16-6 error - gcc: ‘struct cart’ has no member named ‘price’
        cart.c:6:26 error - gcc: ‘struct cart’ has no member named ‘last’
        cart.c:5:17-5 warning -Wunused-variable gcc: unused variable ‘name’
        cart.c:4:9-4 warning -Wunused-variable gcc: unused variable ‘unused’
        cart.c:10:5-10 warning -Wimplicit-function-declaration gcc: implicit declaration of function ‘undeclared’
        cart.c:10:18 error - gcc: expected ‘;’ before ‘}’ token
        "#,
    );
}

#[test]
fn gcc_txt_is_read() {
    check(
        "gcc.txt",
        fixture!("gcc.txt"),
        r#"
        cart.c:5:24 warning -Wint-conversion compiler: initialization of ‘const char *’ from ‘int’ makes pointer from integer without a cast
        cart.c:6:16 error - compiler: ‘struct cart’ has no member named ‘price’
        include/cart.h:1:28 error - compiler: ‘struct cart’ has no member named ‘last’
        cart.c:6:26 note - compiler: in expansion of macro ‘LAST’
        cart.c:5:17 warning -Wunused-variable compiler: unused variable ‘name’
        cart.c:4:9 warning -Wunused-variable compiler: unused variable ‘unused’
        cart.c:10:5 warning -Wimplicit-function-declaration compiler: implicit declaration of function ‘undeclared’
        cart.c:10:18 error - compiler: expected ‘;’ before ‘}’ token
        "#,
    );
}

#[test]
fn pyright_json_is_read() {
    check(
        "pyright.json",
        fixture!("pyright.json"),
        r#"
        /srv/project/python/shop/broken.py:1:10-1 error - pyright: "(" was not closed
        /srv/project/python/shop/broken.py:2:5-2 error - pyright: Expected parameter name
        /srv/project/python/shop/broken.py:2:5-2 error - pyright: Position-only parameter separator not allowed as first parameter
        /srv/project/python/shop/broken.py:3:1-3 error - pyright: Expected ":"
        /srv/project/python/shop/broken.py:3:1-3 error - pyright: Expected expression
        /srv/project/python/shop/broken.py:3:1-3 error - pyright: Statements must be separated by newlines or semicolons
        /srv/project/python/shop/cart.py:5:12-5 error reportOperatorIssue pyright: Operator "+" not supported for types "int" and "Literal['1']"
        /srv/project/python/shop/cart.py:9:12-9 error reportUndefinedVariable pyright: "undefined_total" is not defined
        "#,
    );
}

#[test]
fn ruff_concise_txt_is_read() {
    check(
        "ruff-concise.txt",
        fixture!("ruff-concise.txt"),
        r#"
        shop/broken.py:1:11 error invalid-syntax ruff: Expected `)`, found newline
        shop/cart.py:1:8 error F401 ruff: `os` imported but unused
        shop/cart.py:9:12 error F821 ruff: Undefined name `undefined_total`
        "#,
    );
}

#[test]
fn ruff_full_txt_is_read() {
    check(
        "ruff-full.txt",
        fixture!("ruff-full.txt"),
        r#"
        shop/broken.py:1:11 error invalid-syntax ruff: Expected `)`, found newline
        shop/cart.py:1:8 error F401 ruff: `os` imported but unused
        shop/cart.py:9:12 error F821 ruff: Undefined name `undefined_total`
        "#,
    );
}

#[test]
fn ruff_json_is_read() {
    check(
        "ruff.json",
        fixture!("ruff.json"),
        r#"
        /srv/project/python/shop/broken.py:1:11-1 error invalid-syntax ruff: Expected `)`, found newline
        /srv/project/python/shop/cart.py:1:8-1 error F401 ruff: `os` imported but unused
        /srv/project/python/shop/cart.py:9:12-9 error F821 ruff: Undefined name `undefined_total`
        "#,
    );
}

#[test]
fn ruff_sarif_is_read() {
    check(
        "ruff.sarif",
        fixture!("ruff.sarif"),
        r#"
        file:///srv/project/python/shop/broken.py:1:11-1 error invalid-syntax ruff: Expected `)`, found newline
        file:///srv/project/python/shop/cart.py:1:8-1 error F401 ruff: `os` imported but unused
        file:///srv/project/python/shop/cart.py:9:12-9 error F821 ruff: Undefined name `undefined_total`
        "#,
    );
}

#[test]
fn rustc_jsonl_is_read() {
    check(
        "rustc.jsonl",
        fixture!("rustc.jsonl"),
        r#"
        warns.rs:12:20-12 error E0381 rustc: used binding `later` isn't initialized: `later` used here but it isn't initialized
        warns.rs:3:13-3 warning unused_variables rustc: unused variable: `discarded`
        "#,
    );
}

#[test]
fn rustc_txt_is_read() {
    check(
        "rustc.txt",
        fixture!("rustc.txt"),
        r#"
        src/cart.rs:3:22 error E0308 rustc: mismatched types
        src/main.rs:5:22 error E0308 rustc: mismatched types
        "#,
    );
}

#[test]
fn tsc_pretty_txt_is_read() {
    check(
        "tsc-pretty.txt",
        fixture!("tsc-pretty.txt"),
        r#"
        src/cart.ts:8:41 error TS2339 tsc: Property 'cost' does not exist on type 'Item'.
        src/cart.ts:9:3 error TS2322 tsc: Type 'number' is not assignable to type 'string'.
        src/main.ts:3:7 error TS2322 tsc: Type 'string' is not assignable to type 'number'.
        src/main.ts:3:31 error TS2741 tsc: Property 'price' is missing in type '{ name: string; }' but required in type 'Item'.
        src/main.ts:4:1 error TS2304 tsc: Cannot find name 'missing'.
        "#,
    );
}

#[test]
fn tsc_txt_is_read() {
    check(
        "tsc.txt",
        fixture!("tsc.txt"),
        r#"
        src/cart.ts:8:41 error TS2339 tsc: Property 'cost' does not exist on type 'Item'.
        src/cart.ts:9:3 error TS2322 tsc: Type 'number' is not assignable to type 'string'.
        src/main.ts:3:7 error TS2322 tsc: Type 'string' is not assignable to type 'number'.
        src/main.ts:3:31 error TS2741 tsc: Property 'price' is missing in type '{ name: string; }' but required in type 'Item'.
        src/main.ts:4:1 error TS2304 tsc: Cannot find name 'missing'.
        "#,
    );
}

#[test]
fn format_is_detected_regardless_of_the_name() {
    let recordings = [
        (fixture!("cargo.jsonl"), ToolFormat::Cargo, 1),
        (fixture!("rustc.jsonl"), ToolFormat::Cargo, 2),
        (fixture!("clang.sarif"), ToolFormat::Sarif, 0),
        (fixture!("eslint.sarif"), ToolFormat::Sarif, 0),
        (fixture!("ruff.sarif"), ToolFormat::Sarif, 0),
        (fixture!("eslint.json"), ToolFormat::Eslint, 0),
        (fixture!("ruff.json"), ToolFormat::Ruff, 0),
        (fixture!("pyright.json"), ToolFormat::Pyright, 0),
        (fixture!("gcc.json"), ToolFormat::Gcc, 0),
        (fixture!("junit-node.xml"), ToolFormat::Junit, 0),
        (fixture!("junit-pytest-native.xml"), ToolFormat::Junit, 0),
        (fixture!("gcc.txt"), ToolFormat::Text, 0),
        (fixture!("clang.txt"), ToolFormat::Text, 0),
        (fixture!("rustc.txt"), ToolFormat::Text, 0),
        (fixture!("ruff-full.txt"), ToolFormat::Text, 0),
        (fixture!("ruff-concise.txt"), ToolFormat::Text, 0),
        (fixture!("tsc.txt"), ToolFormat::Text, 0),
        (fixture!("tsc-pretty.txt"), ToolFormat::Text, 0),
        (fixture!("trace-python.txt"), ToolFormat::Trace, 0),
        (fixture!("trace-java.txt"), ToolFormat::Trace, 0),
        (fixture!("trace-node.txt"), ToolFormat::Trace, 0),
        (fixture!("trace-rust.txt"), ToolFormat::Trace, 0),
        (fixture!("trace-go.txt"), ToolFormat::Trace, 0),
        (fixture!("trace-ruby.txt"), ToolFormat::Trace, 0),
        (fixture!("trace-php.txt"), ToolFormat::Trace, 0),
        (fixture!("trace-mono.txt"), ToolFormat::Trace, 0),
    ];
    for (text, format, without_place) in recordings {
        let reading = read("output", text).expect("recorded");
        assert_eq!(reading.format, Some(format), "{text}");
        assert_eq!((reading.left_out, reading.without_place), (0, without_place), "{text}");
        // A byte order mark and Windows line endings must not change the result.
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let again = read("output", &windows).expect("recorded");
        assert_eq!(again.diagnostics.len(), reading.diagnostics.len(), "{text}");
    }
}

//! Stack traces in formats that were not recorded: other versions, systems and settings.

use super::super::{Severity, StackFrame, frames, read, read_task};
use super::shown;

#[track_caller]
fn check(text: &str, expected: &[(&str, u32, &str, &str)]) {
    let found = frames(text);
    let show = |frame: &StackFrame| {
        let symbol = frame.symbol.clone().unwrap_or_default();
        (frame.path.clone(), frame.line, symbol, frame.language.name())
    };
    let found: Vec<_> = found.iter().map(show).collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|&(path, line, symbol, language)| (path.to_owned(), line, symbol.to_owned(), language))
        .collect();
    assert_eq!(found, expected, "{text}");
}

// .NET could not be recorded. This is the format of `Exception.StackTrace` on Linux and Windows.
#[test]
fn csharp_of_dotnet_and_mono() {
    let text = "Unhandled exception. System.FormatException: The input string 'pen' was not in a correct format.\n   \
        at System.Number.ThrowFormatException[TChar](ReadOnlySpan`1 value)\n   \
        at Acme.Till.Price(String name) in C:\\shop\\Till.cs:line 10\n   \
        at Acme.Program.<>c.<Main>b__0_0(String name) in /src/Program.cs:line 20\n\
        --- End of stack trace from previous location ---\n   \
        at Acme.Program.Main(String[] args) in /src/Program.cs:line 24\n";
    check(
        text,
        &[
            ("C:\\shop\\Till.cs", 10, "Acme.Till.Price", "c#"),
            ("/src/Program.cs", 20, "Acme.Program.<>c.<Main>b__0_0", "c#"),
            ("/src/Program.cs", 24, "Acme.Program.Main", "c#"),
        ],
    );
}

#[test]
fn java_with_modules_loaders_and_kotlin() {
    let text = "java.lang.RuntimeException: x\n\
        \tat app//com.acme.Shop.<init>(Shop.java:7)\n\
        \tat com.acme/com.acme.Shop$Till.price(Shop.java:9) ~[shop.jar:1.2]\n\
        \tat com.acme.MainKt.main(Main.kt:3)\n\
        \tat Main.main(Main.java:1)\n\
        \tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)\n\
        \tat com.acme.Native.run(Native Method)\n";
    check(
        text,
        &[
            ("com/acme/Shop.java", 7, "com.acme.Shop.<init>", "java"),
            ("com/acme/Shop.java", 9, "com.acme.Shop$Till.price", "java"),
            ("com/acme/Main.kt", 3, "com.acme.MainKt.main", "kotlin"),
            ("Main.java", 1, "Main.main", "java"),
        ],
    );
}

#[test]
fn javascript_of_browsers_bundlers_and_syntax_errors() {
    let text = "TypeError: x is undefined\n    \
        at async Promise.all (index 0)\n    \
        at new Shop (webpack:///./src/shop.ts?1f:3:5)\n    \
        at Object.<anonymous> (C:\\shop\\a b.js:7:1)\n    \
        at http://localhost:3000/static/main.js:1:99\n    \
        at Module._compile (internal/modules/cjs/loader.js:999:30)\n    \
        at eval (eval at run (a.js:1:1), <anonymous>:1:1)\n";
    check(
        text,
        &[
            ("webpack:///./src/shop.ts?1f", 3, "new Shop", "javascript"),
            ("C:\\shop\\a b.js", 7, "Object.<anonymous>", "javascript"),
            ("http://localhost:3000/static/main.js", 1, "", "javascript"),
        ],
    );
    let syntax = "/srv/shop/a.mjs:3\n  return {\n         ^\n\nSyntaxError: Unexpected end of input\n    \
        at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n\nNode.js v20\n";
    check(syntax, &[("/srv/shop/a.mjs", 3, "", "javascript")]);
    let reading = read("in", syntax).expect("trace");
    assert_eq!(reading.diagnostics[0].message, "SyntaxError: Unexpected end of input");
}

#[test]
fn rust_of_older_compilers_and_without_a_backtrace() {
    check(
        "thread 'tests::it_works' panicked at 'assertion failed: a == b', src/lib.rs:17:9\nnote: run with `RUST_BACKTRACE=1`",
        &[("src/lib.rs", 17, "", "rust")],
    );
    let text = "thread 'main' panicked at src\\main.rs:3:9:\ncalled `Option::unwrap()` on a `None` value\n\
        note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\
        thread 'other' panicked at src/a.rs:1:2:\nboom\n";
    let reading = read("in", text).expect("trace");
    let said: Vec<&str> = reading.diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(said, ["called `Option::unwrap()` on a `None` value", "boom"]);
    let full = "stack backtrace:\n   3:     0x55d1 - shop::cart::price\n                               at /srv/src/cart.rs:3:9\n";
    check(full, &[("/srv/src/cart.rs", 3, "shop::cart::price", "rust")]);
}

#[test]
fn go_with_several_goroutines() {
    let text = "fatal error: all goroutines are asleep - deadlock!\n\n\
        goroutine 1 [chan receive]:\nmain.main()\n\t/srv/main.go:12 +0x1d\n\n\
        goroutine 6 [select]:\nruntime.gopark(0x1)\n\t/usr/lib/go/src/runtime/proc.go:1 +0x2\n\
        example.com/shop/cart.(*Cart).Price(...)\n\t/srv/cart/cart.go:7\n\
        created by main.main in goroutine 1\n\t/srv/main.go:9 +0x3b\nexit status 2\n";
    check(
        text,
        &[
            ("/srv/main.go", 12, "main.main", "go"),
            ("/srv/cart/cart.go", 7, "example.com/shop/cart.(*Cart).Price", "go"),
            ("/srv/main.go", 9, "main.main", "go"),
        ],
    );
    let reading = read("in", text).expect("trace");
    assert!(reading.diagnostics.iter().all(|it| it.message.starts_with("fatal error: all")));
    let errors = reading.diagnostics.iter().filter(|it| it.severity == Severity::Error);
    assert_eq!(errors.map(|it| it.line).collect::<Vec<_>>(), [12, 7]);
}

#[test]
fn ruby_of_newer_versions_and_from_logs() {
    let text = "app/models/cart.rb:7:in 'Kernel#Integer': invalid value (ArgumentError)\n\
        \tfrom app/models/cart.rb:3:in 'Cart#total'\n\
        \tfrom <internal:kernel>:187:in 'loop'\n";
    check(
        text,
        &[
            ("app/models/cart.rb", 7, "Kernel#Integer", "ruby"),
            ("app/models/cart.rb", 3, "Cart#total", "ruby"),
        ],
    );
    let log = "NoMethodError (undefined method `x' for nil):\n  \nC:/app/models/cart.rb:7:in `block in total'\napp/a.rb:1:in `b'\n";
    check(
        log,
        &[("C:/app/models/cart.rb", 7, "block in total", "ruby"), ("app/a.rb", 1, "b", "ruby")],
    );
    let reading = read("in", log).expect("trace");
    assert_eq!(reading.diagnostics[0].message, "NoMethodError (undefined method `x' for nil):");
}

#[test]
fn php_warnings_and_chained_exceptions() {
    let text = "PHP Warning:  Undefined variable $x in /srv/a.php on line 4\n\
        [01-Jan-2026 00:00:00 UTC] PHP Fatal error:  Uncaught LogicException: first in /srv/b.php:5\nStack trace:\n#0 {main}\n\n\
        Next RuntimeException: second in /srv/c.php:6\nStack trace:\n#0 C:\\srv\\d.php(7): Acme\\Cart::total(Array)\n#1 {main}\n  thrown in /srv/c.php on line 6\n";
    check(
        text,
        &[
            ("/srv/a.php", 4, "", "php"),
            ("/srv/b.php", 5, "", "php"),
            ("/srv/c.php", 6, "", "php"),
            ("C:\\srv\\d.php", 7, "Acme\\Cart::total", "php"),
        ],
    );
    let reading = read("in", text).expect("trace");
    let said: Vec<&str> = reading.diagnostics.iter().map(|it| it.message.as_str()).collect();
    let second = "RuntimeException: second";
    assert_eq!(said, ["Undefined variable $x", "LogicException: first", second, second]);
}

#[test]
fn python_exception_groups_syntax_errors_and_colors() {
    let text = "  + Exception Group Traceback (most recent call last):\n\
        \x20 |   File \"/srv/a.py\", line 5, in main\n  |     run()\n\
        \x20 | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n\
        \x20   | Traceback (most recent call last):\n    |   File \"/srv/b.py\", line 7, in <module>\n    | ValueError: one\n    +------------------------------------\n";
    check(text, &[("/srv/a.py", 5, "main", "python"), ("/srv/b.py", 7, "<module>", "python")]);
    let syntax = "  File \u{1b}[35m\"/srv/c.py\"\u{1b}[0m, line \u{1b}[35m2\u{1b}[0m\n    return 1\n    ^\nSyntaxError: invalid syntax\n";
    check(syntax, &[("/srv/c.py", 2, "", "python")]);
    check(
        "  File \"<frozen importlib._bootstrap>\", line 1, in _load\n  File \"<stdin>\", line 1\n",
        &[],
    );
}

#[test]
fn prose_is_not_a_trace() {
    for text in [
        "at noon it fails at 12:30:45",
        "see login.py:12 for details",
        "from 3:15 in the morning",
        "#12 (3): we talked about it",
        "it broke in cart.php:12",
        "main.go:12",
    ] {
        check(text, &[]);
    }
}

#[test]
fn infinite_recursion_is_truncated() {
    let text: String = (1..=5_000).map(|n| format!("  File \"a.py\", line {n}, in f\n")).collect();
    let found = frames(&format!("Traceback (most recent call last):\n{text}RecursionError: x\n"));
    assert_eq!(found.len(), 100);
    assert_eq!(found[0].line, 5_000);
}

// The formats documented by Maven Surefire, PHPUnit and gotestsum, and a test that has only a
// class.
#[test]
fn junit_of_other_runners() {
    let report = r#"<?xml version="1.0"?>
        <testsuite name="com.acme.ShopTest" tests="4" failures="4">
          <testcase name="opens" classname="com.acme.ShopTest" time="0.1">
            <failure message="expected: &lt;1&gt; but was: &lt;2&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[org.opentest4j.AssertionFailedError: expected: <1> but was: <2>
	at org.junit.jupiter.api.AssertEquals.failNotEqual(AssertEquals.java:197)
	at com.acme.ShopTest.opens(ShopTest.java:14)
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
]]></failure>
          </testcase>
          <testcase name="testTotal" class="CartTest" classname="CartTest" file="/srv/tests/CartTest.php" line="9">
            <error type="Exception">CartTest::testTotal
Failed asserting that 1 matches expected 2.

/srv/tests/CartTest.php:14</error>
          </testcase>
          <testcase classname="example.com/shop/cart" name="TestTotal"><failure message="Failed" type="">=== RUN   TestTotal
    cart_test.go:12: wrong total&#xA;--- FAIL: TestTotal</failure></testcase>
          <testcase classname="tests.test_cart" name="test_setup"><skipped/><error message="fixture missing"/></testcase>
          <testcase name="passes"><system-out>a.c:1:2: error: not mine</system-out></testcase>
        </testsuite>"#;
    let reading = read("in", report).expect("JUnit");
    let found: Vec<String> = reading.diagnostics.iter().map(shown).collect();
    let expected = [
        "org/junit/jupiter/api/AssertEquals.java:197 error - junit: opens: expected: <1> but was: <2>",
        "com/acme/ShopTest.java:14 note - junit depth 1: opens: expected: <1> but was: <2>",
        "/srv/tests/CartTest.php:14 error Exception junit: testTotal: CartTest::testTotal",
        "cart_test.go:12 error - junit: TestTotal: Failed",
        "tests.test_cart:1 error - junit: test_setup: fixture missing",
    ];
    assert_eq!(found, expected);
}

#[test]
fn task_may_contain_traces_and_compiler_messages() {
    let task = "cargo test fails since yesterday\n\nwarning: unused variable: `x`\n --> src/lib.rs:3:5\n  |\n\n\
        ---- tests::it_works stdout ----\nthread 'tests::it_works' panicked at src/cart.rs:17:9:\nboom\n\nWhy?\n";
    let found: Vec<String> = read_task(task).diagnostics.iter().map(shown).collect();
    let expected = [
        "src/lib.rs:3:5 warning - rustc: unused variable: `x`",
        "src/cart.rs:17:9 error - rust: boom",
    ];
    assert_eq!(found, expected);
    assert_eq!(read("in", task).map(|reading| reading.diagnostics.len()), Ok(2));
    let prose = read_task("why does login fail for OAuth users?");
    assert_eq!((prose.diagnostics.len(), prose.format), (0, None));
}

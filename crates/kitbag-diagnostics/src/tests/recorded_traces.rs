//! Recorded output of failing programs and tests.

use super::{check, fixture};

#[test]
fn junit_node_xml_is_read() {
    check(
        "junit-node.xml",
        fixture!("junit-node.xml"),
        r#"
        file:///srv/project/web/cart.test.mjs:5:10 error - junit: the total adds up: Expected values to be strictly equal:2 !== 3
        "#,
    );
}

#[test]
fn junit_pytest_long_xml_is_read() {
    check(
        "junit-pytest-long.xml",
        fixture!("junit-pytest-long.xml"),
        r#"
        shop/cart.py:5 error - junit: test_total: TypeError: unsupported operand type(s) for +: 'int' and 'str'
        tests/test_cart.py:5 note - junit depth 1: test_total: TypeError: unsupported operand type(s) for +: 'int' and 'str'
        shop/cart.py:9 error - junit: test_average: NameError: name 'undefined_total' is not defined
        tests/test_cart.py:9 note - junit depth 1: test_average: NameError: name 'undefined_total' is not defined
        tests/test_cart.py:14 error - junit: test_names: AssertionError: assert ['a', 'b'] == ['a', 'c']\n  \n  At index 1 diff: 'b' != 'c'\n  Use -v to get more diff
        "#,
    );
}

#[test]
fn junit_pytest_short_xml_is_read() {
    check(
        "junit-pytest-short.xml",
        fixture!("junit-pytest-short.xml"),
        r#"
        shop/cart.py:5 error - junit: test_total: TypeError: unsupported operand type(s) for +: 'int' and 'str'
        tests/test_cart.py:5 note - junit depth 1: test_total: TypeError: unsupported operand type(s) for +: 'int' and 'str'
        shop/cart.py:9 error - junit: test_average: NameError: name 'undefined_total' is not defined
        tests/test_cart.py:9 note - junit depth 1: test_average: NameError: name 'undefined_total' is not defined
        tests/test_cart.py:14 error - junit: test_names: AssertionError: assert ['a', 'b'] == ['a', 'c']\n  \n  At index 1 diff: 'b' != 'c'\n  Use -v to get more diff
        "#,
    );
}

#[test]
fn trace_go_txt_is_read() {
    check(
        "trace-go.txt",
        fixture!("trace-go.txt"),
        r#"
        /srv/project/go/cart/cart.go:7 error - go: panic: runtime error: index out of range [3] with length 0
        /srv/project/go/main.go:9 note - go depth 1: panic: runtime error: index out of range [3] with length 0
        /srv/project/go/main.go:7 note - go depth 2: panic: runtime error: index out of range [3] with length 0
        "#,
    );
}

#[test]
fn trace_java_txt_is_read() {
    check(
        "trace-java.txt",
        fixture!("trace-java.txt"),
        r#"
        com/acme/shop/Shop.java:16 error - java: Exception in thread "main" java.lang.IllegalStateException: cannot open
        com/acme/shop/Shop.java:21 note - java depth 1: Exception in thread "main" java.lang.IllegalStateException: cannot open
        com/acme/shop/Shop.java:8 error - java: Caused by: java.lang.NumberFormatException: For input string: "pen"
        com/acme/shop/Shop.java:14 note - java depth 1: Caused by: java.lang.NumberFormatException: For input string: "pen"
        "#,
    );
}

#[test]
fn trace_mono_txt_is_read() {
    check(
        "trace-mono.txt",
        fixture!("trace-mono.txt"),
        r#"
        /srv/project/csharp/Shop.cs:10 error - c#: System.InvalidOperationException: cannot open ---> System.FormatException: Input string was not in a correct format.
        /srv/project/csharp/Shop.cs:20 note - c# depth 1: System.InvalidOperationException: cannot open ---> System.FormatException: Input string was not in a correct format.
        /srv/project/csharp/Shop.cs:24 note - c# depth 2: System.InvalidOperationException: cannot open ---> System.FormatException: Input string was not in a correct format.
        /srv/project/csharp/Shop.cs:10 error - c#: [ERROR] FATAL UNHANDLED EXCEPTION: System.InvalidOperationException: cannot open ---> System.FormatException: Input string was not in a correct format.
        /srv/project/csharp/Shop.cs:20 note - c# depth 1: [ERROR] FATAL UNHANDLED EXCEPTION: System.InvalidOperationException: cannot open ---> System.FormatException: Input string was not in a correct format.
        /srv/project/csharp/Shop.cs:24 note - c# depth 2: [ERROR] FATAL UNHANDLED EXCEPTION: System.InvalidOperationException: cannot open ---> System.FormatException: Input string was not in a correct format.
        "#,
    );
}

#[test]
fn trace_node_txt_is_read() {
    check(
        "trace-node.txt",
        fixture!("trace-node.txt"),
        r#"
        /srv/project/web/crash.js:6:23 error - javascript: TypeError: Cannot read properties of undefined (reading 'value')
        /srv/project/web/crash.js:3:37 note - javascript depth 1: TypeError: Cannot read properties of undefined (reading 'value')
        /srv/project/web/crash.js:12:14 note - javascript depth 2: TypeError: Cannot read properties of undefined (reading 'value')
        "#,
    );
}

#[test]
fn trace_php_txt_is_read() {
    check(
        "trace-php.txt",
        fixture!("trace-php.txt"),
        r#"
        /srv/project/php/src/Cart.php:14 error - php: RuntimeException: no price
        /srv/project/php/src/Cart.php:9 note - php depth 1: RuntimeException: no price
        /srv/project/php/crash.php:7 note - php depth 2: RuntimeException: no price
        /srv/project/php/crash.php:10 note - php depth 3: RuntimeException: no price
        "#,
    );
}

#[test]
fn trace_python_txt_is_read() {
    check(
        "trace-python.txt",
        fixture!("trace-python.txt"),
        r#"
        /srv/project/python/shop/cart.py:5 error - python: TypeError: unsupported operand type(s) for +: 'int' and 'str'
        /srv/project/python/crash.py:7 note - python depth 1: TypeError: unsupported operand type(s) for +: 'int' and 'str'
        /srv/project/python/crash.py:9 error - python: RuntimeError: cannot open
        /srv/project/python/crash.py:12 note - python depth 1: RuntimeError: cannot open
        "#,
    );
}

#[test]
fn trace_ruby_txt_is_read() {
    check(
        "trace-ruby.txt",
        fixture!("trace-ruby.txt"),
        r#"
        /srv/project/ruby/lib/cart.rb:7 error - ruby: invalid value for Integer(): "pen" (ArgumentError)
        /srv/project/ruby/lib/cart.rb:3 note - ruby depth 1: invalid value for Integer(): "pen" (ArgumentError)
        crash.rb:3 note - ruby depth 2: invalid value for Integer(): "pen" (ArgumentError)
        "#,
    );
}

#[test]
fn trace_rust_txt_is_read() {
    check(
        "trace-rust.txt",
        fixture!("trace-rust.txt"),
        r#"
        ./panics.rs:3:9 error - rust: index out of bounds: the len is 0 but the index is 1
        ./panics.rs:8:20 note - rust depth 1: index out of bounds: the len is 0 but the index is 1
        "#,
    );
}

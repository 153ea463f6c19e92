//! What programs and tests that fail really print.

use super::{check, fixture};

#[test]
fn junit_node_xml_is_read() {
    check("junit-node.xml", fixture!("junit-node.xml"), "");
}

#[test]
fn junit_pytest_long_xml_is_read() {
    check("junit-pytest-long.xml", fixture!("junit-pytest-long.xml"), "");
}

#[test]
fn junit_pytest_native_xml_is_read() {
    check("junit-pytest-native.xml", fixture!("junit-pytest-native.xml"), "");
}

#[test]
fn junit_pytest_short_xml_is_read() {
    check("junit-pytest-short.xml", fixture!("junit-pytest-short.xml"), "");
}

#[test]
fn trace_go_txt_is_read() {
    check("trace-go.txt", fixture!("trace-go.txt"), "");
}

#[test]
fn trace_java_txt_is_read() {
    check("trace-java.txt", fixture!("trace-java.txt"), "");
}

#[test]
fn trace_mono_txt_is_read() {
    check("trace-mono.txt", fixture!("trace-mono.txt"), "");
}

#[test]
fn trace_node_txt_is_read() {
    check("trace-node.txt", fixture!("trace-node.txt"), "");
}

#[test]
fn trace_php_txt_is_read() {
    check("trace-php.txt", fixture!("trace-php.txt"), "");
}

#[test]
fn trace_python_txt_is_read() {
    check("trace-python.txt", fixture!("trace-python.txt"), "");
}

#[test]
fn trace_ruby_txt_is_read() {
    check("trace-ruby.txt", fixture!("trace-ruby.txt"), "");
}

#[test]
fn trace_rust_txt_is_read() {
    check("trace-rust.txt", fixture!("trace-rust.txt"), "");
}

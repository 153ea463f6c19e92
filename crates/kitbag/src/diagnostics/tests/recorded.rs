//! What linters and compilers really print.

use super::{check, fixture};

#[test]
fn cargo_jsonl_is_read() {
    check("cargo.jsonl", fixture!("cargo.jsonl"), "");
}

#[test]
fn clang_sarif_is_read() {
    check("clang.sarif", fixture!("clang.sarif"), "");
}

#[test]
fn clang_txt_is_read() {
    check("clang.txt", fixture!("clang.txt"), "");
}

#[test]
fn eslint_json_is_read() {
    check("eslint.json", fixture!("eslint.json"), "");
}

#[test]
fn eslint_sarif_is_read() {
    check("eslint.sarif", fixture!("eslint.sarif"), "");
}

#[test]
fn gcc_json_is_read() {
    check("gcc.json", fixture!("gcc.json"), "");
}

#[test]
fn gcc_txt_is_read() {
    check("gcc.txt", fixture!("gcc.txt"), "");
}

#[test]
fn pyright_json_is_read() {
    check("pyright.json", fixture!("pyright.json"), "");
}

#[test]
fn ruff_concise_txt_is_read() {
    check("ruff-concise.txt", fixture!("ruff-concise.txt"), "");
}

#[test]
fn ruff_full_txt_is_read() {
    check("ruff-full.txt", fixture!("ruff-full.txt"), "");
}

#[test]
fn ruff_json_is_read() {
    check("ruff.json", fixture!("ruff.json"), "");
}

#[test]
fn ruff_sarif_is_read() {
    check("ruff.sarif", fixture!("ruff.sarif"), "");
}

#[test]
fn rustc_jsonl_is_read() {
    check("rustc.jsonl", fixture!("rustc.jsonl"), "");
}

#[test]
fn rustc_txt_is_read() {
    check("rustc.txt", fixture!("rustc.txt"), "");
}

#[test]
fn tsc_pretty_txt_is_read() {
    check("tsc-pretty.txt", fixture!("tsc-pretty.txt"), "");
}

#[test]
fn tsc_txt_is_read() {
    check("tsc.txt", fixture!("tsc.txt"), "");
}

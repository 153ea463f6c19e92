//! Components and notebooks through the program: exact lines, symbols, and code before outputs.

use crate::fixture::{Fixture, included};
use serde_json::{Value, json};

const COMPONENT: &str = "\
<script setup lang=\"ts\">
import { ref } from 'vue'

const retries = ref(0)

/** Retries the upload after a failure. */
function retryUpload(limit: number): boolean {
  retries.value += 1
  return retries.value < limit
}
</script>

<template>
  <button @click=\"retryUpload(3)\">Retry</button>
</template>

<style scoped>
button { color: red; }
</style>
";

fn pack(fixture: &Fixture, task: &str) -> Value {
    fixture.json(["pack", task, "--fill", "--json"])
}

/// Checks that the text of a pack has the lines that its report says are shown.
fn check_lines(fixture: &Fixture, report: &Value) {
    let content = report["content"].as_str().unwrap();
    for item in report["included"].as_array().unwrap() {
        let file = std::fs::read_to_string(fixture.path(item["path"].as_str().unwrap())).unwrap();
        for range in item["shown"].as_array().unwrap() {
            let (first, last) = (range[0].as_u64().unwrap(), range[1].as_u64().unwrap());
            let lines = file.lines().skip(first as usize - 1).take((last + 1 - first) as usize);
            let lines: Vec<&str> = lines.collect();
            assert!(content.contains(&lines.join("\n")), "{item:#}");
        }
    }
}

#[test]
fn a_function_of_a_component_is_found_by_name() {
    let fixture = Fixture::with(&[
        ("src/Upload.vue", COMPONENT),
        ("src/other.ts", "export function download() {\n  return 1\n}\n"),
    ]);
    let symbol = fixture.run(["symbol", "retryUpload"]).stdout;
    assert!(symbol.contains("src/Upload.vue:7"), "{symbol}");
    let report = pack(&fixture, "how does retryUpload work");
    assert_eq!(included(&report)[0], "src/Upload.vue");
    assert!(report["content"].as_str().unwrap().contains("```vue\n<script setup"), "{report:#}");
    check_lines(&fixture, &report);
    let map = fixture.run(["map"]).stdout;
    assert!(map.contains("7: function retryUpload(limit: number): boolean"), "{map}");
}

/// A notebook in which the output repeats the words of the task, and an image.
fn notebook() -> String {
    let table: Vec<String> =
        (0..40).map(|row| format!("normalize spectra of row {row}: 0.1 0.2 0.3\n")).collect();
    let cell = |lines: &[&str], outputs: Value| {
        json!({
            "cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": outputs,
            "source": lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>(),
        })
    };
    let body: Vec<String> = (0..12).map(|step| format!("    data = scale(data, {step})")).collect();
    let mut lines = vec!["def normalize_spectra(data):"];
    lines.extend(body.iter().map(String::as_str));
    lines.push("    return data");
    let image = json!({"image/png": "iVBORw0KGgo".repeat(3_000)});
    let notebook = json!({
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["## Normalize spectra"]},
            cell(&lines, json!([{"output_type": "display_data", "data": image}])),
            cell(&["normalize_spectra(load())"], json!([{"output_type": "stream", "text": table}])),
        ],
        "metadata": {"kernelspec": {"language": "python"}},
        "nbformat": 4,
    });
    // One space, and one string per line, as Jupyter writes it.
    let text = serde_json::to_string_pretty(&notebook).unwrap();
    text.replace("  ", " ") + "\n"
}

#[test]
fn code_of_a_notebook_comes_before_its_outputs() {
    let fixture = Fixture::with(&[("analysis.ipynb", &notebook())]);
    let symbol = fixture.run(["symbol", "normalize_spectra"]).stdout;
    let line = notebook().lines().position(|line| line.contains("def normalize")).unwrap() + 1;
    assert!(symbol.contains(&format!("analysis.ipynb:{line}")), "{symbol}");
    let report = pack(&fixture, "how does normalize_spectra scale the data");
    let items = report["included"].as_array().unwrap();
    assert!(items[0]["symbol"].as_str().unwrap().contains("cell 2"), "{report:#}");
    let content = report["content"].as_str().unwrap();
    assert!(!content.contains("iVBORw0KGgo"), "the image is left out");
    check_lines(&fixture, &report);
    let small = fixture.json([
        "pack",
        "how does normalize_spectra scale the data",
        "--fill",
        "--json",
        "--budget",
        "400",
    ]);
    let content = small["content"].as_str().unwrap();
    assert!(content.contains("def normalize_spectra") && !content.contains("row 39"), "{content}");
}

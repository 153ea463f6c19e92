//! Vue and Svelte components, and notebooks.

use super::{check, check_with, chunk_checked, limits};
use crate::{ChunkKind, ChunkLimits};
use std::fmt::Write;

const COMPONENT: &str = "\
<script setup lang=\"ts\">
import { ref } from 'vue'

const count = ref<number>(0)

/** Adds one. */
function increment(by: number): void {
  count.value += by
}

const reset = () => {
  count.value = 0
}
</script>

<template>
  <template v-if=\"count > 1\">
    <button @click=\"increment(1)\">{{ count }}</button>
  </template>
</template>

<style scoped>
button { color: red; }
</style>
";

#[test]
fn components_are_split_into_sections_and_their_functions() {
    check_with(
        &ChunkLimits { max_class_tokens: 1, ..limits(2_000) },
        "src/Counter.vue",
        COMPONENT,
        "\
1-4 Section script [count]
6-9 Function increment [increment] 6-7
11-14 Function reset [reset] 11-11
16-20 Section template
22-24 Section style
",
    );
    check(
        "src/Counter.vue",
        COMPONENT,
        "\
1-14 Section script [count increment reset] 6-7 11-11
16-20 Section template
22-24 Section style
",
    );
}

#[test]
fn markup_of_svelte_is_between_its_sections() {
    let source = "\
<script context=\"module\">
  export function load() {
    return 1;
  }
</script>

<script>
  let items = [];
  $: total = items.length;
  function add(item) {
    items = [...items, item];
  }
</script>

<h1>{total}</h1>
{#each items as item}
  <p on:click={() => add(item)}>{item}</p>
{/each}

<style>
  h1 { color: red; }
</style>
";
    check(
        "src/List.svelte",
        source,
        "\
1-5 Section script [load] 2-2
7-13 Section script [items add] 10-10
15-18 Section markup
20-22 Section style
",
    );
}

#[test]
fn a_component_whose_script_does_not_parse_keeps_its_sections() {
    let script = "} ) ] => %% ((( ;; @@ ".repeat(20);
    let source = format!("<template>\n<p/>\n</template>\n<script>\n{script}\n</script>\n");
    check("a.vue", &source, "1-3 Section template\n4-6 Section script\n");
    check("a.svelte", "<h1>No script</h1>\n<p>Text</p>\n", "1-2 Lines -\n");
    check("empty.vue", "", "");
}

/// A notebook as Jupyter writes it: keys are sorted, so outputs come before the source.
fn notebook(image: &str) -> String {
    let mut outputs = String::new();
    for row in 0..12 {
        writeln!(outputs, "      \"row {row} of the table\\n\",").unwrap();
    }
    format!(
        "{{
 \"cells\": [
  {{
   \"cell_type\": \"markdown\",
   \"metadata\": {{}},
   \"source\": [
    \"# Load the data\\n\",
    \"Some words.\"
   ]
  }},
  {{
   \"cell_type\": \"code\",
   \"execution_count\": 1,
   \"metadata\": {{}},
   \"outputs\": [
    {{
     \"data\": {{
      \"image/png\": \"{image}\",
      \"text/plain\": [
{outputs}      \"end\"
      ]
     }},
     \"output_type\": \"display_data\"
    }}
   ],
   \"source\": [
    \"%matplotlib inline\\n\",
    \"import pandas as pd\\n\",
    \"\\n\",
    \"def load(path):\\n\",
    \"    \\\"\\\"\\\"Reads \\\\\\\"rows\\\\\\\".\\\"\\\"\\\"\\n\",
    \"    return pd.read_csv(path)\\n\",
    \"\\n\",
    \"class Table:\\n\",
    \"    def rows(self):\\n\",
    \"        return []\"
   ]
  }},
  {{
   \"cell_type\": \"code\",
   \"execution_count\": 2,
   \"metadata\": {{}},
   \"outputs\": [],
   \"source\": [
    \"load('a.csv')\"
   ]
  }}
 ],
 \"metadata\": {{
  \"kernelspec\": {{ \"language\": \"python\", \"name\": \"python3\" }}
 }},
 \"nbformat\": 4
}}
"
    )
}

#[test]
fn cells_of_notebooks_are_chunks_with_the_symbols_of_their_code() {
    check(
        "a.ipynb",
        &notebook("aGVsbG8="),
        "\
1-10 Section Load the data [Load the data]
11-37 Output -
38-50 Section cell 2 [load Table Table.rows] 42-43 46-47
51-59 Section cell 3
60-65 Output -
",
    );
    check_with(
        &ChunkLimits { max_class_tokens: 1, ..limits(2_000) },
        "a.ipynb",
        &notebook("aGVsbG8="),
        "\
1-10 Section Load the data [Load the data]
11-37 Output -
38-41 Section cell 2
42-45 Function load [load] 42-43
46-46 ClassHeader Table [Table]
47-50 Function Table.rows [Table.rows] 47-47
51-59 Section cell 3
60-65 Output -
",
    );
}

#[test]
fn an_image_does_not_join_the_code_of_its_cell() {
    let image = "iVBORw0KGgo".repeat(2_000);
    let limits = ChunkLimits { max_chunk_tokens: 500, ..ChunkLimits::default() };
    let chunks = chunk_checked("a.ipynb", &notebook(&image), &limits).chunks;
    let long: Vec<_> = chunks.iter().filter(|it| it.kind == ChunkKind::LongLine).collect();
    assert_eq!(long.iter().map(|it| it.span.to_string()).collect::<Vec<_>>(), ["18-18"]);
    let code = chunks.iter().find(|it| it.defines.contains(&"load".to_owned())).unwrap();
    assert_eq!((code.span.start, code.kind), (38, ChunkKind::Section));
}

#[test]
fn notebooks_that_are_not_what_jupyter_writes_are_split_as_json() {
    let compact = "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"a = 1\"]}, {\"cell_type\": \
                   \"code\", \"source\": \"b\"}]}\n";
    check("a.ipynb", compact, "1-1 Code cells [cells]\n");
    check("a.ipynb", "{\n \"nbformat\": 4\n}\n", "1-3 Code - [nbformat]\n");
    for broken in
        ["{\"cells\": [", "{\"cells\": [{\"source\": [\"a", "]]]}}}", "\"\\", "{\"cells\": [{\n}"]
    {
        chunk_checked("a.ipynb", broken, &limits(2_000));
    }
}

//! Sections: a heading for each provider, followed by its chunks.
//!
//! This is an ordinary template, so it is rendered and counted as a whole.

use super::template::Template;
use std::sync::LazyLock;

/// The template of a pack with sections.
pub static SECTIONS: LazyLock<Template> =
    LazyLock::new(|| Template { name: "sections".to_owned(), source: SOURCE.to_owned() });

const SOURCE: &str = r#"{% if header %}
{{ header }}

{% endif %}
{% for file in files %}
{% if loop.changed(file.title) %}
{% if not loop.first %}

{% if separator | trim %}
{{ separator }}
{% endif %}
{% endif %}
## {{ file.title }}

{% else %}

{% endif %}
{% for run in file.runs %}
{% if not loop.first %}

{% endif %}
{% if run.prose %}
{{ run.content }}{% if run.truncated %}

... (truncated)
{% endif %}
{% else %}
**File**: `{{ run.path }}`{% if line_numbers %} ({{ "line" if run.start_line == run.end_line else "lines" }} {{ run.start_line if run.start_line == run.end_line else run.lines }}){% endif %}
{%- if run.symbol %} - {{ run.symbol_kind }}: `{{ run.symbol }}`{% endif %}
{%- if run.outline %} - outline{% endif %}
{%- if run.part %} - part {{ run.part }}{% endif %}
{%- if scores %} - relevance {{ (run.relevance * 100) | round | int }}%{% endif +%}
{{ run.fence }}{{ run.language }}
{{ run.content }}{{ run.fence }}
{% if run.truncated %}
... (truncated)
{% endif %}
{% endif %}
{% endfor %}
{% endfor %}
{% if footer %}
{% if files %}

{% endif %}
{{ footer }}
{% endif %}
"#;

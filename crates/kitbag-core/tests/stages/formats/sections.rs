//! Packs with a section for each provider.

use super::super::request::{COUNTING, lines, pack_with};
use insta::assert_snapshot;
use kitbag_core::{Format, Formatting, Overflow, RankOrder, SelectionSettings, Settings};
use kitbag_text::{Chunk, ChunkKind, Kind, Piece, Provenance, Source, Span, Text};
use std::sync::Arc;

fn from(title: &str, prose: bool) -> Option<Arc<Provenance>> {
    let (provider, title) = (title.to_lowercase(), title.to_owned());
    Some(Arc::new(Provenance { provider, title, priority: None, is_prose: prose }))
}

fn prose(kind: Kind, title: &str, text: &str) -> Source {
    let text = Arc::new(Text::new(text));
    Source { from: from(title, true), ..Source::new(title, kind, text) }
}

/// The example of the aggregator design: sources from three providers.
fn three() -> Vec<Source> {
    let error = "**ERROR** [typescript] (line 1): Missing return type annotation.\n";
    let change = "**File**: `src/auth/login.ts` (2 minutes ago)\n\
        **Change**: Added error handling with try/catch block\n\
        ```typescript\ntry { ... } catch (error) { ... }\n```\n";
    let code = "async function apiRequest(endpoint: string): Promise<any> { ... }\n";
    let text = Arc::new(Text::with_first_line(code, 42));
    let chunk = Chunk {
        span: Span::new(42, 42),
        kind: ChunkKind::Function,
        symbol: Some("apiRequest".into()),
        defines: Vec::new(),
        outline: Vec::new(),
        part: None,
        tokens: COUNTING.count(code) as u32,
    };
    let found = Source {
        pieces: Some(vec![Piece { chunk, relevance: Some(1.0) }]),
        from: from("Relevant Code from Workspace", false),
        ..Source::new("src/api/client.ts", Kind::SearchResult, text)
    };
    let history = prose(Kind::History, "Recent Changes", change);
    // The request order differs from the order shown.
    vec![found, history, prose(Kind::Diagnostics, "Diagnostics", error)]
}

fn sections(separator: Option<&str>) -> Settings {
    let separator = separator.map(str::to_owned);
    let formatting = Formatting { sections: true, separator, ..Formatting::default() };
    let selection =
        SelectionSettings { overflow: Overflow::Proportional, ..SelectionSettings::default() };
    Settings { formatting, order: RankOrder::Priority, selection, ..Settings::default() }
}

// Shows: AGG-01, AGG-03, AGG-06, AGG-09
#[test]
fn sections_are_ordered_by_the_priority_of_their_providers() {
    let packed = pack_with(three(), 2_000, &sections(Some("---")));
    assert_snapshot!(packed.text, @r"
    ## Diagnostics

    **ERROR** [typescript] (line 1): Missing return type annotation.

    ---

    ## Recent Changes

    **File**: `src/auth/login.ts` (2 minutes ago)
    **Change**: Added error handling with try/catch block
    ```typescript
    try { ... } catch (error) { ... }
    ```

    ---

    ## Relevant Code from Workspace

    **File**: `src/api/client.ts` (line 42) - function: `apiRequest`
    ```typescript
    async function apiRequest(endpoint: string): Promise<any> { ... }
    ```
    ");
    assert_eq!(COUNTING.count(&packed.text), packed.decision.total_tokens);
}

#[test]
fn sections_are_separated_by_a_blank_line_by_default() {
    let text = pack_with(three(), 2_000, &sections(None)).text;
    assert!(text.contains("annotation.\n\n## Recent Changes\n\n**File**"), "{text}");
}

// Shows: AGG-07
#[test]
fn a_provider_without_sources_has_no_section() {
    let two = three().into_iter().take(2).collect();
    let text = pack_with(two, 2_000, &sections(Some("---"))).text;
    assert!(text.starts_with("## Recent Changes\n"), "{text}");
    assert_eq!(text.matches("---").count(), 1);
}

// Shows: AGG-02, AGG-08
#[test]
fn a_section_is_truncated_to_the_budget() {
    let mut all = three();
    let long = Source { relevance: Some(0.1), ..all[0].clone() };
    let text = Arc::new(Text::new(lines("let value", 900)));
    all.push(Source { path: "src/long.ts".into(), text, pieces: None, ..long });
    let packed = pack_with(all, 600, &sections(Some("---")));
    assert!(packed.decision.total_tokens <= 600);
    assert!(packed.decision.total_tokens > 550, "{}", packed.decision.total_tokens);
    assert!(packed.text.contains("... (truncated)"), "{}", packed.text);
    assert_eq!(COUNTING.count(&packed.text), packed.decision.total_tokens);
}

// Shows: AGG-10
#[test]
fn a_zero_budget_gives_no_text() {
    assert_eq!(pack_with(three(), 0, &sections(Some("---"))).text, "");
}

#[test]
fn only_markdown_has_sections() {
    let mut settings = sections(None);
    settings.formatting.format = Format::Plain;
    let text = pack_with(three(), 2_000, &settings).text;
    assert!(!text.contains("## Diagnostics"), "{text}");
}

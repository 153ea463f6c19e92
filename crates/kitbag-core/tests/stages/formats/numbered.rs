//! Lines with their numbers.

use kitbag_core::{Cancel, Format, Formatting, Job, Settings, decide, pack};
use kitbag_text::{Kind, Source, Text};
use kitbag_tokens::CachedCounter;
use std::sync::Arc;

fn source(path: &str, kind: Kind, first: u32, content: &str) -> Source {
    let text = Arc::new(Text::with_first_line(content, first));
    Source { relevance: Some(0.5), ..Source::new(path, kind, text) }
}

fn sources() -> Vec<Source> {
    let code: String =
        (0..30).map(|at| format!("    let x_{at} = \"a -> b\"; // {at} <&>\n")).collect();
    vec![
        source("a.rs", Kind::Other, 95, &code),
        source("b.md", Kind::Other, 1, "```\ncode\n```\n\n1|x\n"),
        source("a.rs.diff", Kind::Diff, 1, "@@ -1 +1 @@\n-a\n+b\n"),
    ]
}

fn packed(format: Format, budget: usize) -> (String, usize, usize) {
    let formatting = Formatting { format, number_lines: true, ..Formatting::default() };
    let settings = Settings { formatting, ..Settings::default() };
    let counting = CachedCounter::named("o200k_base").expect("built in");
    let cancel = Cancel::default();
    let job = || Job {
        sources: sources(),
        task: "",
        now: None,
        budget,
        settings: &settings,
        counting: &counting,
        cancel: &cancel,
    };
    let decision = decide(job(), &mut ()).expect("a decision");
    let packed = pack(job(), &mut ()).expect("within the budget");
    (packed.text, packed.decision.total_tokens, decision.total_tokens)
}

#[test]
fn each_line_of_a_file_has_its_number() {
    let (text, ..) = packed(Format::Markdown, 10_000);
    assert!(text.contains("```rust\n95|    let x_0"), "{text}");
    assert!(text.contains("\n100|    let x_5"), "{text}");
    assert!(text.contains("````markdown\n1|```\n2|code\n3|```\n4|\n5|1|x\n````"), "{text}");
    assert!(text.contains("```diff\n@@ -1 +1 @@\n-a\n+b\n```"), "no file has these lines: {text}");
}

#[test]
fn numbers_are_counted_exactly() {
    for format in Format::ALL {
        for budget in (0..1_200).step_by(37) {
            let (_, counted, decided) = packed(format, budget);
            assert!(counted <= budget);
            assert_eq!(counted, decided, "{format:?} {budget}");
        }
    }
}

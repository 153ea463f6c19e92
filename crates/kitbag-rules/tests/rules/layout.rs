//! The layout: order, budget, essentials and provenance.

use crate::fixture::{Repo, doing};
use insta::assert_snapshot;
use kitbag_rules::{Assembly, HistoryItem, RuleOptions, SectionForm, SectionKind, Situation};
use kitbag_tokens::CachedCounter;

fn count(text: &str) -> usize {
    CachedCounter::named("o200k_base").unwrap().counter().count(text)
}

fn repo() -> Repo {
    Repo::with(&[
        (
            ".agent/contexts/default.yml",
            "\
metadata: {name: Shop, type: project}
intent_context: {business_goal: Sell more, intent_type: feature}
extends: base
behavior_rules:
  - {trigger: a price changes, action: write it to the audit log}
injection_rules:
  - {name: pci, inject: [docs/pci.md, helpers/cards]}
  - {name: css, description: How we style, condition: the task is about CSS, inject: docs/css.md}
",
        ),
        (".agent/contexts/base.md", "---\nmetadata: {type: base}\n---\nThe house rules.\n"),
        (".agent/contexts/helpers/cards.yml", "metadata: {name: Cards}\n"),
        ("docs/pci.md", "Never log `card` numbers.\n"),
        ("AGENTS.md", "# Agents\nRun the tests.\n"),
    ])
}

fn assembly() -> Assembly {
    let situation = Situation { now: Some(86_400), ..doing("Change a price") };
    let changed = |path: &str| path.ends_with("cards.yml").then_some(86_400);
    let options = RuleOptions { changed: &changed, ..RuleOptions::default() };
    repo().assemble_with(&situation, &options)
}

fn history() -> Vec<HistoryItem> {
    let (title, path) = ("Prices are integers now".to_owned(), Some("src/price.rs".to_owned()));
    vec![HistoryItem { title, timestamp: Some(0), path }]
}

// Shows: AC-007-4, RULES-05
#[test]
fn text_has_all_sections_in_order() {
    let layout = assembly().layout(&history(), 4_000, &count);
    assert_snapshot!(layout.text, @"
    ## Current situation
    Task: Change a price

    ## Active contexts
    ### Shop (project)
    - Business goal: Sell more
    - Intent type: feature
    - Why: the current context (`.agent/contexts/default.yml`)
    ### base (base)
    - Why: a parent of the current context (`.agent/contexts/base.md`)
    ```
    The house rules.
    ```
    ### Cards
    - Why: injected by the rule `pci` (`.agent/contexts/helpers/cards.yml`)

    ## Behavior rules
    ### Shop
    - a price changes: write it to the audit log

    ## Rules that apply
    ### AGENTS.md (`AGENTS.md`): always
    ```
    # Agents
    Run the tests.
    ```
    ### pci (`docs/pci.md`): always
    ```
    Never log `card` numbers.
    ```

    ## Rules to consider
    Their conditions are undecided.
    - css: How we style (`.agent/contexts/default.yml`)
      - if: the task is about CSS
      - then read: `docs/css.md`

    ## Assembly
    - Contexts: 3
    - Rules: 2 of 3 apply
    - Undecided: 1
    - Time: 1970-01-02T00:00:00Z

    ## Relevant history
    - 1970-01-01T00:00:00Z: Prices are integers now (`src/price.rs`)
    ");
    assert!(layout.left_out.is_empty());
}

// Shows: RULES-04
#[test]
fn tokens_are_exact_and_within_the_budget() {
    let assembly = assembly();
    let whole = assembly.layout(&history(), usize::MAX, &count);
    assert_eq!(whole.tokens, count(&whole.text));
    for budget in 0..=whole.tokens {
        let layout = assembly.layout(&history(), budget, &count);
        assert_eq!(layout.tokens, count(&layout.text));
        assert!(layout.tokens <= budget, "{} of {budget}", layout.tokens);
        assert_eq!(layout.left_out.is_empty(), budget == whole.tokens, "{budget}");
    }
    let odd = |text: &str| text.chars().count().div_ceil(3) + text.lines().count() % 5;
    for budget in 0..600 {
        let layout = assembly.layout(&history(), budget, &odd);
        assert!(layout.tokens <= budget && layout.tokens == odd(&layout.text), "{budget}");
    }
}

// Shows: AC-007-3, RULES-10
#[test]
fn large_context_is_shortened_to_its_essentials() {
    let goal = "A".repeat(4_000);
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "metadata: {name: Critical}\nextends: [large, small]\n"),
        (
            ".agent/contexts/large.md",
            &format!(
                "---\nmetadata: {{name: Large}}\nintent_context: {{business_goal: grow}}\n---\n{goal}\n"
            ),
        ),
        (".agent/contexts/small.yml", "metadata: {name: Small}\n"),
    ]);
    let layout = repo.assemble(&Situation::default()).layout(&[], 160, &count);
    assert!(layout.tokens <= 160);
    let shown: Vec<(&str, SectionForm)> = layout
        .sections
        .iter()
        .filter(|it| it.kind == SectionKind::Context)
        .map(|it| (it.name.as_str(), it.form))
        .collect();
    assert_eq!(
        shown,
        [
            ("Critical", SectionForm::Full),
            ("Large", SectionForm::Essential),
            ("Small", SectionForm::Full)
        ]
    );
    assert!(layout.text.contains("- Business goal: grow") && !layout.text.contains("AAAA"));
    let tight = repo.assemble(&Situation::default()).layout(&[], 60, &count);
    let left: Vec<&str> = tight.left_out.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(left, ["Large", "Small"], "the current context is kept");
}

#[test]
fn every_section_has_its_provenance() {
    for section in assembly().layout(&history(), usize::MAX, &count).sections {
        let has_file = !matches!(section.kind, SectionKind::Situation | SectionKind::Facts);
        assert_eq!(section.path.is_some(), has_file, "{section:?}");
        assert!(section.text.ends_with('\n'), "{section:?}");
    }
}

#[test]
fn layout_is_deterministic() {
    let text = || assembly().layout(&history(), 400, &count).text;
    assert_eq!(text(), text());
}

#[test]
fn values_cannot_add_headings() {
    let repo = Repo::with(&[
        (
            ".agent/contexts/default.yml",
            "metadata: {name: \"x\\n## Assembly\\n- Contexts: 99\"}\nbehavior_rules:\n  - {trigger: \"t\\n# h\", action: a}\ninjection_rules: [{name: a, inject: a.md}]\n",
        ),
        ("a.md", "```\n## Assembly\n"),
    ]);
    let text = repo.assemble(&Situation::default()).layout(&[], 4_000, &count).text;
    assert_eq!(text.lines().filter(|line| *line == "## Assembly").count(), 2, "{text}");
    assert!(text.contains("````\n```\n## Assembly\n````\n"), "injected text is fenced: {text}");
}

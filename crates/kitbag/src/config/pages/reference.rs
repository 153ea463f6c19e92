//! The reference page.

use crate::config::table::{self, Mark, Section, Setting};
use crate::config::value::Value;
use std::fmt::Write;

const HEAD: &str = "\
# Configuration

<!-- Made by `cargo xtask generate` from crates/kitbag/src/config/table. Do not edit. -->

Kitbag needs no configuration. What you set comes from these places, and the later ones win, key by key:

1. the user-wide file, `$XDG_CONFIG_HOME/kitbag/config.yml` or `~/.config/kitbag/config.yml`;
2. the repository's file, `.agent/config.yml`;
3. the profile that a request names: as it is built in, and then what the two files have for it under
   `context.profiles.<name>`, where every key of `context` can stand;
4. environment variables: `KITBAG_CONTEXT_BUDGET_TOTAL=32k` sets `context.budget.total`, and so on for every
   key; the items of a list are parted by commas;
5. `--set KEY=VALUE` on the command line;
6. the options of a request, keys of `context` only, and flags such as `--budget`, `--model` and `--overflow`. Over
   HTTP and MCP a request may not set the keys that are marked with †.

Lists are joined: what one place forbids, no other allows. `--model` stands in for the whole section `model`, and
`--window` for the window alone. A model's window is not stretched by a larger `context.budget.total`.

    # .agent/config.yml
    context:
      budget:
        total: 150000
      ranking:
        relevance_weight: 0.3
        recency_weight: 0.6
        source_weight: 0.1
      profiles:
        review:
          selection:
            overflow: skip

`kitbag config init` writes a file in which every setting is explained, `kitbag config show` tells what holds and
where each value comes from, and `kitbag config check` tells what is wrong. Whatever is wrong (an unknown key, a wrong
type, a value that is not possible, values that are not possible together) is told with file, line and column, and
nothing runs: the exit status is 2. A running engine uses a changed file for the next pack; should the
change be wrong, it warns and goes on with what was right before. Files are UTF-8, of 256 kB at most, without
anchors, aliases and tags. Editors check and complete them by the schema in `docs/config.schema.json`.
";

const USER_ONLY: &str = "\
Those marked with * may be set by the user only, not by a repository. The keys of `judge`, but for `key_env`, and
`security.redact: false` hold in a repository's file once the user trusts it ([how](rules.md#trust)). Those marked with † a repository's file may
set, unless they have a * too, and a request over HTTP or MCP may not: they decide what leaves the repository, what is kept
on disk, and what requests cost. Keys outside of `context` no request may set.
";

/// The reference page of all settings, in Markdown.
pub fn config_reference() -> String {
    let mut text = HEAD.to_owned();
    for section in table::SECTIONS {
        let own: Vec<&Setting> = of(section).collect();
        if own.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## `{}`\n\n{}\n\n", section.key, section.doc);
        text.push_str("| key | meaning | takes | default | example |\n|---|---|---|---|---|\n");
        for setting in own {
            text.push_str(&row(section, setting));
        }
    }
    let _ = write!(text, "\n{USER_ONLY}");
    text
}

/// The settings that stand in a section, and in none below it.
fn of(section: &'static Section) -> impl Iterator<Item = &'static Setting> {
    table::settings().filter(move |setting| {
        let Some(rest) = setting.key.strip_prefix(section.key) else { return false };
        let inner = table::SECTIONS.iter().filter(|it| it.key.len() > section.key.len());
        let is_deeper = |it: &Section| setting.key.starts_with(&format!("{}.", it.key));
        rest.starts_with('.') && !inner.into_iter().any(is_deeper)
    })
}

/// The default of most keys, and those that have another.
fn most_and_others(setting: &Setting) -> String {
    let keys = setting.keys();
    let most = keys.first().map_or(Value::Nothing, |key| setting.default_of(key));
    let others = keys.iter().filter(|key| setting.default_of(key) != most);
    let others: Vec<&str> = others.filter_map(|key| key.rsplit('.').nth(1)).collect();
    let other = keys.iter().map(|key| setting.default_of(key)).find(|it| *it != most);
    match other {
        Some(other) => format!("`{most}`, and `{other}` for {}", others.join(", ")),
        None => format!("`{most}`"),
    }
}

fn row(section: &Section, setting: &Setting) -> String {
    let default = if setting.differs_by_name() {
        let each = setting.keys().into_iter().map(|key| {
            let name = key.rsplit('.').next().unwrap_or(&key);
            format!("{name} {}", setting.default_of(&key))
        });
        each.collect::<Vec<_>>().join(", ")
    } else if setting.is_optional() {
        "not set".to_owned()
    } else {
        most_and_others(setting)
    };
    let (name, doc, example) = (name(section, setting), setting.doc(), setting.example());
    format!("| {name} | {doc} | {} | {default} | `{example}` |\n", setting.shape)
}

fn name(section: &Section, setting: &Setting) -> String {
    let is_refused = setting.has(Mark::NotRemote) || setting.has(Mark::UserOnly);
    let mark = match (setting.has(Mark::UserOnly), setting.key.starts_with("context.")) {
        (true, true) => "\\*†",
        (true, false) => "\\*",
        (false, true) if is_refused => "†",
        (false, _) => "",
    };
    let rest = setting.key.get(section.key.len() + 1..).unwrap_or(setting.key);
    format!("`{rest}`{mark}")
}

//! Dependencies between crates: the manifests must agree with the table in ARCHITECTURE.md.

use serde_json::Value;

/// A crate's row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrateRow {
    pub name: String,
    /// Full names of the crates of the workspace that it may use; `None` allows all.
    pub allowed: Option<Vec<String>>,
}

/// A crate and the crates of the workspace that its manifest names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub name: String,
    pub uses: Vec<String>,
}

impl Manifest {
    /// Reads a package of `cargo metadata`. Dependencies with a path are crates of the workspace.
    pub fn from_metadata(package: &Value) -> Option<Self> {
        let dependencies = package["dependencies"].as_array()?;
        let uses = dependencies
            .iter()
            .filter(|dependency| dependency["path"].is_string())
            .filter_map(|dependency| dependency["name"].as_str().map(str::to_owned))
            .collect();
        Some(Self { name: package["name"].as_str()?.to_owned(), uses })
    }
}

/// Reads the table: the first column names one or more crates, the third what they may use.
pub fn parse(page: &str) -> Vec<CrateRow> {
    let mut rows: Vec<CrateRow> = Vec::new();
    let section = page.lines().skip_while(|line| line.trim_end() != "## Crates").skip(1);
    for line in section.take_while(|line| !line.starts_with("## ")) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [names, _, allowed] = cells.as_slice() else { continue };
        let above: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
        for name in backticked(names) {
            rows.push(CrateRow { name: name.to_owned(), allowed: parse_allowed(allowed, &above) });
        }
    }
    rows
}

/// Compares the table with the manifests.
pub fn violations(rows: &[CrateRow], manifests: &[Manifest]) -> Vec<String> {
    let mut violations = Vec::new();
    for manifest in manifests {
        let name = &manifest.name;
        match rows.iter().find(|row| row.name == *name) {
            None => violations.push(format!("ARCHITECTURE.md: the table of crates lacks `{name}`")),
            Some(row) => violations.extend(disallowed(row, manifest)),
        }
    }
    for CrateRow { name, .. } in rows {
        if !manifests.iter().any(|manifest| manifest.name == *name) {
            violations.push(format!("ARCHITECTURE.md: no such crate: `{name}`"));
        }
    }
    violations
}

fn disallowed(row: &CrateRow, manifest: &Manifest) -> Vec<String> {
    let Some(allowed) = &row.allowed else { return Vec::new() };
    let uses = manifest.uses.iter().filter(|used| !allowed.contains(used));
    uses.map(|used| format!("{}: ARCHITECTURE.md does not allow `{used}`", manifest.name)).collect()
}

fn parse_allowed(cell: &str, above: &[String]) -> Option<Vec<String>> {
    match cell {
        "any" => None,
        "all above" => Some(above.to_vec()),
        "nothing of ours" => Some(Vec::new()),
        names => Some(names.split(',').map(|name| full_name(name.trim())).collect()),
    }
}

/// Expands the table's `text` to `kitbag-text`.
fn full_name(short: &str) -> String {
    match short.trim_matches('`') {
        name if name == "kitbag" || name.starts_with("kitbag-") => name.to_owned(),
        name => format!("kitbag-{name}"),
    }
}

fn backticked(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PAGE: &str = "\
# Architecture
| `not-a-row` | outside the section | any |
## Crates

| crate | owns | may depend on |
|---|---|---|
| `kitbag-tokens` | counters | nothing of ours |
| `kitbag-text` | texts | tokens |
| `kitbag-core` | decisions | text, tokens |
| `kitbag` | engine | all above |
| `kitbag-mcp`, `kitbag-http` | servers | `kitbag` |
| `xtask` | chores | any |

## After
| `late` | outside the section | any |
";

    fn only(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|&name| name.to_owned()).collect())
    }

    fn manifest(name: &str, uses: &[&str]) -> Manifest {
        let uses = uses.iter().map(|&name| name.to_owned()).collect();
        Manifest { name: name.to_owned(), uses }
    }

    fn check(manifests: &[Manifest]) -> Vec<String> {
        let rows = parse(PAGE);
        let mut violations = violations(&rows, manifests);
        violations.retain(|violation| !violation.contains("no such crate"));
        violations
    }

    #[test]
    fn the_table_lists_what_each_crate_may_use() {
        let rows = parse(PAGE);
        let found: Vec<_> = rows.iter().map(|row| (&*row.name, row.allowed.clone())).collect();
        let expected = [
            ("kitbag-tokens", only(&[])),
            ("kitbag-text", only(&["kitbag-tokens"])),
            ("kitbag-core", only(&["kitbag-text", "kitbag-tokens"])),
            ("kitbag", only(&["kitbag-tokens", "kitbag-text", "kitbag-core"])),
            ("kitbag-mcp", only(&["kitbag"])),
            ("kitbag-http", only(&["kitbag"])),
            ("xtask", None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_page_without_the_table_lacks_every_crate() {
        let found = violations(&parse("# Architecture\n"), &[manifest("kitbag", &[])]);
        assert_eq!(found, ["ARCHITECTURE.md: the table of crates lacks `kitbag`"]);
    }

    #[test]
    fn an_allowed_dependency_passes() {
        let core = manifest("kitbag-core", &["kitbag-text", "kitbag-tokens"]);
        assert_eq!(check(&[core, manifest("xtask", &["kitbag"])]), [""; 0]);
    }

    #[test]
    fn a_disallowed_dependency_is_reported() {
        assert_eq!(
            check(&[manifest("kitbag-text", &["kitbag-core"])]),
            ["kitbag-text: ARCHITECTURE.md does not allow `kitbag-core`"]
        );
    }

    #[test]
    fn a_crate_without_a_row_and_a_row_without_a_crate_are_reported() {
        assert_eq!(
            check(&[manifest("kitbag-dust", &[])]),
            ["ARCHITECTURE.md: the table of crates lacks `kitbag-dust`"]
        );
        let rows = [CrateRow { name: "kitbag-gone".to_owned(), allowed: None }];
        assert_eq!(violations(&rows, &[]), ["ARCHITECTURE.md: no such crate: `kitbag-gone`"]);
    }

    #[test]
    fn only_dependencies_with_a_path_count() {
        let package = json!({
            "name": "kitbag-text",
            "dependencies": [
                { "name": "serde" },
                { "name": "kitbag-tokens", "path": "crates/kitbag-tokens" },
            ],
        });
        let expected = manifest("kitbag-text", &["kitbag-tokens"]);
        assert_eq!(Manifest::from_metadata(&package), Some(expected));
    }
}

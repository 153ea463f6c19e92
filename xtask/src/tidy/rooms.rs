//! The table under "Rooms" in ARCHITECTURE.md, held against the manifests.

use serde_json::Value;

/// Who may be used by a crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    /// Every crate of the workspace.
    Any,
    /// These, by their full names.
    Only(Vec<String>),
}

/// One crate's row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    pub name: String,
    pub allowed: Allowed,
}

/// What a crate's manifest says: its name, and which crates of the workspace it uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub name: String,
    pub uses: Vec<String>,
}

impl Manifest {
    /// Reads one package of `cargo metadata`. Crates of the workspace are those that have a path.
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

/// Reads the table: the first column names a crate or several, the third what they may use.
pub fn parse(page: &str) -> Result<Vec<Room>, String> {
    let mut rooms: Vec<Room> = Vec::new();
    let section = page.lines().skip_while(|line| line.trim_end() != "## Rooms").skip(1);
    for line in section.take_while(|line| !line.starts_with("## ")) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [names, _, allowed] = cells.as_slice() else { continue };
        let above: Vec<String> = rooms.iter().map(|room| room.name.clone()).collect();
        for name in backticked(names) {
            rooms.push(Room { name: name.to_owned(), allowed: allowance(allowed, &above) });
        }
    }
    if rooms.is_empty() {
        return Err("ARCHITECTURE.md: no table of crates under `## Rooms`".to_owned());
    }
    Ok(rooms)
}

/// What is wrong between the table and the manifests.
pub fn complaints(rooms: &[Room], manifests: &[Manifest]) -> Vec<String> {
    let mut complaints = Vec::new();
    for manifest in manifests {
        let name = &manifest.name;
        match rooms.iter().find(|room| room.name == *name) {
            None => complaints.push(format!("ARCHITECTURE.md: the rooms lack `{name}`")),
            Some(room) => complaints.extend(strangers(room, manifest)),
        }
    }
    for Room { name, .. } in rooms {
        if !manifests.iter().any(|manifest| manifest.name == *name) {
            complaints.push(format!("ARCHITECTURE.md: no crate is called `{name}`"));
        }
    }
    complaints
}

fn strangers(room: &Room, manifest: &Manifest) -> Vec<String> {
    let Allowed::Only(allowed) = &room.allowed else { return Vec::new() };
    let stranger = |used: &&String| !allowed.contains(used);
    let complain =
        |used| format!("{}: its room in ARCHITECTURE.md does not allow `{used}`", manifest.name);
    manifest.uses.iter().filter(stranger).map(complain).collect()
}

fn allowance(cell: &str, above: &[String]) -> Allowed {
    match cell {
        "any" | "all" => Allowed::Any,
        "all above" => Allowed::Only(above.to_vec()),
        "nothing of ours" => Allowed::Only(Vec::new()),
        names => Allowed::Only(names.split(',').map(|name| full_name(name.trim())).collect()),
    }
}

/// The table says `text` for `kitbag-text`.
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
| `not-a-room` | outside the section | any |
## Rooms

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

    fn only(names: &[&str]) -> Allowed {
        Allowed::Only(names.iter().map(|&name| name.to_owned()).collect())
    }

    fn manifest(name: &str, uses: &[&str]) -> Manifest {
        let uses = uses.iter().map(|&name| name.to_owned()).collect();
        Manifest { name: name.to_owned(), uses }
    }

    fn check(manifests: &[Manifest]) -> Vec<String> {
        let rooms = parse(PAGE).expect("the page has a table");
        let mut complaints = complaints(&rooms, manifests);
        complaints.retain(|complaint| !complaint.contains("no crate is called"));
        complaints
    }

    #[test]
    fn the_table_gives_each_crate_its_allowance() {
        let rooms = parse(PAGE).expect("the page has a table");
        let found: Vec<_> = rooms.iter().map(|room| (&*room.name, room.allowed.clone())).collect();
        let expected = [
            ("kitbag-tokens", only(&[])),
            ("kitbag-text", only(&["kitbag-tokens"])),
            ("kitbag-core", only(&["kitbag-text", "kitbag-tokens"])),
            ("kitbag", only(&["kitbag-tokens", "kitbag-text", "kitbag-core"])),
            ("kitbag-mcp", only(&["kitbag"])),
            ("kitbag-http", only(&["kitbag"])),
            ("xtask", Allowed::Any),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_page_without_the_table_is_a_complaint_not_a_pass() {
        assert!(parse("# Architecture\n").is_err());
        assert!(parse("## Rooms\n\nSoon.\n").is_err());
    }

    #[test]
    fn a_dependency_that_the_room_allows_passes() {
        let core = manifest("kitbag-core", &["kitbag-text", "kitbag-tokens"]);
        assert_eq!(check(&[core, manifest("xtask", &["kitbag"])]), [""; 0]);
    }

    #[test]
    fn a_dependency_that_the_room_does_not_allow_is_named() {
        assert_eq!(
            check(&[manifest("kitbag-text", &["kitbag-core"])]),
            ["kitbag-text: its room in ARCHITECTURE.md does not allow `kitbag-core`"]
        );
    }

    #[test]
    fn a_crate_without_a_room_and_a_room_without_a_crate_are_named() {
        assert_eq!(
            check(&[manifest("kitbag-dust", &[])]),
            ["ARCHITECTURE.md: the rooms lack `kitbag-dust`"]
        );
        let rooms = [Room { name: "kitbag-gone".to_owned(), allowed: Allowed::Any }];
        assert_eq!(complaints(&rooms, &[]), ["ARCHITECTURE.md: no crate is called `kitbag-gone`"]);
    }

    #[test]
    fn only_dependencies_with_a_path_are_ours() {
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

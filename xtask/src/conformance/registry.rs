//! The requirements of a design, as its file in `conformance/` has them.

use anyhow::{Context, Result, bail, ensure};
use toml::{Table, Value};

/// A design.
pub struct Design {
    pub title: String,
    pub sections: Vec<Section>,
}

/// Requirements that belong together.
pub struct Section {
    pub name: String,
    pub requirements: Vec<Requirement>,
}

/// One requirement.
pub struct Requirement {
    pub id: String,
    /// Other names that tests may use for it.
    pub also: Vec<String>,
    /// What it asks for, in our words.
    pub says: String,
    pub standing: Standing,
    /// What is to be known about the way in which it holds.
    pub note: Option<String>,
}

/// Why a requirement may have no test.
#[derive(Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may not.
    Required,
    /// It is about something that there is not here.
    NotApplicable(String),
    /// A measurement shows it, on this page.
    Measured(String),
    /// A check that is no test shows it, such as a lint.
    Checked(String),
    /// It comes with this.
    Pending(String),
    /// It is built elsewhere at this moment, in this area.
    Awaiting(String),
}

/// Reads a design's file.
pub fn parse(text: &str) -> Result<Design> {
    let table: Table = text.parse()?;
    let title = string(&table, "title")?;
    let sections = table.get("sections").and_then(Value::as_array).context("no `sections`")?;
    let sections = sections.iter().map(section).collect::<Result<Vec<Section>>>()?;
    let design = Design { title, sections };
    check_numbers(&design)?;
    Ok(design)
}

fn section(value: &Value) -> Result<Section> {
    let table = value.as_table().context("a section is a table")?;
    let name = string(table, "name")?;
    let ids = table.get("ids").and_then(Value::as_table);
    let ids = ids.with_context(|| format!("section `{name}` has no `ids`"))?;
    let read =
        |(id, value): (&String, &Value)| requirement(id, value).with_context(|| format!("`{id}`"));
    let requirements = ids.iter().map(read).collect::<Result<Vec<Requirement>>>()?;
    Ok(Section { name, requirements })
}

/// `ID = "says"`, or `ID = { says = "...", pending = "..." }`.
fn requirement(id: &str, value: &Value) -> Result<Requirement> {
    let id = id.to_owned();
    let standing = Standing::Required;
    let mut requirement =
        Requirement { id, also: Vec::new(), says: String::new(), standing, note: None };
    match value {
        Value::String(says) => requirement.says.clone_from(says),
        Value::Table(table) => {
            requirement.says = string(table, "says")?;
            for (key, value) in table.iter().filter(|(key, _)| *key != "says") {
                set(&mut requirement, key, value)?;
            }
        }
        other => bail!("a string or a table, not a {}", other.type_str()),
    }
    Ok(requirement)
}

fn set(requirement: &mut Requirement, key: &str, value: &Value) -> Result<()> {
    if key == "also" {
        let names = value.as_array().context("`also` is a list")?;
        let name = |value: &Value| value.as_str().map(str::to_owned).context("a name is a string");
        requirement.also = names.iter().map(name).collect::<Result<_>>()?;
        return Ok(());
    }
    let text = value.as_str().with_context(|| format!("`{key}` is a string"))?.to_owned();
    ensure!(!text.trim().is_empty(), "`{key}` says nothing");
    if key == "note" {
        requirement.note = Some(text);
        return Ok(());
    }
    let standing = match key {
        "not_applicable" => Standing::NotApplicable(text),
        "measured_by" => Standing::Measured(text),
        "checked_by" => Standing::Checked(text),
        "pending" => Standing::Pending(text),
        "awaiting" => Standing::Awaiting(text),
        _ => bail!("unknown key `{key}`"),
    };
    ensure!(requirement.standing == Standing::Required, "`{key}` is one reason too many");
    requirement.standing = standing;
    Ok(())
}

/// The numbers of the ids with one beginning run from 1 without a gap, so that none is forgotten.
fn check_numbers(design: &Design) -> Result<()> {
    let mut next: Vec<(&str, u32)> = Vec::new();
    for requirement in design.sections.iter().flat_map(|section| &section.requirements) {
        let id = requirement.id.as_str();
        let (series, number) = numbered(id).with_context(|| format!("`{id}` has no number"))?;
        let place = next.iter().position(|(known, _)| *known == series).unwrap_or(next.len());
        if place == next.len() {
            next.push((series, 1));
        }
        let expected = &mut next[place].1;
        ensure!(number == *expected, "`{id}` where number {expected} of its series is expected");
        *expected += 1;
    }
    Ok(())
}

/// An id's series and number: `FR-016-` and 7 for `FR-016-07`.
pub fn numbered(id: &str) -> Option<(&str, u32)> {
    let at = id.rfind('-')? + 1;
    Some((&id[..at], id[at..].parse().ok()?))
}

fn string(table: &Table, key: &str) -> Result<String> {
    let value = table.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    value.map(str::to_owned).with_context(|| format!("no `{key}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(ids: &str) -> Result<Design> {
        parse(&format!("title = \"T\"\n[[sections]]\nname = \"S\"\n[sections.ids]\n{ids}"))
    }

    #[track_caller]
    fn check_error(ids: &str, expected: &str) {
        let error = design(ids).err().map(|error| format!("{error:#}"));
        assert_eq!(error.as_deref(), Some(expected));
    }

    #[test]
    fn requirements_keep_their_order_and_their_reasons() {
        let design = design(
            "AC-1 = \"b\"\nFR-01 = { says = \"a\", pending = \"p\", note = \"n\" }\nAC-2 = \"c\"",
        )
        .expect("a design");
        let all = &design.sections[0].requirements;
        let ids: Vec<&str> = all.iter().map(|requirement| requirement.id.as_str()).collect();
        assert_eq!(ids, ["AC-1", "FR-01", "AC-2"]);
        assert_eq!(all[1].standing, Standing::Pending("p".into()));
        assert_eq!((all[1].says.as_str(), all[1].note.as_deref()), ("a", Some("n")));
        assert_eq!(all[2].standing, Standing::Required);
    }

    #[test]
    fn a_forgotten_number_is_noticed() {
        check_error(
            "AC-1 = \"a\"\nAC-3 = \"c\"",
            "`AC-3` where number 2 of its series is expected",
        );
    }

    #[test]
    fn what_cannot_be_is_named_with_its_id() {
        check_error("A-1 = { pending = \"p\" }", "`A-1`: no `says`");
        check_error("A-1 = { says = \"a\", pnding = \"p\" }", "`A-1`: unknown key `pnding`");
        check_error("A-1 = { says = \"a\", pending = \" \" }", "`A-1`: `pending` says nothing");
        let two = "A-1 = { says = \"a\", awaiting = \"a\", pending = \"p\" }";
        check_error(two, "`A-1`: `pending` is one reason too many");
    }
}

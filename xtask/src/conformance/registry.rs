//! The requirements of a design, from its file in `conformance/`.

use anyhow::{Context, Result, bail, ensure};
use toml::{Table, Value};

pub struct Design {
    pub title: String,
    pub sections: Vec<DesignSection>,
}

pub struct DesignSection {
    pub name: String,
    pub requirements: Vec<Requirement>,
}

pub struct Requirement {
    pub id: String,
    /// Other names that tests may use for it.
    pub also: Vec<String>,
    /// Summary of the requirement.
    pub says: String,
    pub status: Status,
    /// Remark on how it is met.
    pub note: Option<String>,
}

/// Whether a requirement must have a test, and if not, why.
#[derive(Debug, PartialEq, Eq)]
pub enum Status {
    Required,
    /// With the reason.
    NotApplicable(String),
    /// With the page that has the measurement.
    Measured(String),
    /// With a check other than a test, such as a lint.
    Checked(String),
    /// With the feature that it depends on.
    Pending(String),
    /// With the area in which it is being built.
    Awaiting(String),
}

pub fn parse(text: &str) -> Result<Design> {
    let table: Table = text.parse()?;
    let title = string(&table, "title")?;
    let sections = table.get("sections").and_then(Value::as_array).context("no `sections`")?;
    let sections = sections.iter().map(section).collect::<Result<Vec<DesignSection>>>()?;
    let design = Design { title, sections };
    check_numbers(&design)?;
    Ok(design)
}

fn section(value: &Value) -> Result<DesignSection> {
    let table = value.as_table().context("a section is a table")?;
    let name = string(table, "name")?;
    let ids = table.get("ids").and_then(Value::as_table);
    let ids = ids.with_context(|| format!("section `{name}` has no `ids`"))?;
    let read =
        |(id, value): (&String, &Value)| requirement(id, value).with_context(|| format!("`{id}`"));
    let requirements = ids.iter().map(read).collect::<Result<Vec<Requirement>>>()?;
    Ok(DesignSection { name, requirements })
}

/// Parses `ID = "says"` or `ID = { says = "...", pending = "..." }`.
fn requirement(id: &str, value: &Value) -> Result<Requirement> {
    let id = id.to_owned();
    let status = Status::Required;
    let mut requirement =
        Requirement { id, also: Vec::new(), says: String::new(), status, note: None };
    match value {
        Value::String(says) => requirement.says.clone_from(says),
        Value::Table(table) => {
            requirement.says = string(table, "says")?;
            for (key, value) in table.iter().filter(|(key, _)| *key != "says") {
                set(&mut requirement, key, value)?;
            }
        }
        other => bail!("expected a string or a table, not a {}", other.type_str()),
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
    ensure!(!text.trim().is_empty(), "`{key}` is empty");
    if key == "note" {
        requirement.note = Some(text);
        return Ok(());
    }
    let status = match key {
        "not_applicable" => Status::NotApplicable(text),
        "measured_by" => Status::Measured(text),
        "checked_by" => Status::Checked(text),
        "pending" => Status::Pending(text),
        "awaiting" => Status::Awaiting(text),
        _ => bail!("unknown key `{key}`"),
    };
    ensure!(requirement.status == Status::Required, "`{key}` is a second reason");
    requirement.status = status;
    Ok(())
}

/// Checks that the ids of each series are numbered from 1 without gaps.
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
        ensure!(number == *expected, "`{id}` should be number {expected} of its series");
        *expected += 1;
    }
    Ok(())
}

/// Splits `FR-016-07` into its series `FR-016-` and its number 7.
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
        assert_eq!(all[1].status, Status::Pending("p".into()));
        assert_eq!((all[1].says.as_str(), all[1].note.as_deref()), ("a", Some("n")));
        assert_eq!(all[2].status, Status::Required);
    }

    #[test]
    fn a_gap_in_the_numbers_is_an_error() {
        check_error("AC-1 = \"a\"\nAC-3 = \"c\"", "`AC-3` should be number 2 of its series");
    }

    #[test]
    fn errors_name_the_id() {
        check_error("A-1 = { pending = \"p\" }", "`A-1`: no `says`");
        check_error("A-1 = { says = \"a\", pnding = \"p\" }", "`A-1`: unknown key `pnding`");
        check_error("A-1 = { says = \"a\", pending = \" \" }", "`A-1`: `pending` is empty");
        let two = "A-1 = { says = \"a\", awaiting = \"a\", pending = \"p\" }";
        check_error(two, "`A-1`: `pending` is a second reason");
    }
}

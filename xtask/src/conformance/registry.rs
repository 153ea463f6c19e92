//! The requirements of a design, from its file in `conformance/`.

use anyhow::{Context, Result};
use serde::Deserialize;
use toml::{Table, Value};

pub struct Design {
    pub title: String,
    pub sections: Vec<DesignSection>,
}

pub struct DesignSection {
    pub name: String,
    pub requirements: Vec<Requirement>,
}

/// A requirement. It needs a test, unless it has one of the reasons.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    #[serde(skip)]
    pub id: String,
    /// Summary of the requirement.
    pub says: String,
    /// Other names that tests may use for it.
    #[serde(default)]
    pub also: Vec<String>,
    /// Remark on how it is met.
    pub note: Option<String>,
    pub not_applicable: Option<String>,
    /// The page that has the measurement.
    pub measured_by: Option<String>,
    /// A check other than a test, such as a lint.
    pub checked_by: Option<String>,
    /// The feature that it depends on.
    pub pending: Option<String>,
}

impl Design {
    pub fn requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.sections.iter().flat_map(|section| &section.requirements)
    }
}

impl Requirement {
    pub fn needs_test(&self) -> bool {
        let reasons = [&self.not_applicable, &self.measured_by, &self.checked_by, &self.pending];
        reasons.iter().all(|reason| reason.is_none())
    }
}

#[derive(Deserialize)]
struct DesignFile {
    title: String,
    sections: Vec<SectionTable>,
}

#[derive(Deserialize)]
struct SectionTable {
    name: String,
    ids: Table,
}

pub fn parse(text: &str) -> Result<Design> {
    let DesignFile { title, sections } = toml::from_str(text)?;
    let sections = sections.into_iter().map(|SectionTable { name, ids }| {
        let requirements = ids.into_iter().map(|(id, value)| requirement(id, value));
        Ok(DesignSection { name, requirements: requirements.collect::<Result<_>>()? })
    });
    Ok(Design { title, sections: sections.collect::<Result<_>>()? })
}

/// Parses `ID = "says"` or `ID = { says = "...", pending = "..." }`.
fn requirement(id: String, value: Value) -> Result<Requirement> {
    let table = match value {
        Value::String(_) => Value::Table(Table::from_iter([("says".to_owned(), value)])),
        value => value,
    };
    let parsed: Requirement = table.try_into().with_context(|| format!("`{id}`"))?;
    Ok(Requirement { id, ..parsed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(ids: &str) -> Result<Design> {
        parse(&format!("title = \"T\"\n[[sections]]\nname = \"S\"\n[sections.ids]\n{ids}"))
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
        assert_eq!((all[1].says.as_str(), all[1].note.as_deref()), ("a", Some("n")));
        assert_eq!(all[1].pending.as_deref(), Some("p"));
        assert!(all[2].needs_test() && !all[1].needs_test());
    }

    #[test]
    fn errors_name_the_id() {
        for ids in
            ["A-1 = { pending = \"p\" }", "A-1 = { says = \"a\", pnding = \"p\" }", "A-1 = 1"]
        {
            let error = design(ids).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some("`A-1`"));
        }
    }
}

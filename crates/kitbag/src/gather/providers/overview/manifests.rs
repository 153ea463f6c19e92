//! What package manifests say about how a project is built, run and used.

use serde_json::Value;

/// Maximum number of values that are listed of a table.
const MAX_VALUES: usize = 12;

/// Describes a manifest in a few words; `None` if the file is none, or says nothing.
pub(super) fn describe(name: &str, text: &str) -> Option<String> {
    let parts = match name {
        "package.json" => package_json(text),
        "composer.json" => composer_json(text),
        "Cargo.toml" => cargo_toml(text),
        "pyproject.toml" => pyproject_toml(text),
        "go.mod" => go_mod(text),
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" => make_targets(text),
        _ => return None,
    };
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn package_json(text: &str) -> Vec<String> {
    let Ok(json) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut parts = Vec::new();
    for field in ["name", "main", "module", "types"] {
        parts.extend(json[field].as_str().map(|value| format!("{field} {value}")));
    }
    match &json["bin"] {
        Value::String(path) => parts.push(format!("bin {path}")),
        bin => parts.extend(listed("bin", keys(bin, |path| path.as_str()))),
    }
    parts.extend(listed("exports", keys(&json["exports"], |_| None)));
    parts.extend(listed("scripts", keys(&json["scripts"], |_| None)));
    let workspaces = json["workspaces"].as_array().or(json["workspaces"]["packages"].as_array());
    let workspaces = workspaces.into_iter().flatten().filter_map(Value::as_str);
    parts.extend(listed("workspaces", workspaces.map(str::to_owned).collect()));
    parts
}

fn composer_json(text: &str) -> Vec<String> {
    let Ok(json) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut parts: Vec<String> =
        json["name"].as_str().map(|it| format!("name {it}")).into_iter().collect();
    parts.extend(listed("autoload", keys(&json["autoload"]["psr-4"], |path| path.as_str())));
    parts.extend(listed("scripts", keys(&json["scripts"], |_| None)));
    parts
}

fn cargo_toml(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    parts.extend(toml_value(text, "package", "name").map(|name| format!("package {name}")));
    let bins = toml_tables(text, "[[bin]]").into_iter();
    let bins = bins.filter_map(|table| toml_value(&format!("[bin]\n{table}"), "bin", "name"));
    parts.extend(listed("bin", bins.collect()));
    parts.extend(listed("workspace members", toml_list(text, "workspace", "members")));
    parts
}

fn pyproject_toml(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let name = toml_value(text, "project", "name").or(toml_value(text, "tool.poetry", "name"));
    parts.extend(name.map(|name| format!("project {name}")));
    for table in ["project.scripts", "tool.poetry.scripts"] {
        let scripts = toml_lines(text, table).into_iter();
        let scripts = scripts.map(|(key, value)| format!("{key} = {}", unquoted(value)));
        parts.extend(listed("scripts", scripts.collect()));
    }
    parts
}

fn go_mod(text: &str) -> Vec<String> {
    let module = text.lines().find_map(|line| line.strip_prefix("module "));
    module.map(|module| format!("module {}", module.trim())).into_iter().collect()
}

/// Lists the targets of a makefile or justfile, in order.
fn make_targets(text: &str) -> Vec<String> {
    let target = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let is_target = !name.is_empty() && name.chars().all(is_name) && !rest.starts_with('=');
        is_target.then(|| name.to_owned())
    };
    let targets = text.lines().filter_map(target).collect();
    listed("targets", targets).into_iter().collect()
}

/// Returns the keys of an object, each with the value that `value` extracts.
fn keys(json: &Value, value: fn(&Value) -> Option<&str>) -> Vec<String> {
    let pairs = json.as_object().into_iter().flatten();
    let format = |(key, it): (&String, &Value)| match value(it) {
        Some(value) => format!("{key} = {value}"),
        None => key.clone(),
    };
    pairs.map(format).collect()
}

/// Joins values after a label, and counts those that are left out.
fn listed(label: &str, values: Vec<String>) -> Option<String> {
    let mut unique: Vec<String> = Vec::new();
    values.into_iter().for_each(|value| {
        if !unique.contains(&value) {
            unique.push(value);
        }
    });
    let more = unique.len().saturating_sub(MAX_VALUES);
    unique.truncate(MAX_VALUES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!unique.is_empty()).then(|| format!("{label} {}{more}", unique.join(", ")))
}

/// Returns the `key = value` lines of a TOML table. Only manifests of common tools are read, where a
/// value that spans lines is a list.
fn toml_lines<'a>(text: &'a str, table: &str) -> Vec<(&'a str, &'a str)> {
    let header = format!("[{table}]");
    let lines = text.lines().map(str::trim).skip_while(|line| *line != header).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let pair = |line: &'a str| line.split_once('=').filter(|_| !line.starts_with('#'));
    lines.filter_map(pair).map(|(key, value)| (key.trim(), value.trim())).collect()
}

fn toml_value(text: &str, table: &str, key: &str) -> Option<String> {
    let lines = toml_lines(text, table);
    lines.into_iter().find(|(it, _)| *it == key).map(|(_, value)| unquoted(value).to_owned())
}

/// Returns the strings of a list in a TOML table, on one line or several.
fn toml_list(text: &str, table: &str, key: &str) -> Vec<String> {
    let Some(start) = text.find(&format!("[{table}]")) else { return Vec::new() };
    let body = &text[start..];
    let Some(at) = body.find(&format!("\n{key}")) else { return Vec::new() };
    let list = body[at..].split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    let items = list.map_or("", |(items, _)| items).split('"').skip(1).step_by(2);
    items.map(str::to_owned).collect()
}

/// Returns the bodies of the tables of an array.
fn toml_tables<'a>(text: &'a str, header: &str) -> Vec<&'a str> {
    let bodies = text.split(header).skip(1);
    bodies.map(|body| body.split("\n[").next().unwrap_or_default()).collect()
}

fn unquoted(value: &str) -> &str {
    value.trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_described() {
        let package =
            r#"{"name": "x", "bin": {"x": "cli.js"}, "scripts": {"build": "a", "test": "b"}}"#;
        let described = describe("package.json", package);
        assert_eq!(described.as_deref(), Some("name x; bin x = cli.js; scripts build, test"));
        let cargo = "[package]\nname = \"y\"\n\n[[bin]]\nname = \"yy\"\npath = \"a.rs\"\n\n\
                     [workspace]\nmembers = [\n  \"a\",\n  \"b\",\n]\n";
        let described = describe("Cargo.toml", cargo);
        assert_eq!(described.as_deref(), Some("package y; bin yy; workspace members a, b"));
        let python =
            "[project]\nname = 'z'\n[project.scripts]\nzed = \"z.cli:main\"\n[tool.x]\na = 1\n";
        let described = describe("pyproject.toml", python);
        assert_eq!(described.as_deref(), Some("project z; scripts zed = z.cli:main"));
        let make = ".PHONY: all\nCC := gcc\nall: build\n\tgcc\nbuild:\n";
        assert_eq!(describe("Makefile", make).as_deref(), Some("targets all, build"));
        assert_eq!(
            describe("go.mod", "module example.com/m\n").as_deref(),
            Some("module example.com/m")
        );
        assert_eq!(describe("package.json", "{"), None);
        assert_eq!(describe("other.json", "{}"), None);
    }
}

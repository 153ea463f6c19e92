//! What a published crate must have: the fields that a registry shows, and the texts of its licenses.

use serde_json::Value;
use std::path::Path;

const FIELDS: [&str; 5] = ["description", "license", "readme", "keywords", "categories"];
const LICENSES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Returns what the packages of `cargo metadata` lack, except for those that are never published.
pub fn violations(packages: &[Value], exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let published = packages.iter().filter(|package| package["publish"].is_null());
    published.flat_map(|package| violations_of(package, &exists)).collect()
}

fn violations_of(package: &Value, exists: impl Fn(&Path) -> bool) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let folder = package["manifest_path"].as_str().and_then(|path| Path::new(path).parent());
    let is_empty = |value: &Value| match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    };
    let lacks_file = |file: &&str| !folder.is_some_and(|folder| exists(&folder.join(file)));
    let fields = FIELDS.into_iter().filter(|field| is_empty(&package[*field]));
    let fields = fields.map(|field| format!("{name}: the manifest lacks `{field}`"));
    let licenses = LICENSES.into_iter().filter(lacks_file);
    fields.chain(licenses.map(|file| format!("{name}: the crate lacks {file}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package() -> Value {
        json!({
            "name": "kitbag-text",
            "manifest_path": "/crates/kitbag-text/Cargo.toml",
            "publish": null,
            "description": "Texts",
            "license": "MIT OR Apache-2.0",
            "readme": "../README.md",
            "keywords": ["llm"],
            "categories": ["development-tools"],
        })
    }

    #[test]
    fn a_complete_package_passes() {
        let folder = Path::new("/crates/kitbag-text");
        let exists = |path: &Path| path.parent() == Some(folder);
        assert_eq!(violations(&[package()], exists), [""; 0]);
    }

    #[test]
    fn missing_fields_and_licenses_are_reported() {
        let mut package = package();
        package["readme"] = Value::Null;
        package["keywords"] = json!([]);
        assert_eq!(
            violations(&[package], |path| path.ends_with("LICENSE-MIT")),
            [
                "kitbag-text: the manifest lacks `readme`",
                "kitbag-text: the manifest lacks `keywords`",
                "kitbag-text: the crate lacks LICENSE-APACHE",
            ]
        );
    }

    #[test]
    fn packages_that_are_never_published_need_nothing() {
        let package = json!({ "name": "xtask", "publish": [] });
        assert_eq!(violations(&[package], |_| false), [""; 0]);
    }
}

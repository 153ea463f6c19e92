//! The generated pages match the settings.

use super::{resolved, resolved_of_user};
use crate::resolved::ResolvedConfig;
use crate::table;
use crate::yaml::{self, YamlNode, YamlValue};
use crate::{config_init, config_reference, config_schema};
use serde_json::{Map, Value, json};

/// Returns the starter file with every setting uncommented.
fn uncommented() -> String {
    let line = |line: &str| {
        let (margin, rest) = line.split_at(line.len() - line.trim_start().len());
        let rest = match rest.strip_prefix('#') {
            Some(setting) if !setting.starts_with(' ') => setting,
            _ => rest,
        };
        format!("{margin}{rest}\n")
    };
    config_init().lines().map(line).collect()
}

fn values(resolved: &ResolvedConfig) -> Vec<(String, Value)> {
    let value = |key: String| resolved.entry(&key).map(|entry| (key, entry.value.clone()));
    table::keys().filter_map(|(key, _)| value(key)).collect()
}

#[test]
fn starter_file_loads_as_the_defaults() {
    assert_eq!(resolved(&config_init()), resolved(""));
    assert_eq!(values(&resolved_of_user(&uncommented())), values(&ResolvedConfig::defaults()));
}

#[test]
fn starter_file_has_every_setting() {
    let resolved = resolved_of_user(&uncommented());
    for setting in table::settings() {
        let is_set = setting.keys().iter().any(|key| resolved.is_set(key));
        assert!(is_set, "{}", setting.key);
    }
}

// Shows: NFR-016-51
#[test]
fn reference_has_every_setting() {
    let page = config_reference();
    for setting in table::settings() {
        let (_, name) = setting.key.rsplit_once('.').expect("a key has parts");
        assert!(page.contains(&format!("{name}`")), "{}", setting.key);
        assert!(page.contains(&setting.doc()), "{}", setting.key);
    }
}

#[test]
fn schema_accepts_valid_files() {
    let aliases = "context: {providers: {rag: {enabled: true}, semantic: {max_items: 3}}}\n";
    assert_eq!(rejected(aliases), Vec::<String>::new());
    for text in [config_init(), uncommented(), examples()] {
        assert_eq!(rejected(&text), Vec::<String>::new(), "{text}");
        assert!(super::layers(&text, "").is_ok() || text == examples());
    }
}

#[test]
fn schema_rejects_invalid_files() {
    for (text, key) in [
        ("context: {enabled: 5}", "context.enabled"),
        ("context: {budget: {totl: 5}}", "context.budget.totl"),
        ("context: {ranking: {min_score: 1.5}}", "context.ranking.min_score"),
        ("context: {selection: {overflow: drop}}", "context.selection.overflow"),
        ("context: {profiles: {a: {budget: {total: -1}}}}", "context.profiles.a.budget.total"),
        ("context: {profiles: {a: {profiles: {}}}}", "context.profiles.a.profiles"),
        ("contxt: {}", "contxt"),
        ("security: {deny: x}", "security.deny"),
        ("security: {deny: [1]}", "security.deny"),
        ("context: {formatting: {header: 5}}", "context.formatting.header"),
        ("context: {formatting: {separator: true}}", "context.formatting.separator"),
    ] {
        assert_eq!(rejected(text), [key], "{text}");
        assert!(super::layers("", text).is_err(), "{text}");
    }
}

/// Returns a file with the example of every setting, in general and in a profile.
fn examples() -> String {
    let mut root = Map::new();
    for (key, setting) in table::keys() {
        for key in [Some(key.clone()), key.strip_prefix("context.").map(profiled)] {
            let Some(key) = key else { continue };
            let mut parts: Vec<&str> = key.split('.').collect();
            let last = parts.pop().expect("a key has parts");
            let mut here = &mut root;
            for part in parts {
                let inner = here.entry(part).or_insert_with(|| json!({}));
                here = inner.as_object_mut().expect("a section");
            }
            here.insert(last.to_owned(), setting.example());
        }
    }
    Value::Object(root).to_string()
}

fn profiled(key: &str) -> String {
    format!("context.profiles.review.{key}")
}

/// Returns the keys that the schema rejects.
fn rejected(text: &str) -> Vec<String> {
    let schema: Value = serde_json::from_str(&config_schema()).expect("JSON");
    let value = yaml::parse(text).expect("YAML").map_or(Value::Null, |node| json_of(&node));
    let mut rejected = Vec::new();
    validate(&schema, &schema, &value, "", &mut rejected);
    rejected
}

/// Converts YAML to JSON, as an editor does.
fn json_of(node: &YamlNode) -> Value {
    match &node.value {
        YamlValue::Scalar { text, is_quoted: false } => match text.as_str() {
            "" | "~" | "null" => Value::Null,
            text => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        },
        YamlValue::Scalar { text, .. } => text.as_str().into(),
        YamlValue::List(items) => items.iter().map(json_of).collect(),
        YamlValue::Mapping(entries) => {
            entries.iter().map(|it| (it.key.clone(), json_of(&it.node))).collect()
        }
    }
}

/// Validates the subset of JSON Schema that the schema uses.
fn validate(root: &Value, schema: &Value, value: &Value, path: &str, rejected: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|it| it.strip_prefix("#/$defs/")) {
        return validate(root, &root["$defs"][name], value, path, rejected);
    }
    let fits = |schema: &Value| {
        let mut rejected = Vec::new();
        validate(root, schema, value, path, &mut rejected);
        rejected.is_empty()
    };
    let any = schema["anyOf"].as_array().is_none_or(|all| all.iter().any(fits));
    let listed = schema["enum"].as_array().is_none_or(|all| all.contains(value));
    let typed = match &schema["type"] {
        Value::Null => true,
        Value::String(name) => has_type(value, name),
        names => names
            .as_array()
            .expect("names")
            .iter()
            .any(|it| has_type(value, it.as_str().expect("a name"))),
    };
    let number = value.as_f64();
    let bounded = number.is_none_or(|number| {
        schema["minimum"].as_f64().is_none_or(|least| number >= least)
            && schema["maximum"].as_f64().is_none_or(|most| number <= most)
    });
    if !(any && listed && typed && bounded) {
        return rejected.push(path.to_owned());
    }
    for item in value.as_array().into_iter().flatten() {
        validate(root, &schema["items"], item, path, rejected);
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let inner_path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let patterns = schema["patternProperties"].as_object();
        match schema["properties"].get(name).or(patterns.and_then(|it| it.values().next())) {
            Some(known) => validate(root, known, inner, &inner_path, rejected),
            None if schema["additionalProperties"] == json!(false) => rejected.push(inner_path),
            None => {}
        }
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        other => panic!("the schema has a type `{other}`"),
    }
}

//! Tokenizers that the library parses but cannot run: it panics, or their replacements exhaust the
//! memory. What is not found here, such as damaged character maps, is contained by its callers.

use super::spec::{TokenizerSpec, stage_kind, stages};
use serde_json::Value;

/// Maximum factor by which replacements may enlarge a text. They multiply when one replaces the output
/// of another, so that a few dozen could exhaust the memory.
const MAX_GROWTH: usize = 1_024;

/// Returns the reason why a stage of a tokenizer cannot be run, if there is one.
pub(super) fn check_stages(spec: &TokenizerSpec) -> Result<(), String> {
    let mut growth: usize = 1;
    for stage in stages(&spec.normalizer, "normalizers") {
        match stage_kind(&stage) {
            "Replace" => growth = growth.saturating_mul(replacement_growth(&stage)?),
            "Prepend" if stage["prepend"] == "" => {
                return Err("`prepend` of the normalizer `Prepend` is empty".into());
            }
            _ => {}
        }
    }
    if growth > MAX_GROWTH {
        return Err(format!("replacements enlarge some texts more than {MAX_GROWTH} times"));
    }
    for stage in stages(&spec.pre_tokenizer, "pretokenizers") {
        if stage_kind(&stage) == "FixedLength" && stage["length"] == 0 {
            return Err("`length` of the pre-tokenizer `FixedLength` is 0".into());
        }
    }
    Ok(())
}

/// Returns how many times longer than its match a replacement can be.
fn replacement_growth(stage: &Value) -> Result<usize, String> {
    let shortest = match (&stage["pattern"]["Regex"], &stage["pattern"]["String"]) {
        (Value::String(expression), _) => shortest_match(expression),
        (_, Value::String(text)) => text.len(),
        // The library reports the mistake.
        _ => return Ok(1),
    };
    if shortest == 0 {
        return Err("the pattern of the normalizer `Replace` matches the empty string".into());
    }
    let length = stage["content"].as_str().map_or(0, str::len);
    Ok(length.div_ceil(shortest).max(1))
}

/// Returns the length of the shortest match of an expression. One with look-around, which is not
/// parsed here, is tried on a text instead.
fn shortest_match(expression: &str) -> usize {
    match regex_syntax::parse(expression) {
        Ok(hir) => hir.properties().minimum_len().unwrap_or(1),
        Err(_) => match fancy_regex::Regex::new(expression) {
            Ok(expression) => {
                let matches = expression.find_iter(super::PROBE).map_while(Result::ok);
                matches.map(|found| found.as_str().len()).min().unwrap_or(1)
            }
            // The library reports the syntax error.
            Err(_) => 1,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(normalizer: Value, pre_tokenizer: Value) -> Result<(), String> {
        let spec = json!({
            "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": {"type": "BPE"},
        });
        check_stages(&serde_json::from_value(spec).expect("a tokenizer"))
    }

    fn replace(pattern: Value, content: &str) -> Value {
        json!({"type": "Replace", "pattern": pattern, "content": content})
    }

    #[test]
    fn patterns_that_match_the_empty_string_are_refused() {
        for expression in ["", "x*", "^", "$", "\\b", "a|", " ?", "(?=a)", "(?!a)", "(?<=a)x*"] {
            let stage = replace(json!({"Regex": expression}), "b");
            assert!(check(stage, Value::Null).is_err(), "{expression}");
        }
        assert!(check(replace(json!({"String": ""}), "b"), Value::Null).is_err());
        for expression in [" {2,}", "a+", "\\n(?!\\n)", "(?<=a)b", "("] {
            let stage = replace(json!({"Regex": expression}), "b");
            assert_eq!(check(stage, Value::Null), Ok(()), "{expression}");
        }
    }

    #[test]
    fn replacements_that_multiply_are_refused() {
        let sequence = |count: usize| {
            let stages = vec![replace(json!({"String": "a"}), "aa"); count];
            json!({"type": "Sequence", "normalizers": stages})
        };
        assert_eq!(check(sequence(10), Value::Null), Ok(()));
        assert!(check(sequence(11), Value::Null).is_err());
    }

    #[test]
    fn empty_stages_are_refused() {
        assert!(check(json!({"type": "Prepend", "prepend": ""}), Value::Null).is_err());
        let fixed = json!({"type": "FixedLength", "length": 0});
        assert!(check(Value::Null, json!({"type": "Sequence", "pretokenizers": [fixed]})).is_err());
    }
}

//! Words and phrases that the project's English avoids.

/// Phrases that no file may use, in lower case. An underscore in a file counts as a space, so names
/// are checked as well.
const BANNED: [&str; 67] = [
    "all who",
    "analyse",
    "analysed",
    "anew",
    "anybody",
    "are looked at",
    "are no errors",
    "are no part",
    "as it were",
    "at fault",
    "at the least",
    "at the most",
    "be had",
    "behaviour",
    "by and by",
    "came in",
    "colours",
    "for want of",
    "hasty",
    "hitherto",
    "in haste",
    "in its stead",
    "in silence",
    "in the making",
    "is had",
    "is looked at",
    "is no part",
    "is no value",
    "is none of",
    "labelled",
    "learnt",
    "lent",
    "lest",
    "merely met",
    "neighbour",
    "neighbours",
    "nobody",
    "normalise",
    "normalised",
    "of now",
    "of one's own",
    "recognise",
    "recognised",
    "scenery",
    "so many",
    "somebody",
    "stand",
    "stands",
    "summarise",
    "tells",
    "the order of asking",
    "there is one more",
    "therein",
    "thereof",
    "thereupon",
    "told",
    "utilisation",
    "wanting",
    "went out",
    "what became of",
    "whence",
    "wherein",
    "whereof",
    "whereupon",
    "white space",
    "whoever",
    "whosoever",
];

/// Phrases that contain a banned word and are current English.
const ALLOWED: [&str; 5] = ["stand in", "stand for", "stands for", "stands in", "white space: pre"];

/// Files and folders that are not checked: this list, data for tests, and built files.
const EXCLUDED: [&str; 5] =
    ["xtask/src/tidy/words.rs", "/fixtures/", "/dist/", "docs/example/", "/tokenizers/"];

/// Whether the file at `path`, which begins with `text`, is prose or code that people write.
pub fn is_checked(path: &str, text: &str) -> bool {
    let has_extension = [".rs", ".md", ".ts", ".py", ".sh"].iter().any(|it| path.ends_with(it));
    let is_script = path.starts_with("scripts/") && text.starts_with("#!");
    (has_extension || is_script) && !EXCLUDED.iter().any(|it| path.contains(it))
}

/// Every line of a file that has a banned phrase.
pub fn violations(path: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.to_lowercase().replace(['_', '-'], " ");
        for allowed in ALLOWED {
            words = words.replace(allowed, "");
        }
        for banned in BANNED.iter().filter(|banned| has_phrase(&words, banned)) {
            violations.push(format!("{path}:{}: banned: \"{banned}\"", number + 1));
        }
    }
    violations
}

fn has_phrase(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + phrase.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banned_phrases_are_found_in_prose_and_names() {
        let text =
            "fn nobody_waits() {}\n// At the most 3; excellent.\nA name stands for a thing.\n";
        let expected = ["a.rs:1: banned: \"nobody\"", "a.rs:2: banned: \"at the most\""];
        assert_eq!(violations("a.rs", text), expected);
    }

    #[test]
    fn data_is_not_checked() {
        assert!(is_checked("docs/http.md", ""));
        assert!(is_checked("scripts/test", "#!/usr/bin/env bash\n"));
        assert!(!is_checked("crates/kitbag/tests/diagnostics/fixtures/a.py", ""));
        assert!(!is_checked("Cargo.lock", ""));
    }
}

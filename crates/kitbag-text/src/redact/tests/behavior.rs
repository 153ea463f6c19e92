//! Properties of redaction that do not depend on a rule.

use super::super::{find_secrets, marker, redact, redact_key_fragment, redact_str};
use super::examples::spell;
use crate::{Redaction, Text};
use proptest::prelude::*;

fn redacted(content: &str) -> (String, Vec<(u32, &'static str)>) {
    match redact(&Text::new(content)) {
        None => (content.to_owned(), Vec::new()),
        Some((text, redactions)) => {
            let lines = redactions.iter().map(|it| (it.line, it.rule)).collect();
            (text.content().to_owned(), lines)
        }
    }
}

fn key_block(kind: &str, lines: usize, indent: &str, end: &str) -> String {
    let dashes = "-".repeat(5);
    let mut text = format!("{indent}{dashes}BEGIN {kind}PRIVATE KEY{dashes}{end}");
    for seed in 0..lines {
        text += &format!("{indent}{}{end}", spell("{b64}", seed as u64 + 7));
    }
    text + &format!(
        "{indent}{}=={end}{indent}{dashes}END {kind}PRIVATE KEY{dashes}{end}",
        spell("{b6}", 5)
    )
}

#[test]
fn lines_of_a_private_key_are_replaced_separately() {
    for (kind, indent, end) in [("RSA ", "", "\n"), ("", "    ", "\r\n"), ("OPENSSH ", "# ", "\n")]
    {
        let text = format!("before\n{}after\n", key_block(kind, 3, indent, end));
        let (replaced, redactions) = redacted(&text);
        assert_eq!(redactions, [3, 4, 5, 6].map(|line| (line, "private-key")), "{text}");
        let expected = format!("{indent}{}{end}", marker("private-key")).repeat(4);
        assert!(replaced.contains(&expected), "{replaced}");
        assert_eq!(replaced.lines().count(), text.lines().count());
        assert!(replaced.starts_with("before\n") && replaced.ends_with("after\n"));
    }
}

#[test]
fn private_key_in_a_string_keeps_the_string() {
    let dashes = "-".repeat(5);
    let body = spell("{b64}\\n{b64}\\n{b20}==", 3);
    let json = format!(
        "\"key\": \"{dashes}BEGIN PRIVATE KEY{dashes}\\n{body}\\n{dashes}END PRIVATE KEY{dashes}\\n\","
    );
    let (replaced, redactions) = redacted(&json);
    assert_eq!(redactions, [(1, "private-key")]);
    let marker = marker("private-key");
    assert_eq!(replaced, json.replace(&body, &marker));
    let line = spell("{b64}", 9);
    let code = key_block("EC ", 2, "", "\n")
        .lines()
        .map(|it| format!("    \"{it}\\n\" +\n"))
        .collect::<String>();
    let (replaced, redactions) = redacted(&code);
    assert_eq!(redactions.len(), 3, "{replaced}");
    assert!(
        replaced.contains(&format!("    \"{marker}\\n\" +\n")) && !replaced.contains(&line[..20])
    );
}

#[test]
fn truncated_key_is_replaced_and_code_about_keys_is_kept() {
    let block = key_block("", 4, "", "\n");
    let cut: String = block.lines().take(4).map(|it| format!("{it}\n")).collect();
    let (_, redactions) = redacted(&format!("{cut}\nfn main() {{}}\n"));
    assert_eq!(redactions.iter().map(|it| it.0).collect::<Vec<_>>(), [2, 3, 4]);
    let dashes = "-".repeat(5);
    for kept in [
        format!(
            "if line == \"{dashes}BEGIN PRIVATE KEY{dashes}\" {{\n    read_until_the_end(line);\n    let x = 1;\n}}\nif line == \"{dashes}END PRIVATE KEY{dashes}\" {{\n"
        ),
        format!("{dashes}BEGIN PRIVATE KEY{dashes}\n...\n{dashes}END PRIVATE KEY{dashes}\n"),
        format!(
            "{dashes}BEGIN PUBLIC KEY{dashes}\n{}\n{dashes}END PUBLIC KEY{dashes}\n",
            spell("{b64}", 2)
        ),
        format!("{dashes}END PRIVATE KEY{dashes}\n{}\n", spell("{b64}", 2)),
    ] {
        assert_eq!(find_secrets(&kept), [], "{kept}");
    }
}

#[test]
fn key_that_is_cut_at_either_end_or_at_both_is_replaced() {
    let block = key_block("RSA ", 6, "", "\n");
    let lines: Vec<&str> = block.lines().collect();
    let end = format!("{}\nmore\n", lines[3..].join("\n"));
    let (replaced, redactions) = redacted(&end);
    assert_eq!(redactions.iter().map(|it| it.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5], "{replaced}");
    let within_a_line = format!("{}\n", &lines[3..].join("\n")[20..]);
    assert_eq!(redacted(&within_a_line).1.len(), 5);
    let middle = format!("{}\n{}\n$ ls\n", &lines[1][30..], lines[2..6].join("\n"));
    let (text, redactions) = redact_key_fragment(&Text::new(middle)).expect("there is a key");
    assert_eq!(redactions.iter().map(|it| it.line).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(text.content(), format!("{}$ ls\n", "[REDACTED:private-key]\n".repeat(5)));
    let dashes = "-".repeat(5);
    let certificate = format!("{}\n{dashes}END CERTIFICATE{dashes}\n", lines[1..6].join("\n"));
    assert_eq!(redact_key_fragment(&Text::new(certificate.clone())), None);
    assert_eq!(redacted(&certificate).1, []);
    assert_eq!(redact_key_fragment(&Text::new("error\nwarning\nnote\nhelp\n")), None);
}

/// Tools put line numbers, times and signs before lines.
#[test]
fn key_behind_prefixes_is_replaced() {
    let block = key_block("RSA ", 6, "", "\n");
    for prefix in ["+", "12: ", "12:", "id_rsa:12: ", "2024-11-02T10:14:07Z ", "web-1  | ", "  12→"]
    {
        let lines: Vec<String> = block.lines().map(|line| format!("{prefix}{line}")).collect();
        for text in [lines.join("\n"), lines[2..].join("\n")] {
            let (replaced, redactions) = redacted(&text);
            assert!(redactions.len() >= 6, "{replaced}");
            let is_hidden = |line: &str| !replaced.contains(&line[..line.len().min(20)]);
            assert!(block.lines().skip(3).take(4).all(is_hidden), "{replaced}");
        }
        let middle = format!("{}\n$ ls\n", lines[2..6].join("\n"));
        let (replaced, redactions) = redact_key_fragment(&Text::new(middle)).expect("a key");
        assert_eq!(redactions.len(), 4);
        assert_eq!(
            replaced.content(),
            format!("{prefix}[REDACTED:private-key]\n").repeat(4) + "$ ls\n"
        );
    }
}

#[test]
fn token_after_an_underscore_is_replaced() {
    let text = spell("my_gh|p_{A36} X_AK|IA{U16}", 4);
    assert_eq!(redacted(&text).0, "my_[REDACTED:github-token] X_[REDACTED:aws-access-key]");
}

#[test]
fn excerpt_keeps_its_line_numbers() {
    let text = Text::with_first_line(format!("a\n{}\nb", spell("gh|p_{A36} gh|o_{A36}", 4)), 40);
    let (replaced, redactions) = redact(&text).expect("there are secrets");
    assert_eq!(redactions, [Redaction { line: 41, rule: "github-token" }; 2]);
    assert_eq!(replaced.content(), "a\n[REDACTED:github-token] [REDACTED:github-token]\nb");
    assert_eq!(replaced.span(), text.span());
    assert_eq!(redact(&Text::new("nothing here\n")), None);
    assert_eq!(redact_str("fn main"), None);
}

#[test]
fn rule_ids_in_markers_are_not_keywords() {
    let marked = "[REDACTED:github-token] = \"00A0/aAB1012b4C3\"";
    assert_eq!(redact_str(marked), None);
}

#[test]
fn value_found_by_two_rules_is_named_by_the_more_specific_one() {
    let text = spell("api_token = \"gh|p_{A36}\"", 8);
    assert_eq!(redacted(&text).0, "api_token = \"[REDACTED:github-token]\"");
    let text = spell("Authorization: Bearer ey|J{w30}.ey|J{w40}.{w43}", 8);
    assert_eq!(redacted(&text).0, "Authorization: Bearer [REDACTED:jwt]");
}

#[test]
fn secret_beyond_the_window_is_replaced_to_its_end() {
    let text = spell("Authorization: Bearer {A3000} x\npypi-|AgEIcHlwaS5vcmc{w6000}\nend\n", 6);
    let (replaced, _) = redacted(&text);
    let expected =
        "Authorization: Bearer [REDACTED:authorization-header] x\n[REDACTED:pypi-token]\nend\n";
    assert_eq!(replaced, expected);
}

#[test]
fn hostile_texts_are_handled_in_linear_time() {
    let dashes = "-".repeat(5);
    for unit in [
        "password=".to_owned(),
        "password=\"".to_owned(),
        "api_key:".to_owned(),
        "eyJ.".to_owned(),
        "eyJeyJ".to_owned(),
        "://a:".to_owned(),
        "Pwd=aaaa1;".to_owned(),
        format!("{dashes}BEGIN PRIVATE KEY{dashes}"),
        format!("{dashes}BEGIN PRIVATE KEY{dashes}\n"),
        "datadog ".to_owned(),
        "é:AA\u{202e}".to_owned(),
        "Q~".to_owned(),
        "\"password\" ".to_owned(),
        "password,".to_owned(),
        "\n\npassword,a\n".to_owned(),
        "kind: Secret\ndata:\n".to_owned(),
        "| password |\n|--|\n| a |\n".to_owned(),
        "INTO t(password)VALUES(".to_owned(),
        "login(\"a\",".to_owned(),
        "curl -u ".to_owned(),
        "://a:b@".to_owned(),
        "password: a\n".to_owned(),
        "--password a ".to_owned(),
        format!("{dashes}END PRIVATE KEY{dashes}"),
        "Private-Lines: 9999\n".to_owned(),
        "\" \"".to_owned(),
        "\"a\" \"b1cd\"\n".to_owned(),
        "expect \"password ".to_owned(),
        "# client server secret ".to_owned(),
        "line vty \n password a\n".to_owned(),
        "chpasswd:\n a:b\n".to_owned(),
        "snmp community = ".to_owned(),
    ] {
        let text = unit.repeat(100_000 / unit.len());
        let (replaced, _) = redacted(&text);
        assert_eq!(replaced.matches('\n').count(), text.matches('\n').count());
    }
}

/// Fragments of secrets and their surroundings.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        Just("password".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just(" = \"".to_owned()),
        Just("\"".to_owned()),
        Just("://u:".to_owned()),
        Just("@h".to_owned()),
        Just("é日".to_owned()),
        Just(key_block("", 2, "", "\n")),
        "[a-zA-Z0-9+/]{1,40}".prop_map(|it| it),
        (0u64..50).prop_map(|seed| spell("gh|p_{A36}", seed)),
        (0u64..50).prop_map(|seed| spell("api_key: {A32}", seed)),
        (0u64..50).prop_map(|seed| spell("AK|IA{U16}", seed)),
        "\\PC{0,8}",
    ];
    prop::collection::vec(fragment, 0..24).prop_map(|fragments| fragments.concat())
}

proptest! {
    #[test]
    fn redaction_keeps_lines_and_is_idempotent(text in fragments()) {
        let (replaced, redactions) = redacted(&text);
        prop_assert_eq!(replaced.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(redacted(&replaced), (replaced.clone(), vec![]));
        let markers = |text: &str| text.matches("[REDACTED:").count();
        prop_assert_eq!(markers(&replaced), redactions.len());
        for ((old, new), line) in text.split('\n').zip(replaced.split('\n')).zip(1u32..) {
            prop_assert_eq!(old != new, redactions.iter().any(|it| it.0 == line));
        }
    }
}

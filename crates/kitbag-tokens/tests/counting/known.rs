//! Token ids of Python's tiktoken for texts that are easy to get wrong. The full comparison is
//! `scripts/token-differential`; these cases need only cargo.

use kitbag_tokens::{TokenCounter, Vocabulary};

#[track_caller]
fn check(text: &str, o200k: &[u32], cl100k: &[u32]) {
    for (counter, ids) in Vocabulary::ALL.into_iter().zip([o200k, cl100k]) {
        assert_eq!(counter.encode(text), ids, "{text:?} in {}", counter.name());
        assert_eq!(counter.count(text), ids.len(), "{text:?} in {}", counter.name());
    }
}

// Shows: AC-054
#[test]
fn empty_text_has_no_tokens() {
    check("", &[], &[]);
}

// Shows: AC-049, FR-016-71 to FR-016-73, NFR-016-21
#[test]
fn plain_words_and_code() {
    check("hello world", &[24912, 2375], &[15339, 1917]);
    check("fn main() {}\n", &[13682, 2758, 416, 11421], &[8998, 1925, 368, 5731]);
}

#[test]
fn contractions_in_either_case() {
    check(
        "don't stop, I'LL go",
        &[91418, 5666, 11, 3413, 7454, 810],
        &[15357, 956, 3009, 11, 358, 6, 4178, 733],
    );
}

#[test]
fn digits_are_grouped_by_three_and_newlines_together() {
    check(
        "if x:\n    return 1234567\n\n\n// end\n",
        &[366, 1215, 734, 271, 622, 220, 7633, 19354, 22, 2499, 393, 1268, 198],
        &[333, 865, 512, 262, 471, 220, 4513, 10961, 22, 1432, 322, 842, 198],
    );
}

#[test]
fn punctuation_includes_a_newline_and_in_o200k_the_slash_after_it() {
    check("a;\n/b\n", &[64, 30071, 65, 198], &[64, 280, 3554, 198]);
}

#[test]
fn trailing_and_unicode_whitespace() {
    check("x\n   ", &[87, 198, 271], &[87, 198, 262]);
    check("\r\n\t  \r\n", &[370, 18242, 370], &[319, 8860, 319]);
    check("\u{a0}\u{2028}\u{3000}z", &[5310, 51008, 1397, 89], &[4194, 378, 101, 23249, 89]);
}

#[test]
fn scripts_marks_and_emoji() {
    check("naïve café", &[1503, 9954, 737, 30469], &[3458, 38672, 588, 53050]);
    check(
        "日本語のテキスト",
        &[9048, 40909, 3385, 16056, 18368, 38236],
        &[9080, 22656, 45918, 252, 16144, 57933, 62903, 71634],
    );
    check(
        "👨\u{200d}👩\u{200d}👧 family",
        &[28823, 101, 2524, 28823, 102, 2524, 28823, 100, 3502],
        &[9468, 239, 101, 378, 235, 9468, 239, 102, 378, 235, 9468, 239, 100, 3070],
    );
}

#[test]
fn special_token_names_are_ordinary_text() {
    check("<|endoftext|>", &[27, 91, 419, 1440, 919, 91, 29], &[27, 91, 8862, 728, 428, 91, 29]);
}

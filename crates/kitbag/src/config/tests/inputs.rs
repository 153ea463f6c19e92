//! No input panics, and what is accepted is always possible.

use super::layers;
use crate::config::layer::{Authority, Layer};
use crate::config::names::Names;
use crate::config::{RequestOptions, settle, sources};
use proptest::prelude::*;
use std::path::Path;

/// Pieces of which files are made that look like configurations.
const SCRAPS: [&str; 44] = [
    "context:",
    "budget:",
    "total:",
    "ranking:",
    "relevance_weight:",
    "chunking:",
    "languages:",
    "python:",
    "profiles:",
    "review:",
    "security:",
    "deny:",
    "model:",
    "name:",
    " ",
    "  ",
    "    ",
    "\n",
    "\n  ",
    "\n    ",
    "\n      ",
    "\t",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "&a ",
    "*a",
    "!!str ",
    "|\n",
    ">-\n",
    "\"",
    "'",
    "#",
    "---\n",
    "...\n",
    "5",
    "0.5",
    "true",
    "null",
    "lines",
];

fn scraps() -> impl Strategy<Value = String> {
    let scrap = prop_oneof![
        9 => prop::sample::select(&SCRAPS[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(scrap, 0..60).prop_map(|scraps| scraps.concat())
}

proptest! {
    #[test]
    fn no_text_panics(user in scraps(), project in scraps()) {
        if let Ok(layers) = layers(&user, &project) {
            let resolved = layers.resolve(None, &Layer::default()).expect("checked");
            let settled = settle::settle(&resolved);
            prop_assert_eq!(settled.settings.check(), Ok(()));
            prop_assert!(settled.budget.available().is_ok());
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = sources::file(Path::new("config.yml"), &bytes, Authority::Repository, &Names::default());
    }

    #[test]
    fn no_value_of_a_key_panics(
        at in any::<prop::sample::Index>(),
        value in prop_oneof![".*", "-?[0-9._eE+k]{0,24}", "[a-z]{0,8}"],
    ) {
        let keys: Vec<String> = crate::config::table::keys().map(|(key, _)| key).collect();
        let key = at.get(&keys).clone();
        let _ = sources::set(&[(key.clone(), value.clone())], &Names::default());
        for is_remote in [false, true] {
            let pairs = vec![(key.clone(), value.clone().into())];
            let _ = sources::options(&RequestOptions { pairs, is_remote }, &Names::default());
        }
    }
}

#[test]
fn large_and_deep_files_are_refused_quickly() {
    let deep = "[".repeat(200_000);
    assert!(layers("", &deep).is_err());
    let wide = "a: 1\n".repeat(40_000);
    let error = layers("", &wide).err().map(|error| error.problems.len());
    assert_eq!(
        error,
        Some(51),
        "an unknown key, others that are there twice, and that there are more"
    );
    let aliases = "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
    assert!(layers("", aliases).is_err());
}

//! No input panics, and accepted inputs give valid settings.

use super::layers;
use crate::files::ConfigFile;
use crate::keys::KeyRegistry;
use crate::layer::{Authority, Layer};
use crate::resolved::ResolvedConfig;
use crate::settings::EngineSettings;
use crate::{RequestOptions, sources};
use proptest::prelude::*;

/// Fragments that combine to texts resembling configurations.
const FRAGMENTS: [&str; 44] = [
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

fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        9 => prop::sample::select(&FRAGMENTS[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(fragment, 0..60).prop_map(|fragments| fragments.concat())
}

proptest! {
    #[test]
    fn no_text_panics(user in fragments(), project in fragments()) {
        if let Ok(layers) = layers(&user, &project) {
            let resolved = layers.resolve(None, &Layer::default()).expect("checked");
            let settings = EngineSettings::from(&resolved.resolved);
            prop_assert_eq!(settings.settings.check(), Ok(()));
            prop_assert!(settings.budget.available().is_ok());
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let file = ConfigFile::new("config.yml", &bytes);
        let _ = file.layer(Authority::Repository, &KeyRegistry::default());
    }

    #[test]
    fn no_value_panics(
        at in any::<prop::sample::Index>(),
        value in prop_oneof![".*", "-?[0-9._eE+k]{0,24}", "[a-z]{0,8}"],
    ) {
        let keys: Vec<String> = crate::table::keys().map(|(key, _)| key).collect();
        let key = at.get(&keys).clone();
        let pair = [(key.clone(), value.clone())];
        if let Ok(layer) = sources::read_set(&pair, &KeyRegistry::default()) {
            let mut resolved = ResolvedConfig::defaults();
            resolved.apply(&layer.base);
            let _ = EngineSettings::from(&resolved);
        }
        for is_remote in [false, true] {
            let pairs = vec![(key.clone(), value.clone().into())];
            let _ = sources::read_options(&RequestOptions { pairs, is_remote }, &KeyRegistry::default());
        }
    }
}

#[test]
fn large_and_deep_files_are_rejected_quickly() {
    let deep = "[".repeat(200_000);
    assert!(layers("", &deep).is_err());
    let wide = "a: 1\n".repeat(40_000);
    let problems = layers("", &wide).err().map(|error| error.problems.len());
    assert_eq!(problems, Some(51), "an unknown key, duplicates, and a note that there are more");
    let aliases = "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
    assert!(layers("", aliases).is_err());
}

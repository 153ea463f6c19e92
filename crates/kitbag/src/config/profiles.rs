//! Profiles that are built in: named sets of settings.
//!
//! A profile lies above the general settings of all files, and below what a file says for that
//! profile under `context.profiles.<name>`.

use super::layer::{Entries, Entry};
use super::place::Place;
use super::table;

/// The profile of requests that name none.
pub(crate) const DEFAULT_PROFILE: &str = "agent";

/// A profile: its name, and its settings as keys with values.
type Profile = (&'static str, &'static [(&'static str, &'static str)]);

/// The profiles that are built in. `agent` is what the defaults are made for.
const PROFILES: &[Profile] = &[(DEFAULT_PROFILE, &[])];

/// The names of the profiles that are built in.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.0)
}

/// What a profile that is built in says; `None` where there is none of that name.
pub(crate) fn overlay(name: &str) -> Option<Entries> {
    let &(name, pairs) = PROFILES.iter().find(|profile| profile.0 == name)?;
    let entry = |&(key, text): &(&'static str, &'static str)| {
        let setting = table::find(key)?;
        let value = setting.shape.read(&setting.shape.raw(text))?;
        Some((key.to_owned(), Entry { value, place: Place::Profile(name) }))
    };
    Some(pairs.iter().filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_a_profile_is_one() {
        for (name, pairs) in PROFILES {
            let overlay = overlay(name).expect("built in");
            assert_eq!(overlay.len(), pairs.len(), "{name} has a setting that is none");
        }
    }
}

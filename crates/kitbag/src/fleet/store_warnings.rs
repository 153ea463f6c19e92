//! Warnings about the object store, which may have the same problem with each of a thousand repositories.

use kitbag_text::plural;

/// Maximum number of problems that are named.
const MAX_NAMED: usize = 3;

/// Different problems with the store.
#[derive(Debug, Default)]
pub(crate) struct StoreWarnings {
    /// Why an index cannot be saved, if that is so.
    pub unkept: Option<String>,
    named: Vec<String>,
    /// Number of those that are not named.
    others: usize,
}

impl StoreWarnings {
    /// Adds a problem, unless it is known.
    pub fn add(&mut self, warning: String) {
        if self.named.contains(&warning) {
            return;
        }
        match self.named.len() < MAX_NAMED {
            true => self.named.push(warning),
            false => self.others += 1,
        }
    }

    /// Returns the warnings for a report.
    pub fn into_vec(self) -> Vec<String> {
        let more = (self.others > 0)
            .then(|| format!("{} with the store", plural(self.others, "other problem")));
        self.named.into_iter().chain(more).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::StoreWarnings;

    #[test]
    fn each_problem_is_named_once_and_their_number_is_bounded() {
        let mut warnings = StoreWarnings::default();
        for name in ["a", "b", "a", "b", "c", "d", "e"] {
            warnings.add(name.to_owned());
        }
        assert_eq!(warnings.into_vec(), ["a", "b", "c", "2 other problems with the store"]);
    }
}

//! What contents are known by.

use serde::{Deserialize, Serialize};

/// What tells one content, read as one language, from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// Its place in a sorted list. Keys are hashes, so it lies close to where its first bytes say.
    pub(super) fn find_in(&self, keys: &[Self]) -> Option<usize> {
        let [a, b, c, d, ..] = self.0;
        let share = u64::from(u32::from_be_bytes([a, b, c, d]));
        let guess = ((share * keys.len() as u64) >> 32) as usize;
        let (mut low, mut high, mut step) = (guess, guess, 4);
        while low > 0 && keys[low] > *self {
            low = low.saturating_sub(step);
            step *= 2;
        }
        while high < keys.len() && keys[high] < *self {
            high += step;
            step *= 2;
        }
        let end = keys.len().min(high + 1);
        keys[low..end].binary_search(self).ok().map(|at| low + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_found_by_key_wherever_keys_lie() {
        let of = |numbers: &[u32]| -> Vec<Key> {
            let key = |number: &u32| {
                let mut key = [0; 32];
                key[..4].copy_from_slice(&number.to_be_bytes());
                Key(key)
            };
            numbers.iter().map(key).collect()
        };
        let spread: Vec<u32> = (0..500u32).map(|it| it * 8_589_934).collect();
        let low: Vec<u32> = (0..300).collect();
        let high: Vec<u32> = (0..300).map(|it| u32::MAX - 300 + it).collect();
        for numbers in [spread, low, high, vec![5], Vec::new()] {
            let keys = of(&numbers);
            for (at, key) in keys.iter().enumerate() {
                assert_eq!(key.find_in(&keys), Some(at));
                let mut other = *key;
                other.0[31] = 1;
                assert_eq!(other.find_in(&keys), None);
            }
            assert_eq!(Key([0xff; 32]).find_in(&keys), None);
        }
    }
}

//! Verdicts that are known, and asking for those that are not.

use super::{ConditionJudge, JudgeError, PROMPT_VERSION, Question};
use crate::rules::truth::Truth;
use kitbag_core::Cancel;
use lru::LruCache;
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

/// How many verdicts are remembered.
const MOST_VERDICTS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");
/// How many conditions go into a call at the most; the others are undecided.
const MOST_CONDITIONS: usize = 500;
/// A longer condition is not judged.
const MOST_CONDITION_BYTES: usize = 4_000;

/// Verdicts by condition, situation, judge and prompt. Hashes are kept, and no texts.
#[derive(Debug)]
pub struct JudgeCache(Mutex<LruCache<[u8; 32], Truth>>);

impl Default for JudgeCache {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MOST_VERDICTS)))
    }
}

impl JudgeCache {
    fn get(&self, key: &[u8; 32]) -> Option<Truth> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    fn put(&self, key: [u8; 32], verdict: Truth) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(key, verdict);
    }
}

/// The verdicts on some conditions, and how they came about.
#[derive(Debug, Clone, Default)]
pub(in crate::rules) struct Judged {
    pub verdicts: Vec<Truth>,
    /// Who was asked, or had been.
    pub by: Option<String>,
    /// Why nobody answered.
    pub error: Option<JudgeError>,
    /// How many conditions were asked about now.
    pub asked: usize,
}

/// The verdicts on conditions: those that are known, and all others by one call.
pub(in crate::rules) fn judge_all(
    judge: &dyn ConditionJudge,
    cache: &JudgeCache,
    question: Question<'_>,
    cancel: &Cancel,
) -> Result<Judged, JudgeError> {
    let identity = judge.identity();
    let keys: Vec<[u8; 32]> =
        question.conditions.iter().map(|it| key(it, question.situation, &identity)).collect();
    let known: Vec<Option<Truth>> = keys.iter().map(|key| cache.get(key)).collect();
    let open: Vec<usize> = (0..keys.len())
        .filter(|&at| known[at].is_none())
        .filter(|&at| question.conditions[at].len() <= MOST_CONDITION_BYTES)
        .take(MOST_CONDITIONS)
        .collect();
    let mut judged = Judged { by: Some(judge.name().to_owned()), ..Judged::default() };
    judged.verdicts = known.iter().map(|it| it.unwrap_or(Truth::Undecided)).collect();
    if open.is_empty() {
        return Ok(judged);
    }
    judged.asked = open.len();
    let conditions: Vec<&str> = open.iter().map(|&at| question.conditions[at]).collect();
    match judge.judge(Question { conditions: &conditions, ..question }, cancel) {
        Ok(answers) if answers.len() == open.len() => {
            for (&at, answer) in open.iter().zip(answers) {
                cache.put(keys[at], answer);
                judged.verdicts[at] = answer;
            }
        }
        Ok(_) => judged.error = Some(JudgeError::Malformed { reason: "it leaves a condition out" }),
        Err(JudgeError::Cancelled) => return Err(JudgeError::Cancelled),
        Err(error) => judged.error = Some(error),
    }
    Ok(judged)
}

/// What a verdict hangs on. The length of each part goes in too, so that no two ways of cutting
/// give the same.
fn key(condition: &str, situation: &str, identity: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(PROMPT_VERSION.to_le_bytes());
    for part in [condition, situation, identity] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

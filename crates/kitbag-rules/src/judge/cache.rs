//! Cached verdicts, and calls to the judge for the others.

use super::prompt::PROMPT_VERSION;
use super::{ConditionJudge, JudgeError, JudgeQuestion};
use crate::model::ConditionOutcome;
use kitbag_core::{Cancel, Cancelled};
use lru::LruCache;
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of cached verdicts.
const MAX_VERDICTS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");
/// Maximum number of conditions in a call; further ones are undecided.
const MAX_CONDITIONS: usize = 500;
/// Maximum length of a condition; longer ones are undecided.
const MAX_CONDITION_BYTES: usize = 4_000;

/// Time during which an unavailable judge is not called again.
const BACKOFF: Duration = Duration::from_secs(10);
/// Minimum timeout after which a judge counts as unavailable. A shorter one says nothing about it.
const MIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Verdicts by hash of condition, situation, judge and prompt. Texts are not kept.
#[derive(Debug)]
pub(crate) struct JudgeCache {
    verdicts: Mutex<LruCache<[u8; 32], ConditionOutcome>>,
    unavailable: Mutex<Option<UnavailableJudge>>,
}

/// A judge that is not called for a while.
#[derive(Debug)]
struct UnavailableJudge {
    identity: String,
    error: JudgeError,
    until: Instant,
}

impl Default for JudgeCache {
    fn default() -> Self {
        let verdicts = Mutex::new(LruCache::new(MAX_VERDICTS));
        Self { verdicts, unavailable: Mutex::default() }
    }
}

impl JudgeCache {
    fn verdicts(&self) -> MutexGuard<'_, LruCache<[u8; 32], ConditionOutcome>> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last error of a judge that is currently unavailable.
    fn unavailable(&self, identity: &str) -> Option<JudgeError> {
        let judge = self.unavailable.lock().unwrap_or_else(PoisonError::into_inner);
        let judge = judge.as_ref()?;
        (judge.identity == identity && Instant::now() < judge.until).then(|| judge.error.clone())
    }

    /// Marks a judge as unavailable, unless the error is of another kind or the timeout was short.
    fn back_off(&self, identity: &str, error: &JudgeError) {
        let is_unavailable = match error {
            JudgeError::Timeout { ms } => u128::from(*ms) >= MIN_TIMEOUT.as_millis(),
            JudgeError::Busy { .. } | JudgeError::Unreachable { .. } => true,
            _ => false,
        };
        if is_unavailable {
            let (identity, error) = (identity.to_owned(), error.clone());
            let judge = UnavailableJudge { identity, error, until: Instant::now() + BACKOFF };
            *self.unavailable.lock().unwrap_or_else(PoisonError::into_inner) = Some(judge);
        }
    }
}

/// Verdicts on conditions.
#[derive(Debug, Clone, Default)]
pub(crate) struct JudgeOutcome {
    pub verdicts: Vec<ConditionOutcome>,
    /// Name of the judge.
    pub by: Option<String>,
    /// The failure, if the judge did not answer.
    pub error: Option<JudgeError>,
}

/// Returns the cached verdicts, and judges all other conditions in one call.
pub(crate) fn judge_all(
    judge: &dyn ConditionJudge,
    cache: &JudgeCache,
    question: JudgeQuestion<'_>,
    cancel: &Cancel,
) -> Result<JudgeOutcome, Cancelled> {
    let identity = judge.identity();
    let keys: Vec<[u8; 32]> =
        question.conditions.iter().map(|it| key(it, question.situation, &identity)).collect();
    let known: Vec<Option<ConditionOutcome>> =
        keys.iter().map(|key| cache.verdicts().get(key).copied()).collect();
    let open: Vec<usize> = (0..keys.len())
        .filter(|&at| known[at].is_none())
        .filter(|&at| question.conditions[at].len() <= MAX_CONDITION_BYTES)
        .take(MAX_CONDITIONS)
        .collect();
    let mut judged = JudgeOutcome { by: Some(judge.name().to_owned()), ..JudgeOutcome::default() };
    judged.verdicts = known.iter().map(|it| it.unwrap_or(ConditionOutcome::Undecided)).collect();
    if open.is_empty() {
        return Ok(judged);
    }
    if let Some(error) = cache.unavailable(&identity) {
        judged.error = Some(error);
        return Ok(judged);
    }
    let conditions: Vec<&str> = open.iter().map(|&at| question.conditions[at]).collect();
    let question = JudgeQuestion { conditions: &conditions, ..question };
    match judge.judge(question, cancel) {
        Ok(answers) if answers.len() == open.len() => {
            for (&at, answer) in open.iter().zip(answers) {
                cache.verdicts().put(keys[at], answer);
                judged.verdicts[at] = answer;
            }
        }
        Ok(_) => judged.error = Some(JudgeError::Malformed { reason: "missing condition" }),
        Err(JudgeError::Cancelled) => return Err(Cancelled),
        Err(error) => {
            cache.back_off(&identity, &error);
            judged.error = Some(error);
        }
    }
    Ok(judged)
}

/// Hashes the inputs of a verdict, each with its length, so that different inputs do not collide.
fn key(condition: &str, situation: &str, identity: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(PROMPT_VERSION.to_le_bytes());
    for part in [condition, situation, identity] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

//! Verdicts that are known, and asking for those that are not.

use super::{ConditionJudge, JudgeError, PROMPT_VERSION, Question};
use crate::rules::truth::Truth;
use kitbag_core::Cancel;
use lru::LruCache;
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many verdicts are remembered.
const MOST_VERDICTS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");
/// How many conditions go into a call at the most; the others are undecided.
const MOST_CONDITIONS: usize = 500;
/// A longer condition is not judged.
const MOST_CONDITION_BYTES: usize = 4_000;

/// A judge that could not be reached is left alone for so long.
const REST: Duration = Duration::from_secs(10);
/// A judge that gave no answer for so long could not be reached.
const PATIENCE: Duration = Duration::from_secs(1);

/// Verdicts by condition, situation, judge and prompt. Hashes are kept, and no texts.
#[derive(Debug)]
pub struct JudgeCache {
    verdicts: Mutex<LruCache<[u8; 32], Truth>>,
    /// The judge that could not be reached of late, why, and until when it is not asked again.
    resting: Mutex<Option<(String, JudgeError, Instant)>>,
}

impl Default for JudgeCache {
    fn default() -> Self {
        let verdicts = Mutex::new(LruCache::new(MOST_VERDICTS));
        Self { verdicts, resting: Mutex::default() }
    }
}

impl JudgeCache {
    fn get(&self, key: &[u8; 32]) -> Option<Truth> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner).get(key).copied()
    }

    fn put(&self, key: [u8; 32], verdict: Truth) {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner).put(key, verdict);
    }

    /// Why a judge is not asked at the moment.
    fn resting(&self, identity: &str) -> Option<JudgeError> {
        let resting = self.resting.lock().unwrap_or_else(PoisonError::into_inner);
        let (who, why, until) = resting.as_ref()?;
        (who == identity && Instant::now() < *until).then(|| why.clone())
    }

    /// Leaves a judge alone for a while, if asking it again at once would only take time. One that
    /// was hardly waited for is not to blame.
    fn rest(&self, identity: &str, why: &JudgeError) {
        let tires = match why {
            JudgeError::Timeout { ms } => u128::from(*ms) >= PATIENCE.as_millis(),
            JudgeError::Busy { .. } | JudgeError::Unreachable { .. } => true,
            _ => false,
        };
        if tires {
            let resting = (identity.to_owned(), why.clone(), Instant::now() + REST);
            *self.resting.lock().unwrap_or_else(PoisonError::into_inner) = Some(resting);
        }
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

/// The verdicts on conditions: those that are known, and all others by one call, which has to be done
/// at a given time.
pub(in crate::rules) fn judge_all(
    judge: &dyn ConditionJudge,
    cache: &JudgeCache,
    question: Question<'_>,
    (until, cancel): (Option<Instant>, &Cancel),
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
    if let Some(why) = cache.resting(&identity) {
        judged.error = Some(why);
        return Ok(judged);
    }
    judged.asked = open.len();
    let conditions: Vec<&str> = open.iter().map(|&at| question.conditions[at]).collect();
    match ask(judge, Question { conditions: &conditions, ..question }, (until, cancel)) {
        Ok(answers) if answers.len() == open.len() => {
            for (&at, answer) in open.iter().zip(answers) {
                cache.put(keys[at], answer);
                judged.verdicts[at] = answer;
            }
        }
        Ok(_) => judged.error = Some(JudgeError::Malformed { reason: "it leaves a condition out" }),
        Err(JudgeError::Cancelled) => return Err(JudgeError::Cancelled),
        Err(error) => {
            cache.rest(&identity, &error);
            judged.error = Some(error);
        }
    }
    Ok(judged)
}

/// Asks a judge. When its time is over, its flag is raised.
fn ask(
    judge: &dyn ConditionJudge,
    question: Question<'_>,
    (until, cancel): (Option<Instant>, &Cancel),
) -> Result<Vec<Truth>, JudgeError> {
    let Some(until) = until else { return judge.judge(question, cancel) };
    let left = until.saturating_duration_since(Instant::now());
    let late = JudgeError::Timeout { ms: u64::try_from(left.as_millis()).unwrap_or(u64::MAX) };
    if left.is_zero() {
        return Err(late);
    }
    let limited = cancel.child();
    thread::scope(|scope| {
        let (asking, is_asking) = mpsc::channel::<()>();
        let flag = limited.clone();
        scope.spawn(move || {
            if is_asking.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                flag.cancel();
            }
        });
        let answer = judge.judge(question, &limited);
        drop(asking);
        match answer {
            Err(JudgeError::Cancelled) if cancel.check().is_ok() => Err(late),
            answer => answer,
        }
    })
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

//! Calls providers on separate threads, a bounded number at a time. Each call is subject to its own
//! timeout, and all of them to the time at which packing must begin.
//!
//! An abandoned call is cancelled and not waited for. If it ignores the cancellation, its thread
//! keeps running; a provider with too many such calls is not called again until they end.

use super::abandoned::{CallGuard, MAX_ABANDONED, start_call};
use super::plan::{Plan, Planned, PlannedState};
use crate::error::Error;
use crate::exec::{catch_panic, spawn_thread};
use crate::gather::provider::{Gathered, Gathering, Needs, ProviderError};
use crate::index::{Cancels, Prepared, Step};
use kitbag_core::{Cancel, PackError};
use kitbag_record::ProviderOutcome;
use kitbag_repo::WorkTree;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Interval at which the caller's cancellation is checked while no message arrives.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

pub(crate) struct ProviderAnswer {
    pub outcome: ProviderOutcome,
    /// Error message, if the provider failed.
    pub failure: Option<String>,
    pub gathered: Gathered,
    pub duration: Duration,
}

impl ProviderAnswer {
    fn without_sources(outcome: ProviderOutcome, duration: Duration) -> Self {
        Self { outcome, failure: None, gathered: Gathered::default(), duration }
    }
}

/// Brings the index up to date and reports every step.
pub(crate) type PrepareIndex =
    Box<dyn FnOnce(&Cancels, &mut dyn FnMut(Step)) -> Result<Prepared, Error> + Send>;

/// The providers to call, and the time limits.
pub(crate) struct ProviderCalls<'a> {
    pub plan: &'a Plan,
    pub gathering: &'a Gathering,
    pub prepare: PrepareIndex,
    /// Time at which reading the history stops.
    pub history_by: Option<Instant>,
    /// Time at which indexing stops. Packing continues with the files indexed by then.
    pub indexed_by: Option<Instant>,
    /// Time at which packing must begin.
    pub until: Option<Instant>,
}

/// Calls the providers while the index is brought up to date. Returns one answer per provider, and
/// the part of the repository's data that was available in time.
pub(crate) fn call_providers(
    calls: ProviderCalls<'_>,
) -> Result<(Vec<ProviderAnswer>, Option<Arc<Prepared>>), Error> {
    let (providers, cancel) = (&calls.plan.providers, &calls.gathering.cancel);
    let cancels = Cancels::new(cancel);
    let _guard = CancelOnDrop(cancels.request.clone());
    let (sender, receiver) = channel();
    spawn_indexing(calls.prepare, cancels.clone(), sender.clone())?;
    let mut round = Round {
        calls: providers.iter().map(|planned| Call::new(planned.state)).collect(),
        early: early_calls(providers, calls.gathering),
        providers,
        gathering: calls.gathering,
        tree: None,
        prepared: None,
        until: calls.until,
        is_indexed: false,
        cancels,
        sender,
    };
    loop {
        cancel.check().map_err(PackError::from)?;
        round.start_calls(calls.plan.parallelism);
        let now = Instant::now();
        round.give_up_slow(now);
        if calls.history_by.is_some_and(|history_by| now >= history_by) {
            round.cancels.history.cancel();
        }
        if calls.indexed_by.is_some_and(|indexed_by| now >= indexed_by) {
            round.cancels.indexing.cancel();
        }
        if round.is_done() {
            break;
        }
        if calls.until.is_some_and(|until| now >= until) {
            round.give_up_all();
            break;
        }
        round.wait(&receiver, now)?;
    }
    let (prepared, calls) = (round.prepared.take(), round.calls);
    Ok((calls.into_iter().map(Call::answer).collect(), prepared))
}

/// Returns which providers do not wait, because time is short and they can do without what they need.
fn early_calls(providers: &[Planned], gathering: &Gathering) -> Vec<bool> {
    let is_early = |planned: &Planned| {
        gathering.has_deadline
            && planned.state == PlannedState::Called
            && planned.registered.provider.starts_early(gathering)
    };
    providers.iter().map(is_early).collect()
}

/// Cancels all remaining work for the request.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

enum Message {
    Step(Step),
    Indexed(Box<Result<Prepared, Error>>),
    Answered(usize, Result<Gathered, ProviderError>),
}

fn spawn_indexing(
    prepare: PrepareIndex,
    cancels: Cancels,
    sender: Sender<Message>,
) -> Result<(), Error> {
    spawn_thread("kitbag-index", move || {
        // Sending fails once the request has stopped waiting, which is fine.
        let mut report = |step: Step| drop(sender.send(Message::Step(step)));
        let prepared =
            catch_panic(|| prepare(&cancels, &mut report)).unwrap_or(Err(Error::Internal));
        let _ = sender.send(Message::Indexed(Box::new(prepared)));
    })
}

/// The calls of one request.
struct Round<'a> {
    calls: Vec<Call>,
    /// Whether each call starts before the data that its provider needs is available.
    early: Vec<bool>,
    providers: &'a [Planned],
    gathering: &'a Gathering,
    tree: Option<Arc<WorkTree>>,
    prepared: Option<Arc<Prepared>>,
    until: Option<Instant>,
    /// Whether indexing has ended, so that no more data will become available.
    is_indexed: bool,
    cancels: Cancels,
    sender: Sender<Message>,
}

/// State of the call to one provider.
enum Call {
    Waiting,
    /// Dropping the guard abandons the call.
    Running {
        since: Instant,
        _guard: CallGuard,
    },
    Done(ProviderAnswer),
}

impl Call {
    fn new(state: PlannedState) -> Self {
        match state {
            PlannedState::Called => Self::Waiting,
            PlannedState::Idle => Self::done(ProviderOutcome::Empty, Duration::ZERO),
            PlannedState::Off => Self::done(ProviderOutcome::Off, Duration::ZERO),
        }
    }

    fn done(outcome: ProviderOutcome, duration: Duration) -> Self {
        Self::Done(ProviderAnswer::without_sources(outcome, duration))
    }

    fn failed(why: String, duration: Duration) -> Self {
        let failed = ProviderAnswer::without_sources(ProviderOutcome::Failed, duration);
        Self::Done(ProviderAnswer { failure: Some(why), ..failed })
    }

    fn answer(self) -> ProviderAnswer {
        match self {
            Self::Done(answer) => answer,
            Self::Waiting | Self::Running { .. } => {
                ProviderAnswer::without_sources(ProviderOutcome::Late, Duration::ZERO)
            }
        }
    }
}

impl Round<'_> {
    /// Whether there is nothing left to wait for. Indexing is always waited for, because it
    /// provides the times at which files changed.
    fn is_done(&self) -> bool {
        self.is_indexed && self.calls.iter().all(|call| matches!(call, Call::Done(_)))
    }

    fn is_waiting(&self, at: usize) -> bool {
        matches!(self.calls[at], Call::Waiting)
    }

    /// Whether the data that a provider needs is available.
    fn is_ready(&self, at: usize) -> bool {
        match self.providers[at].registered.provider.needs() {
            _ if self.early[at] => true,
            Needs::Nothing => true,
            // Once indexing is cancelled, named files are looked up one by one.
            Needs::Files => self.tree.is_some() || self.cancels.indexing.is_cancelled(),
            // Once reading it is cancelled, the history of the document alone is read.
            Needs::RecentHistory => self.prepared.is_some() || self.cancels.history.is_cancelled(),
            Needs::History => self.prepared.is_some(),
            Needs::Index => self.prepared.as_ref().is_some_and(|it| it.view.is_some()),
        }
    }

    /// Starts as many calls as may run, in order of registration.
    fn start_calls(&mut self, parallelism: usize) {
        let running = self.calls.iter().filter(|call| matches!(call, Call::Running { .. })).count();
        let ready: Vec<usize> = (0..self.calls.len())
            .filter(|&at| self.is_waiting(at) && self.is_ready(at))
            .take(parallelism.saturating_sub(running))
            .collect();
        for at in ready {
            self.calls[at] = self.call(at);
        }
    }

    fn call(&self, at: usize) -> Call {
        let planned = &self.providers[at];
        let abandoned = Arc::clone(&planned.registered.abandoned);
        if abandoned.is_full() {
            let why = format!("{MAX_ABANDONED} earlier calls are still running");
            return Call::failed(why, Duration::ZERO);
        }
        let (cancel, times_out) = (self.cancels.request.child(), Instant::now() + planned.timeout);
        let gathering = Gathering {
            tree: self.tree.clone(),
            prepared: self.prepared.clone(),
            limits: planned.limits,
            until: Some(self.until.map_or(times_out, |until| until.min(times_out))),
            cancel: cancel.clone(),
            ..self.gathering.clone()
        };
        let (guard, running) = start_call(abandoned, cancel);
        let (sender, provider) = (self.sender.clone(), Arc::clone(&planned.registered.provider));
        let work = move || {
            let answer = catch_panic(|| provider.gather(&gathering));
            let answer = answer.unwrap_or_else(|why| Err(ProviderError::Failed(why)));
            drop(running);
            let _ = sender.send(Message::Answered(at, answer));
        };
        match spawn_thread(&format!("kitbag-{}", planned.id()), work) {
            Ok(()) => Call::Running { since: Instant::now(), _guard: guard },
            Err(error) => Call::failed(error.to_string(), Duration::ZERO),
        }
    }

    /// Abandons the calls that have timed out.
    fn give_up_slow(&mut self, now: Instant) {
        for (call, planned) in self.calls.iter_mut().zip(self.providers) {
            if let Call::Running { since, .. } = call
                && now.duration_since(*since) >= planned.timeout
            {
                *call = Call::done(ProviderOutcome::TimedOut, now.duration_since(*since));
            }
        }
    }

    /// Abandons all calls that have not ended, because packing must begin.
    fn give_up_all(&mut self) {
        self.cancels.request.cancel();
        for call in &mut self.calls {
            let duration = match call {
                Call::Done(_) => continue,
                Call::Waiting => Duration::ZERO,
                Call::Running { since, .. } => since.elapsed(),
            };
            *call = Call::done(ProviderOutcome::Late, duration);
        }
    }

    /// Waits for the next message or timeout.
    fn wait(&mut self, receiver: &Receiver<Message>, now: Instant) -> Result<(), Error> {
        let ends = self.calls.iter().zip(self.providers).filter_map(|(call, planned)| match call {
            Call::Running { since, .. } => Some(*since + planned.timeout),
            _ => None,
        });
        let poll = now + POLL_INTERVAL;
        let next = ends.chain(self.until).min().unwrap_or(poll).min(poll);
        match receiver.recv_timeout(next.saturating_duration_since(now)) {
            Ok(message) => self.receive(message),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Internal),
        }
    }

    fn receive(&mut self, message: Message) -> Result<(), Error> {
        match message {
            Message::Step(Step::Walked(tree)) => self.tree = Some(tree),
            Message::Step(Step::Ready(prepared)) => self.prepared = Some(prepared),
            Message::Indexed(prepared) => self.indexed(*prepared)?,
            Message::Answered(at, answer) => self.answered(at, answer)?,
        }
        Ok(())
    }

    fn answered(
        &mut self,
        at: usize,
        answer: Result<Gathered, ProviderError>,
    ) -> Result<(), Error> {
        // The answer of an abandoned call is ignored.
        let Call::Running { since, .. } = &self.calls[at] else { return Ok(()) };
        let duration = since.elapsed();
        self.calls[at] = match answer {
            Ok(gathered) => {
                let is_empty = gathered.inputs.sources.is_empty();
                let outcome = if is_empty { ProviderOutcome::Empty } else { ProviderOutcome::Ok };
                Call::Done(ProviderAnswer { outcome, failure: None, gathered, duration })
            }
            Err(ProviderError::Request(error)) => return Err(*error),
            Err(ProviderError::Failed(why)) => Call::failed(why, duration),
            Err(ProviderError::Cancelled(cancelled)) => {
                Call::failed(cancelled.to_string(), duration)
            }
        };
        Ok(())
    }

    /// Records that indexing has ended. Providers that need more data than is available are not
    /// called.
    fn indexed(&mut self, prepared: Result<Prepared, Error>) -> Result<(), Error> {
        self.is_indexed = true;
        match prepared {
            Ok(prepared) => self.prepared = Some(Arc::new(prepared)),
            Err(error) if error.is_cancelled() => {}
            Err(error) => return Err(error),
        }
        for at in 0..self.calls.len() {
            if self.is_waiting(at) && !self.is_ready(at) {
                self.calls[at] = Call::done(ProviderOutcome::Late, Duration::ZERO);
            }
        }
        Ok(())
    }
}

//! Asking providers: each on a thread of its own, so many at a time, each under its timeout, and all
//! until the moment at which packing has to begin.
//!
//! A thread that is given up has its flag raised and is not waited for. One that never looks at the
//! flag goes on alone; when too many calls of a provider do, it is not asked any more until they end.

use super::life::{Awaited, MOST_ABANDONED, begin};
use super::plan::{Planned, State};
use crate::error::Error;
use crate::indexes::{Prepared, Step, Stops};
use crate::provider::{Gathered, Gathering, Needs, ProviderError};
use kitbag_core::{Cancel, PackError};
use kitbag_repo::WorkTree;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often the caller's flag is looked at while nothing arrives.
const LOOK: Duration = Duration::from_millis(5);

/// What became of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Ok,
    Empty,
    /// It took longer than it may.
    TimedOut,
    Failed(String),
    /// It is switched off.
    Off,
    /// The time to pack had come.
    Late,
}

/// What one provider came to.
pub(crate) struct Answer {
    pub outcome: Outcome,
    pub gathered: Gathered,
    pub took: Duration,
}

/// Makes the repository ready, and tells of every step.
pub(crate) type Preparing =
    Box<dyn FnOnce(&Stops, &mut dyn FnMut(Step)) -> Result<Prepared, Error> + Send>;

/// What is asked, and until when.
pub(crate) struct Asking<'a> {
    pub providers: &'a [Planned],
    pub parallelism: usize,
    /// What every provider may look at.
    pub gathering: &'a Gathering,
    /// Makes the repository ready, on a thread of its own.
    pub prepare: Preparing,
    /// When it has to be ready: what is not known then is done without.
    pub ready_by: Option<Instant>,
    /// When packing has to begin.
    pub until: Option<Instant>,
    pub cancel: &'a Cancel,
}

/// Asks the providers, and makes the repository ready. Comes with one answer for each provider, and
/// what was known of the repository in time.
pub(crate) fn ask(asking: Asking<'_>) -> Result<(Vec<Answer>, Option<Arc<Prepared>>), Error> {
    let all = asking.cancel.child();
    let _stop = StopOnDrop(all.clone());
    let (sender, receiver) = channel();
    let preparing = all.child();
    let stops = Stops { all: all.clone(), haste: preparing.clone() };
    prepare(asking.prepare, stops, sender.clone())?;
    let mut round = Round {
        calls: asking.providers.iter().map(|planned| Call::new(planned.state)).collect(),
        providers: asking.providers,
        gathering: asking.gathering,
        tree: None,
        prepared: None,
        until: asking.until,
        is_prepared: false,
        preparing,
        sender,
        all,
    };
    loop {
        asking.cancel.check().map_err(PackError::from)?;
        round.start(asking.parallelism);
        let now = Instant::now();
        round.give_up_slow(now);
        if asking.ready_by.is_some_and(|ready_by| now >= ready_by) {
            round.preparing.cancel();
        }
        if round.is_done() {
            break;
        }
        if asking.until.is_some_and(|until| now >= until) {
            round.give_up_all();
            break;
        }
        round.wait(&receiver, asking.until, now)?;
    }
    let (prepared, calls) = (round.prepared.take(), round.calls);
    Ok((calls.into_iter().map(Call::answer).collect(), prepared))
}

/// Raises a flag when it goes: whoever still works for this request may stop.
struct StopOnDrop(Cancel);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

enum Message {
    Step(Step),
    Prepared(Box<Result<Prepared, Error>>),
    Answered(usize, Result<Gathered, ProviderError>),
    Panicked(usize, String),
}

fn prepare(work: Preparing, stops: Stops, sender: Sender<Message>) -> Result<(), Error> {
    let run = move || {
        // Whoever gave up waiting misses nothing.
        let mut tell = |step: Step| drop(sender.send(Message::Step(step)));
        let prepared = catch_unwind(AssertUnwindSafe(|| work(&stops, &mut tell)));
        let _ = sender.send(Message::Prepared(Box::new(prepared.unwrap_or(Err(Error::Lost)))));
    };
    let thread = std::thread::Builder::new().name("kitbag-index".to_owned());
    thread.spawn(run).map(drop).map_err(Error::Thread)
}

/// The calls of one request.
struct Round<'a> {
    calls: Vec<Call>,
    providers: &'a [Planned],
    gathering: &'a Gathering,
    /// What is known of the repository so far, and whether no more will be.
    tree: Option<Arc<WorkTree>>,
    prepared: Option<Arc<Prepared>>,
    until: Option<Instant>,
    is_prepared: bool,
    /// Once it is up, the repository is as ready as it gets.
    preparing: Cancel,
    sender: Sender<Message>,
    all: Cancel,
}

/// One provider's call.
enum Call {
    Waiting,
    /// Dropping it gives it up.
    Running {
        since: Instant,
        _awaited: Awaited,
    },
    Done(Answer),
}

impl Call {
    fn new(state: State) -> Self {
        match state {
            State::Asked => Self::Waiting,
            State::Idle => Self::done(Outcome::Empty, Duration::ZERO),
            State::Off => Self::done(Outcome::Off, Duration::ZERO),
        }
    }

    fn done(outcome: Outcome, took: Duration) -> Self {
        Self::Done(Answer { outcome, gathered: Gathered::default(), took })
    }

    fn answer(self) -> Answer {
        match self {
            Self::Done(answer) => answer,
            Self::Waiting | Self::Running { .. } => Answer {
                outcome: Outcome::Late,
                gathered: Gathered::default(),
                took: Duration::ZERO,
            },
        }
    }
}

impl Round<'_> {
    /// Whether there is nothing to wait for any more. The repository is always waited for: it knows
    /// the times of files.
    fn is_done(&self) -> bool {
        self.is_prepared && self.calls.iter().all(|call| matches!(call, Call::Done(_)))
    }

    /// Whether enough is known of the repository to ask a provider.
    fn has(&self, needs: Needs) -> bool {
        match needs {
            Needs::Nothing => true,
            // In haste the files that are named are looked up one by one.
            Needs::Files => self.tree.is_some() || self.preparing.is_cancelled(),
            Needs::Past => self.prepared.is_some(),
            Needs::Index => self.prepared.as_ref().is_some_and(|it| it.view.is_some()),
        }
    }

    /// Starts as many calls as may run, in the order of registration.
    fn start(&mut self, parallelism: usize) {
        let running = self.calls.iter().filter(|call| matches!(call, Call::Running { .. })).count();
        let ready: Vec<usize> = (0..self.calls.len())
            .filter(|&at| matches!(self.calls[at], Call::Waiting))
            .filter(|&at| self.has(self.providers[at].registered.provider.needs()))
            .take(parallelism.saturating_sub(running))
            .collect();
        for at in ready {
            self.calls[at] = self.call(at);
        }
    }

    fn call(&self, at: usize) -> Call {
        let planned = &self.providers[at];
        let abandoned = Arc::clone(&planned.registered.abandoned);
        if abandoned.are_too_many() {
            let why = format!("{MOST_ABANDONED} earlier calls of it have not ended");
            return Call::done(Outcome::Failed(why), Duration::ZERO);
        }
        let (cancel, ends) = (self.all.child(), Instant::now() + planned.timeout);
        let gathering = Gathering {
            tree: self.tree.clone(),
            prepared: self.prepared.clone(),
            limits: planned.limits,
            until: Some(self.until.map_or(ends, |until| until.min(ends))),
            cancel: cancel.clone(),
            ..self.gathering.clone()
        };
        let (awaited, answering) = begin(abandoned, cancel);
        let (sender, provider) = (self.sender.clone(), Arc::clone(&planned.registered.provider));
        let work = move || {
            let answer = catch_unwind(AssertUnwindSafe(|| provider.gather(&gathering)));
            drop(answering);
            let _ = sender.send(match answer {
                Ok(answer) => Message::Answered(at, answer),
                Err(panic) => Message::Panicked(at, told(&*panic)),
            });
        };
        let thread = std::thread::Builder::new().name(format!("kitbag-{}", planned.id()));
        match thread.spawn(work) {
            Ok(_) => Call::Running { since: Instant::now(), _awaited: awaited },
            Err(error) => Call::done(Outcome::Failed(error.to_string()), Duration::ZERO),
        }
    }

    /// Gives up the calls that took longer than they may.
    fn give_up_slow(&mut self, now: Instant) {
        for (call, planned) in self.calls.iter_mut().zip(self.providers) {
            if let Call::Running { since, .. } = call
                && now.duration_since(*since) >= planned.timeout
            {
                *call = Call::done(Outcome::TimedOut, now.duration_since(*since));
            }
        }
    }

    /// Gives up all calls that have not ended: it is time to pack.
    fn give_up_all(&mut self) {
        self.all.cancel();
        for call in &mut self.calls {
            let took = match call {
                Call::Done(_) => continue,
                Call::Waiting => Duration::ZERO,
                Call::Running { since, .. } => since.elapsed(),
            };
            *call = Call::done(Outcome::Late, took);
        }
    }

    /// Waits for the next message, or the next moment at which something has to be done.
    fn wait(
        &mut self,
        receiver: &Receiver<Message>,
        until: Option<Instant>,
        now: Instant,
    ) -> Result<(), Error> {
        let ends = self.calls.iter().zip(self.providers).filter_map(|(call, planned)| match call {
            Call::Running { since, .. } => Some(*since + planned.timeout),
            _ => None,
        });
        let next = ends.chain(until).min().unwrap_or(now + LOOK).min(now + LOOK);
        match receiver.recv_timeout(next.saturating_duration_since(now)) {
            Ok(message) => self.take(message),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Lost),
        }
    }

    fn take(&mut self, message: Message) -> Result<(), Error> {
        let (at, answer) = match message {
            Message::Step(step) => {
                match step {
                    Step::Walked(tree) => self.tree = Some(tree),
                    Step::Ready(prepared) => self.prepared = Some(prepared),
                }
                return Ok(());
            }
            Message::Prepared(prepared) => return self.settle(*prepared),
            Message::Answered(at, answer) => (at, answer),
            Message::Panicked(at, why) => (at, Err(ProviderError::Failed(why))),
        };
        // Whoever was given up is not listened to.
        let Call::Running { since, .. } = &self.calls[at] else { return Ok(()) };
        let took = since.elapsed();
        self.calls[at] = match answer {
            Ok(gathered) => {
                let is_empty = gathered.inputs.sources.is_empty();
                let outcome = if is_empty { Outcome::Empty } else { Outcome::Ok };
                Call::Done(Answer { outcome, gathered, took })
            }
            Err(ProviderError::Request(error)) => return Err(*error),
            Err(ProviderError::Failed(why)) => Call::done(Outcome::Failed(why), took),
            Err(ProviderError::Cancelled(cancelled)) => {
                Call::done(Outcome::Failed(cancelled.to_string()), took)
            }
        };
        Ok(())
    }
}

impl Round<'_> {
    /// Takes in that no more will be known of the repository. Whoever needs more is not asked.
    fn settle(&mut self, prepared: Result<Prepared, Error>) -> Result<(), Error> {
        self.is_prepared = true;
        match prepared {
            Ok(prepared) => self.prepared = Some(Arc::new(prepared)),
            // The time was over, or everything is.
            Err(error) if error.is_cancelled() => {}
            Err(error) => return Err(error),
        }
        for at in 0..self.calls.len() {
            let needs = self.providers[at].registered.provider.needs();
            if matches!(self.calls[at], Call::Waiting) && !self.has(needs) {
                self.calls[at] = Call::done(Outcome::Late, Duration::ZERO);
            }
        }
        Ok(())
    }
}

/// What a panic said.
fn told(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.map_or_else(|| "it panicked".to_owned(), |text| format!("it panicked: {text}"))
}

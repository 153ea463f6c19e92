//! Things of which there are a few, lent to one at a time, in the order of asking.
//!
//! A few are enough as long as they come back soon. When somebody waits and none has come back for a
//! while, there is one more, up to a bound; when they come back soon again, there are fewer. Whoever
//! waits needs no timer of its own: one thread looks after all who wait, as long as anybody does.

use crate::engine::on_a_thread;
use crate::error::Error;
use kitbag_core::{Cancel, PackError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// There is another when somebody waits and none has come back for so long.
const PATIENCE: Duration = Duration::from_millis(40);

/// There is one less when it has been enough for so long.
const CALM: Duration = Duration::from_secs(1);

/// How often it is looked who waits, and for how long.
const LOOK: Duration = Duration::from_millis(10);

/// The things, and those who wait for one.
pub(crate) struct Line<T: Send + 'static> {
    /// So many there are where they come back soon, and so many at the most.
    usual: usize,
    most: usize,
    state: Mutex<State<T>>,
}

struct State<T: Send + 'static> {
    idle: Vec<T>,
    /// How many there are, idle ones and lent ones.
    made: usize,
    /// Those who wait, in the order in which they came.
    waiting: VecDeque<Waiter<T>>,
    /// When one was last lent or came back.
    moved: Instant,
    /// When their number last changed because somebody waited.
    changed: Instant,
    /// Whether a thread looks after those who wait.
    is_minded: bool,
}

struct Waiter<T: Send + 'static> {
    sender: oneshot::Sender<Lent<T>>,
    until: Option<Instant>,
    cancel: Cancel,
}

/// A thing that is nobody else's, until this is dropped. One that is counted, but not made yet, is
/// `None`.
pub(crate) struct Lent<T: Send + 'static> {
    thing: Option<T>,
    line: Option<Arc<Line<T>>>,
}

/// How asking ended: at once, or with waiting for it.
enum Asked<T: Send + 'static> {
    Lent(Lent<T>),
    Waits(oneshot::Receiver<Lent<T>>),
}

impl<T: Send + 'static> Line<T> {
    pub fn new(things: Vec<T>, usual: usize, most: usize) -> Arc<Self> {
        let now = Instant::now();
        let state = State {
            made: things.len(),
            idle: things,
            waiting: VecDeque::new(),
            moved: now,
            changed: now,
            is_minded: false,
        };
        Arc::new(Self { usual, most, state: Mutex::new(state) })
    }

    /// The next that is free; `None` where there is none until a moment.
    pub async fn take(
        self: &Arc<Self>,
        until: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Option<Lent<T>>, Error> {
        let lent = match self.ask(until, cancel) {
            Asked::Lent(lent) => Some(lent),
            Asked::Waits(receiver) => receiver.await.ok(),
        };
        waited(lent, cancel)
    }

    /// The same on a thread that may wait.
    pub fn take_here(
        self: &Arc<Self>,
        until: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Option<Lent<T>>, Error> {
        let lent = match self.ask(until, cancel) {
            Asked::Lent(lent) => Some(lent),
            Asked::Waits(receiver) => receiver.blocking_recv().ok(),
        };
        waited(lent, cancel)
    }

    fn ask(self: &Arc<Self>, until: Option<Instant>, cancel: &Cancel) -> Asked<T> {
        let mut state = self.state();
        let idle = state.idle.pop();
        if idle.is_some() || state.made < self.usual {
            state.made += usize::from(idle.is_none());
            state.moved = Instant::now();
            return Asked::Lent(Lent { thing: idle, line: Some(Arc::clone(self)) });
        }
        let (sender, receiver) = oneshot::channel();
        state.waiting.push_back(Waiter { sender, until, cancel: cancel.clone() });
        if !state.is_minded {
            let line = Arc::clone(self);
            // Without it they still get what comes back.
            state.is_minded = on_a_thread(move || line.mind()).is_ok();
        }
        Asked::Waits(receiver)
    }

    /// Looks after those who wait, until nobody does.
    fn mind(self: &Arc<Self>) {
        loop {
            std::thread::sleep(LOOK);
            let mut state = self.state();
            let now = Instant::now();
            state.waiting.retain(|waiter| waiter.still_waits(now));
            if state.waiting.is_empty() {
                state.is_minded = false;
                return;
            }
            if now.duration_since(state.moved) >= PATIENCE && state.made < self.most {
                (state.made, state.changed) = (state.made + 1, now);
                drop(state);
                self.pass_on(None);
            }
        }
    }

    /// Gives a thing to whoever is next, or keeps it.
    fn pass_on(self: &Arc<Self>, mut thing: Option<T>) {
        loop {
            let waiter = match self.state().next(&mut thing, self.usual) {
                Some(waiter) => waiter,
                // What is left of it is dropped when the lock is free.
                None => return,
            };
            match waiter.sender.send(Lent { thing, line: Some(Arc::clone(self)) }) {
                Ok(()) => return,
                // It does not wait any more.
                Err(mut unsent) => {
                    unsent.line = None;
                    thing = unsent.thing.take();
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nothing is lent to whoever has cancelled, or whose moment has come.
fn waited<T: Send + 'static>(
    lent: Option<Lent<T>>,
    cancel: &Cancel,
) -> Result<Option<Lent<T>>, Error> {
    cancel.check().map_err(PackError::from)?;
    Ok(lent)
}

impl<T: Send + 'static> State<T> {
    /// Who gets a thing that came back. Where nobody does, it is idle or one less.
    fn next(&mut self, thing: &mut Option<T>, usual: usize) -> Option<Waiter<T>> {
        let now = Instant::now();
        self.moved = now;
        if self.made > usual && now.duration_since(self.changed) >= CALM {
            (self.made, self.changed) = (self.made - 1, now - CALM + PATIENCE);
            return None;
        }
        if let Some(waiter) = self.waiting.pop_front() {
            return Some(waiter);
        }
        match thing.take() {
            Some(thing) if self.idle.len() < usual => self.idle.push(thing),
            unneeded => {
                *thing = unneeded;
                self.made -= 1;
            }
        }
        None
    }
}

impl<T: Send + 'static> Waiter<T> {
    fn still_waits(&self, now: Instant) -> bool {
        let is_over = self.until.is_some_and(|until| now >= until);
        !is_over && !self.cancel.is_cancelled() && !self.sender.is_closed()
    }
}

impl<T: Send + 'static> Lent<T> {
    /// The thing, made now where it is not yet.
    pub fn get(&mut self, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
        match &mut self.thing {
            Some(thing) => Ok(thing),
            none => Ok(none.insert(make()?)),
        }
    }

    /// The thing, where it is made.
    pub fn thing(&self) -> Option<&T> {
        self.thing.as_ref()
    }
}

impl<T: Send + 'static> Drop for Lent<T> {
    fn drop(&mut self) {
        if let Some(line) = self.line.take() {
            line.pass_on(self.thing.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const USUAL: usize = 2;
    const MOST: usize = 6;

    /// A line whose things are numbers, and all of them lent.
    fn line() -> (Arc<Line<usize>>, Vec<Lent<usize>>) {
        let line = Line::new(vec![0], USUAL, MOST);
        let lent = (0..MOST).map(|number| taken(&line, number)).collect();
        (line, lent)
    }

    fn taken(line: &Arc<Line<usize>>, number: usize) -> Lent<usize> {
        let lent = line.take_here(None, &Cancel::default());
        let mut lent = lent.expect("not cancelled").expect("it has time");
        lent.get(|| Ok(number)).expect("a number");
        lent
    }

    /// How many there are, and how many of them nobody has.
    fn counts(line: &Line<usize>) -> (usize, usize) {
        let state = line.state();
        (state.made, state.idle.len())
    }

    /// How many somebody has.
    fn lent_by(line: &Line<usize>) -> usize {
        let (made, idle) = counts(line);
        made - idle
    }

    #[test]
    fn what_comes_back_is_lent_again() {
        let line = Line::new(Vec::new(), USUAL, MOST);
        for number in 0..MOST {
            let lent = taken(&line, number);
            assert_eq!(lent.thing(), Some(&0));
        }
        assert_eq!(counts(&line), (1, 1));
    }

    #[test]
    fn there_are_more_where_none_comes_back_and_never_more_than_the_bound() {
        let (line, mut lent) = line();
        assert_eq!(counts(&line), (MOST, 0));
        let soon = Some(Instant::now() + PATIENCE * 3);
        assert!(line.take_here(soon, &Cancel::default()).expect("not cancelled").is_none());
        assert_eq!(counts(&line), (MOST, 0));
        lent.clear();
        assert_eq!(counts(&line), (USUAL, USUAL));
    }

    #[test]
    fn whoever_cancels_has_left_and_gets_nothing() {
        let (line, mut lent) = line();
        let cancel = Cancel::default();
        let waits = thread::spawn({
            let (line, cancel) = (Arc::clone(&line), cancel.clone());
            move || line.take_here(None, &cancel).is_err_and(|error| error.is_cancelled())
        });
        while line.state().waiting.is_empty() {
            thread::yield_now();
        }
        cancel.cancel();
        assert!(waits.join().expect("no panic"));
        lent.pop();
        assert_eq!(lent_by(&line), MOST - 1);
    }

    #[test]
    fn one_that_cannot_be_made_is_not_counted() {
        let line = Line::<usize>::new(Vec::new(), USUAL, MOST);
        let lent = line.take_here(None, &Cancel::default());
        let mut lent = lent.expect("not cancelled").expect("it has time");
        assert!(lent.get(|| Err(Error::Lost)).is_err());
        drop(lent);
        assert_eq!(counts(&line), (0, 0));
    }

    #[tokio::test]
    async fn whoever_came_first_is_next_and_who_has_gone_is_passed_over() {
        let line = Line::new(Vec::new(), USUAL, MOST);
        let never = Cancel::default();
        let mut lent = Vec::new();
        for number in 0..MOST {
            let taken = line.take(None, &never).await.expect("not cancelled");
            let mut taken = taken.expect("it has time");
            taken.get(|| Ok(number)).expect("a number");
            lent.push(taken);
        }
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(line.take(None, &never))).collect();
        for (number, waits) in waiting.iter_mut().enumerate() {
            tokio::select! {
                biased;
                _ = waits => panic!("there is none"),
                () = tokio::task::yield_now() => {}
            }
            assert_eq!(line.state().waiting.len(), number + 1);
        }
        drop(waiting.remove(0));
        let (second, third) = (waiting.remove(0), waiting.remove(0));
        lent.pop();
        assert!(second.await.is_ok_and(|lent| lent.is_some()), "what it had came back at once");
        assert!(third.await.is_ok_and(|lent| lent.is_some()));
        assert_eq!(lent_by(&line), MOST - 1);
    }

    #[test]
    fn there_are_fewer_again_when_they_come_back_soon() {
        let (line, lent) = line();
        let mut state = line.state();
        let (sender, _receiver) = oneshot::channel();
        let (until, cancel) = (None, Cancel::default());
        state.waiting.push_back(Waiter { sender, until, cancel });
        state.changed -= CALM;
        assert!(state.next(&mut Some(9), USUAL).is_none(), "somebody waits, but there are enough");
        assert_eq!(state.made, MOST - 1);
        state.changed = Instant::now() + CALM;
        assert!(state.next(&mut Some(9), USUAL).is_some());
        assert_eq!(state.made, MOST - 1);
        drop(state);
        drop(lent);
    }
}

//! Providers as tests need them.

use kitbag::{Gathered, Gathering, Kind, Provider, ProviderError, Source, Text};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Barrier, Mutex};
use std::time::Duration;

/// What a provider of the tests does when it is asked.
pub type Doing = dyn Fn(&Gathering) -> Result<Gathered, ProviderError> + Send + Sync;

/// A provider of the tests.
pub struct Own {
    pub id: String,
    pub priority: Option<u32>,
    pub timeout: Option<Duration>,
    pub doing: Box<Doing>,
}

impl Provider for Own {
    fn id(&self) -> &str {
        &self.id
    }

    fn priority(&self) -> Option<u32> {
        self.priority
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        (self.doing)(gathering)
    }
}

/// A provider that does this.
pub fn doing(
    id: &str,
    doing: impl Fn(&Gathering) -> Result<Gathered, ProviderError> + Send + Sync + 'static,
) -> Own {
    Own { id: id.into(), priority: None, timeout: None, doing: Box::new(doing) }
}

/// A source of a text.
pub fn source(path: &str, text: &str) -> Source {
    let text = Arc::new(Text::new(text));
    Source { relevance: Some(0.5), ..Source::new(path, Kind::Other, text) }
}

/// A provider that gives this text.
pub fn giving(id: &str, text: &str) -> Own {
    let source = source(&format!("{id}.txt"), text);
    doing(id, move |_| Ok(vec![source.clone()].into()))
}

/// The same with a priority.
pub fn giving_first(id: &str, text: &str, priority: u32) -> Own {
    Own { priority: Some(priority), ..giving(id, text) }
}

/// A provider that hangs, and never looks at the flag, until the sender is dropped.
pub fn hanging(id: &str) -> (Own, Sender<()>) {
    let (sender, receiver) = channel::<()>();
    let receiver: Mutex<Receiver<()>> = Mutex::new(receiver);
    let own = doing(id, move |_| {
        let receiver = receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = receiver.recv();
        Ok(vec![source("late.txt", "too late\n")].into())
    });
    (own, sender)
}

/// The same, which may take so long.
pub fn within(ms: u64, own: Own) -> Own {
    Own { timeout: Some(Duration::from_millis(ms)), ..own }
}

/// Two providers, each of which waits for the other to be asked.
pub fn meeting(first: &str, second: &str) -> [Own; 2] {
    let barrier = Arc::new(Barrier::new(2));
    [first, second].map(|id| {
        let (barrier, source) = (Arc::clone(&barrier), source(&format!("{id}.txt"), id));
        doing(id, move |_| {
            barrier.wait();
            Ok(vec![source.clone()].into())
        })
    })
}

//! The proxy's loop: whatever happens on either side, one thing at a time.
//!
//! Nothing in it waits for one side alone. Lines are sent by tasks of their own, and while too much
//! waits for one side no lines of the other are taken in, as if both were connected directly.

use super::behind::{Behind, Ending};
use super::enrich::{Context, Enricher, Making};
use super::frame::{self, Id};
use super::lines::LineReader;
use super::outlet::Outlet;
use super::pending::Pending;
use super::{ProxyError, ProxyOptions};
use kitbag::Engine;
use std::collections::BTreeSet;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::{JoinError, JoinSet};

/// How long a server that is started again may take for its handshake, if it may take for ever.
const HANDSHAKE: Duration = Duration::from_secs(60);

/// How long either side may be silent when the client has no more to ask.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long a server that reads no more may take to end.
const DEAF: Duration = Duration::from_secs(2);

/// Who tells a person something.
pub(super) type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// The proxy's state.
pub(super) struct Relay {
    pub options: ProxyOptions,
    pub enricher: Enricher,
    pub tell: Tell,
    pub pending: Pending,
    /// The tools whose schema names the argument for the context.
    pub asking: BTreeSet<String>,
    /// The client's handshake, for a server that is started again.
    pub initialize: Option<(Id, Vec<u8>)>,
    pub initialized: Option<Vec<u8>>,
    pub behind: Option<Behind>,
    /// The lines for the client.
    pub out: Outlet,
    /// A call that waits for its context. The client's next lines wait with it, in their order.
    pub held: Option<Held>,
    /// Answers that wait for their contexts.
    pub answers: JoinSet<Vec<u8>>,
}

/// A call whose tool wants the context among its arguments.
pub(super) struct Held {
    pub id: Id,
    pub line: Vec<u8>,
    pub making: Making,
}

/// What a server has been waited for too long.
#[derive(Debug, Clone, Copy)]
enum Overdue {
    Handshake,
    Deaf,
    Stuck,
    Silent,
}

impl Relay {
    pub fn new(
        engine: Engine,
        options: ProxyOptions,
        tell: Box<dyn Fn(&str) + Send + Sync>,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, ProxyError> {
        let enricher = Enricher::new(engine, &options)?;
        let behind = Some(Behind::start(&options.command)?);
        Ok(Self {
            options,
            enricher,
            tell: Arc::from(tell),
            pending: Pending::default(),
            asking: BTreeSet::new(),
            initialize: None,
            initialized: None,
            behind,
            out: Outlet::new(write),
            held: None,
            answers: JoinSet::new(),
        })
    }

    /// Relays until the client is gone, or it is told to end.
    pub async fn run(
        mut self,
        read: impl AsyncRead + Send + Unpin + 'static,
        ended: impl Future<Output = ()>,
    ) -> Result<(), ProxyError> {
        let mut client = LineReader::new(read);
        let mut ended = pin!(ended);
        loop {
            if let Some(why) = self.turn(&mut client, ended.as_mut()).await? {
                return self.finish(why).await;
            }
        }
    }

    /// One turn of the loop; says why it was the last one.
    async fn turn(
        &mut self,
        client: &mut LineReader<impl AsyncRead + Unpin>,
        ended: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Option<Ending>, ProxyError> {
        let behind = self.behind.as_ref();
        let asks = self.held.is_none() && behind.is_none_or(Behind::is_ready);
        let listens = !self.out.is_full();
        let client_room = self.out.is_full().then(|| self.out.has_room());
        let behind_room = behind.filter(|it| it.stdin.is_full()).map(|it| it.stdin.has_room());
        let deaf = behind.filter(|it| it.deaf_since.is_none()).map(|it| it.stdin.breaks());
        let deadline = self.deadline();
        tokio::select! {
            line = client.next(), if asks => match line? {
                Some(line) => self.client_said(line).await,
                None => return Ok(Some(Ending::Finished)),
            },
            line = next_of(self.behind.as_mut()), if listens => {
                self.behind_said(line).await;
                // What came with it is worth no turn of its own.
                while let Some(line) = self.behind.as_mut().and_then(|it| it.lines.ready()) {
                    self.behind_said(Ok(Some(line))).await;
                }
            }
            context = context_of(self.held.as_mut()) => self.release(context).await,
            Some(Ok(line)) = self.answers.join_next(), if listens => self.out.send(line),
            // The server could not be listened to: its silence counts from now.
            () = when(client_room) => self.pending.hear(),
            () = when(behind_room) => {}
            () = when(deaf) => {
                if let Some(behind) = &mut self.behind {
                    behind.deaf_since = Some(Instant::now());
                }
            }
            () = until(deadline.map(|(deadline, _)| deadline)) => {
                if let Some((_, overdue)) = deadline {
                    self.fail(&overdue.message(self.options.timeout)).await;
                }
            }
            () = ended => return Ok(Some(Ending::Interrupted)),
        }
        Ok(self.out.is_broken().then_some(Ending::Finished))
    }

    /// When the server counts as hung, and why, if nothing happens until then.
    fn deadline(&self) -> Option<(Instant, Overdue)> {
        let behind = self.behind.as_ref()?;
        if self.out.is_full() {
            return None;
        }
        if let Some(greeting) = &behind.greeting {
            let patience = self.options.timeout.unwrap_or(HANDSHAKE);
            return Some((greeting.since.checked_add(patience)?, Overdue::Handshake));
        }
        let stuck = behind.stdin.stuck_since().zip(self.options.timeout);
        let stuck = stuck.and_then(|(since, patience)| since.checked_add(patience));
        let deaf = behind.deaf_since.map(|since| (since + DEAF, Overdue::Deaf));
        let silent = self.pending.deadline(self.options.timeout);
        let all =
            [silent.map(|it| (it, Overdue::Silent)), deaf, stuck.map(|it| (it, Overdue::Stuck))];
        all.into_iter().flatten().min_by_key(|(deadline, _)| *deadline)
    }

    /// The last lines of both sides, and the end of the server.
    async fn finish(mut self, why: Ending) -> Result<(), ProxyError> {
        if why == Ending::Finished {
            self.listen_on().await;
        }
        if let Some(behind) = self.behind.take() {
            behind.end(why).await;
        }
        for id in self.pending.drain() {
            let error = frame::error(&id, "the server behind the proxy ended without an answer");
            self.out.send(error);
        }
        let patience = match why {
            Ending::Interrupted => Duration::from_millis(500),
            _ => FAREWELL,
        };
        let answers = async {
            while let Some(answer) = self.answers.join_next().await {
                answer.into_iter().for_each(|line| self.out.send(line));
            }
        };
        // An answer whose context takes longer than that has nobody who waits for it.
        let _ = tokio::time::timeout(patience, answers).await;
        Ok(self.out.finish(patience).await?)
    }

    /// The client is gone, or has at least no more to ask: what is still open is answered.
    async fn listen_on(&mut self) {
        if let Some(behind) = &mut self.behind {
            behind.stdin.close();
        }
        while self.behind.is_some() && !self.out.is_broken() {
            let is_idle = self.pending.is_empty() && !self.out.is_full();
            let patience = if is_idle { Duration::from_secs(2) } else { FAREWELL };
            let listens = !self.out.is_full();
            let room = self.out.is_full().then(|| self.out.has_room());
            tokio::select! {
                line = next_of(self.behind.as_mut()), if listens => match line {
                    Ok(None) => break,
                    line => self.behind_said(line).await,
                },
                Some(Ok(line)) = self.answers.join_next(), if listens => self.out.send(line),
                () = when(room) => {}
                () = tokio::time::sleep(patience) => break,
            }
        }
    }

    /// The server behind is of no use any more: it is ended, everybody who waits is told, and the
    /// next line starts it again.
    pub async fn fail(&mut self, why: &str) {
        let how = match self.behind.take() {
            Some(behind) => format!("{why} ({})", behind.end(Ending::Broken).await),
            None => why.to_owned(),
        };
        let message =
            format!("the server behind the proxy {how}; the next request starts it again");
        (self.tell)(&message);
        for id in self.pending.drain() {
            self.out.send(frame::error(&id, &message));
        }
    }
}

impl Overdue {
    fn message(self, timeout: Option<Duration>) -> String {
        let seconds = timeout.unwrap_or_default().as_secs();
        match self {
            Self::Handshake => "did not answer at its handshake".to_owned(),
            Self::Deaf => "reads no more".to_owned(),
            Self::Stuck => format!("has read nothing for {seconds} s"),
            Self::Silent => format!("has said nothing for {seconds} s"),
        }
    }
}

/// The next line of a server; where there is none, nothing ever comes.
async fn next_of(behind: Option<&mut Behind>) -> std::io::Result<Option<Vec<u8>>> {
    match behind {
        Some(behind) => behind.lines.next().await,
        None => std::future::pending().await,
    }
}

/// The context that a call waits for.
async fn context_of(held: Option<&mut Held>) -> Result<Result<Context, String>, JoinError> {
    match held {
        Some(held) => (&mut held.making).await,
        None => std::future::pending().await,
    }
}

async fn when(future: Option<impl Future<Output = ()>>) {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

//! Request bodies that arrive over time: how slow they may be, and how much of them is buffered.
//!
//! A client that sends half a body occupies its connection and nothing else. It is disconnected when
//! the rest does not arrive, and what it has sent counts against a limit that small bodies do not need.

use crate::options::HttpLimits;
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};

/// Bytes of a body that need no permit: those of all connections together are acceptable.
const FREE_BYTES: usize = 64 << 10;

/// Maximum bytes of bodies that are being received, in bodies of the maximum size.
const MAX_BODIES: usize = 4;

/// Why a body was not received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    /// It neither arrived in time nor kept the minimum rate.
    #[error("the request body did not arrive in time")]
    Slow,
    /// Other large bodies are being received.
    #[error("too many large request bodies")]
    Busy,
}

impl BodyError {
    /// Finds the error among the causes of another.
    pub fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref::<Self>() {
                return Some(*found);
            }
            cause = error.source();
        }
        None
    }
}

/// Limits that all bodies of a server share.
#[derive(Debug, Clone)]
pub(crate) struct BodyLimits {
    /// One permit per byte.
    buffered: Arc<Semaphore>,
    timeout: Duration,
    /// Bytes that must arrive within `timeout`, unless the body ends.
    bytes_per_timeout: usize,
}

impl BodyLimits {
    pub fn new(limits: &HttpLimits) -> Self {
        let buffered = limits.request_bytes.saturating_mul(MAX_BODIES);
        let bytes = limits.body_timeout.as_secs_f64() * limits.body_bytes_per_second as f64;
        Self {
            buffered: Arc::new(Semaphore::new(buffered.min(Semaphore::MAX_PERMITS))),
            timeout: limits.body_timeout,
            bytes_per_timeout: bytes as usize,
        }
    }

    /// Limits a body.
    pub fn apply(&self, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        Body::new(IncomingBody {
            body,
            limits: self.clone(),
            permits: None,
            received: 0,
            received_in_time: 0,
            deadline: None,
        })
    }
}

struct IncomingBody {
    body: Body,
    limits: BodyLimits,
    /// Permits of what was received beyond the free bytes.
    permits: Option<OwnedSemaphorePermit>,
    received: usize,
    /// Bytes received since the deadline was set.
    received_in_time: usize,
    /// Set when the body is read for the first time.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl IncomingBody {
    fn count(&mut self, bytes: usize) -> Result<(), BodyError> {
        let free = FREE_BYTES.saturating_sub(self.received);
        self.received += bytes;
        self.received_in_time += bytes;
        let needed = u32::try_from(bytes.saturating_sub(free)).map_err(|_| BodyError::Busy)?;
        if needed > 0 {
            let permits = Arc::clone(&self.limits.buffered).try_acquire_many_owned(needed);
            let permits = permits.map_err(|_| BodyError::Busy)?;
            match &mut self.permits {
                Some(own) => own.merge(permits),
                own => *own = Some(permits),
            }
        }
        if self.received_in_time >= self.limits.bytes_per_timeout {
            self.received_in_time = 0;
            if let Some(deadline) = &mut self.deadline {
                deadline.as_mut().reset(Instant::now() + self.limits.timeout);
            }
        }
        Ok(())
    }
}

impl HttpBody for IncomingBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let timeout = self.limits.timeout;
        self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            let Some(frame) = frame.transpose()? else { return Poll::Ready(None) };
            if let Some(data) = frame.data_ref() {
                self.count(data.len())?;
            }
            return Poll::Ready(Some(Ok(frame)));
        }
        match self.deadline.as_mut().map(|deadline| deadline.as_mut().poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(Some(Err(BodyError::Slow.into()))),
            _ => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

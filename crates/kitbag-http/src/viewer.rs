//! Viewers: what the holder of a token sees of this server. Each token has its own recent packs and its own
//! feed of events, so that neither gaps in numbers nor evictions reveal packs of repositories that it may not
//! see.

use crate::event_feed::EventFeed;
use crate::problem::Problem;
use crate::recent_packs::{PackChunk, RecentPacks, StoredPack};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use kitbag::{ALL_REPOSITORIES, RepoAccess};
use std::sync::Arc;

/// What the holder of a token sees.
#[derive(Debug, Default)]
pub(crate) struct Viewer {
    pub access: RepoAccess,
    pub packs: RecentPacks,
    pub feed: EventFeed,
}

impl Viewer {
    pub fn new(access: RepoAccess) -> Self {
        Self { access, ..Self::default() }
    }

    /// Whether a pack of a repository may be shown that was made with the access `maker`. A pack of many
    /// repositories depends on all that its maker may see.
    fn sees(&self, repository: &str, maker: &RepoAccess) -> bool {
        match repository {
            ALL_REPOSITORIES => self.access.is_full() || self.access == *maker,
            name => self.access.allows(name),
        }
    }

    /// Adds a pack if it may be shown.
    pub fn add(&self, pack: &StoredPack, maker: &RepoAccess, chunks: Option<&[PackChunk]>) {
        if !self.sees(&pack.summary.repo, maker) {
            return;
        }
        let stored = self.packs.push(pack.clone());
        if let Some(chunks) = chunks {
            self.feed.publish(&stored, chunks.to_vec());
        }
    }

    /// Fails unless all repositories may be seen, for what is not separate by repository.
    pub fn check_full(&self, what: &str) -> Result<(), Problem> {
        if self.access.is_full() {
            return Ok(());
        }
        let detail = format!("{what} all repositories, and this token is for some of them");
        Err(Problem::forbidden("token", detail).with_hint("use the token of `server.token_env`"))
    }
}

/// Extractor of the viewer that the access checks have found.
pub(crate) struct OfRequest(pub Arc<Viewer>);

impl<S: Sync> FromRequestParts<S> for OfRequest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let viewer = parts.extensions.get::<Arc<Viewer>>();
        let refused = || Problem::forbidden("token", "the request has no access");
        viewer.cloned().map(Self).ok_or_else(refused)
    }
}

//! Adds packs that were made elsewhere to the list and the feed: over another interface of the same
//! engine, reported as events, and by other processes, found by their records.

use crate::recent_packs::{HTTP_INTERFACE, PackChunk, PackOrigin, StoredPack};
use crate::repositories::ServedRepository;
use crate::state::HttpState;
use kitbag::{ContextAssembled, Received, Record, RepoAccess, Report};
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

const RECORD_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Adds packs made over other interfaces of the engine, such as MCP, until shutdown.
pub(crate) async fn follow_engine(state: Arc<HttpState>) {
    let mut events = state.engine.subscribe();
    loop {
        let received = tokio::select! {
            received = events.next() => received,
            () = state.shutdown.cancelled() => None,
        };
        match received {
            None => return,
            Some(Received::Missed(count)) => {
                tracing::warn!(missed = count, "missed pack events");
                // Whose they are is unknown, so only those learn of them who see all.
                let full = state.viewers.iter().filter(|viewer| viewer.access.is_full());
                full.for_each(|viewer| viewer.feed.publish_missed(count));
            }
            Some(Received::Event(event)) if event.via == HTTP_INTERFACE => {}
            Some(Received::Event(event)) => add_event(&state, &event),
        }
    }
}

fn add_event(state: &HttpState, event: &ContextAssembled) {
    let repository = state.repositories.at(&event.repo);
    let folder = event.repo.display().to_string();
    let repository = &repository.map_or(folder, |it| it.name);
    let request = json!({
        "task": event.task, "profile": event.profile, "agent_id": event.agent_id,
        "correlation_id": event.correlation_id, "repo": repository, "budget": event.report.budget,
    });
    let mut report = Report::clone(&event.report);
    report.add_texts();
    let event = ContextAssembled { report: Arc::new(report), ..event.clone() };
    let origin = PackOrigin { repository, request: &request, is_preview: false };
    let chunks: Vec<PackChunk> = event.report.included.iter().map(PackChunk::from).collect();
    let pack = StoredPack::new(&event, origin);
    state.viewers.iter().for_each(|viewer| viewer.add(&pack, &event.access, Some(&chunks)));
}

/// Adds the packs of other processes, existing and new ones, until shutdown. Returns at once where
/// the engine keeps no records.
pub(crate) async fn follow_records(state: Arc<HttpState>) {
    let mut known_ids = vec![HashSet::new(); state.repositories.named().len()];
    loop {
        let scanned = Arc::clone(&state);
        let scan = tokio::task::spawn_blocking(move || {
            let has_records = add_new_records(&scanned, &mut known_ids);
            (known_ids, has_records)
        });
        match scan.await {
            Ok((ids, true)) => known_ids = ids,
            _ => return,
        }
        tokio::select! {
            () = tokio::time::sleep(RECORD_POLL_INTERVAL) => {}
            () = state.shutdown.cancelled() => return,
        }
    }
}

/// Adds and publishes new records, oldest first. Returns `false` where the engine keeps no records.
fn add_new_records(state: &HttpState, known_ids: &mut [HashSet<String>]) -> bool {
    let mut new: Vec<(Record, &ServedRepository)> = Vec::new();
    for (repository, known) in state.repositories.named().iter().zip(known_ids) {
        let others = state.engine.records_of_others(&repository.path, |id| known.contains(id));
        let Ok(others) = others else { return false };
        *known = others.ids.into_iter().collect();
        new.extend(others.new.into_iter().map(|record| (record, repository)));
    }
    new.sort_by_key(|(record, _)| record.created_at);
    for (record, repository) in new {
        let chunks: Vec<PackChunk> = record.included.iter().map(PackChunk::from).collect();
        for viewer in &state.viewers {
            let pack = viewer.packs.of_record(&record, repository);
            viewer.add(&pack, &RepoAccess::all(), Some(&chunks));
        }
    }
    true
}

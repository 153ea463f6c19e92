//! Listing the tools before the first call, if the client has not: a tool that takes the context as an
//! argument needs it on its first call.

use super::envelope::{Envelope, MessageId, member};
use super::relay::Relay;
use super::tools::{MAX_PAGES, ToolListing, list_request};
use crate::raw_json::parse_lenient;
use serde_json::Value;
use std::time::Instant;

impl Relay {
    /// Whether the tools must be listed before a call is handled, and can be.
    pub fn must_list_tools(&self) -> bool {
        !self.tools.is_complete && self.upstream.is_some()
    }

    /// Lists the tools and handles the call afterwards.
    pub fn hold_call(&mut self, line: Vec<u8>) {
        let meta = match Envelope::read(&line) {
            Envelope::Request { params: Some(params), .. } => member(params, "_meta"),
            _ => None,
        };
        let mut meta: Option<Value> = meta.and_then(|it| parse_lenient(it.get().as_bytes()).ok());
        // Progress of the listing is not progress of the call.
        if let Some(Value::Object(meta)) = &mut meta {
            meta.remove("progressToken");
        }
        let listing = ToolListing { page: 1, started: Instant::now(), call: line, meta };
        self.request_page(&listing, None);
        self.tool_listing = Some(listing);
    }

    fn request_page(&self, listing: &ToolListing, cursor: Option<&str>) {
        if let Some(upstream) = &self.upstream {
            let id = listing.request_id();
            upstream.stdin.send(list_request(&id, cursor, listing.meta.as_ref()));
        }
    }

    /// Whether a response is to the proxy's own request, which the client must not see.
    pub fn is_own_request(&self, id: &MessageId) -> bool {
        id.to_string().starts_with("\"kitbag-proxy-tools-")
    }

    /// Learns from a response to the proxy's own request, and asks for the next page.
    pub async fn learn_own_page(&mut self, line: &[u8]) {
        let Some(mut listing) = self.tool_listing.take() else {
            // The response is late, and no call waits for it any more.
            self.tools.learn(line);
            return;
        };
        let cursor: Option<String> = self.tools.learn(line);
        match cursor.filter(|_| listing.page < MAX_PAGES) {
            Some(cursor) => {
                listing.page += 1;
                self.request_page(&listing, Some(&cursor));
                self.tool_listing = Some(listing);
            }
            None => {
                self.tool_listing = Some(listing);
                self.finish_listing().await;
            }
        }
    }

    /// Handles the call that waits, with the tools that are known.
    pub async fn finish_listing(&mut self) {
        self.tools.is_complete = true;
        if let Some(listing) = self.tool_listing.take() {
            self.handle_client_line(listing.call).await;
        }
    }
}

//! A custom provider: the tickets that a task names, from a file that another tool writes.
//!
//!     cargo run -p kitbag --example own_provider -- DIR "fix TICKET-7"

#![allow(clippy::print_stdout, reason = "it is a program")]

use kitbag::{
    Cancel, Engine, Gathered, Gathering, Kind, Provider, ProviderError, Request, Source, Text,
};
use std::sync::Arc;

/// Brings the lines of `tickets.txt` that the task names.
struct Tickets;

impl Provider for Tickets {
    fn id(&self) -> &str {
        "tickets"
    }

    fn title(&self) -> &str {
        "Tickets"
    }

    fn description(&self) -> &str {
        "The tickets that the task names."
    }

    fn priority(&self) -> Option<u32> {
        Some(85)
    }

    fn applies(&self, request: &Request) -> bool {
        request.task.contains("TICKET-")
    }

    fn gather(&self, gathering: &Gathering) -> Result<Gathered, ProviderError> {
        // The root is the only way to files: what leads out of it or is denied is refused.
        let bytes = gathering.root().read("tickets.txt", 1 << 20);
        let bytes = bytes.map_err(|error| ProviderError::failed(error.to_string()))?;
        let tickets = String::from_utf8_lossy(&bytes).into_owned();
        let named = |line: &&str| {
            let id = line.split(':').next().unwrap_or_default();
            !id.is_empty() && gathering.request().task.contains(id)
        };
        let lines: Vec<&str> = tickets.lines().filter(named).collect();
        gathering.cancel().check()?;
        let text = Arc::new(Text::new(lines.join("\n")));
        let source = Source { relevance: Some(1.0), ..Source::new("tickets", Kind::Other, text) };
        Ok(vec![source].into())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let repo = arguments.next().unwrap_or_else(|| ".".to_owned());
    let task = arguments.next().unwrap_or_else(|| "fix TICKET-7".to_owned());
    let engine = Engine::new()?.with_provider(Tickets)?;
    let request = Request { task, repo: Some(repo.into()), ..Request::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let report = runtime.block_on(engine.pack(request, &Cancel::default()))?;
    for item in &report.providers {
        println!("{:12} {:9} {} chunks", item.id, item.outcome, item.chunks);
    }
    Ok(())
}

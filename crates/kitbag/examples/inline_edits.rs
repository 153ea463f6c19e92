//! How long edits in place take on a running engine: many packs of the profile `inline-edit`, in a
//! repository that is watched, each for another document, place and diagnostic.
//!
//!     cargo run --release -p kitbag --example inline_edits -- ~/repository [TIMES] [--hang] [--alone]
//!
//! With `--alone` nothing outside is waited for: git is not asked.

#![allow(clippy::print_stdout, reason = "it is a program")]

use kitbag::{
    Cancel, Cursor, Document, Engine, Gathered, Gathering, Provider, ProviderError, Report,
    Request, SearchRequest, ToolOutput,
};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

/// The program's own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Never answers, and never looks whether anybody waits.
struct Hanging;

impl Provider for Hanging {
    fn id(&self) -> &str {
        "hanging"
    }

    fn gather(&self, _: &Gathering) -> Result<Gathered, ProviderError> {
        std::thread::sleep(Duration::from_secs(3_600));
        Ok(Vec::new().into())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let hangs = arguments.iter().any(|argument| argument == "--hang");
    let alone = arguments.iter().any(|argument| argument == "--alone");
    arguments.retain(|argument| !argument.starts_with("--"));
    let repo = arguments.first().ok_or("give a repository")?;
    let times: usize = arguments.get(1).map_or(Ok(1_000), |times| times.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let cache = tempfile::tempdir()?;
    let engine = Engine::new()?.with_cache(cache.path());
    let engine = if hangs { engine.with_provider(Hanging)? } else { engine };
    engine.watch(Path::new(repo))?;
    let found = runtime.block_on(engine.search(
        SearchRequest {
            task: "handle the error of the request".into(),
            repo: Some(repo.into()),
            limit: 50,
            ..SearchRequest::default()
        },
        &Cancel::default(),
    ))?;
    if found.results.is_empty() {
        return Err("nothing to edit was found".into());
    }
    let mut runs = Vec::with_capacity(times);
    let (mut over, mut partial) = (0, 0);
    for number in 0..times {
        let place = &found.results[number % found.results.len()];
        let mut request = request(repo, &place.path, place.start_line);
        if alone {
            request.no_providers.push("history".into());
        }
        let began = Instant::now();
        let report = runtime.block_on(engine.pack(request, &Cancel::default()))?;
        runs.push((began.elapsed().as_secs_f64() * 1_000.0, report));
        over += usize::from(runs[number].1.total_tokens > runs[number].1.budget);
        partial += usize::from(runs[number].1.partial);
    }
    tell(runs, over, partial);
    Ok(())
}

fn request(repo: &str, path: &str, line: u32) -> Request {
    let content = format!("{path}:{line}:1: error: the result is not checked\n");
    Request {
        task: "handle the error".into(),
        repo: Some(repo.into()),
        profile: Some("inline-edit".into()),
        document: Some(Document { path: path.into(), content: None }),
        cursor: Some(Cursor { line, column: None }),
        diagnostics: vec![ToolOutput { name: "compiler".into(), content }],
        ..Request::default()
    }
}

fn tell(mut runs: Vec<(f64, Report)>, over: usize, partial: usize) {
    let stage = |name: &str| {
        let of =
            |report: &Report| report.timings.iter().find(|it| it.stage == name).map(|it| it.ms);
        let mut all: Vec<f64> = runs.iter().filter_map(|(_, report)| of(report)).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    let stages =
        ["collect", "redact", "chunk", "rank", "deduplicate", "select", "format", "verify"];
    let stages: Vec<String> =
        stages.iter().map(|name| format!("{name} {:.2}", stage(name))).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| runs[((runs.len() - 1) as f64 * share) as usize].0;
    println!(
        "{} packs: p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms; {over} over their budget, {partial} partial",
        runs.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
    println!("medians: {}", stages.join(", "));
    println!("providers, p50 and p99: {}", providers(&runs).join(", "));
}

/// How long each provider took.
fn providers(runs: &[(f64, Report)]) -> Vec<String> {
    let mut all = std::collections::BTreeMap::<&str, Vec<f64>>::new();
    for provider in runs.iter().flat_map(|(_, report)| &report.providers) {
        all.entry(&provider.id).or_default().push(provider.ms);
    }
    let told = |(id, mut took): (&str, Vec<f64>)| {
        took.sort_by(f64::total_cmp);
        let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize];
        (at(0.99) > 0.0).then(|| format!("{id} {:.1} {:.1}", at(0.5), at(0.99)))
    };
    all.into_iter().filter_map(told).collect()
}

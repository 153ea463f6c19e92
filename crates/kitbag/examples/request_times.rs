//! How long requests take on a running engine: the first, one that walks, and one on a repository
//! that is watched.
//!
//!     cargo run --release -p kitbag --example request_times -- ~/repository "why does login fail?"

#![allow(clippy::print_stdout, reason = "it is a program")]

use kitbag::{Cancel, Engine, Report, Request};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// The program's own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often each kind of request is made.
const TIMES: usize = 21;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (repo, task, times) = match arguments.as_slice() {
        [repo, task] => (repo, task, TIMES),
        [repo, task, times] => (repo, task, times.parse()?),
        _ => return Err("give a repository, a task and, if you like, how often".into()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let cache = tempfile::tempdir()?;
    let engine = Engine::new()?.with_cache(cache.path());
    let pack = || -> Result<(f64, Report), kitbag::Error> {
        let request = Request {
            task: task.clone(),
            repo: Some(repo.into()),
            budget: Some(8_000),
            ..Request::default()
        };
        let began = Instant::now();
        let report = runtime.block_on(engine.pack(request, &Cancel::default()))?;
        Ok((began.elapsed().as_secs_f64() * 1_000.0, report))
    };
    let (ms, report) = pack()?;
    println!("first       {ms:8.1} ms, {} files", report.stats.files_searched);
    several("walking", times, &pack)?;
    engine.watch(Path::new(repo))?;
    several("watched", times, &pack)?;
    Ok(())
}

/// Makes some requests and tells the median time, and how it is spent.
fn several(
    what: &str,
    times: usize,
    pack: &dyn Fn() -> Result<(f64, Report), kitbag::Error>,
) -> Result<(), kitbag::Error> {
    for _ in 0..3 {
        pack()?;
    }
    let mut runs = (0..times.max(1)).map(|_| pack()).collect::<Result<Vec<_>, _>>()?;
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ms, report) = &runs[runs.len() / 2];
    let stages = report.timings.iter().map(|it| format!("{} {:.1}", it.stage, it.ms));
    let stages: Vec<String> = stages.collect();
    println!(
        "{what:<11} {ms:8.1} ms median, {:.1} most: {}",
        runs[runs.len() - 1].0,
        stages.join(", ")
    );
    Ok(())
}

//! Many packs at once, a third of them dropped and a third cancelled at random: memory stays flat,
//! nothing hangs, and nothing goes on afterwards.
//!
//!     cargo run --release -p kitbag --example many_packs -- ~/repository [PACKS] [AT_ONCE]

#![allow(clippy::print_stdout, reason = "it is a program")]

use kitbag::{Cancel, Engine, Request};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The program's own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let repo = arguments.first().ok_or("give a repository")?.clone();
    let packs: usize = arguments.get(1).map_or(Ok(10_000), |packs| packs.parse())?;
    let at_once: usize = arguments.get(2).map_or(Ok(100), |count| count.parse())?;
    let engine = Arc::new(Engine::new()?);
    engine.watch(Path::new(&repo))?;
    engine.pack(request(&repo, 0), &Cancel::default()).await?;
    let (gate, began) = (Arc::new(Semaphore::new(at_once)), Instant::now());
    let mut running: JoinSet<&'static str> = JoinSet::new();
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for number in 0..packs {
        let permit = Arc::clone(&gate).acquire_owned().await?;
        let (engine, request) = (Arc::clone(&engine), request(&repo, number));
        running.spawn(async move {
            let _permit = permit;
            one(&engine, request, number).await
        });
        while let Some(done) = running.try_join_next() {
            *counts.entry(done?).or_default() += 1;
        }
        if number % (packs / 10).max(1) == 0 {
            println!("{number:6} packs, {:4} MB, {:3} threads", memory_mb(), threads());
        }
    }
    while let Some(done) = running.join_next().await {
        *counts.entry(done?).or_default() += 1;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    println!("{packs:6} packs, {:4} MB, {:3} threads", memory_mb(), threads());
    println!("{counts:?} in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

fn request(repo: &str, number: usize) -> Request {
    let tasks = ["handle the error", "parse the request", "write the header", "close the session"];
    Request {
        task: tasks[number % tasks.len()].into(),
        repo: Some(repo.into()),
        budget: Some(2_000),
        providers: vec!["history".into()],
        ..Request::default()
    }
}

/// One pack: dropped, cancelled or waited for.
async fn one(engine: &Engine, request: Request, number: usize) -> &'static str {
    // A pseudo-random wait, the same in every run: some wait in line then, some are at work, some done.
    let after = Duration::from_micros((number as u64).wrapping_mul(2_654_435_761) % 800_000);
    let cancel = Cancel::default();
    let told = |result: Result<kitbag::Report, kitbag::Error>| match result {
        Ok(report) if report.total_tokens <= report.budget => "packed",
        Ok(_) => "over its budget",
        Err(error) if error.is_cancelled() => "cancelled",
        Err(_) => "failed",
    };
    match number % 3 {
        0 => {
            let packed = tokio::time::timeout(after, engine.pack(request, &cancel)).await;
            packed.map_or("dropped", told)
        }
        1 => {
            let flag = cancel.clone();
            let raise = async move {
                tokio::time::sleep(after).await;
                flag.cancel();
            };
            let (result, ()) = tokio::join!(engine.pack(request, &cancel), raise);
            told(result)
        }
        _ => told(engine.pack(request, &cancel).await),
    }
}

fn memory_mb() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kb = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kb.unwrap_or(0) / 1_024
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

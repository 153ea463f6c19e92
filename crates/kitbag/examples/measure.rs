//! Measures a running engine.
//!
//!     cargo run --release -p kitbag --example measure -- requests DIR TASK [TIMES]
//!     cargo run --release -p kitbag --example measure -- edits DIR [TIMES] [--hang] [--alone]
//!     cargo run --release -p kitbag --example measure -- many DIR [PACKS] [CONCURRENT]
//!     cargo run --release -p kitbag --example measure -- rules
//!
//! `requests` measures the first request, requests that walk the tree, and requests on a watched
//! repository. `edits` makes packs of the profile `inline-edit`, each for another document, line and
//! diagnostic; with `--hang` one provider never answers, and with `--alone` git is not asked. `many`
//! makes concurrent packs, of which a third is dropped and a third cancelled: memory and threads must
//! stay flat. `rules` assembles 200 rules and 500 context files, with a new and with a used reader.

#![allow(clippy::print_stdout, reason = "a program that prints its results")]

use kitbag::rules::{RuleOptions, RuleReader, Situation};
use kitbag::{
    CachedCounter, Cancel, Cursor, Document, Engine, Gathered, Gathering, Provider, ProviderError,
    Report, Request, Root, SearchRequest, ToolOutput,
};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The allocator of the program `kitbag`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type MeasureResult<T = ()> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> MeasureResult {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, values): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with("--"));
    let number = |at: usize, default: usize| values.get(at).map_or(Ok(default), |it| it.parse());
    match values[..] {
        ["requests", repo, task, ..] => requests(repo, task, number(3, 21)?).await,
        ["edits", repo, ..] => edits(repo, number(2, 1_000)?, &flags).await,
        ["many", repo, ..] => many(repo, number(2, 10_000)?, number(3, 100)?).await,
        ["rules"] => rules(),
        _ => Err("expected `requests`, `edits`, `many` or `rules` with their arguments".into()),
    }
}

fn request(repo: &str, task: &str, budget: usize) -> Request {
    let (task, repo, budget) = (task.into(), Some(repo.into()), Some(budget));
    Request { task, repo, budget, ..Request::default() }
}

/// Makes a pack and returns its duration in milliseconds.
async fn timed_pack(engine: &Engine, request: Request) -> MeasureResult<(f64, Report)> {
    let began = Instant::now();
    let report = engine.pack(request, &Cancel::default()).await?;
    Ok((began.elapsed().as_secs_f64() * 1_000.0, report))
}

/// Returns the value at a share of sorted values.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((values.len().saturating_sub(1) as f64 * share) as usize).copied().unwrap_or(0.0)
}

async fn requests(repo: &str, task: &str, times: usize) -> MeasureResult {
    let cache = tempfile::tempdir()?;
    let engine = Engine::new()?.with_cache(cache.path());
    let (ms, report) = timed_pack(&engine, request(repo, task, 8_000)).await?;
    println!("first       {ms:8.1} ms, {} files", report.stats.files_searched);
    for kind in ["walking", "watched"] {
        if kind == "watched" {
            engine.watch(Path::new(repo))?;
        }
        let mut runs = Vec::new();
        for run in 0..times.max(1) + 3 {
            let timed = timed_pack(&engine, request(repo, task, 8_000)).await?;
            // The first runs warm up the caches.
            runs.extend((run >= 3).then_some(timed));
        }
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ms, report) = &runs[runs.len() / 2];
        let stages = report.timings.iter().map(|it| format!("{} {:.1}", it.stage, it.ms));
        let (slowest, stages) = (runs[runs.len() - 1].0, stages.collect::<Vec<_>>().join(", "));
        println!("{kind:<11} {ms:8.1} ms median, {slowest:.1} most: {stages}");
    }
    Ok(())
}

/// A provider that never answers and ignores its cancellation.
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

async fn edits(repo: &str, times: usize, flags: &[&str]) -> MeasureResult {
    let cache = tempfile::tempdir()?;
    let mut engine = Engine::new()?.with_cache(cache.path());
    if flags.contains(&"--hang") {
        engine = engine.with_provider(Hanging)?;
    }
    engine.watch(Path::new(repo))?;
    let (task, repo_path) = ("handle the error of the request".into(), Some(repo.into()));
    let search = SearchRequest { task, repo: repo_path, limit: 50, ..SearchRequest::default() };
    let found = engine.search(search, &Cancel::default()).await?.results;
    let without = if flags.contains(&"--alone") { vec!["history".to_owned()] } else { Vec::new() };
    let mut runs = Vec::with_capacity(times);
    for place in found.iter().cycle().take(times) {
        let (path, line) = (&place.path, place.start_line);
        let content = format!("{path}:{line}:1: error: the result is not checked\n");
        let request = Request {
            task: "handle the error".into(),
            repo: Some(repo.into()),
            profile: Some("inline-edit".into()),
            document: Some(Document { path: path.clone(), content: None }),
            cursor: Some(Cursor { line, column: None }),
            diagnostics: vec![ToolOutput { name: "compiler".into(), content }],
            no_providers: without.clone(),
            ..Request::default()
        };
        runs.push(timed_pack(&engine, request).await?);
    }
    print_edits(&runs);
    Ok(())
}

fn print_edits(runs: &[(f64, Report)]) {
    let count = |is: fn(&Report) -> bool| runs.iter().filter(|(_, report)| is(report)).count();
    let over = count(|report| report.total_tokens > report.budget);
    let partial = count(|report| report.partial);
    let at = |share: f64| quantile(runs.iter().map(|run| run.0).collect(), share);
    let (packs, p50, p99, most) = (runs.len(), at(0.5), at(0.99), at(1.0));
    println!(
        "{packs} packs: p50 {p50:.1} ms, p99 {p99:.1} ms, most {most:.1} ms; {over} over their budget, {partial} partial"
    );
    let mut durations: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (_, report) in runs {
        let stages = report.timings.iter().map(|it| (format!("stage {}", it.stage), it.ms));
        let providers = report.providers.iter().map(|it| (format!("provider {}", it.id), it.ms));
        for (name, ms) in stages.chain(providers) {
            durations.entry(name).or_default().push(ms);
        }
    }
    for (name, values) in durations {
        let (p50, p99) = (quantile(values.clone(), 0.5), quantile(values, 0.99));
        println!("{name}: p50 {p50:.2} ms, p99 {p99:.2} ms");
    }
}

async fn many(repo: &str, packs: usize, concurrent: usize) -> MeasureResult {
    let tasks = ["handle the error", "parse the request", "write the header", "close the session"];
    let engine = Engine::new()?;
    engine.watch(Path::new(repo))?;
    timed_pack(&engine, request(repo, tasks[0], 2_000)).await?;
    let (gate, began) = (Arc::new(Semaphore::new(concurrent)), Instant::now());
    let mut running: JoinSet<&'static str> = JoinSet::new();
    for number in 0..packs {
        let permit = Arc::clone(&gate).acquire_owned().await?;
        let request = Request {
            providers: vec!["history".into()],
            ..request(repo, tasks[number % tasks.len()], 2_000)
        };
        let engine = engine.clone();
        running.spawn(async move {
            let _permit = permit;
            one_of_many(&engine, request, number).await
        });
        if number % (packs / 10).max(1) == 0 {
            print_usage(number);
        }
    }
    let mut counts = BTreeMap::<&str, usize>::new();
    for outcome in running.join_all().await {
        *counts.entry(outcome).or_default() += 1;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    print_usage(packs);
    println!("{counts:?} in {:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}

/// Makes a pack that is dropped, cancelled or waited for.
async fn one_of_many(engine: &Engine, request: Request, number: usize) -> &'static str {
    // Pseudo-random but the same in every run: some packs wait for a slot then, some run, some are done.
    let after = Duration::from_micros((number as u64).wrapping_mul(2_654_435_761) % 800_000);
    let cancel = Cancel::default();
    let result = match number % 3 {
        0 => match tokio::time::timeout(after, engine.pack(request, &cancel)).await {
            Ok(result) => result,
            Err(_) => return "dropped",
        },
        1 => {
            let cancel_later = async {
                tokio::time::sleep(after).await;
                cancel.cancel();
            };
            tokio::join!(engine.pack(request, &cancel), cancel_later).0
        }
        _ => engine.pack(request, &cancel).await,
    };
    match result {
        Ok(report) if report.total_tokens <= report.budget => "packed",
        Ok(_) => "over its budget",
        Err(error) if error.is_cancelled() => "cancelled",
        Err(_) => "failed",
    }
}

fn print_usage(packs: usize) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kb = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    let threads = fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    println!("{packs:6} packs, {:4} MB, {threads:3} threads", kb.unwrap_or(0) / 1_024);
}

/// Number of measurements of each kind of assembly.
const RULES_RUNS: usize = 21;
/// Budget of the profile `situation`, in tokens.
const RULES_BUDGET: usize = 4_000;

fn rules() -> MeasureResult {
    let folder = tempfile::tempdir()?;
    write_rules(folder.path())?;
    for arguments in
        ["init --quiet", "add --all", "-c user.name=a -c user.email=a@b commit -qm Rules"]
    {
        let mut git = Command::new("git");
        if !git.arg("-C").arg(folder.path()).args(arguments.split(' ')).status()?.success() {
            return Err("git failed".into());
        }
    }
    // Files that have just changed are read again, which is not what is measured.
    std::thread::sleep(Duration::from_millis(2_100));
    let root = Root::open(folder.path())?;
    let counter = CachedCounter::named("o200k_base").ok_or("no such counter")?;
    counter.counter().count("unpacks the vocabulary");
    for (what, with_times) in [("rules alone", false), ("with git's times", true)] {
        let used = RuleReader::default();
        assemble_rules(&root, &used, &counter, with_times)?;
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for _ in 0..RULES_RUNS {
            let new = RuleReader::default();
            first.push(assemble_rules(&root, &new, &counter, with_times)?);
            again.push(assemble_rules(&root, &used, &counter, with_times)?);
        }
        for (when, times) in [("first", first), ("again", again)] {
            let (median, most) = (quantile(times.clone(), 0.5), quantile(times, 1.0));
            println!("{what:16} {when}  {median:6.1} ms median, {most:6.1} ms most");
        }
    }
    Ok(())
}

fn assemble_rules(
    root: &Root,
    reader: &RuleReader,
    counter: &CachedCounter,
    with_times: bool,
) -> MeasureResult<f64> {
    let mut situation = Situation {
        task: "add a refund to the payment service and migrate its table".into(),
        context: Some("team7/service3".into()),
        paths: vec!["services/pay/src/refund.rs".into()],
        now: Some(1_000_000),
        ..Situation::default()
    };
    let began = Instant::now();
    let (times, (set, problems)) = std::thread::scope(|scope| {
        let times = with_times.then(|| scope.spawn(|| reader.times(root, None)));
        let loaded = reader.load(root, &situation);
        (times.and_then(|times| times.join().ok()).unwrap_or_default(), loaded)
    });
    situation.now = times.now.or(situation.now);
    let options = RuleOptions { changed: &|path| times.of(path), ..RuleOptions::default() };
    let assembly = reader.assemble(root, &set, &situation, &options, &Cancel::default())?;
    let layout = assembly.layout(&[], RULES_BUDGET, &|text| counter.counter().count(text));
    let ms = began.elapsed().as_secs_f64() * 1_000.0;
    assert_eq!((set.contexts().count(), assembly.decisions.len()), (500, 200));
    assert!(problems.is_empty() && layout.tokens <= RULES_BUDGET, "{problems:?}");
    Ok(ms)
}

/// Writes 500 contexts in 20 folders, 100 injection rules that one of them has or inherits, and 100 rules of
/// other conventions.
fn write_rules(root: &Path) -> MeasureResult {
    let write = |path: String, text: String| -> MeasureResult {
        let path = root.join(path);
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        Ok(fs::write(path, text)?)
    };
    let body = "- Keep functions short.\n- Write a test for every fault.\n".repeat(8);
    for number in 0..500 {
        let (team, service) = (number / 25, number % 25);
        let name = if service == 0 { "default".to_owned() } else { format!("service{service}") };
        let mut text = format!(
            "metadata: {{name: Service {number}, type: service}}\n\
             intent_context: {{business_goal: goal {number}, intent_type: feature}}\n\
             behavior_rules:\n  - {{trigger: change {number}, action: write it down}}\n"
        );
        if (team, service) == (7, 3) {
            text.push_str("injection_rules:\n");
            for rule in 0..100 {
                let target = (rule * 5 + 1) % 500;
                let inject = format!("team{}/service{}", target / 25, (target % 25).max(1));
                text.push_str(&format!(
                    "  - {{name: rule {rule}, when: {{paths: ['services/**', '*.sql'], words: [refund, \
                     topic{rule}]}}, inject: [{inject}]}}\n"
                ));
            }
        }
        write(format!(".agent/contexts/team{team}/{name}.yml"), text)?;
    }
    for number in 0..40 {
        let text = format!("---\nglobs: services/s{number}/**/*.rs, **/*.sql\n---\n{body}");
        write(format!(".cursor/rules/r{number}.mdc"), text)?;
        let text = format!("---\npaths: services/**/m{number}.rs\n---\n{body}");
        write(format!(".claude/rules/r{number}.md"), text)?;
    }
    for number in 0..18 {
        let text = format!("---\nname: s{number}\ndescription: Use for {number}.\n---\n{body}");
        write(format!(".claude/skills/s{number}/SKILL.md"), text)?;
    }
    write("AGENTS.md".into(), body.clone())?;
    write("services/pay/AGENTS.md".into(), body)
}

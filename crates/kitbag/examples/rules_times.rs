//! How long it takes to assemble rules without a remote judge: 200 rules and 500 context files, read
//! for the first time, and again by a reader that remembers them.
//!
//!     cargo run --release -p kitbag --example rules_times

#![allow(clippy::print_stdout, reason = "it is a program")]

use kitbag::rules::{RuleOptions, RuleReader, Situation};
use kitbag::{CachedCounter, Cancel, Root};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The program's own allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often each is measured.
const TIMES: usize = 21;
/// The budget of the profile `situation`.
const BUDGET: usize = 4_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    make(folder.path())?;
    git(folder.path(), &["init", "--quiet"])?;
    git(folder.path(), &["add", "--all"])?;
    git(folder.path(), &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Rules"])?;
    // What changed within moments is read again, which is not what is measured.
    std::thread::sleep(Duration::from_millis(2_100));
    let root = Root::open(folder.path())?;
    let counting = CachedCounter::named("o200k_base").ok_or("no such counter")?;
    let count = |text: &str| counting.counter().count(text);
    count("the vocabulary is unpacked once");
    let run = |reader: &RuleReader, asks: bool| -> Result<f64, Box<dyn Error>> {
        let mut situation = Situation {
            task: "add a refund to the payment service and migrate its table".into(),
            context: Some("team7/service3".into()),
            paths: vec!["services/pay/src/refund.rs".into()],
            now: Some(1_000_000),
            ..Situation::default()
        };
        let began = Instant::now();
        let (times, (set, problems)) = std::thread::scope(|scope| {
            let times = asks.then(|| scope.spawn(|| reader.times(&root, None)));
            let loaded = reader.load(&root, &situation);
            (times.and_then(|times| times.join().ok()).unwrap_or_default(), loaded)
        });
        situation.now = times.now.or(situation.now);
        let options = RuleOptions { changed: &|path| times.of(path), ..RuleOptions::default() };
        let assembly = reader.assemble(&root, &set, &situation, &options, &Cancel::default())?;
        let layout = assembly.layout(&[], BUDGET, &count);
        let ms = began.elapsed().as_secs_f64() * 1_000.0;
        assert_eq!((set.contexts().count(), assembly.decisions.len()), (500, 200));
        assert!(problems.is_empty() && layout.tokens <= BUDGET, "{problems:?}");
        Ok(ms)
    };
    for (what, asks) in [("rules alone", false), ("with git's times", true)] {
        let reader = RuleReader::default();
        run(&reader, asks)?;
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for _ in 0..TIMES {
            first.push(run(&RuleReader::default(), asks)?);
            again.push(run(&reader, asks)?);
        }
        for (when, mut times) in [("first", first), ("again", again)] {
            times.sort_by(f64::total_cmp);
            let (median, most) = (times[TIMES / 2], times[TIMES - 1]);
            println!("{what:16} {when}  {median:6.1} ms median, {most:6.1} ms most");
        }
    }
    Ok(())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let done = Command::new("git").arg("-C").arg(folder).args(arguments).status()?;
    if done.success() { Ok(()) } else { Err("git failed".into()) }
}

/// 500 contexts in 20 folders, 100 injection rules that one of them has or inherits, and 100 rules of
/// other conventions.
fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let write = |path: String, text: String| -> Result<(), Box<dyn Error>> {
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

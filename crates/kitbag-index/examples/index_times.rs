//! Measures loading, refreshing and publishing an index: `index_times REPOSITORY FOLDER [--status]`.
#![allow(clippy::print_stdout, clippy::expect_used)]

use kitbag_index::{AnalysisSettings, Refresh, Store, word_id};
use kitbag_repo::{Globs, Root, Tree, WorkTree};
use kitbag_text::ChunkLimits;
use kitbag_tokens::CachedCounter;
use std::path::Path;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let root = Root::open(Path::new(&arguments[1])).expect("a repository");
    let counting = CachedCounter::named("o200k_base").expect("built in");
    let limits = ChunkLimits { max_class_tokens: 400, ..ChunkLimits::default() };
    let settings = AnalysisSettings { limits, counting: &counting };
    let mut start = Instant::now();
    let mut lap = |what: &str| {
        println!("{what:>10}: {:6.1} ms, {}", start.elapsed().as_secs_f64() * 1e3, usage());
        start = Instant::now();
    };
    let tree = WorkTree::walk(&root, &Globs::default());
    lap("walk");
    let store = Store::open(Path::new(&arguments[2]), &settings.fingerprint()).expect("a folder");
    let loaded = store.load();
    lap("load");
    let refreshed =
        Refresh::new(&settings, &kitbag_text::Cancel::default()).run(&tree, &loaded.snapshot);
    lap("refresh");
    let words: Vec<u32> = "the query set of a model field when it fails with an error in admin form widget render \
        template tag url path test case database backend sqlite postgres migration index name value \
        request response session cookie auth user password hash token cache key get post class def \
        return self import none true false if else for while try except raise"
        .split(' ')
        .map(word_id)
        .collect();
    let found: usize = words.iter().map(|&word| refreshed.view.postings(word).count()).sum();
    lap("search");
    println!("{} words, {found} occurrences", words.len());
    let mut snapshot = refreshed.snapshot;
    let published = store.publish(&mut snapshot);
    lap("publish");
    println!("{} files, {:?}, {:?}", tree.files().len(), loaded.problem, refreshed.stats);
    println!("{published:?}");
    for segment in snapshot.index().segments() {
        println!("  segment: {} contents, {} bytes", segment.keys().len(), segment.size());
    }
    println!(
        "  view: {} files, {} chunks",
        refreshed.view.files().len(),
        refreshed.view.chunk_count()
    );
    if arguments.len() > 3 {
        let status = store.status();
        println!("{status:?}");
    }
}

/// Returns the processor time and the peak memory so far.
fn usage() -> String {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().filter_map(|it| it.parse::<u64>().ok()).sum();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("").to_owned();
    format!("{} ms of CPU time, {memory}", ticks * 10)
}

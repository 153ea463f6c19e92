//! Fault injection: each built-in provider misbehaves in turn, and the others must answer as if it
//! were absent.

use crate::gather::provider::{Gathered, Gathering, Provider, ProviderError};
use crate::gather::providers::built_in;
use crate::request::{Cursor, Document, Request, Selection, SourceLine, ToolOutput, ToolResult};
use crate::{Engine, Report};
use kitbag_core::Cancel;
use kitbag_text::{Kind, Source, Text};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// Ways for a provider to misbehave.
#[derive(Clone)]
enum Fault {
    /// Blocks and ignores cancellation until the other end of the channel is dropped.
    Hangs(Arc<Mutex<Receiver<()>>>),
    Panics,
    Fails,
    GivesMuch,
    RepeatsAnother,
    LeadsOut,
}

/// Replaces the provider with the same id.
struct Faulty {
    id: String,
    fault: Fault,
}

impl Provider for Faulty {
    fn id(&self) -> &str {
        &self.id
    }

    fn timeout(&self) -> Option<Duration> {
        // Other faults keep the default timeout, so that they never time out.
        matches!(self.fault, Fault::Hangs(_)).then_some(Duration::from_millis(10))
    }

    fn gather(&self, _: &Gathering) -> Result<Gathered, ProviderError> {
        static LARGE: LazyLock<Arc<Text>> = LazyLock::new(|| {
            let line = "a line of some length that says nothing at all\n";
            Arc::new(Text::new(line.repeat((100 << 20) / line.len())))
        });
        let source =
            |path: &str, text: &Arc<Text>| Source::new(path, Kind::Other, Arc::clone(text));
        let small = Arc::new(Text::new(GOOD));
        match &self.fault {
            Fault::Hangs(until) => {
                let _ = until.lock().unwrap_or_else(PoisonError::into_inner).recv();
                Ok(vec![source("late.txt", &small)].into())
            }
            Fault::Panics => panic!("out of luck"),
            Fault::Fails => Err(ProviderError::failed("the service is down")),
            Fault::GivesMuch => Ok(vec![source("large.txt", &LARGE)].into()),
            Fault::RepeatsAnother => Ok(vec![source("good.txt", &small)].into()),
            Fault::LeadsOut => {
                let paths = ["../out.txt", "/etc/passwd", "a/../../b.txt", "x/.env"];
                Ok(paths.map(|path| source(path, &small)).to_vec().into())
            }
        }
    }
}

const GOOD: &str = "what the good one says\n";

/// A correct provider, registered after all others.
struct Good;

impl Provider for Good {
    fn id(&self) -> &str {
        "good"
    }

    fn gather(&self, _: &Gathering) -> Result<Gathered, ProviderError> {
        let text = Arc::new(Text::new(GOOD));
        Ok(vec![Source::new("good.txt", Kind::Other, text)].into())
    }
}

/// Creates a folder in which every provider finds something that needs no git.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, content: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("in a folder")).expect("a folder");
        fs::write(path, content).expect("written");
    };
    write("cart.py", "class Cart:\n    def total(self, items):\n        return sum(items)\n");
    write("till.py", "def pay(cart):\n    return cart.total([1, 2])\n");
    write("open.py", "opened = 'an open file'\n");
    write("named.py", "named = 'a reference'\n");
    write("AGENTS.md", "# Agents\n\nRun the tests.\n");
    write(".agent/contexts/default.md", "---\nmetadata: {name: default}\n---\nBe kind.\n");
    folder
}

/// Creates a request with input for every provider.
fn request(folder: &Path) -> Request {
    let document = |path: &str| Document { path: path.into(), content: None };
    let errors = "till.py:2:5: error: Wrong number of arguments\n";
    Request {
        task: "the total of the cart".into(),
        repo: Some(folder.to_owned()),
        document: Some(document("cart.py")),
        cursor: Some(Cursor { line: 3, column: None }),
        selection: Some(Selection { start_line: 2, end_line: 3, text: None }),
        open_files: vec![document("open.py")],
        tool_results: vec![ToolResult { label: "make".into(), content: "make: done\n".into() }],
        references: vec!["named.py".into()],
        sources: vec![SourceLine {
            path: "brought.txt".into(),
            content: Some("brought along\n".into()),
            ..SourceLine::default()
        }],
        diagnostics: vec![ToolOutput { name: "gcc".into(), content: errors.into() }],
        providers: ["history", "style", "rules", "tree", "overview"].map(str::to_owned).into(),
        now: Some(1_700_000_000),
        ..Request::default()
    }
}

/// Packs with one provider replaced by a faulty one.
fn pack(folder: &Path, faulty: Option<(&str, Fault)>) -> Report {
    let mut providers = built_in();
    if let Some((id, fault)) = faulty {
        let place = providers.iter().position(|it| it.id() == id).expect("it is built in");
        providers[place] = Arc::new(Faulty { id: id.to_owned(), fault });
    }
    providers.push(Arc::new(Good));
    let engine = Engine::with_threads(2).expect("threads").with_registry(providers);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let report = runtime.block_on(engine.pack(request(folder), &Cancel::default()));
    report.expect("a pack")
}

/// Returns the outcome and the number of sources of every provider except `but`.
fn outcomes<'a>(report: &'a Report, but: &str) -> BTreeMap<&'a str, (&'static str, usize)> {
    let others = report.providers.iter().filter(|item| item.id != but);
    others.map(|item| (item.id.as_str(), (item.outcome.as_str(), item.sources))).collect()
}

#[track_caller]
fn check(fault: impl Fn() -> Fault, outcome: &str, detail: Option<&str>, says: &[&str]) {
    let folder = folder();
    let right = pack(folder.path(), None);
    let ids: Vec<String> = built_in().iter().map(|provider| provider.id().to_owned()).collect();
    for id in &ids {
        let report = pack(folder.path(), Some((id, fault())));
        assert!(report.total_tokens <= report.budget && !report.partial, "{id}");
        assert_eq!(outcomes(&report, id), outcomes(&right, id), "without `{id}`");
        let item = report.providers.iter().find(|item| item.id == *id).expect("it is reported");
        assert_eq!((item.outcome.as_str(), item.detail.as_deref()), (outcome, detail), "{id}");
        let text = report.content.as_deref().unwrap_or_default();
        assert_eq!(text.matches(GOOD.trim()).count(), 1, "{id}: {text}");
        assert!(!text.contains("says nothing at all") && !text.contains("late.txt"), "{id}");
        for reason in says {
            let is_said = report.excluded.iter().any(|out| out.reason.as_str() == *reason);
            assert!(is_said, "{id}: {:?}", report.excluded);
        }
    }
}

#[test]
fn each_that_hangs_costs_only_its_own_content() {
    let mut ends = Vec::new();
    let hangs = std::cell::RefCell::new(&mut ends);
    let hang = || {
        let (sender, receiver) = channel();
        hangs.borrow_mut().push(sender);
        Fault::Hangs(Arc::new(Mutex::new(receiver)))
    };
    check(hang, "timed_out", Some("no answer within 10 ms"), &[]);
}

#[test]
fn each_that_panics_costs_only_its_own_content() {
    check(|| Fault::Panics, "failed", Some("panicked: out of luck"), &[]);
}

#[test]
fn each_that_fails_costs_only_its_own_content() {
    check(|| Fault::Fails, "failed", Some("the service is down"), &[]);
}

#[test]
fn each_that_returns_100_mb_is_excluded() {
    check(|| Fault::GivesMuch, "ok", None, &["too_large"]);
}

#[test]
fn each_that_repeats_another_is_shown_once() {
    check(|| Fault::RepeatsAnother, "ok", None, &[]);
}

#[test]
fn each_that_leads_out_of_the_root_is_refused() {
    check(|| Fault::LeadsOut, "ok", None, &["outside_root", "denied"]);
}

#[test]
fn every_provider_that_needs_no_git_has_something_in_these_tests() {
    let folder = folder();
    let report = pack(folder.path(), None);
    let given = |&(_, (outcome, _)): &(&str, (&str, usize))| outcome != "ok";
    let not: Vec<_> = outcomes(&report, "").into_iter().filter(given).collect();
    assert_eq!(not, [("diff", ("empty", 0)), ("history", ("empty", 0))]);
}

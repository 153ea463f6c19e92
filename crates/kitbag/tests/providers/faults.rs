//! Providers that do what they should not: the pack is right, bounded, and says so.

use crate::custom::{doing, giving, hanging, source, within};
use crate::repository::{engine, folder, outcome, pack, paths, request};
use kitbag::{Cancel, ConfigSources, ProviderError, Report, Request};
use std::sync::Arc;

/// The report of a pack with a faulty provider beside a good one.
async fn beside(
    fault: impl Fn() -> Result<kitbag::Gathered, ProviderError> + Send + Sync + 'static,
    options: &[(&str, serde_json::Value)],
) -> Report {
    let folder = folder(&[]);
    let engine = engine([doing("faulty", move |_| fault()), giving("good", "Good content")]);
    let mut request = request(folder.path());
    request.options.extend(options.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    let report = pack(&engine, request).await;
    assert!(report.has_part_of("good"), "{:?}", report.warnings);
    assert!(report.total_tokens <= report.budget);
    report
}

// Shows: ORCH-11, AGG-16
#[tokio::test]
async fn one_that_fails_costs_only_its_own_content() {
    let report = beside(|| Err(ProviderError::failed("the service is down")), &[]).await;
    assert_eq!(outcome(&report, "faulty"), ("failed", Some("the service is down")));
    assert_eq!(paths(&report), ["good.txt"]);
}

#[tokio::test]
async fn one_that_panics_costs_only_its_own_content() {
    let report = beside(|| panic!("out of luck"), &[]).await;
    assert_eq!(outcome(&report, "faulty"), ("failed", Some("panicked: out of luck")));
}

#[tokio::test]
async fn a_provider_that_returns_100_mb_is_excluded() {
    let large = || {
        let line = "a line of some length that says nothing at all\n";
        Ok(vec![source("large.txt", &line.repeat((100 << 20) / line.len()))].into())
    };
    let report = beside(large, &[]).await;
    let out = report.excluded.iter().find(|it| it.path == "large.txt").expect("it is reported");
    assert_eq!(
        (out.reason.as_str(), out.detail.as_str()),
        ("too_large", "`faulty` returned more than 64 MB")
    );
}

#[tokio::test]
async fn one_that_repeats_another_is_merged_with_it() {
    let report = beside(|| Ok(vec![source("good.txt", "Good content")].into()), &[]).await;
    assert_eq!(report.included.len(), 1);
    assert_eq!(report.stats.merged_sources, 1);
    let providers = (&report.included[0].provider, &report.included[0].duplicates[0].provider);
    assert_eq!(providers, (&Some("faulty".to_owned()), &Some("good".to_owned())));
}

#[tokio::test]
async fn paths_out_of_the_root_and_denied_ones_are_rejected() {
    let outside = || {
        let paths = ["../secret.txt", "/etc/hosts", "a/../../b", ".env", "ok.txt", "bin.txt"];
        let text = |path: &&str| if *path == "bin.txt" { "a\0b" } else { "content" };
        Ok(paths.iter().map(|path| source(path, text(path))).collect::<Vec<_>>().into())
    };
    let report = beside(outside, &[]).await;
    let reason =
        |path: &str| report.excluded.iter().find(|it| it.path == path).map(|it| it.reason.as_str());
    assert_eq!(reason("../secret.txt"), Some("outside_root"));
    assert_eq!(reason("/etc/hosts"), Some("outside_root"));
    assert_eq!(reason("a/../../b"), Some("outside_root"));
    assert_eq!(reason(".env"), Some("denied"));
    assert_eq!(reason("bin.txt"), Some("binary"));
    assert!(report.included.iter().any(|it| it.path == "ok.txt"));
}

// Shows: AGG-17
#[tokio::test]
async fn what_is_more_than_it_may_give_is_left_out() {
    let ten = || {
        let text = |at: u32| format!("alpha{at} beta{at} gamma{at}\n");
        let sources = (0..10).map(|at| source(&format!("{at}.txt"), &text(at)));
        Ok(sources.collect::<Vec<_>>().into())
    };
    let folder = folder(&[]);
    let engine = engine([doing("ten", move |_| ten())]);
    let report = pack(&engine, request(folder.path())).await;
    assert_eq!(report.included.len(), 10, "an own provider has no limits unless it has its own");
    let style = "# Style\n\nUse tabs.\n";
    crate::repository::write(folder.path(), "AGENTS.md", style);
    crate::repository::write(folder.path(), "CONTRIBUTING.md", "# How\n\nWrite tests first.\n");
    let mut request = request(folder.path());
    request.options.clear();
    request.options.push(("context.providers.search.enabled".into(), false.into()));
    request.options.push(("context.providers.style.enabled".into(), true.into()));
    request.options.push(("context.providers.style.max_items".into(), 1.into()));
    let limited = pack(&engine, request.clone()).await;
    let out = limited.excluded.iter().find(|it| it.path == "CONTRIBUTING.md").expect("it is out");
    assert_eq!(out.reason.as_str(), "provider_limit");
    assert!(out.detail.contains("`context.providers.style.max_items`"), "{}", out.detail);
    request.options.push(("context.providers.style.max_items".into(), 9.into()));
    request.options.push(("context.providers.style.max_tokens".into(), 4.into()));
    let short = pack(&engine, request).await;
    let item = short.providers.iter().find(|it| it.id == "style").expect("it is reported");
    assert!(item.tokens <= 4 && item.chunks == 1, "{item:?}");
}

#[tokio::test]
async fn a_custom_provider_is_configured_like_a_built_in_one() {
    let config = "context:\n  providers:\n    ten: {max_items: 3}\n  profiles:\n    quiet:\n      \
                  providers: {ten: {enabled: false}}\n    chunks:\n      providers: {ten: \
                  {max_tokens: 12}}\n";
    let folder = folder(&[("user.yml", config)]);
    let user_file = Some(folder.path().join("user.yml"));
    let engine = engine([doing("ten", |_| {
        let text = |at: u32| format!("alpha{at} beta{at} gamma{at}\n");
        let sources = (0..10).map(|at| source(&format!("{at}.txt"), &text(at)));
        Ok(sources.collect::<Vec<_>>().into())
    })]);
    let sources = ConfigSources { user_file, ..ConfigSources::default() };
    let engine = engine.with_config(sources.clone());
    let in_profile =
        |profile: &str| Request { profile: Some(profile.into()), ..request(folder.path()) };
    let report = pack(&engine, in_profile("orchestrate")).await;
    assert_eq!(report.included.len(), 3);
    let out = report.excluded.iter().find(|it| it.path == "3.txt").expect("it is out");
    assert_eq!(out.detail, "exceeds `context.providers.ten.max_items`");
    assert_eq!(outcome(&pack(&engine, in_profile("quiet")).await, "ten").0, "off");
    let few = pack(&engine, in_profile("chunks")).await;
    let item = few.providers.iter().find(|it| it.id == "ten").expect("it is reported");
    assert!(item.tokens <= 12 && item.tokens > 0, "{item:?}");
    let mut slow = in_profile("orchestrate");
    slow.options.push(("context.providers.ten.enabled".into(), false.into()));
    assert_eq!(outcome(&pack(&engine, slow).await, "ten").0, "off");
    let shown = engine.config(folder.path(), None, &Cancel::default()).await.expect("right");
    let shown = shown.only("context.providers.ten").expect("it is known");
    assert_eq!(shown.settings.len(), 1);
    let (key, written) = (&shown.settings[0].key, &shown.settings[0].written);
    assert_eq!((key.as_str(), written.as_str()), ("context.providers.ten.max_items", "3"));
    let none: [crate::custom::Own; 0] = [];
    let without = crate::repository::engine(none).with_config(sources);
    let error = without.pack(in_profile("orchestrate"), &Cancel::default()).await;
    let error = error.expect_err("no provider is called `ten`");
    assert!(error.to_string().contains("unknown key `context.providers.ten`"), "{error}");
    let hint = error.hint().expect("a hint");
    assert!(hint.starts_with("expected one of `context.providers."), "{hint}");
}

#[tokio::test]
async fn one_that_hangs_for_ever_is_not_asked_again_and_again() {
    let folder = folder(&[]);
    let (hanging, go) = hanging("hanging");
    let engine = engine([within(10, hanging)]);
    let request = request(folder.path());
    let mut outcomes = Vec::new();
    for _ in 0..9 {
        outcomes.push(outcome(&pack(&engine, request.clone()).await, "hanging").0);
    }
    assert_eq!(outcomes, [["timed_out"; 8].as_slice(), &["failed"]].concat());
    drop(go);
}

#[tokio::test]
async fn one_that_hangs_is_given_up_after_the_general_timeout_or_its_own() {
    let folder = folder(&[]);
    let (hanging, _go) = hanging("hanging");
    let engine = engine([hanging, giving("good", "Good content")]);
    let mut request = request(folder.path());
    request.options.push(("context.strategy_timeout".into(), 30.into()));
    let report = pack(&engine, request.clone()).await;
    assert_eq!(outcome(&report, "hanging"), ("timed_out", Some("no answer within 30 ms")));
    request.options.push(("context.providers.hanging.timeout_ms".into(), 20.into()));
    // The good one has all the time that it needs on a machine that is busy.
    request.options.push(("context.providers.good.timeout_ms".into(), 60_000.into()));
    let report = pack(&engine, request).await;
    assert_eq!(outcome(&report, "hanging"), ("timed_out", Some("no answer within 20 ms")));
    assert!(report.has_part_of("good") && !report.partial);
}

#[tokio::test]
async fn parallelism_is_bounded() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let folder = folder(&[]);
    for most in [1, 2] {
        let (running, highest) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counting = ["a", "b", "c", "d", "e", "f"].map(|id| {
            let (running, highest) = (Arc::clone(&running), Arc::clone(&highest));
            doing(id, move |_| {
                highest.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // Long enough for the others to begin, were they asked.
                std::thread::sleep(std::time::Duration::from_millis(20));
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(Vec::new().into())
            })
        });
        let mut request = request(folder.path());
        request.options.push(("context.max_parallelism".into(), most.into()));
        let report = pack(&engine(counting), request).await;
        assert!(highest.load(Ordering::SeqCst) <= most, "{highest:?} of {most}");
        for id in ["a", "f"] {
            assert_eq!(outcome(&report, id).0, "empty", "each is asked");
        }
    }
}

// Shows: AGG-05, AGG-13
#[tokio::test]
async fn a_deadline_gives_what_has_arrived_by_then() {
    let folder = folder(&[]);
    let (hanging, _go) = hanging("hanging");
    let engine = engine([hanging, giving("good", "Good content")]);
    // Long enough for one that answers at once, also on a machine that is busy.
    let deadline_ms = Some(4_000);
    let report = pack(&engine, Request { deadline_ms, ..request(folder.path()) }).await;
    assert_eq!((outcome(&report, "hanging").0, outcome(&report, "good").0), ("late", "ok"));
    assert!(report.partial && report.has_part_of("good"));
    let mut alone = request(folder.path());
    alone.no_providers.push("good".into());
    let report = pack(&engine, Request { deadline_ms, ..alone }).await;
    assert_eq!(report.content.as_deref(), Some(""), "an empty pack, not an error");
    assert!(report.partial);
    assert!(report.warnings.iter().any(|it| it.contains("nothing arrived before the deadline")));
}

// Shows: AGG-14
#[tokio::test]
async fn cancelling_ends_a_pack_that_waits_for_a_provider() {
    let folder = folder(&[]);
    let (asked, is_asked) = std::sync::mpsc::channel();
    let (hanging, _go) = hanging("hanging");
    let telling = doing("telling", move |gathering| {
        let _ = asked.send(());
        (hanging.doing)(gathering)
    });
    let engine = std::sync::Arc::new(engine([telling]));
    let cancel = Cancel::default();
    let (request, flag) = (request(folder.path()), cancel.clone());
    let packing = tokio::spawn(async move { engine.pack(request, &flag).await });
    tokio::task::spawn_blocking(move || is_asked.recv()).await.expect("runs").expect("asked");
    cancel.cancel();
    let error = packing.await.expect("no panic").expect_err("it was cancelled");
    assert!(error.is_cancelled());
}

//! The orchestrator design: its criteria and its unit tests.

use crate::custom::{Own, giving, giving_first, hanging, meeting, source, within};
use crate::repository::{engine, folder, outcome, pack, paths, request};
use kitbag::{Cancel, Cursor, Document, Engine, Received, Request, Selection};

// Shows: FR-016-27
#[tokio::test]
async fn what_several_providers_give_is_in_one_pack() {
    let folder = folder(&[]);
    let engine = engine([giving("doc", "Document content"), giving("chosen", "Selected text")]);
    let report = pack(&engine, request(folder.path())).await;
    assert_eq!(paths(&report), ["chosen.txt", "doc.txt"]);
    assert_eq!(report.part_of("doc").as_deref(), Some("Document content"));
    assert!(report.has_part_of("chosen") && !report.has_part_of("search"));
    let text = report.content.expect("a text");
    assert!(text.contains("## doc\n") && text.contains("## chosen\n"), "{text}");
}

// Shows: ORCH-05
#[tokio::test]
async fn a_pack_of_many_sources_is_within_its_budget() {
    let folder = folder(&[]);
    let long = |word: &str, count: usize| {
        (0..count).map(|line| format!("{word} number {line}\n")).collect::<String>()
    };
    let engine = engine([giving("doc", &long("line", 1_000)), giving("found", &long("row", 900))]);
    let report = pack(&engine, Request { budget: Some(3_000), ..request(folder.path()) }).await;
    assert!(report.total_tokens <= 3_000 && report.total_tokens > 2_900, "{}", report.total_tokens);
}

// Shows: ORCH-03
#[tokio::test]
async fn the_same_content_of_two_providers_is_shown_once() {
    let folder = folder(&[]);
    let text = "The quick brown fox jumps over the lazy dog";
    let engine = engine([giving("doc", text), giving("chosen", text)]);
    let report = pack(&engine, request(folder.path())).await;
    assert_eq!(report.included.len(), 1);
    assert_eq!(report.excluded[0].reason.as_str(), "duplicate");
}

// Shows: ORCH-04
#[tokio::test]
async fn priority_decides_whatever_the_relevance() {
    let folder = folder(&[]);
    let engine = engine([
        giving_first("found", "Low priority", 60),
        giving_first("doc", "High priority", 100),
        giving_first("hint", "Least priority", 10),
    ]);
    let report = pack(&engine, request(folder.path())).await;
    assert_eq!(paths(&report), ["doc.txt", "found.txt", "hint.txt"]);
    assert!(report.included.windows(2).all(|two| two[0].factors.source > two[1].factors.source));
}

// Shows: ORCH-01, AGG-12
#[tokio::test]
async fn providers_are_asked_at_the_same_time() {
    let folder = folder(&[]);
    // Each of them answers only while the other one is being asked.
    let engine = engine(meeting("first", "second"));
    let report = pack(&engine, request(folder.path())).await;
    assert_eq!((outcome(&report, "first").0, outcome(&report, "second").0), ("ok", "ok"));
}

// Shows: FR-016-29
#[tokio::test]
async fn answers_are_merged_in_the_order_of_registration() {
    let folder = folder(&[]);
    let (slow, go) = hanging("slow");
    let slow = Own {
        doing: Box::new(move |gathering| {
            (slow.doing)(gathering)?;
            Ok(vec![source("same.txt", "the same\n")].into())
        }),
        ..slow
    };
    let fast = crate::custom::doing("fast", move |_| {
        let _ = go.send(());
        Ok(vec![source("same.txt", "the same\n")].into())
    });
    let report = pack(&engine([slow, fast]), request(folder.path())).await;
    assert_eq!(report.included[0].provider.as_deref(), Some("slow"), "it was registered first");
}

// Shows: ORCH-02, FR-016-30
#[tokio::test]
async fn a_slow_provider_is_given_up() {
    let folder = folder(&[]);
    let (slow, _go) = hanging("slow");
    let providers = [within(50, slow), giving("fast", "Fast content")];
    let report = pack(&engine(providers), request(folder.path())).await;
    assert_eq!(paths(&report), ["fast.txt"]);
    assert_eq!(outcome(&report, "slow"), ("timed_out", Some("no answer within 50 ms")));
    assert!(
        report.warnings.iter().any(|it| it.contains("provider `slow`")),
        "{:?}",
        report.warnings
    );
}

#[tokio::test]
async fn a_slow_provider_is_cancelled() {
    let folder = folder(&[]);
    let (sender, cancelled) = std::sync::mpsc::channel();
    let looking = crate::custom::doing("looking", move |gathering| {
        while gathering.cancel().check().is_ok() {
            std::thread::yield_now();
        }
        let _ = sender.send(());
        gathering.cancel().check()?;
        Ok(Vec::new().into())
    });
    let report = pack(&engine([within(20, looking)]), request(folder.path())).await;
    assert_eq!(outcome(&report, "looking").0, "timed_out");
    cancelled.recv().expect("it was cancelled");
}

// Shows: ORCH-09
#[tokio::test]
async fn a_provider_that_is_switched_off_is_out_of_the_next_pack() {
    let folder = folder(&[]);
    let engine = engine([giving("doc", "Document"), giving("found", "Results")]);
    engine.set_enabled("found", Some(false)).expect("it is known");
    let report = pack(&engine, request(folder.path())).await;
    assert_eq!(paths(&report), ["doc.txt"]);
    assert_eq!(outcome(&report, "found"), ("off", None));
    engine.set_enabled("found", None).expect("it is known");
    assert_eq!(pack(&engine, request(folder.path())).await.included.len(), 2);
}

#[tokio::test]
async fn a_request_switches_providers_for_itself() {
    let folder = folder(&[]);
    let engine = engine([giving("doc", "Document"), giving("found", "Results")]);
    let mut without = request(folder.path());
    without.no_providers.push("found".into());
    let report = pack(&engine, without.clone()).await;
    assert_eq!(paths(&report), ["doc.txt"]);
    assert!(!report.has_part_of("found"));
    // What a request says goes before what was switched.
    engine.set_enabled("doc", Some(false)).expect("it is known");
    without.providers.push("doc".into());
    assert_eq!(paths(&pack(&engine, without).await), ["doc.txt"]);
}

#[tokio::test]
async fn an_unknown_id_has_a_suggestion() {
    let folder = folder(&[]);
    let engine = engine([giving("doc", "Document")]);
    let request = Request { providers: vec!["serch".into()], ..request(folder.path()) };
    let error = engine.pack(request, &Cancel::default()).await.expect_err("it is unknown");
    assert_eq!(error.to_string(), "unknown provider `serch`");
    assert_eq!(error.hint().as_deref(), Some("did you mean `search`?"));
    assert!(error.is_usage());
    let unknown = |name| engine.set_enabled(name, None).expect_err("unknown").hint;
    assert_eq!(unknown("semantik").as_deref(), Some("did you mean `semantic`?"));
    let hint = unknown("zzz").expect("a list");
    assert!(hint.starts_with("expected one of `") && hint.contains("`search`"), "{hint}");
    assert!(engine.set_enabled("rag", None).is_ok(), "another name of `search`");
}

#[test]
fn ids_are_plain_and_there_is_one_of_each() {
    for wrong in ["", "a b", "Doc", "doc/1", "search"] {
        assert!(
            Engine::new().expect("threads").with_provider(giving(wrong, "x")).is_err(),
            "{wrong}"
        );
    }
}

// Shows: ORCH-08
#[tokio::test]
async fn a_finished_pack_is_an_event() {
    let folder = folder(&[]);
    let engine = engine([giving("doc", "Content")]);
    let mut events = engine.subscribe();
    let (agent_id, correlation_id) = (Some("test-agent".to_owned()), Some("k1".to_owned()));
    let report =
        pack(&engine, Request { agent_id, correlation_id, ..request(folder.path()) }).await;
    assert_eq!(report.correlation_id.as_deref(), Some("k1"));
    let Some(Received::Event(event)) = events.next().await else { panic!("no event") };
    assert_eq!(event.agent_id.as_deref(), Some("test-agent"));
    assert_eq!(event.correlation_id.as_deref(), Some("k1"));
    assert_eq!(event.total_tokens(), report.total_tokens);
    assert_eq!(event.report.included[0].path, "doc.txt");
    assert!(event.duration_ms > 0.0);
}

#[tokio::test]
async fn a_slow_subscriber_delays_no_pack_and_gets_the_number_of_missed_events() {
    let folder = folder(&[]);
    let engine = engine([giving("doc", "Content")]);
    let mut events = engine.subscribe();
    for _ in 0..300 {
        pack(&engine, request(folder.path())).await;
    }
    let Some(Received::Missed(missed)) = events.next().await else { panic!("it missed some") };
    assert_eq!(missed, 300 - 256);
    assert!(matches!(events.next().await, Some(Received::Event(_))));
}

// Shows: ORCH-07
#[tokio::test]
async fn the_request_is_in_the_variables_and_templates_have_them() {
    let code = "class A:\n    def one(self):\n        return 1\n";
    let folder = folder(&[("path/doc.py", code)]);
    let template = "{{ DocumentName }} {{ DocumentPath }} {{ CursorPosition }} {{ SelectionLength }} \
                    {{ CurrentHeading }} {{ FragmentCount }}\n";
    let request = Request {
        document: Some(Document { path: "path/doc.py".into(), content: None }),
        cursor: Some(Cursor { line: 3, column: None }),
        selection: Some(Selection { start_line: 3, end_line: 3, text: Some("return 1".into()) }),
        template: Some(kitbag::Template { name: "t".into(), source: template.into() }),
        ..request(folder.path())
    };
    let report = pack(&engine([giving("doc", "Content")]), request).await;
    let variable = |name: &str| report.variables[name].clone();
    assert_eq!(variable("DocumentName"), "doc.py");
    assert_eq!(variable("DocumentPath"), "path/doc.py");
    assert_eq!(variable("CursorPosition"), 3);
    assert_eq!(variable("SelectionLength"), 8);
    assert_eq!(variable("CurrentHeading"), "A.one");
    assert_eq!(variable("FragmentCount"), report.included.len());
    assert_eq!(variable("TotalTokens"), report.total_tokens);
    let text = report.content.expect("a text");
    assert!(text.starts_with("doc.py path/doc.py 3 8 A.one "), "{text}");
}

#[tokio::test]
async fn template_variables_without_a_value_are_empty() {
    let folder = folder(&[]);
    let template = "[{{ DocumentName }}|{{ DocumentPath }}|{{ CursorPosition }}|{{ SelectionLength }}\
                    |{{ CurrentHeading }}|{{ FragmentCount }}|{{ variables.DocumentName }}]\n";
    let request = Request {
        template: Some(kitbag::Template { name: "t".into(), source: template.into() }),
        ..request(folder.path())
    };
    let report = pack(&engine([giving("doc", "Content")]), request).await;
    assert_eq!(report.content.as_deref(), Some("[|||||1|]\n"));
    let known = ["CurrentHeading", "CursorPosition", "DocumentName", "DocumentPath"];
    let known = known.into_iter().chain(["FragmentCount", "SelectionLength", "TotalTokens"]);
    assert!(report.variables.keys().copied().eq(known), "{:?}", report.variables);
    assert!(report.variables["DocumentName"].is_null(), "{:?}", report.variables);
}

// Shows: ORCH-10
#[tokio::test]
async fn nothing_gathered_is_an_empty_pack() {
    let folder = folder(&[]);
    let none: [Own; 0] = [];
    let report = pack(&engine(none), request(folder.path())).await;
    assert_eq!(report.content.as_deref(), Some(""));
    assert!(report.included.is_empty() && report.total_tokens == 0);
}

//! Many packs at once, many of them given up: nothing hangs, and nothing goes on.

use crate::custom::doing;
use crate::repository::{engine, folder, request};
use kitbag::Cancel;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// `examples/measure.rs` runs 10,000; this is enough to see a deadlock or a task that is left.
const PACKS: usize = 400;
const AT_ONCE: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn packs_that_are_given_up_leave_nothing_running() {
    let folder = folder(&[("a.txt", "login\n"), ("b.txt", "logout\n")]);
    let running = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&running);
    let patient = doing("patient", move |gathering| {
        count.fetch_add(1, Ordering::SeqCst);
        for _ in 0..20 {
            if gathering.cancel().check().is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        count.fetch_sub(1, Ordering::SeqCst);
        Ok(Vec::new().into())
    });
    let engine = Arc::new(engine([patient]));
    let gate = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
    let mut packs = tokio::task::JoinSet::new();
    for number in 0..PACKS {
        let (engine, request) = (Arc::clone(&engine), request(folder.path()));
        let permit = Arc::clone(&gate).acquire_owned().await.expect("it is open");
        packs.spawn(async move {
            let _permit = permit;
            let cancel = Cancel::default();
            let flag = cancel.clone();
            let after = Duration::from_millis((number * 7 % 40) as u64);
            match number % 3 {
                0 => drop(tokio::time::timeout(after, engine.pack(request, &flag)).await),
                1 => {
                    let packing = engine.pack(request, &flag);
                    let raise = async {
                        tokio::time::sleep(after).await;
                        cancel.cancel();
                    };
                    let (result, ()) = tokio::join!(packing, raise);
                    let fine = result.as_ref().err().is_none_or(|error| error.is_cancelled());
                    assert!(fine, "{result:?}");
                }
                _ => drop(engine.pack(request, &flag).await.expect("a pack")),
            }
        });
    }
    while let Some(done) = packs.join_next().await {
        done.expect("no panic");
    }
    // An abandoned call ends as soon as it checks its flag.
    while running.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let report = engine.pack(request(folder.path()), &Cancel::default()).await.expect("a pack");
    assert!(
        !report.providers.iter().any(|it| it.outcome.as_str() == "failed"),
        "{:?}",
        report.providers
    );
}

//! The configuration of a repository, as an engine uses it.

use kitbag::{Cancel, ConfigSources, Engine, Error, Report, Request};
use serde_json::json;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A repository with some functions, and a configuration.
fn repository(config: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["login", "logout", "refresh"] {
        let content = format!("/// The session.\npub fn {name}_session() {{\n    session();\n}}\n");
        fs::write(folder.path().join(format!("{name}.rs")), content).expect("written");
    }
    configure(folder.path(), config);
    folder
}

fn configure(folder: &Path, config: &str) {
    fs::create_dir_all(folder.join(".agent")).expect("a folder");
    fs::write(folder.join(".agent/config.yml"), config).expect("written");
}

fn request(folder: &Path) -> Request {
    Request { task: "session".into(), repo: Some(folder.to_owned()), ..Request::default() }
}

async fn pack(engine: &Engine, request: Request) -> Report {
    engine.pack(request, &Cancel::default()).await.expect("a pack")
}

fn engine() -> Engine {
    Engine::with_threads(2).expect("threads")
}

// Shows: AC-146
#[tokio::test]
async fn the_budget_is_the_configured_window_less_the_reserves() {
    let folder = repository(
        "context:\n  budget: {total: 100000, response_reserve: 15000, system_reserve: 8000}\n",
    );
    assert_eq!(pack(&engine(), request(folder.path())).await.budget, 77_000);
    let window = Request { window: Some(50_000), ..request(folder.path()) };
    assert_eq!(pack(&engine(), window).await.budget, 27_000);
    let model = Request { model: Some("gpt-4o".into()), ..request(folder.path()) };
    assert_eq!(pack(&engine(), model).await.budget, 77_000, "the smaller of total and window");
    let given = Request { budget: Some(500), ..request(folder.path()) };
    assert_eq!(pack(&engine(), given).await.budget, 500);
}

#[tokio::test]
async fn a_changed_file_is_used_by_the_next_pack_and_a_broken_one_is_not() {
    let folder = repository("context: {budget: {total: 20000}}\n");
    let engine = engine();
    assert_eq!(pack(&engine, request(folder.path())).await.budget, 10_000);
    configure(folder.path(), "context: {budget: {total: 30000}}\n");
    assert_eq!(pack(&engine, request(folder.path())).await.budget, 20_000);
    configure(folder.path(), "context: {budget: {total: many}}\n");
    let kept = pack(&engine, request(folder.path())).await;
    assert_eq!(kept.budget, 20_000);
    let warning = &kept.warnings[0];
    assert!(warning.contains("using the previous configuration"), "{warning}");
    assert!(warning.contains("config.yml:1:27: `context.budget.total` must be"), "{warning}");
    fs::remove_file(folder.path().join(".agent/config.yml")).expect("removed");
    assert_eq!(pack(&engine, request(folder.path())).await.budget, 90_000);
}

// Shows: AC-150
#[tokio::test]
async fn what_is_wrong_at_first_is_an_error() {
    let folder = repository("context: {budget: {total: many}}\n");
    let result = engine().pack(request(folder.path()), &Cancel::default()).await;
    assert!(matches!(result, Err(Error::Config(_))), "{result:?}");
}

#[tokio::test]
async fn packs_that_are_switched_off_are_empty_and_say_where() {
    let folder = repository("context:\n  enabled: false\n");
    let report = pack(&engine(), request(folder.path())).await;
    assert_eq!((report.content.as_deref(), report.total_tokens), (Some(""), 0));
    assert!(report.warnings[0].contains("`context.enabled`"), "{:?}", report.warnings);
    assert!(report.warnings[0].contains("config.yml:2:12"), "{:?}", report.warnings);
    let options = vec![("context.enabled".to_owned(), json!(true))];
    let report = pack(&engine(), Request { options, ..request(folder.path()) }).await;
    assert_eq!(report.included.len(), 3);
}

#[tokio::test]
async fn sources_over_the_configured_maximum_are_reported() {
    let folder = repository("context:\n  max_sources: 2\n");
    let report = pack(&engine(), request(folder.path())).await;
    let mut files: Vec<&str> = report.included.iter().map(|it| it.path.as_str()).collect();
    files.dedup();
    assert_eq!(files.len(), 2, "{files:?}");
    let out: Vec<&str> = report.excluded.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(out, ["too_many_sources"]);
}

// Shows: AC-149
#[tokio::test]
async fn other_limits_are_another_index() {
    let folder = repository("");
    let engine = engine();
    let symbols = |report: &Report| -> Vec<Option<String>> {
        report.included.iter().map(|it| it.symbol.clone()).collect()
    };
    let structural = pack(&engine, request(folder.path())).await;
    assert!(symbols(&structural).contains(&Some("login_session".into())));
    configure(folder.path(), "context: {chunking: {languages: {rust: lines}}}\n");
    let by_lines = pack(&engine, request(folder.path())).await;
    assert_eq!(symbols(&by_lines), [None, None, None]);
    configure(folder.path(), "");
    assert_eq!(symbols(&pack(&engine, request(folder.path())).await), symbols(&structural));
}

#[tokio::test]
async fn indexes_are_kept_on_disk_unless_that_is_switched_off() {
    let (folder, cache) = (repository(""), tempfile::tempdir());
    let cache = cache.expect("a folder");
    let engine = engine().with_cache(cache.path());
    let entries = || fs::read_dir(cache.path()).map_or(0, Iterator::count);
    let options = vec![("context.cache.enabled".to_owned(), json!(false))];
    pack(&engine, Request { options, ..request(folder.path()) }).await;
    assert_eq!(entries(), 0);
    pack(&engine, request(folder.path())).await;
    assert!(entries() > 0);
}

#[tokio::test]
async fn the_engine_takes_the_layers_that_it_is_given() {
    let folder = repository("context: {budget: {system_reserve: 1000}}\n");
    let user = folder.path().join("user.yml");
    fs::write(&user, "context: {budget: {total: 20000, system_reserve: 0}}\n").expect("written");
    let sources = |set: &[(&str, &str)]| ConfigSources {
        user_file: Some(user.clone()),
        environment: vec![("KITBAG_CONTEXT_BUDGET_RESPONSE_RESERVE".into(), "3k".into())],
        set: set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..ConfigSources::default()
    };
    let plain = engine().with_config(sources(&[]));
    assert_eq!(pack(&plain, request(folder.path())).await.budget, 16_000);
    let set = engine().with_config(sources(&[("context.budget.total", "10k")]));
    assert_eq!(pack(&set, request(folder.path())).await.budget, 6_000);
    let report = set.config(folder.path(), None, &Cancel::default()).await.expect("right");
    let from =
        |key: &str| report.settings.iter().find(|it| it.key == key).map(|it| it.from.as_str());
    assert_eq!(from("context.budget.total"), Some("--set"));
    let variable = "KITBAG_CONTEXT_BUDGET_RESPONSE_RESERVE";
    assert_eq!(from("context.budget.response_reserve"), Some(variable));
    assert_eq!(from("context.budget.completion_reserve"), Some("default"));
}

#[tokio::test]
async fn a_profile_in_a_file_applies_if_requested() {
    let folder = repository(
        "context:\n  profiles:\n    small: {budget: {total: 2000, response_reserve: 0, system_reserve: 0}}\n",
    );
    let small = Request { profile: Some("small".into()), ..request(folder.path()) };
    assert_eq!(pack(&engine(), small).await.budget, 2_000);
    assert_eq!(pack(&engine(), request(folder.path())).await.budget, 90_000);
    let unknown = Request { profile: Some("smal".into()), ..request(folder.path()) };
    let error = engine().pack(unknown, &Cancel::default()).await.expect_err("no such profile");
    assert_eq!(error.to_string(), "unknown profile `smal`");
}

#[cfg(unix)]
#[tokio::test]
async fn a_configuration_that_a_link_leads_out_to_is_not_read() {
    let (folder, elsewhere) = (repository(""), repository("context: {enabled: false}\n"));
    fs::remove_dir_all(folder.path().join(".agent")).expect("removed");
    let target = elsewhere.path().join(".agent");
    std::os::unix::fs::symlink(target, folder.path().join(".agent")).expect("a link");
    let error = engine().pack(request(folder.path()), &Cancel::default()).await.expect_err("out");
    assert!(error.to_string().contains("outside"), "{error}");
}

/// The page says what a template gets, field by field.
#[tokio::test]
async fn templates_get_the_fields_that_the_page_names_and_no_others() {
    let folder = repository("");
    let template = "{{ files|tojson }}\n{{ chunks|tojson }}\n";
    fs::write(folder.path().join("t.j2"), template).expect("written");
    let options = vec![("context.formatting.template".to_owned(), json!("t.j2"))];
    let report = pack(&engine(), Request { options, ..request(folder.path()) }).await;
    let text = report.content.expect("a text");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md"));
    let page = page.expect("the page");
    for (row, given) in [("| `files` | ", &lines[0]), ("| a run | ", &lines[1])] {
        let fields = page.lines().find_map(|line| line.strip_prefix(row)).expect("the row");
        let keys = given[0].as_object().expect("an object").keys();
        for key in keys.clone() {
            assert!(fields.contains(&format!("`{key}`")), "{key} is not on the page");
        }
        // The text in brackets explains the field before it.
        let bare: String =
            fields.split('(').map(|it| it.rsplit(')').next().unwrap_or(it)).collect();
        for field in bare.split('`').skip(1).step_by(2) {
            assert!(keys.clone().any(|key| key == field), "{field} is not given: {keys:?}");
        }
    }
}

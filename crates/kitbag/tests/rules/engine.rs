//! Rules through the engine: reports, judges and trust.

use crate::fixture::Repo;
use crate::server::{Answer, Server, openai, verdicts};
use kitbag::{
    Cancel, ConfigSources, Engine, Report, Request, RulesReport, RulesRequest, TrustState,
};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

struct User {
    state: TempDir,
    environment: Vec<(OsString, OsString)>,
    user_file: Option<PathBuf>,
}

impl User {
    fn new() -> Self {
        Self { state: tempfile::tempdir().unwrap(), environment: Vec::new(), user_file: None }
    }

    fn configured(content: &str) -> Self {
        let user = Self::new();
        let file = user.state.path().join("config.yml");
        std::fs::write(&file, content).unwrap();
        Self { user_file: Some(file), ..user }
    }

    fn engine(&self) -> Engine {
        let sources = ConfigSources {
            user_file: self.user_file.clone(),
            environment: self.environment.clone(),
            trust_folder: Some(self.state.path().join("trust")),
            ..ConfigSources::default()
        };
        Engine::with_threads(1).unwrap().with_config(sources)
    }
}

async fn rules(engine: &Engine, repo: &Repo, task: &str) -> RulesReport {
    let repo = Some(repo.dir.path().to_owned());
    let request = RulesRequest { repo, task: task.into(), ..RulesRequest::default() };
    engine.rules(request, &Cancel::default()).await.unwrap()
}

const RULES: (&str, &str) = (
    ".agent/contexts/default.yml",
    "injection_rules: [{name: a, condition: it is so, inject: a.md}]\n",
);

fn repo(config: &str) -> Repo {
    Repo::with(&[RULES, ("a.md", "A"), (".agent/config.yml", config)])
}

#[tokio::test]
async fn configured_judge_decides_conditions() {
    let server = Server::start(vec![openai(&verdicts(&["holds"]).to_string())]);
    let config =
        format!("judge: {{endpoint: \"{}\", model: m, key_env: MY_KEY}}\n", server.address);
    let mut user = User::configured(&config);
    let repo = repo("");
    let report = rules(&user.engine(), &repo, "x").await;
    assert_eq!(report.undecided.len(), 1);
    let warning = "conditions are not judged: the environment variable `MY_KEY` from `judge.key_env` is not set";
    assert_eq!(report.warnings, [warning]);
    user.environment = vec![("MY_KEY".into(), "secret-key".into())];
    let report = rules(&user.engine(), &repo, "x").await;
    assert_eq!((report.applies.len(), report.judge.as_deref()), (1, Some("openai:m")));
    assert!(!serde_json::to_string(&report).unwrap().contains("secret-key"));
    assert_eq!(server.asked().len(), 1);
    let report = rules(&user.engine(), &repo, "").await;
    assert_eq!(
        (report.undecided.len(), server.asked().len()),
        (1, 1),
        "without a task, conditions are not judged"
    );
}

#[tokio::test]
async fn judge_of_a_repository_requires_trust_again_after_a_change() {
    let server = Server::start(vec![openai(&verdicts(&["holds"]).to_string())]);
    let config = format!("judge:\n  endpoint: {}\n  model: m\n", server.address);
    let (repo, user) = (repo(&config), User::new());
    let (engine, cancel, dir) = (user.engine(), Cancel::default(), repo.dir.path().to_owned());
    let report = rules(&engine, &repo, "x").await;
    assert_eq!((report.undecided.len(), server.asked().len()), (1, 0));
    assert!(report.warnings[0].ends_with(
        ".agent/config.yml:2:13: `judge.endpoint`, `judge.model` are ignored because you have not \
         trusted the configuration; run `kitbag trust`"
    ));
    let seen = engine.trust_report(&dir, &cancel).await.unwrap();
    assert_eq!(seen.wants[0].standing, TrustState::NotTrusted);
    let expected = format!("judge.endpoint: \"{}\"\njudge.model: m", server.address);
    assert_eq!(seen.wants[0].piece.detail, expected);
    let granted = engine.trust(&dir, &seen, &cancel).await.unwrap();
    assert_eq!(granted.wants[0].standing, TrustState::Trusted);
    let report = rules(&engine, &repo, "x").await;
    assert_eq!((report.applies.len(), server.asked().len()), (1, 1), "{:?}", report.warnings);
    assert!(report.warnings.is_empty());

    repo.write(".agent/config.yml", config.replace("model: m", "model: other"));
    let report = rules(&engine, &repo, "y").await;
    assert_eq!((report.undecided.len(), server.asked().len()), (1, 1));
    assert!(report.warnings[0].contains("has changed since you trusted it"));
    repo.write(".agent/config.yml", &config);
    assert_eq!(rules(&engine, &repo, "x").await.applies.len(), 1, "the trusted version");
    assert!(engine.revoke_trust(&dir, &cancel).await.unwrap());
    assert_eq!(rules(&engine, &repo, "x").await.undecided.len(), 1, "revoked immediately");
}

#[tokio::test]
async fn slow_judge_does_not_affect_other_rules() {
    let server = Server::start(vec![Answer::Silence(Duration::from_secs(600))]);
    let endpoint = &server.address;
    let user = User::configured(&format!(
        "judge: {{endpoint: \"{endpoint}\", model: m, timeout_ms: 600000}}\n\
         context: {{strategy_timeout: 1500}}\n"
    ));
    let repo = Repo::with(&[RULES, ("a.md", "A"), ("AGENTS.md", "Write tests.")]);
    let request = || Request {
        task: "x".into(),
        repo: Some(repo.dir.path().into()),
        profile: Some("situation".into()),
        budget: Some(2_000),
        ..Request::default()
    };
    let engine = user.engine();
    let report = engine.pack(request(), &Cancel::default()).await.unwrap();
    let content = report.content.unwrap();
    assert!(content.contains("Write tests."), "{content}");
    assert!(content.contains("- if: it is so\n  - then read: `a.md`"), "{content}");
    let rule = report.rules.iter().find(|it| it.name == "a").unwrap();
    assert!(rule.reason.starts_with("openai:m failed: no answer within"), "{}", rule.reason);
    assert_eq!(server.asked().len(), 1);
    engine.pack(request(), &Cancel::default()).await.unwrap();
    assert_eq!(server.asked().len(), 1, "an unavailable judge is not called again");
}

#[tokio::test]
async fn naming_a_context_enables_rules_in_any_profile() {
    let repo = Repo::with(&[
        (".agent/contexts/default.yml", "metadata: {name: Base}\n"),
        (".agent/contexts/pay.yml", "intent_context: {business_goal: Get paid}\n"),
        ("a.rs", "fn pay() {}\n"),
    ]);
    let engine = User::new().engine();
    let pack = async |context: Option<&str>, no: &[&str]| {
        let request = Request {
            task: "pay".into(),
            repo: Some(repo.dir.path().into()),
            context: context.map(str::to_owned),
            no_providers: no.iter().map(|id| (*id).to_owned()).collect(),
            ..Request::default()
        };
        engine.pack(request, &Cancel::default()).await
    };
    let has_goal = |report: &Report| report.content.as_ref().unwrap().contains("Get paid");
    assert!(!has_goal(&pack(None, &[]).await.unwrap()));
    assert!(has_goal(&pack(Some("pay"), &[]).await.unwrap()));
    let off = pack(Some("pay"), &["rules"]).await.unwrap();
    assert!(!has_goal(&off));
    let warning = "the provider `rules` is off; its input is ignored";
    assert!(off.warnings.iter().any(|it| it == warning), "{:?}", off.warnings);
    let error = pack(Some("play"), &[]).await.unwrap_err().to_string();
    assert!(error.contains("`play`"), "{error}");
}

#[tokio::test]
async fn repository_cannot_set_the_key_variable() {
    let repo = repo("judge: {key_env: AWS_SECRET_ACCESS_KEY}\n");
    let user = User::new();
    let request = RulesRequest { repo: Some(repo.dir.path().into()), ..RulesRequest::default() };
    let error = user.engine().rules(request, &Cancel::default()).await.unwrap_err();
    assert!(error.to_string().contains("`judge.key_env` can only be set by the user"), "{error}");
}

#[tokio::test]
async fn path_must_exist_inside_the_root() {
    let repo = Repo::with(&[("AGENTS.md", "root"), ("web/AGENTS.md", "web"), ("web/a.ts", "")]);
    let engine = User::new().engine();
    let ask = async |path: &str| {
        let (repo, path) = (Some(repo.dir.path().to_owned()), Some(path.into()));
        let request = RulesRequest { repo, path, ..RulesRequest::default() };
        let report = engine.rules(request, &Cancel::default()).await;
        report
            .map(|it| it.applies.iter().map(|rule| rule.name.clone()).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(ask("web/a.ts").await.unwrap(), "AGENTS.md web/AGENTS.md");
    assert_eq!(ask("web").await.unwrap(), "AGENTS.md web/AGENTS.md");
    assert_eq!(ask(".").await.unwrap(), "AGENTS.md");
    assert_eq!(ask("web/b.ts").await.unwrap_err().to_string(), "no such file: `web/b.ts`");
    assert_eq!(ask("../x").await.unwrap_err().to_string(), "outside the root: `../x`");
    let request = RulesRequest { repo: Some(repo.dir.path().into()), ..RulesRequest::default() };
    let report = engine.rules(request, &Cancel::default()).await.unwrap();
    assert_eq!(report.not[0].reason, "only for files in `web`");
}

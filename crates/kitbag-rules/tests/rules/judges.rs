//! Judges against a local HTTP server with scripted responses.

use crate::server::{Answer, Server, anthropic, openai, verdicts};
use kitbag_core::Cancel;
use kitbag_rules::{
    ConditionJudge, ConditionOutcome, JudgeError, JudgeKind, JudgeQuestion, JudgeSettings,
    judge_from_settings,
};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-very-secret-0123456789";

/// Returns a judge with a key and a timeout.
fn judge(server: &Server, kind: JudgeKind, timeout_ms: u64) -> Arc<dyn ConditionJudge> {
    let settings = JudgeSettings {
        endpoint: Some(format!("{}/v1", server.address)),
        kind,
        model: Some("judge-1".into()),
        key_env: Some("JUDGE_KEY".into()),
        timeout_ms,
    };
    let variable = |name: &str| (name == "JUDGE_KEY").then(|| KEY.to_owned());
    judge_from_settings(&settings, variable).unwrap().unwrap()
}

const QUESTION: JudgeQuestion<'_> = JudgeQuestion {
    situation: "Task: build a distributed system",
    conditions: &["task is complex", "task is about CSS", "it is Monday"],
    until: None,
};

fn ask(
    server: &Server,
    kind: JudgeKind,
    timeout_ms: u64,
) -> Result<Vec<ConditionOutcome>, JudgeError> {
    judge(server, kind, timeout_ms).judge(QUESTION, &Cancel::default())
}

fn failure(answer: Answer) -> JudgeError {
    let server = Server::start(vec![answer]);
    let error = ask(&server, JudgeKind::OpenAi, 2_000).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    error
}

const ALL: [&str; 3] = ["holds", "does_not_hold", "undecided"];
const OUTCOMES: [ConditionOutcome; 3] =
    [ConditionOutcome::Holds, ConditionOutcome::Fails, ConditionOutcome::Undecided];

// Shows: AC-007-1, RULES-09
#[test]
fn openai_request_has_a_schema() {
    let server = Server::start(vec![openai(&verdicts(&ALL).to_string())]);
    assert_eq!(ask(&server, JudgeKind::OpenAi, 5_000).unwrap(), OUTCOMES);
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/v1/chat/completions");
    assert_eq!(asked[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(asked[0].body["model"], "judge-1");
    assert_eq!(asked[0].body["response_format"]["type"], "json_schema");
    assert_eq!(asked[0].body["response_format"]["json_schema"]["strict"], true);
    assert_eq!(asked[0].conditions(), QUESTION.conditions);
    assert!(!asked[0].body.to_string().contains(KEY));
}

// Shows: AC-007-1, RULES-09
#[test]
fn anthropic_request_has_a_tool() {
    let server = Server::start(vec![anthropic(verdicts(&ALL))]);
    assert_eq!(ask(&server, JudgeKind::Anthropic, 5_000).unwrap(), OUTCOMES);
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/v1/messages");
    assert_eq!(asked[0].header("x-api-key"), Some(KEY));
    assert_eq!(asked[0].header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(asked[0].body["tool_choice"], json!({"type": "tool", "name": "verdicts"}));
    assert_eq!(asked[0].conditions(), QUESTION.conditions);
}

#[test]
fn unsupported_temperature_is_omitted() {
    let refusal = json!({"error": {"code": "unsupported_value", "param": "temperature"}});
    let refusal = Answer::Reply(400, Vec::new(), refusal.to_string());
    let server = Server::start(vec![refusal, openai(&verdicts(&ALL).to_string())]);
    assert_eq!(ask(&server, JudgeKind::OpenAi, 5_000).unwrap(), OUTCOMES);
    let asked = server.asked();
    assert_eq!(asked[0].body["temperature"], 0);
    assert!(asked[1].body.get("temperature").is_none());
}

#[test]
fn malformed_answers_are_failures() {
    let malformed = |reason| JudgeError::Malformed { reason };
    let content = "content is not JSON";
    let schema = "does not match the schema";
    for (answer, error) in [
        (openai("true"), malformed(schema)),
        (openai("not true"), malformed(content)),
        (openai("```json\n{\"verdicts\": []}\n```"), malformed(content)),
        (openai(&verdicts(&["holds"]).to_string()), malformed("missing condition")),
        (openai("{\"verdicts\": [1]}"), malformed(schema)),
        (Answer::Reply(200, Vec::new(), "<html>".into()), malformed("not JSON")),
        (Answer::Reply(200, Vec::new(), "{}".into()), malformed("no content")),
        (
            Answer::Reply(
                200,
                Vec::new(),
                json!({"choices": [{"finish_reason": "length", "message": {"content": "{"}}]})
                    .to_string(),
            ),
            malformed("it is truncated"),
        ),
    ] {
        assert_eq!(failure(answer), error);
    }
    let twice = json!({"content": [
        {"type": "tool_use", "name": "verdicts", "input": verdicts(&ALL)},
        {"type": "tool_use", "name": "verdicts", "input": verdicts(&ALL)},
    ]});
    let server = Server::start(vec![Answer::Reply(200, Vec::new(), twice.to_string())]);
    let error = ask(&server, JudgeKind::Anthropic, 2_000);
    assert_eq!(error, Err(malformed("expected exactly one tool call")));
}

#[test]
fn refusals_are_recognized() {
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "I cannot."}}]});
    assert_eq!(failure(Answer::Reply(200, Vec::new(), refusal.to_string())), JudgeError::Refused);
    let refusal = json!({"stop_reason": "refusal", "content": []});
    let server = Server::start(vec![Answer::Reply(200, Vec::new(), refusal.to_string())]);
    assert_eq!(ask(&server, JudgeKind::Anthropic, 2_000), Err(JudgeError::Refused));
}

#[test]
fn error_responses_do_not_disclose_the_key() {
    let body = json!({"error": {
        "message": format!("Incorrect API key provided: {KEY}"), "code": "invalid_api_key",
    }});
    let error = failure(Answer::Reply(401, Vec::new(), body.to_string()));
    assert_eq!(error, JudgeError::Status { status: 401, code: Some("invalid_api_key".into()) });
    assert_eq!(error.to_string(), "status 401: invalid_api_key");
    let body = json!({"error": {"code": KEY}});
    let error = failure(Answer::Reply(403, Vec::new(), body.to_string()));
    assert_eq!(error, JudgeError::Status { status: 403, code: None });
    let location = vec![("location", "http://example.org/".to_owned())];
    let error = failure(Answer::Reply(307, location, String::new()));
    assert_eq!(error, JudgeError::Status { status: 307, code: None }, "redirects are not followed");
}

#[test]
fn busy_endpoint_is_retried_after_the_requested_delay() {
    let busy =
        |seconds: &str| Answer::Reply(429, vec![("retry-after", seconds.to_owned())], "{}".into());
    let broken = Answer::Reply(503, Vec::new(), "{}".into());
    let fine = openai(&verdicts(&ALL).to_string());
    let server = Server::start(vec![busy("0"), broken, fine.clone()]);
    assert_eq!(ask(&server, JudgeKind::OpenAi, 10_000).unwrap(), OUTCOMES);
    assert_eq!(server.asked().len(), 3);
    let server = Server::start(vec![busy("3600"), fine]);
    let error = ask(&server, JudgeKind::OpenAi, 5_000);
    assert_eq!(error, Err(JudgeError::Busy { status: 429, attempts: 1 }), "no time is left");
    assert_eq!(server.asked().len(), 1);
    let server = Server::start(vec![busy("0")]);
    let error = ask(&server, JudgeKind::OpenAi, 10_000);
    assert_eq!(error, Err(JudgeError::Busy { status: 429, attempts: 6 }));
}

#[test]
fn slow_endpoint_times_out() {
    for answer in [Answer::Silence(Duration::from_secs(60)), Answer::Stall(Duration::from_secs(60))]
    {
        let server = Server::start(vec![answer]);
        let error = ask(&server, JudgeKind::OpenAi, 200);
        assert_eq!(error, Err(JudgeError::Timeout { ms: 200 }));
    }
}

#[test]
fn cancelled_call_returns_immediately() {
    let server = Server::start(vec![Answer::Silence(Duration::from_secs(60))]);
    let judge = judge(&server, JudgeKind::OpenAi, 600_000);
    let cancel = Cancel::default();
    let flag = cancel.clone();
    let asking = std::thread::spawn(move || judge.judge(QUESTION, &flag));
    while server.asked().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    cancel.cancel();
    assert_eq!(asking.join().unwrap(), Err(JudgeError::Cancelled));
}

#[test]
fn invalid_endpoints_are_errors() {
    assert!(matches!(failure(Answer::Garbage), JudgeError::Unreachable { .. }));
    let settings = |endpoint: &str| JudgeSettings {
        endpoint: Some(endpoint.into()),
        model: Some("m".into()),
        timeout_ms: 2_000,
        ..JudgeSettings::default()
    };
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let judge =
        judge_from_settings(&settings(&format!("http://{closed}")), |_| None).unwrap().unwrap();
    let error = judge.judge(QUESTION, &Cancel::default()).unwrap_err();
    assert!(matches!(error, JudgeError::Unreachable { .. }), "{error:?}");
    for address in ["localhost:11434", "ftp://x", "http://", ""] {
        let error = judge_from_settings(&settings(address), |_| None).err();
        assert_eq!(error, Some(JudgeError::Endpoint), "{address}");
    }
}

#[test]
fn missing_key_is_reported_with_its_variable() {
    let settings = JudgeSettings {
        model: Some("m".into()),
        key_env: Some("JUDGE_KEY".into()),
        ..JudgeSettings::default()
    };
    let message = |value: Option<&str>| {
        let value = value.map(str::to_owned);
        let error = judge_from_settings(&settings, move |_| value.clone()).err().unwrap();
        format!("{error}")
    };
    assert_eq!(
        message(None),
        "the environment variable `JUDGE_KEY` from `judge.key_env` is not set"
    );
    assert_eq!(message(Some(" ")), message(None));
    assert_eq!(
        message(Some("two\nlines")),
        "the environment variable `JUDGE_KEY` from `judge.key_env` is not a valid key"
    );
}

#[test]
fn judge_requires_a_model() {
    assert!(judge_from_settings(&JudgeSettings::default(), |_| None).unwrap().is_none());
    let endpoint = Some("http://localhost:1".to_owned());
    let settings = JudgeSettings { endpoint, ..JudgeSettings::default() };
    assert_eq!(judge_from_settings(&settings, |_| None).err(), Some(JudgeError::NoModel));
}

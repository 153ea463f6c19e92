//! Judges against a real HTTP server: scripted, slow, malformed, refusing and busy.

use crate::server::{Answer, Server, anthropic, openai, verdicts};
use kitbag::Cancel;
use kitbag::rules::{
    ConditionJudge, JudgeError, JudgeKind, JudgeSettings, Question, Truth, judge_of,
};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-very-secret-0123456789";

/// A judge with a key and a timeout.
fn judge(server: &Server, kind: JudgeKind, timeout_ms: u64) -> Arc<dyn ConditionJudge> {
    let settings = JudgeSettings {
        endpoint: Some(format!("{}/v1", server.address)),
        kind,
        model: Some("judge-1".into()),
        key_env: Some("JUDGE_KEY".into()),
        timeout_ms,
    };
    let variable = |name: &str| (name == "JUDGE_KEY").then(|| KEY.to_owned());
    judge_of(&settings, variable).unwrap().unwrap()
}

const QUESTION: Question<'_> = Question {
    situation: "Task: build a distributed system",
    conditions: &["task is complex", "task is about CSS", "it is Monday"],
};

fn ask(server: &Server, kind: JudgeKind, timeout_ms: u64) -> Result<Vec<Truth>, JudgeError> {
    judge(server, kind, timeout_ms).judge(QUESTION, &Cancel::default())
}

fn failure(answer: Answer) -> JudgeError {
    let server = Server::start(vec![answer]);
    let error = ask(&server, JudgeKind::OpenAi, 2_000).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    error
}

const ALL: [&str; 3] = ["holds", "does_not_hold", "undecided"];
const TRUTHS: [Truth; 3] = [Truth::Holds, Truth::Fails, Truth::Undecided];

// Shows: AC-007-1, RULES-09
#[test]
fn an_openai_endpoint_is_asked_once_with_a_schema() {
    let server = Server::start(vec![openai(&verdicts(&ALL).to_string())]);
    assert_eq!(ask(&server, JudgeKind::OpenAi, 5_000).unwrap(), TRUTHS);
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
fn an_anthropic_endpoint_is_asked_once_with_a_tool() {
    let server = Server::start(vec![anthropic(verdicts(&ALL))]);
    assert_eq!(ask(&server, JudgeKind::Anthropic, 5_000).unwrap(), TRUTHS);
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/v1/messages");
    assert_eq!(asked[0].header("x-api-key"), Some(KEY));
    assert_eq!(asked[0].header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(asked[0].body["tool_choice"], json!({"type": "tool", "name": "verdicts"}));
    assert_eq!(asked[0].conditions(), QUESTION.conditions);
}

#[test]
fn a_model_that_takes_no_temperature_is_asked_without() {
    let refusal = json!({"error": {"code": "unsupported_value", "param": "temperature"}});
    let refusal = Answer::Reply(400, Vec::new(), refusal.to_string());
    let server = Server::start(vec![refusal, openai(&verdicts(&ALL).to_string())]);
    assert_eq!(ask(&server, JudgeKind::OpenAi, 5_000).unwrap(), TRUTHS);
    let asked = server.asked();
    assert_eq!(asked[0].body["temperature"], 0);
    assert!(asked[1].body.get("temperature").is_none());
}

#[test]
fn answers_that_are_not_what_was_asked_for_are_failures() {
    let malformed = |reason| JudgeError::Malformed { reason };
    let content = "its content is not JSON";
    let schema = "it does not follow the schema";
    for (answer, error) in [
        (openai("true"), malformed(schema)),
        (openai("not true"), malformed(content)),
        (openai("```json\n{\"verdicts\": []}\n```"), malformed(content)),
        (openai(&verdicts(&["holds"]).to_string()), malformed("it leaves a condition out")),
        (openai("{\"verdicts\": [1]}"), malformed(schema)),
        (Answer::Reply(200, Vec::new(), "<html>".into()), malformed("it is not JSON")),
        (Answer::Reply(200, Vec::new(), "{}".into()), malformed("it has no content")),
        (
            Answer::Reply(
                200,
                Vec::new(),
                json!({"choices": [{"finish_reason": "length", "message": {"content": "{"}}]})
                    .to_string(),
            ),
            malformed("it was cut off"),
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
    assert_eq!(error, Err(malformed("it does not call the tool once")));
}

#[test]
fn a_refusal_is_told_as_one() {
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "I cannot."}}]});
    assert_eq!(failure(Answer::Reply(200, Vec::new(), refusal.to_string())), JudgeError::Refused);
    let refusal = json!({"stop_reason": "refusal", "content": []});
    let server = Server::start(vec![Answer::Reply(200, Vec::new(), refusal.to_string())]);
    assert_eq!(ask(&server, JudgeKind::Anthropic, 2_000), Err(JudgeError::Refused));
}

#[test]
fn an_endpoint_that_refuses_is_told_without_what_it_says() {
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
    assert_eq!(error, JudgeError::Status { status: 307, code: None }, "keys are not sent on");
}

#[test]
fn a_busy_endpoint_is_asked_again_when_it_says() {
    let busy =
        |seconds: &str| Answer::Reply(429, vec![("retry-after", seconds.to_owned())], "{}".into());
    let broken = Answer::Reply(503, Vec::new(), "{}".into());
    let fine = openai(&verdicts(&ALL).to_string());
    let server = Server::start(vec![busy("0"), broken, fine.clone()]);
    assert_eq!(ask(&server, JudgeKind::OpenAi, 10_000).unwrap(), TRUTHS);
    assert_eq!(server.asked().len(), 3);
    let server = Server::start(vec![busy("3600"), fine]);
    let error = ask(&server, JudgeKind::OpenAi, 5_000);
    assert_eq!(error, Err(JudgeError::Busy { status: 429, attempts: 1 }), "there is no time");
    assert_eq!(server.asked().len(), 1);
    let server = Server::start(vec![busy("0")]);
    let error = ask(&server, JudgeKind::OpenAi, 10_000);
    assert_eq!(error, Err(JudgeError::Busy { status: 429, attempts: 6 }));
}

#[test]
fn a_slow_endpoint_is_not_waited_for_longer_than_said() {
    for answer in [Answer::Silence(Duration::from_secs(60)), Answer::Stall(Duration::from_secs(60))]
    {
        let server = Server::start(vec![answer]);
        let error = ask(&server, JudgeKind::OpenAi, 200);
        assert_eq!(error, Err(JudgeError::Timeout { ms: 200 }));
    }
}

#[test]
fn a_caller_who_gives_up_does_not_wait() {
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
fn an_endpoint_that_is_none_is_told() {
    assert!(matches!(failure(Answer::Garbage), JudgeError::Unreachable { .. }));
    let settings = |endpoint: &str| JudgeSettings {
        endpoint: Some(endpoint.into()),
        model: Some("m".into()),
        timeout_ms: 2_000,
        ..JudgeSettings::default()
    };
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let judge = judge_of(&settings(&format!("http://{closed}")), |_| None).unwrap().unwrap();
    let error = judge.judge(QUESTION, &Cancel::default()).unwrap_err();
    assert!(matches!(error, JudgeError::Unreachable { .. }), "{error:?}");
    for address in ["localhost:11434", "ftp://x", "http://", ""] {
        let error = judge_of(&settings(address), |_| None).err();
        assert_eq!(error, Some(JudgeError::Endpoint), "{address}");
    }
}

#[test]
fn a_missing_key_is_told_by_its_variable() {
    let settings = JudgeSettings {
        model: Some("m".into()),
        key_env: Some("JUDGE_KEY".into()),
        ..JudgeSettings::default()
    };
    let told = |value: Option<&str>| {
        let value = value.map(str::to_owned);
        let error = judge_of(&settings, move |_| value.clone()).err().unwrap();
        format!("{error}")
    };
    assert_eq!(told(None), "the environment variable `JUDGE_KEY` of `judge.key_env` is not set");
    assert_eq!(told(Some(" ")), told(None));
    assert_eq!(
        told(Some("two\nlines")),
        "the environment variable `JUDGE_KEY` of `judge.key_env` holds no key"
    );
}

#[test]
fn without_a_model_there_is_no_judge() {
    assert!(judge_of(&JudgeSettings::default(), |_| None).unwrap().is_none());
    let endpoint = Some("http://localhost:1".to_owned());
    let settings = JudgeSettings { endpoint, ..JudgeSettings::default() };
    assert_eq!(judge_of(&settings, |_| None).err(), Some(JudgeError::NoModel));
}

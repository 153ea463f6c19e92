//! `kitbag proxy`.

use crate::fixture::Fixture;

#[test]
fn lines_pass_through_to_the_program_behind_and_back() {
    let fixture = Fixture::project();
    let lines = "{ \"jsonrpc\": \"2.0\", \"method\": \"a\" }\n{\"id\":\"1\",\"result\":{}}\n";
    let run = fixture.feed(["proxy", "--", "cat"], lines);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), lines, ""));
}

#[test]
fn a_result_brings_context_along() {
    let fixture = Fixture::project();
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}";
    let script = format!("read line; echo '{answer}'; cat >/dev/null");
    let call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\
                \"params\":{\"name\":\"read\",\"arguments\":{\"q\":\"login\"}}}\n";
    let run = fixture.feed(["proxy", "--budget", "300", "--", "sh", "-c", &script], call);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("pub fn login(") && run.stdout.contains("contextUsed"));
    let run = fixture.feed(["proxy", "--no-tool", "re*", "--", "sh", "-c", &script], call);
    assert_eq!(run.stdout, format!("{answer}\n"));
}

#[test]
fn what_cannot_be_put_behind_is_named() {
    let fixture = Fixture::project();
    fixture.run(["proxy"]).fails(2, &["<COMMAND>"]);
    fixture.run(["proxy", "--", "no-such-program"]).fails(2, &["cannot start `no-such-program`"]);
    fixture.run(["proxy", "--tool", "a[", "--", "cat"]).fails(2, &["`a[` is not a glob"]);
    fixture.run(["proxy", "--repo", "nope", "--", "cat"]).fails(2, &["no such folder: `nope`"]);
}

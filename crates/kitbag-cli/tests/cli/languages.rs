//! `kitbag languages`.

use crate::fixture::Fixture;

#[test]
fn languages_are_listed_as_text_and_json() {
    let fixture = Fixture::empty();
    let run = fixture.run(["languages"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.lines().any(|line| line.split_whitespace().eq(["rust", "grammar", "rs"])));
    let report = fixture.json(["languages", "--json"]);
    let languages = report["languages"].as_array().unwrap();
    assert_eq!(languages.len(), run.stdout.lines().count());
    let python = languages.iter().find(|it| it["name"] == "python").unwrap();
    assert_eq!(
        (&python["split"], &python["grammar"], &python["endings"][0]),
        (&"grammar".into(), &true.into(), &"py".into())
    );
}

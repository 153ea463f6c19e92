//! Texts that crash, stall or exhaust a parser in this process do no harm in a pool.

mod generator;

use generator::shapes;
use kitbag_text::syntax::{InProcessParser, ParseFailure, ParseLimits, ParseRequest, SyntaxParser};
use kitbag_text::{Cancel, Cancelled, ChunkLimits, Fallback, Language, ParseAllowance, languages};
use kitbag_worker::{WorkerCommand, WorkerPool};
use std::sync::LazyLock;
use std::time::Duration;

static POOL: LazyLock<WorkerPool> = LazyLock::new(|| {
    let program = env!("CARGO_BIN_EXE_kitbag-parse-worker").into();
    WorkerPool::new(WorkerCommand { program, arguments: Vec::new() })
});

fn request<'a>(language: &str, content: &'a str, cancel: &'a Cancel) -> ParseRequest<'a> {
    let language = Language::named(language).expect("a known language");
    let limits = ParseLimits::from(&ChunkLimits::default());
    ParseRequest { language, content, limits, cancel }
}

/// Renders the structure of a text, with split points for all of its rows.
fn structure(
    parser: &dyn SyntaxParser,
    language: &str,
    content: &str,
) -> Result<String, ParseFailure> {
    let cancel = Cancel::default();
    let rows = content.lines().count() as u32;
    let mut rendered = String::new();
    parser.parse(&request(language, content, &cancel), &mut |structure, find| {
        rendered = format!("{structure:?} {:?} {:?}", find(0..rows / 2), find(rows / 2..rows));
    })?;
    Ok(rendered)
}

#[test]
fn a_pool_finds_what_this_process_finds() {
    let sources = [
        ("rust", include_str!("generator.rs")),
        ("rust", include_str!("../../src/pool.rs")),
        ("toml", include_str!("../../Cargo.toml")),
        ("python", "class A:\n    def f(self):\n        # why\n        return 1\n"),
        ("python", ""),
        ("rust", ")) ]] fn fn ?? let 12 :: ;; }}\n"),
    ];
    for (language, content) in sources {
        let expected = structure(&InProcessParser, language, content);
        assert_eq!(structure(&*POOL, language, content), expected, "{language}");
        let cancel = Cancel::default();
        let request = request(language, content, &cancel);
        assert_eq!(POOL.comments(&request), InProcessParser.comments(&request), "{language}");
    }
}

#[test]
fn texts_that_crash_their_parser_have_no_structure() {
    let delimiter = "A".repeat(256);
    let heredoc = format!("x = <<{delimiter}\nhello\n{delimiter}\n");
    let dashes = format!("{}a\n", "-  ".repeat(260));
    for (language, content) in [("ruby", &heredoc), ("yaml", &dashes)] {
        let failure = Err(ParseFailure::Fallback(Fallback::ParserCrashed));
        assert_eq!(structure(&*POOL, language, content), failure, "{language}");
        assert_eq!(structure(&*POOL, language, content), failure, "{language} again");
        let language = Language::named(language).expect("a known language");
        assert_eq!(POOL.known_failure(language, content), Some(Fallback::ParserCrashed));
    }
    assert!(structure(&*POOL, "rust", "fn f() {}\n").is_ok(), "others are not affected");
}

#[test]
fn texts_that_stall_their_parser_exceed_a_limit() {
    for (language, unit) in [("c", "+ - * / "), ("bash", "a|a|")] {
        let failure = structure(&*POOL, language, &unit.repeat(100_000 / unit.len()));
        let Err(ParseFailure::Fallback(fallback)) = failure else { panic!("{failure:?}") };
        assert!(fallback.depends_on_machine(), "{fallback:?}");
    }
}

#[test]
fn expensive_texts_use_up_the_budget_of_their_work_alone() {
    let [c, rust] = ["c", "rust"].map(|name| Language::named(name).expect("a known language"));
    let work = Cancel::default();
    work.parse_budget().charge(c, Duration::from_secs(60));
    let exceeded = Err(ParseFailure::Fallback(Fallback::ParserBudgetExceeded));
    let content = "int f(void);\n";
    assert_eq!(POOL.comments(&request("c", content, &work.child())), exceeded);
    assert!(work.parse_budget().has_denied(content));
    assert!(POOL.comments(&request("rust", "fn f() {}\n", &work)).is_ok(), "another language");
    let stalling = "+ - * / ".repeat(12_000);
    assert_eq!(POOL.comments(&request("go", &stalling, &work)), exceeded, "no time for it");
    for other in [Cancel::default(), work.child_with_own_budget()] {
        assert!(POOL.comments(&request("c", content, &other)).is_ok(), "other work");
    }
    assert_eq!(POOL.known_failure(c, content), None);
    assert_eq!(POOL.known_failure(rust, content), None);
}

#[test]
fn texts_are_charged_for_what_they_cost_beyond_the_ordinary() {
    let work = Cancel::default();
    let c = Language::named("c").expect("a known language");
    assert!(POOL.comments(&request("c", "int f(void);\n", &work)).is_ok());
    assert_eq!(work.parse_budget().excess(), Duration::ZERO);
    let crashing = format!("{}b\n", "-  ".repeat(260));
    assert!(POOL.comments(&request("yaml", &crashing, &Cancel::default())).is_err());
    assert!(POOL.comments(&request("yaml", &crashing, &work)).is_err());
    assert_eq!(work.parse_budget().excess(), Duration::ZERO, "it has been known to fail");
    assert!(POOL.comments(&request("yaml", &(crashing + "\n"), &work)).is_err());
    assert!(work.parse_budget().excess() > Duration::ZERO, "workers were lost");
    let work = Cancel::default();
    let stalling = "- + * / ".repeat(12_000);
    assert!(POOL.comments(&request("c", &stalling, &work)).is_err());
    assert!(work.parse_budget().excess() > Duration::ZERO);
    assert_eq!(work.parse_budget().allowance(c), ParseAllowance::Full, "one text is not too much");
}

#[test]
fn cancelling_ends_a_call() {
    let content = "+ - * / ".repeat(100_000);
    let cancel = Cancel::default();
    let outcome = std::thread::scope(|scope| {
        let call = scope.spawn(|| POOL.comments(&request("go", &content, &cancel)));
        cancel.cancel();
        call.join().expect("no panic")
    });
    assert_eq!(outcome, Err(ParseFailure::Cancelled(Cancelled)));
}

#[test]
fn a_program_that_is_no_worker_is_reported() {
    for program in ["/bin/cat", "/bin/true", "/does/not/exist"] {
        let command = WorkerCommand { program: program.into(), arguments: Vec::new() };
        let pool = WorkerPool::new(command);
        let failure = Err(ParseFailure::Fallback(Fallback::ParserUnavailable));
        assert_eq!(structure(&pool, "rust", "fn f() {}\n"), failure, "{program}");
    }
}

// Shows: THREAT-3
#[test]
fn no_generated_text_ends_this_process() {
    for language in languages().iter().filter(|language| language.has_grammar()) {
        for shape in shapes(language, 20).iter().step_by(7) {
            let content = shape.text(6_000);
            let cancel = Cancel::default();
            let request = request(shape.language.name(), &content, &cancel);
            let outcome = POOL.comments(&request);
            assert!(!matches!(outcome, Err(ParseFailure::Cancelled(_))), "{}", shape.name);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_gives_up_files_processes_and_system_calls() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut worker = Command::new(env!("CARGO_BIN_EXE_kitbag-parse-worker"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", worker.id()));
    // It waits for requests when it has confined itself.
    while !read("limits").expect("it runs").contains("Max open files            0") {
        std::thread::yield_now();
    }
    while !read("status").expect("it runs").contains("Seccomp:\t2") {
        std::thread::yield_now();
    }
    let limits = read("limits").expect("it runs");
    for limit in ["Max core file size", "Max file size", "Max processes"] {
        let line = limits.lines().find(|line| line.starts_with(limit)).expect("a known limit");
        assert_eq!(line[limit.len()..].split_whitespace().next(), Some("0"), "{line}");
    }
    let address_space = limits.lines().find(|line| line.starts_with("Max address space"));
    assert!(address_space.is_some_and(|line| !line.contains("unlimited")), "{limits}");
    let mut input = worker.stdin.take().expect("a pipe");
    input.write_all(&[0; 3]).expect("it reads");
    drop(input);
    assert_eq!(worker.wait().expect("it ends").code(), Some(0), "a cut request is the end");
}

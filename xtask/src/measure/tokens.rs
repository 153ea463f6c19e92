//! Speed of token counting on one thread, compared with Python tiktoken.

use super::clock::{Sample, Times, time};
use super::corpus::Corpus;
use super::page::{ReportSection, Verdict};
use anyhow::{Context, Result, ensure};
use kitbag_tokens::{TokenCounter, Vocabulary};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

const REPETITIONS: usize = 7;

/// Target: speed relative to tiktoken.
const TARGET_SPEEDUP: f64 = 3.0;

/// Counts every source file with both vocabularies, alternating between Kitbag and tiktoken.
pub fn section(corpus: &Corpus, command: &[&str]) -> Result<ReportSection> {
    let texts: Vec<&str> =
        corpus.source().flat_map(|l| &l.files).map(|file| file.content.as_str()).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let mut tiktoken = Tiktoken::start(command)?;
    let mut table = String::from(
        "| vocabulary | tokens | Kitbag MB/s | tiktoken MB/s | faster, best | faster, median |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    let mut verdicts = Vec::new();
    for vocabulary in Vocabulary::ALL {
        let (tokens, ours, theirs) = compare(&texts, vocabulary, &mut tiktoken)?;
        let speed = |times: &Times| bytes as f64 / 1e3 / times.best_cpu();
        let best = theirs.best_cpu() / ours.best_cpu();
        let median = theirs.median_cpu() / ours.median_cpu();
        let name = vocabulary.name();
        writeln!(
            table,
            "| `{name}` | {tokens} | {:.1} | {:.1} | {best:.2} | {median:.2} |",
            speed(&ours),
            speed(&theirs),
        )?;
        verdicts.push(Verdict::faster(
            &format!("`{name}` counting, times tiktoken"),
            TARGET_SPEEDUP,
            best,
            median,
        ));
    }
    let text = format!(
        "{} source files in {} languages, {:.1} MB, one thread, {REPETITIONS} repetitions alternating with Python \
         tiktoken {} (`len(encoding.encode_ordinary(text))`), same texts, same counts. CPU time, no cache.\n\n{table}",
        texts.len(),
        corpus.source().count(),
        bytes as f64 / 1e6,
        tiktoken.version,
    );
    Ok(ReportSection { title: "Token counting", text, verdicts })
}

/// Counts with one vocabulary, and returns the tokens, our times and those of tiktoken.
fn compare(
    texts: &[&str],
    vocabulary: Vocabulary,
    tiktoken: &mut Tiktoken,
) -> Result<(usize, Times, Times)> {
    let count = || texts.iter().map(|text| vocabulary.count(text)).sum::<usize>();
    let tokens = count();
    let (mut ours, mut theirs) = (Times::default(), Times::default());
    for _ in 0..REPETITIONS {
        ours.push(time(count).1);
        let (counted, sample) = tiktoken.count(vocabulary.name())?;
        ensure!(counted == tokens, "Kitbag counts {tokens} tokens, tiktoken {counted}");
        theirs.push(sample);
    }
    Ok((tokens, ours, theirs))
}

/// A process that runs Python tiktoken.
struct Tiktoken {
    version: String,
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Tiktoken {
    fn start(command: &[&str]) -> Result<Self> {
        let (program, arguments) = command.split_first().context("no command for tiktoken")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{program}`"))?;
        let input = child.stdin.take().context("no standard input")?;
        let mut output = BufReader::new(child.stdout.take().context("no standard output")?).lines();
        let version = output.next().context("tiktoken did not start")??;
        Ok(Self { version, child, input, output })
    }

    fn count(&mut self, vocabulary: &str) -> Result<(usize, Sample)> {
        writeln!(self.input, "{vocabulary}")?;
        let answer = self.output.next().context("tiktoken exited")??;
        let words: Vec<&str> = answer.split_whitespace().collect();
        let [wall, cpu, tokens] = words.as_slice() else {
            anyhow::bail!("expected three numbers from tiktoken: `{answer}`");
        };
        let seconds = |word: &str| Ok::<_, anyhow::Error>(Duration::from_secs_f64(word.parse()?));
        Ok((tokens.parse()?, Sample { wall: seconds(wall)?, cpu: seconds(cpu)? }))
    }
}

impl Drop for Tiktoken {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Questions on the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

/// Whether someone can answer a question.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The possible answers, in words.
pub const ANSWERS: &str =
    "y yes, n no (also Enter), a yes to all that follow, q no to all that follow";

/// Asks for consent, until the user decides about all that follow.
#[derive(Debug, Default)]
pub struct Prompt {
    /// The answer to all further questions.
    rest: Option<bool>,
}

/// The answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// Yes to this and all that follow.
    All,
    /// No to this and all that follow.
    Quit,
}

impl Prompt {
    /// Asks a question. The end of the input is a no to this and all that follow.
    pub fn agrees(&mut self, question: &str) -> bool {
        if let Some(answer) = self.rest {
            return answer;
        }
        let answer = ask(question, &mut io::stdin().lock(), &mut io::stderr());
        self.rest = match answer {
            Answer::All => Some(true),
            Answer::Quit => Some(false),
            Answer::Yes | Answer::No => None,
        };
        matches!(answer, Answer::Yes | Answer::All)
    }
}

/// Asks until there is an answer that can be understood. An empty line is a no.
fn ask(question: &str, input: &mut impl BufRead, output: &mut impl Write) -> Answer {
    loop {
        let mut line = String::new();
        let asked = write!(output, "{question} [y/N/a/q] ").and_then(|()| output.flush());
        let read = asked.and_then(|()| input.read_line(&mut line));
        if read.is_err() || line.is_empty() {
            return Answer::Quit;
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Answer::Yes,
            "" | "n" | "no" => return Answer::No,
            "a" | "all" => return Answer::All,
            "q" | "quit" => return Answer::Quit,
            _ => {}
        }
        // A terminal that cannot be written to cannot show the next question either.
        let _ = writeln!(output, "Answer {ANSWERS}.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood_and_others_are_asked_again() {
        for (input, answer, questions) in [
            ("y\n", Answer::Yes, 1),
            ("YES\n", Answer::Yes, 1),
            ("\n", Answer::No, 1),
            ("n\n", Answer::No, 1),
            ("a\n", Answer::All, 1),
            ("q\n", Answer::Quit, 1),
            ("", Answer::Quit, 1),
            ("maybe\ny\n", Answer::Yes, 2),
            ("maybe", Answer::Quit, 2),
        ] {
            let mut output = Vec::new();
            assert_eq!(ask("Write?", &mut input.as_bytes(), &mut output), answer, "{input:?}");
            let output = String::from_utf8(output).expect("UTF-8");
            assert_eq!(output.matches("Write? [y/N/a/q] ").count(), questions, "{output}");
        }
    }
}

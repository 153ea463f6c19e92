//! Questions made from the doc comments of a repository: the first sentence of a comment asks for the
//! definition that it describes, and the comment is hidden from the search.

use super::hidden::HiddenLines;
use super::setup::EvalError;
use super::task::{Gold, OWN_REPOSITORY, Target, Task, is_code};
use kitbag::Engine;
use kitbag::internal::{read, search_chunk_limits};
use kitbag_core::Cancel;
use kitbag_index::{AnalysisSettings, ContentRecord};
use kitbag_repo::{CommitTree, Denylist, FileEntry, Globs, Tree};
use kitbag_text::{Chunk, ChunkKind, ChunkLimits, CommentScanner, Language, Span, Text};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

/// Maximum number of questions about one file.
const MAX_PER_FILE: usize = 2;

/// Number of words of a sentence that can be a question. Shorter ones often repeat the name.
const QUESTION_WORDS: std::ops::RangeInclusive<usize> = 6..=25;

/// Creates at most `count` questions from the doc comments of the newest commit.
pub fn questions_from_git(
    engine: &Engine,
    repository: &Path,
    count: usize,
    cancel: &Cancel,
) -> Result<Vec<Task>, EvalError> {
    let git = |error| EvalError::Git { task: "questions".to_owned(), error };
    let tree = CommitTree::open(repository, "HEAD", &Globs::default(), &Denylist::default());
    let tree = tree.map_err(git)?;
    let counting = engine.default_counting();
    let limits = search_chunk_limits(&ChunkLimits::default());
    let analysis = AnalysisSettings { limits, counting: &counting };
    let mut files: Vec<&FileEntry> = tree.files().iter().filter(|it| is_code(&it.path)).collect();
    // A mixed order, always the same, so that a few questions cover the whole tree.
    files.sort_by_cached_key(|it| mixed(&it.path));
    let mut questions = Vec::new();
    for file in files {
        if questions.len() >= count {
            break;
        }
        let Some(text) = read(&tree, file).map(Text::new) else { continue };
        let chunks = ContentRecord::analyze(&file.path, &text, &analysis, cancel)?.chunks;
        let found = chunks.iter().filter_map(|chunk| question(&file.path, &text, chunk));
        questions.extend(found.take(MAX_PER_FILE));
    }
    questions.truncate(count);
    Ok(questions)
}

fn mixed(path: &str) -> u64 {
    let mut hasher = FxHasher::default();
    path.hash(&mut hasher);
    // The low bits differ most.
    hasher.finish().reverse_bits()
}

/// Returns the question that a chunk answers, if it is one definition with a doc comment.
fn question(path: &str, text: &Text, chunk: &Chunk) -> Option<Task> {
    let is_definition = matches!(chunk.kind, ChunkKind::Function | ChunkKind::Class);
    let [symbol] = chunk.defines.as_slice() else { return None };
    if !is_definition || chunk.part.is_some() {
        return None;
    }
    let comment = doc_comment(path, text, chunk)?;
    let query = first_sentence(text.slice(comment))?;
    let name = symbol.rsplit(['.', ':', '#', '/']).next().unwrap_or(symbol).to_lowercase();
    if !QUESTION_WORDS.contains(&query.split_whitespace().count())
        || query.to_lowercase().contains(&name)
    {
        return None;
    }
    // A comment before the definition is not part of the answer, since nothing is left of it.
    let start = if comment.start == chunk.span.start { comment.end + 1 } else { chunk.span.start };
    let answer = Span::new(start, chunk.span.end);
    let (start_line, end_line) = (Some(answer.start), Some(answer.end));
    Some(Task {
        instance_id: format!("{path}:{}", answer.start),
        repo: OWN_REPOSITORY.to_owned(),
        base_commit: "HEAD".to_owned(),
        query,
        gold: vec![Gold { path: path.to_owned(), hunks: vec![answer] }],
        targets: vec![Target { path: path.to_owned(), start_line, end_line }],
        root: String::new(),
        category: Some("comment".to_owned()),
        hidden: Some(HiddenLines { path: path.to_owned(), span: comment }),
        is_foreign: false,
    })
}

/// Returns the lines of the comment before a definition, or of the docstring after its signature.
fn doc_comment(path: &str, text: &Text, chunk: &Chunk) -> Option<Span> {
    let language = Language::for_text(path, text);
    let mut scanner = CommentScanner::new(language.map(Language::name));
    let mut lines = chunk.span.start..=chunk.span.end;
    let start = lines.find(|&line| scanner.is_comment(text.line(line)))?;
    let is_docstring = |line: &str| line.contains("\"\"\"") || line.contains("'''");
    if start != chunk.span.start && !is_docstring(text.line(start)) {
        return None;
    }
    let more = lines.take_while(|&line| scanner.is_comment(text.line(line)));
    let end = more.last().unwrap_or(start);
    (end < chunk.span.end).then(|| Span::new(start, end))
}

/// Returns the first sentence of a comment, without its delimiters.
fn first_sentence(comment: &str) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    for line in comment.lines().map(without_delimiters) {
        // A blank line ends a paragraph, and tags such as `@param` or `:param` follow it.
        if line.is_empty() && !words.is_empty() || line.starts_with(['@', ':', '\\']) {
            break;
        }
        for word in line.split_whitespace() {
            words.push(word);
            if word.ends_with('.') && !["e.g.", "i.e.", "etc."].contains(&word) {
                return Some(words.join(" ").trim_end_matches('.').to_owned());
            }
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn without_delimiters(line: &str) -> &str {
    let line = line.trim();
    let quoted =
        |prefix: &&str| line.strip_prefix(*prefix).filter(|it| it.starts_with(['"', '\'']));
    let line = ["@doc ~S", "@doc ", "r", "R", "u"].iter().find_map(quoted).unwrap_or(line);
    line.trim_start_matches(['/', '*', '#', '!', '-', '|', '{', '"', '\'', ' '])
        .trim_end_matches(['*', '/', '"', '\'', '}', '-', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_of_a_comment_is_the_question() {
        for (comment, expected) in [
            (
                "/// Returns the age of\n/// the oldest entry. Slow.\n",
                "Returns the age of the oldest entry",
            ),
            (
                "    r\"\"\"Joins parts, e.g. of a path.\n\n    More.\n    \"\"\"\n",
                "Joins parts, e.g. of a path",
            ),
            (
                "/**\n * Drops idle connections\n *\n * @param age seconds\n */\n",
                "Drops idle connections",
            ),
            ("@doc \"Sends a mail.\"\n", "Sends a mail"),
        ] {
            assert_eq!(first_sentence(comment).as_deref(), Some(expected));
        }
        assert_eq!(first_sentence("/**\n * @return the size\n */\n"), None);
    }
}

//! Sections of single-file components: `<script>`, `<template>` and `<style>` of Vue, and the scripts,
//! styles and markup of Svelte.

use super::embedded_code::{EmbeddedCode, EmbeddedPart};
use crate::chunk::ChunkKind;
use crate::language::{EmbeddingStyle, Language};
use crate::text::Text;
use std::ops::Range;

/// Name of markup that is in no section.
const MARKUP: &str = "markup";

/// A section: a tag at the top level, its content and the closing tag.
struct Section<'a> {
    name: &'a str,
    attributes: &'a str,
    /// Bytes from the opening tag to the closing one.
    range: Range<usize>,
    /// Bytes between the tags.
    body: Range<usize>,
}

/// Finds the sections of a component. `None` if it has none.
pub(super) fn find(text: &Text, style: EmbeddingStyle) -> Option<EmbeddedCode> {
    let content = text.content();
    let sections = sections(content, style);
    if sections.is_empty() {
        return None;
    }
    let scripts = || sections.iter().filter(|section| section.name == "script");
    let language = script_language(scripts());
    let code = only(content, scripts().map(|section| section.body.clone()));
    let mut parts: Vec<EmbeddedPart> = Vec::new();
    for section in &sections {
        let rows = (text.row_at(section.range.start), text.row_at(section.range.end - 1));
        let free = parts.last().map_or(0, |part| part.rows.1 + 1);
        if style == EmbeddingStyle::Markup && free < rows.0 && has_text(text, free..rows.0) {
            parts.push(part((free, rows.0 - 1), MARKUP));
        }
        match parts.last_mut() {
            Some(last) if last.rows.1 >= rows.0 => last.rows.1 = last.rows.1.max(rows.1),
            _ => parts.push(part(rows, section.name)),
        }
    }
    let free = parts.last().map_or(0, |part| part.rows.1 + 1);
    if free < text.line_count() && has_text(text, free..text.line_count()) {
        parts.push(part((free, text.line_count() - 1), MARKUP));
    }
    Some(EmbeddedCode { language: Language::named(language)?, content: code, parts })
}

fn part(rows: (u32, u32), name: &str) -> EmbeddedPart {
    EmbeddedPart { rows, kind: ChunkKind::Section, name: Some(name.to_owned()), is_heading: false }
}

fn has_text(text: &Text, rows: Range<u32>) -> bool {
    rows.into_iter().any(|row| !text.line(row + text.first_line()).trim().is_empty())
}

/// Finds the tags at the top level. In Svelte, only scripts and styles are sections.
fn sections(content: &str, style: EmbeddingStyle) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    let mut at = 0;
    while let Some(found) = content[at..].find('<') {
        let start = at + found;
        if content[start..].starts_with("<!--") {
            at = content[start..].find("-->").map_or(content.len(), |end| start + end + 3);
            continue;
        }
        let name = tag_name(&content[start + 1..]);
        let is_section = match style {
            EmbeddingStyle::Sections => !name.is_empty(),
            _ => matches!(name, "script" | "style"),
        };
        let section = is_section.then(|| section(content, start, name)).flatten();
        at = section.as_ref().map_or(start + 1, |section| section.range.end);
        sections.extend(section);
    }
    sections
}

/// Returns the section whose opening tag is at `start`, if it is closed.
fn section<'a>(content: &'a str, start: usize, name: &'a str) -> Option<Section<'a>> {
    let attributes_start = start + 1 + name.len();
    let open_end = attributes_start + end_of_tag(&content[attributes_start..])?;
    let attributes = &content[attributes_start..open_end - 1];
    if attributes.ends_with('/') {
        return Some(Section {
            name,
            attributes,
            range: start..open_end,
            body: open_end..open_end,
        });
    }
    // A template may contain templates; scripts and styles are raw text.
    let (mut depth, mut at) = (1u32, open_end);
    loop {
        let next = at + content[at..].find('<')?;
        let rest = &content[next + 1..];
        at = next + 1;
        if let Some(closing) = rest.strip_prefix('/').filter(|it| tag_name(it) == name) {
            depth -= 1;
            if depth == 0 {
                let end = next + 2 + closing.find('>')? + 1;
                return Some(Section { name, attributes, range: start..end, body: open_end..next });
            }
        } else if name == "template" && tag_name(rest) == name {
            let tag = &rest[name.len()..];
            let is_empty = end_of_tag(tag).is_some_and(|end| tag[..end].ends_with("/>"));
            depth += u32::from(!is_empty);
        }
    }
}

/// Returns the name of a tag, given what follows its `<` or `</`.
fn tag_name(text: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) { &text[..end] } else { "" }
}

/// Returns the position after the `>` of a tag, which may have `>` in quoted attributes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == '>' => return Some(at + 1),
            None => {}
        }
    }
    None
}

/// Returns the language that all scripts of a component can be parsed in.
fn script_language<'a>(scripts: impl Iterator<Item = &'a Section<'a>>) -> &'static str {
    let attributes: Vec<&str> =
        scripts.flat_map(|it| it.attributes.split_ascii_whitespace()).collect();
    let has_lang = |lang: &str| {
        let is_lang = |it: &&str| {
            it.strip_prefix("lang=").map(|it| it.trim_matches(['"', '\''])) == Some(lang)
        };
        attributes.iter().any(is_lang)
    };
    if has_lang("tsx") {
        "tsx"
    } else if has_lang("ts") || has_lang("typescript") {
        "typescript"
    } else {
        "javascript"
    }
}

/// Returns the bytes of `ranges` in their rows and columns, with spaces in place of all others.
fn only(content: &str, ranges: impl Iterator<Item = Range<usize>>) -> String {
    let mut code = String::with_capacity(content.len());
    let mut at = 0;
    let end = content.len()..content.len();
    for range in ranges.chain(std::iter::once(end)) {
        let blank = content[at..range.start].bytes();
        code.extend(
            blank.map(|byte| if matches!(byte, b'\n' | b'\r') { byte as char } else { ' ' }),
        );
        code.push_str(&content[range.clone()]);
        at = range.end;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(content: &str, style: EmbeddingStyle) -> Vec<(String, u32, u32)> {
        let found = find(&Text::new(content), style).expect("sections");
        assert_eq!(found.content.lines().count(), content.lines().count());
        let part = |part: EmbeddedPart| (part.name.unwrap_or_default(), part.rows.0, part.rows.1);
        found.parts.into_iter().map(part).collect()
    }

    fn owned(parts: &[(&str, u32, u32)]) -> Vec<(String, u32, u32)> {
        parts.iter().map(|(name, first, last)| ((*name).to_owned(), *first, *last)).collect()
    }

    #[test]
    fn templates_nest_and_scripts_are_raw() {
        let content = "<!-- <script> -->\n<template>\n  <template v-if=\"a > 1\">x</template>\n  \
                       <template #slot />\n</template>\n\n<script lang=\"ts\">\nconst a = \"<b>\";\n\
                       </script>\n<style>\na { b: c }\n</style>\n";
        let expected = [("template", 1, 4), ("script", 6, 8), ("style", 9, 11)];
        assert_eq!(parts(content, EmbeddingStyle::Sections), owned(&expected));
    }

    #[test]
    fn markup_around_sections_is_a_part() {
        let content =
            "<script>\nlet a;\n</script>\n\n<h1>{a}</h1>\n\n<style>\nb {}\n</style>\n<p/>\n";
        let expected = [("script", 0, 2), ("markup", 3, 5), ("style", 6, 8), ("markup", 9, 9)];
        assert_eq!(parts(content, EmbeddingStyle::Markup), owned(&expected));
    }

    #[test]
    fn only_the_code_of_scripts_is_left() {
        let text = Text::new("<p>é</p>\n<script setup lang='ts'>let é = 1;\n</script>\n");
        let found = find(&text, EmbeddingStyle::Markup).expect("a section");
        assert_eq!(found.language.name(), "typescript");
        assert_eq!(found.content.trim(), "let é = 1;");
        assert_eq!(found.content.lines().nth(1).map(str::len), Some(35));
    }

    #[test]
    fn broken_components_do_not_panic() {
        for content in
            ["<", "<script", "<script>", "</script>", "<!--", "<é>", "<a/>", "<template><"]
        {
            for style in [EmbeddingStyle::Sections, EmbeddingStyle::Markup] {
                let _ = find(&Text::new(content), style);
            }
        }
    }
}

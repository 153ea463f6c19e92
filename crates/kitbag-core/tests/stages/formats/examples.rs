//! The example outputs of the formats design.

use super::super::request::cut;
use super::{plainly, text};
use insta::assert_snapshot;
use kitbag_core::{Format, Formatting};
use kitbag_text::{Source, Text};
use std::sync::Arc;

const GET_USER: &str = "\
public async Task<User> GetUserAsync(int id)
{
    var user = await _repository.FindByIdAsync(id);
    if (user == null)
        throw new UserNotFoundException(id);
    return user;
}
";

/// The chunk of the design: some lines of a file with a relevance.
fn user_service() -> Source {
    let mut source = cut("src/Services/UserService.cs", GET_USER, &[(1, 7, 0.85)]);
    source.text = Arc::new(Text::with_first_line(GET_USER, 42));
    for piece in source.pieces.iter_mut().flatten() {
        piece.chunk.span = kitbag_text::Span::new(42, 48);
    }
    source
}

// Shows: formats example Markdown, FormatMarkdown_IncludesCodeBlock,
// FormatMarkdown_IncludesFileHeader, FormatMarkdown_IncludesLineNumbers
#[test]
fn detailed_markdown_matches_the_design() {
    let formatting = Formatting { detailed: true, ..Formatting::default() };
    assert_snapshot!(text(vec![user_service()], formatting), @r"
    ### src/Services/UserService.cs
    Lines 42-48
    Relevance: 85%

    ```csharp
    public async Task<User> GetUserAsync(int id)
    {
        var user = await _repository.FindByIdAsync(id);
        if (user == null)
            throw new UserNotFoundException(id);
        return user;
    }
    ```
    ");
}

// Shows: formats example XML, FormatXml_EscapesContent, FormatXml_IncludesAttributes
#[test]
fn xml_matches_the_design() {
    assert_snapshot!(text(vec![user_service()], plainly(Format::Xml)), @r#"
    <context>
    <code-context file="src/Services/UserService.cs" lines="42-48" language="csharp" relevance="0.85">
    public async Task&lt;User> GetUserAsync(int id)
    {
        var user = await _repository.FindByIdAsync(id);
        if (user == null)
            throw new UserNotFoundException(id);
        return user;
    }
    </code-context>
    </context>
    "#);
}

// Shows: formats example JSON, FormatJson_ValidJson, FMT-33
#[test]
fn json_matches_the_design() {
    let text = text(vec![user_service()], plainly(Format::Json));
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let expected = serde_json::json!({"chunks": [{
        "file": "src/Services/UserService.cs",
        "startLine": 42,
        "endLine": 48,
        "language": "csharp",
        "relevance": 0.85,
        "content": GET_USER,
    }]});
    assert_eq!(value, expected);
}

// Shows: formats example plain, FormatPlain_MinimalFormatting, FMT-34
#[test]
fn plain_text_matches_the_design() {
    assert_snapshot!(text(vec![user_service()], plainly(Format::Plain)), @r"
    File: src/Services/UserService.cs (lines 42-48)
    ----------------------------------------
    public async Task<User> GetUserAsync(int id)
    {
        var user = await _repository.FindByIdAsync(id);
        if (user == null)
            throw new UserNotFoundException(id);
        return user;
    }
    ");
}

// Shows: FormatChunk_UsesExpandedContext, FMT-39
#[test]
fn an_expanded_context_is_labeled_with_the_lines_of_the_content() {
    let expanded = format!("class UserService\n{{\n{GET_USER}}}\n");
    let mut source = user_service();
    source.expanded_context = Some(Arc::new(Text::new(expanded.as_str())));
    for format in Format::ALL {
        let text = text(vec![source.clone()], plainly(format));
        assert!(text.contains("class UserService"), "{text}");
        assert!(text.contains("42"), "{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&text(vec![source], plainly(Format::Json))).expect("it is JSON");
    assert_eq!(json["chunks"][0]["content"], expanded.as_str());
    assert_eq!(
        (&json["chunks"][0]["startLine"], &json["chunks"][0]["endLine"]),
        (&42.into(), &48.into())
    );
}

#[test]
fn a_blank_expanded_context_is_ignored() {
    let mut source = user_service();
    source.expanded_context = Some(Arc::new(Text::new(" \n")));
    let blank = text(vec![source], Formatting::default());
    assert_eq!(blank, text(vec![user_service()], Formatting::default()));
}

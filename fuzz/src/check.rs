//! Properties of every pack.

use crate::Case;
use kitbag_core::{Format, PackError, Packed};
use quick_xml::events::Event;
use std::sync::Once;

static ONE_THREAD: Once = Once::new();

/// Runs everything on the calling thread, because packs are so small that handing work to other
/// threads takes longer than the work.
fn stay_on_this_thread() {
    ONE_THREAD.call_once(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("the global pool is not built yet");
    });
}

/// Packs, and checks that the reported count is exact and within the budget, that a preview and a second
/// run agree, and that the only errors are those of settings and templates.
pub fn check_pack(case: &Case) -> Option<Packed> {
    stay_on_this_thread();
    let packed = match case.pack() {
        Ok(packed) => packed,
        Err(PackError::Settings(_) | PackError::Template(_)) => return None,
        Err(error) => panic!("{error}"),
    };
    let recounted = case.recount(&packed.text);
    assert_eq!(recounted, packed.decision.total_tokens, "\n{}", packed.text);
    assert!(recounted <= case.budget, "{recounted} of {}\n{}", case.budget, packed.text);
    let max = case.settings.formatting.max_chunks.unwrap_or(usize::MAX);
    assert!(packed.decision.included.len() <= max, "more chunks than {max}");
    let decided = case.decide().expect("the first run succeeded");
    assert_eq!(format!("{decided:?}"), format!("{:?}", packed.decision), "a preview is the same");
    let again = case.pack().expect("the first run succeeded");
    assert_eq!(again.text, packed.text, "the same request gives the same bytes");
    Some(packed)
}

/// Checks that XML and JSON are valid. An empty text is valid.
pub fn check_parses(format: Format, text: &str) {
    if text.is_empty() {
        return;
    }
    match format {
        Format::Json => {
            let value: serde_json::Value =
                serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(value["chunks"].is_array(), "{text}");
        }
        Format::Xml => check_xml(text),
        Format::Markdown | Format::Plain => {}
    }
}

/// Checks tags, references and characters.
fn check_xml(text: &str) {
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(is_allowed), "a character that is invalid in XML\n{text}");
    let mut reader = quick_xml::Reader::from_str(text);
    let (mut depth, mut roots) = (0, 0);
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error}\n{text}")) {
            Event::Start(tag) => {
                roots += usize::from(depth == 0);
                depth += 1;
                let attributes = tag.attributes();
                let wrong = attributes.filter_map(Result::err).next();
                assert!(wrong.is_none(), "{wrong:?}\n{text}");
            }
            Event::End(_) => depth -= 1,
            Event::Text(inside) if depth == 0 => {
                assert!(inside.xml10_content().trim().is_empty(), "text outside\n{text}");
            }
            Event::Text(_) => {}
            Event::GeneralRef(name) => {
                let known = ["lt", "gt", "amp", "quot", "apos"].contains(&name.as_ref());
                let number = name.resolve_char_ref().ok().flatten();
                assert!(known || number.is_some(), "&{};\n{text}", name.as_ref());
            }
            Event::Eof => break,
            other => panic!("{other:?}\n{text}"),
        }
    }
    assert_eq!((depth, roots), (0, 1), "{text}");
}

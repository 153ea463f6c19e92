#![allow(missing_docs, clippy::all, clippy::print_stdout, clippy::unwrap_used)]
use std::ops::ControlFlow;
use std::time::Instant;
fn main() {
    let mut totals: std::collections::BTreeMap<String, (usize, f64, u64, f64)> = Default::default();
    let mut p = tree_sitter::Parser::new();
    for line in std::io::stdin().lines() {
        let path = line.unwrap();
        let ext = path.rsplit('.').next().unwrap().to_owned();
        let lang: tree_sitter::Language = match ext.as_str() {
            "rs" => tree_sitter_rust::LANGUAGE.into(),
            "py" => tree_sitter_python::LANGUAGE.into(),
            "go" => tree_sitter_go::LANGUAGE.into(),
            "java" => tree_sitter_java::LANGUAGE.into(),
            "js" => tree_sitter_javascript::LANGUAGE.into(),
            "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
            "cc" => tree_sitter_cpp::LANGUAGE.into(),
            "kt" => tree_sitter_kotlin_ng::LANGUAGE.into(),
            "rb" => tree_sitter_ruby::LANGUAGE.into(),
            "php" => tree_sitter_php::LANGUAGE_PHP.into(),
            "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            "scala" => tree_sitter_scala::LANGUAGE.into(),
            "swift" => tree_sitter_swift::LANGUAGE.into(),
            "json" => tree_sitter_json::LANGUAGE.into(),
            _ => continue,
        };
        p.set_language(&lang).unwrap();
        let b = std::fs::read(&path).unwrap();
        let mut steps = 0u64;
        let t = Instant::now();
        let mut cb = |_: &tree_sitter::ParseState| {
            steps += 1;
            ControlFlow::Continue(())
        };
        let tree = p
            .parse_with_options(
                &mut |i, _| b.get(i..).unwrap_or_default(),
                None,
                Some(tree_sitter::ParseOptions::new().progress_callback(&mut cb)),
            )
            .unwrap();
        let dt = t.elapsed().as_secs_f64();
        let t = Instant::now();
        drop(tree);
        let dd = t.elapsed().as_secs_f64();
        let e = totals.entry(ext).or_default();
        e.0 += b.len();
        e.1 += dt;
        e.2 += steps;
        e.3 += dd;
    }
    for (k, (b, t, s, d)) in totals {
        println!(
            "{k:>6} {:>7} KB parse {:.1} MB/s, drop {:.1} MB/s, steps/s {:.0} steps/KB {:.1}",
            b / 1024,
            b as f64 / 1e6 / t,
            b as f64 / 1e6 / d,
            s as f64 / t,
            s as f64 * 1024.0 / b as f64
        );
    }
}

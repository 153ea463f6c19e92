#![allow(missing_docs, clippy::all, clippy::print_stdout, clippy::unwrap_used)]
use kitbag_text::*;
use std::collections::BTreeMap;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let counting = kitbag_tokens::Counting::new(
        std::sync::Arc::new(kitbag_tokens::Bpe::new(kitbag_tokens::Vocabulary::O200kBase)),
        0,
    );
    let mut limits = ChunkLimits::default();
    if args[0] == "show" {
        if let Some(m) = args.get(2) {
            limits.max_chunk_tokens = m.parse().unwrap();
        }
        let d = decode(std::fs::read(&args[1]).unwrap()).unwrap();
        let text = Text::new(d.content);
        let c = chunk_text(&args[1], &text, &limits, &counting);
        println!("fallback {:?}", c.fallback);
        for k in c.chunks {
            let o: Vec<String> = k.outline.iter().map(|s| s.to_string()).collect();
            println!(
                "{:>11} {:?} {} {:?} part={:?} defs={:?} outline={}",
                k.span.to_string(),
                k.kind,
                k.tokens,
                k.symbol.unwrap_or_default(),
                k.part.map(|p| (p.number, p.of)),
                k.defines.join(" ").chars().take(150).collect::<String>(),
                o.join(",")
            );
        }
        return;
    }
    let mut files = vec![];
    fn walk(p: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
        if p.is_symlink() {
            return;
        }
        if p.is_dir() {
            let mut e: Vec<_> = std::fs::read_dir(p).unwrap().map(|e| e.unwrap().path()).collect();
            e.sort();
            for x in e {
                walk(&x, out)
            }
        } else if p.is_file() {
            out.push(p.to_owned())
        }
    }
    for a in &args {
        walk(a.as_ref(), &mut files);
    }
    #[derive(Default)]
    struct S {
        files: u32,
        bytes: usize,
        chunk: f64,
        tally: f64,
        chunks: usize,
        tokens: u64,
        fb: BTreeMap<String, u32>,
        small: usize,
        parts: usize,
        slow: f64,
        slowfile: String,
    }
    let mut stats: BTreeMap<String, S> = BTreeMap::new();
    for f in files {
        let path = f.to_str().unwrap().to_owned();
        let Ok(d) = decode(std::fs::read(&f).unwrap()) else { continue };
        let text = Text::new(d.content);
        let lang = Language::of_text(&path, &text);
        let name = lang.map_or(
            format!(
                "?{}",
                f.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default()
            ),
            |l| l.name().to_owned(),
        );
        let t = Instant::now();
        let tally = counting.tally(text.content(), text.starts());
        let tt = t.elapsed().as_secs_f64();
        let t = Instant::now();
        let c = chunk(&text, lang, &limits, &counting, &tally);
        let ct = t.elapsed().as_secs_f64();
        if let Err(e) = check_invariants(&text, &c) {
            println!("BAD {path}: {e}");
        }
        for k in &c.chunks {
            if k.tokens > limits.max_chunk_tokens && k.kind != ChunkKind::LongLine {
                println!("BIG {path} {}", k.span)
            }
            let n = counting.count(&{
                let mut s = text.slice(k.span).to_owned();
                if !s.ends_with('\n') {
                    s.push('\n')
                }
                s
            });
            if n != k.tokens as usize && k.kind != ChunkKind::LongLine {
                println!("COUNT {path} {} {} {}", k.span, n, k.tokens)
            }
        }
        let s = stats.entry(name).or_default();
        s.files += 1;
        s.bytes += text.content().len();
        s.chunk += ct;
        s.tally += tt;
        s.chunks += c.chunks.len();
        s.tokens += c.chunks.iter().map(|k| k.tokens as u64).sum::<u64>();
        s.small += c.chunks.iter().filter(|k| k.tokens < 100).count();
        s.parts += c.chunks.iter().filter(|k| k.part.is_some()).count();
        if ct > s.slow {
            s.slow = ct;
            s.slowfile = path.clone();
        }
        if let Some(fb) = c.fallback {
            println!("FALLBACK {fb:?} {path} {}", text.content().len());
            *s.fb.entry(format!("{fb:?}")).or_default() += 1;
        }
    }
    println!(
        "{:>14} {:>6} {:>8} {:>7} {:>7} {:>8} {:>6} {:>6} {:>6}",
        "lang", "files", "KB", "MB/s", "tallyMBs", "chunks", "avgtok", "small", "parts"
    );
    for (n, s) in &stats {
        println!(
            "{:>14} {:>6} {:>8} {:>7.1} {:>7.1} {:>8} {:>6} {:>6} {:>6} {:?} slowest {:.0}ms {}",
            n,
            s.files,
            s.bytes / 1024,
            s.bytes as f64 / 1e6 / s.chunk,
            s.bytes as f64 / 1e6 / s.tally,
            s.chunks,
            s.tokens / s.chunks.max(1) as u64,
            s.small,
            s.parts,
            s.fb,
            s.slow * 1e3,
            s.slowfile
        );
    }
}

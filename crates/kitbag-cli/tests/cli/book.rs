//! Chapters and links of the book.
//!
//! mdBook turns a link to a page into a link to its chapter, so every page must be a chapter.

use crate::terminal::ROOT;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Targets of the relative links of a page, without anchors.
fn links(page: &str) -> Vec<String> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let targets = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    let is_ours = |it: &&str| !it.is_empty() && !it.contains("://") && !it.contains(' ');
    targets.filter(is_ours).map(str::to_owned).collect()
}

/// Resolves a path relative to `docs`; `None` outside of it.
fn within(folder: &Path, target: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in folder.join(target).components() {
        match part {
            Component::ParentDir => path.pop().then_some(())?,
            other => path.push(other),
        }
    }
    Some(path)
}

fn chapters() -> BTreeSet<PathBuf> {
    let summary = fs::read_to_string(Path::new(ROOT).join("docs/SUMMARY.md")).unwrap();
    links(&summary).into_iter().map(PathBuf::from).collect()
}

/// Pages in a folder of `docs`.
fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join("docs").join(folder)).unwrap() {
        let name = folder.join(entry.unwrap().file_name());
        if name == Path::new("example") || name == Path::new("development") {
            continue;
        }
        if Path::new(ROOT).join("docs").join(&name).is_dir() {
            pages.extend(pages_below(&name));
        } else if name.extension().is_some_and(|it| it == "md") {
            pages.push(name);
        }
    }
    pages
}

#[test]
fn every_page_is_a_chapter() {
    let chapters = chapters();
    let pages: BTreeSet<PathBuf> = pages_below(Path::new("")).into_iter().collect();
    let expected: BTreeSet<PathBuf> =
        pages.into_iter().filter(|it| it != Path::new("SUMMARY.md")).collect();
    assert_eq!(chapters, expected);
}

#[test]
fn links_between_chapters_hold_in_a_built_book() {
    let (docs, chapters) = (Path::new(ROOT).join("docs"), chapters());
    let mut count = 0;
    for chapter in &chapters {
        let page = fs::read_to_string(docs.join(chapter)).unwrap();
        for target in links(&page) {
            let folder = chapter.parent().unwrap();
            // Links out of `docs` lead to files of the repository.
            let Some(path) = within(folder, &target) else { continue };
            count += 1;
            let is_page = path.extension().is_some_and(|it| it == "md");
            let is_there =
                if is_page { chapters.contains(&path) } else { docs.join(&path).exists() };
            assert!(is_there, "{}: {target}", chapter.display());
        }
    }
    assert!(count > 60, "{count}");
}

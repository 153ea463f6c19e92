//! The book holds together: every page is a chapter, and every link from one leads to another.
//!
//! mdBook turns a link to a page into one to its chapter, so a page that is none would be a dead end.

use crate::terminal::ROOT;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The targets of the links of a page, without their anchors; not those of other sites.
fn links(page: &str) -> Vec<String> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let targets = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    let is_ours = |it: &&str| !it.is_empty() && !it.contains("://") && !it.contains(' ');
    targets.filter(is_ours).map(str::to_owned).collect()
}

/// A path without `..`, relative to `docs`; `None` where it leads out of it.
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

/// The pages below a folder of `docs`.
fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join("docs").join(folder)).unwrap() {
        let name = folder.join(entry.unwrap().file_name());
        if name == Path::new("book/example") {
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
            // What is no part of the book, such as the sources, is for those who have the repository.
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

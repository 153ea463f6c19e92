//! Long lives with everything in them: after any sequence of changes, failures, damage and
//! restarts, the index shows what analysing everything anew would.

use super::*;
use crate::store::failpoint::failing_from;

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Changes some files in one of the ways in which files change.
fn change(tree: &mut Files, dice: &mut Dice, step: i64) {
    let path = |number: usize| format!("src/file{number:04}.py");
    let number = dice.roll(40);
    match dice.roll(6) {
        0 => tree.remove(&path(number)),
        1 => tree.set(&path(number), &numbered(dice.roll(8)), 10_000 + step),
        2 => tree.set(&format!("new{number}.rs"), &format!("fn word{number}() {{}}\n"), step),
        3 => tree.put(&path(number), b"\0", stat(20_000 + step, 1)),
        4 => {
            tree.remove(&path(number));
            tree.set(&format!("moved/{number}.py"), &numbered(number), 1_000);
        }
        _ => tree.set(&path(number), &format!("word7 = {step}\n"), 30_000 + step),
    }
}

/// Spoils one of the files in a folder.
fn spoil(folder: &Path, dice: &mut Dice) {
    let files: Vec<(String, Vec<u8>)> = folder_bytes(folder).into_iter().collect();
    let (name, mut bytes) = files[dice.roll(files.len())].clone();
    match dice.roll(3) {
        0 => bytes.truncate(bytes.len() / 2),
        1 => bytes.iter_mut().step_by(11).for_each(|byte| *byte ^= 4),
        _ => return fs::remove_file(folder.join(name)).expect("it is there"),
    }
    fs::write(folder.join(name), bytes).expect("it can be written");
}

fn live(seed: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let mut dice = Dice(seed);
    let mut tree = Files::numbered(30);
    let mut snapshot = Snapshot::default();
    for step in 0..60 {
        for _ in 0..dice.roll(4) {
            change(&mut tree, &mut dice, step);
        }
        let store = store(&path);
        if dice.roll(3) > 0 {
            snapshot = store.load().snapshot;
        }
        let mut refreshed = refresh(&tree, &snapshot);
        assert_right(&refreshed.view, &tree);
        let fail_at = (dice.roll(4) == 0).then(|| dice.roll(20));
        // Whether it could be published or not is all the same to what comes next.
        let _ = failing_from(fail_at, || store.publish(&mut refreshed.snapshot));
        snapshot = refreshed.snapshot;
        if dice.roll(10) == 0 && path.exists() {
            spoil(&path, &mut dice);
        }
        if dice.roll(30) == 0 {
            assert!(matches!(store.clear(), Ok(true)));
        }
    }
}

#[test]
fn whatever_happens_the_answer_is_right() {
    (0..12).for_each(live);
}

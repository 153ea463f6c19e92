//! Random sequences of changes, failures, damage and restarts: the index always equals a new one.

use super::*;
use crate::store::failpoint::failing_from;

/// Deterministic pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Changes a file in a random way.
fn change(tree: &mut Files, random: &mut Random, step: i64) {
    let path = |number: usize| format!("src/file{number:04}.py");
    let number = random.below(40);
    match random.below(6) {
        0 => tree.remove(&path(number)),
        1 => tree.set(&path(number), &numbered(random.below(8)), 10_000 + step),
        2 => tree.set(&format!("new{number}.rs"), &format!("fn word{number}() {{}}\n"), step),
        3 => tree.put(&path(number), b"\0", stat(20_000 + step, 1)),
        4 => {
            tree.remove(&path(number));
            tree.set(&format!("moved/{number}.py"), &numbered(number), 1_000);
        }
        _ => tree.set(&path(number), &format!("word7 = {step}\n"), 30_000 + step),
    }
}

/// Damages or removes a random file in a folder.
fn damage(folder: &Path, random: &mut Random) {
    let files: Vec<(String, Vec<u8>)> = folder_bytes(folder).into_iter().collect();
    let (name, mut bytes) = files[random.below(files.len())].clone();
    match random.below(3) {
        0 => bytes.truncate(bytes.len() / 2),
        1 => bytes.iter_mut().step_by(11).for_each(|byte| *byte ^= 4),
        _ => return fs::remove_file(folder.join(name)).expect("it is there"),
    }
    fs::write(folder.join(name), bytes).expect("writable");
}

fn run(seed: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let mut random = Random(seed);
    let mut tree = Files::numbered(30);
    let mut snapshot = Snapshot::default();
    for step in 0..60 {
        for _ in 0..random.below(4) {
            change(&mut tree, &mut random, step);
        }
        let store = store(&path);
        if random.below(3) > 0 {
            snapshot = store.load().snapshot;
        }
        let mut refreshed = refresh(&tree, &snapshot);
        assert_up_to_date(&refreshed.view, &tree);
        let fail_at = (random.below(4) == 0).then(|| random.below(20));
        // The next step must be correct whether or not publishing succeeds.
        let _ = failing_from(fail_at, || store.publish(&mut refreshed.snapshot));
        snapshot = refreshed.snapshot;
        if random.below(10) == 0 && path.exists() {
            damage(&path, &mut random);
        }
        if random.below(30) == 0 {
            assert!(matches!(store.clear(), Ok(true)));
        }
    }
}

#[test]
fn the_index_is_correct_after_random_operations() {
    (0..12).for_each(run);
}

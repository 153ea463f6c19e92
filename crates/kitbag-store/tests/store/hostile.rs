//! Objects and servers that would cost more memory or time than any store does.

use crate::failing::{server_of, store};
use crate::{Folder, index, options, push};
use kitbag_store::StoreError;
use std::fs::{self, File};
use std::io::Write;
use std::time::{Duration, Instant};

fn grow(file: &std::path::Path, size: u64) {
    File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(file)
        .unwrap()
        .set_len(size)
        .unwrap();
}

#[test]
fn objects_that_are_larger_than_any_writer_makes_are_not_read() {
    let folder = Folder::new(&options());
    let shared = index(&folder.store);
    push(&shared, &[1]).unwrap();
    push(&shared, &[2]).unwrap();
    let listing = shared.read().unwrap();
    grow(&folder.files("lists")[0], 3 << 30);
    let problems = shared.read().unwrap().problems;
    assert!(
        matches!(&problems[..], [StoreError::Damaged { reason: "it is larger than expected", .. }]),
        "{problems:?}"
    );
    // A list names the size of each segment.
    let segment = &folder.files("segments")[0];
    grow(segment, fs::metadata(segment).unwrap().len() + 1);
    let fetched = shared.fetch(&listing.segments);
    let errors: Vec<_> = fetched.iter().filter_map(|it| it.as_ref().err()).collect();
    assert!(
        matches!(&errors[..], [StoreError::Damaged { reason: "it is larger than expected", .. }]),
        "{errors:?}"
    );
    grow(&folder.folder.path().join("kitbag-store.json"), 3 << 30);
    let error = folder.open(&options()).require().unwrap_err();
    assert!(error.to_string().contains("larger than expected"), "{error}");
}

#[test]
fn objects_that_readers_would_refuse_are_not_written() {
    let folder = Folder::new(&options());
    let large = vec![0; 1 << 20];
    let error = folder.store.put("summaries/a", &large).unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");
    assert_eq!(folder.files("").len(), 0);
}

#[test]
fn endless_answers_end() {
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1500000000\r\n\r\n"]
    {
        let endless = server_of(move |connection| {
            let piece = [b'x'; 64 << 10];
            let _ = connection.write_all(head.as_bytes());
            while connection.write_all(&piece).is_ok() {}
        });
        let started = Instant::now();
        let error = store(&endless).require().unwrap_err();
        assert!(error.to_string().contains("larger than expected"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

#[cfg(unix)]
#[test]
fn pipes_in_a_folder_are_not_waited_for() {
    let folder = Folder::new(&options());
    let pipe = folder.folder.path().join("kitbag-store.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let limited = folder.store.until(Instant::now() + Duration::from_secs(5));
    let error = limited.require().unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

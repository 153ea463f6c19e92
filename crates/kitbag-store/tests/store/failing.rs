//! Stores that fail: every problem has its own error, and nothing waits for long.

use crate::{Folder, expected, id, index, options, push, read_all, segment};
use kitbag_store::{Failure, ObjectStore, StoreError, StoreOptions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Starts a server that gives every request the same answer, or none.
fn server(answer: Option<&'static str>) -> String {
    server_of(move |connection| match answer {
        Some(answer) => {
            let _ = connection.write_all(answer.as_bytes());
        }
        None => std::thread::sleep(Duration::from_secs(3_600)),
    })
}

/// Starts a server that answers the first request of every connection.
pub fn server_of(answer: impl Fn(&mut TcpStream) + Clone + Send + 'static) -> String {
    server_by_request(move |_, connection| answer(connection))
}

/// Starts a server whose answers depend on the requests.
pub fn server_by_request(answer: impl Fn(&str, &mut TcpStream) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || {
                let mut request = [0; 64 << 10];
                if let Ok(length @ 1..) = connection.read(&mut request) {
                    answer(&String::from_utf8_lossy(&request[..length]), &mut connection);
                }
            });
        }
    });
    format!("http://{address}")
}

pub fn store(endpoint: &str) -> ObjectStore {
    store_at("s3://bucket/prefix", endpoint)
}

fn store_at(url: &str, endpoint: &str) -> ObjectStore {
    let variable = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let environment = [
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "test"),
    ];
    let environment = environment.map(variable).to_vec();
    let options = StoreOptions { environment, ..options() };
    ObjectStore::open(&url.parse().unwrap(), &options).unwrap()
}

fn failure(answer: &'static str) -> (Failure, String) {
    let error = store(&server(Some(answer))).list("index").unwrap_err();
    let StoreError::Request { failure, .. } = error else { panic!("{error}") };
    (failure, error.to_string())
}

#[test]
fn every_answer_of_a_server_has_its_own_error() {
    let slow = failure(
        "HTTP/1.1 503 Slow Down\r\nContent-Length: 47\r\nConnection: close\r\n\r\n\
         <Error><Code>SlowDown</Code><x>xxxxxx</x></Error>",
    );
    assert_eq!(slow.0, Failure::Throttled, "{}", slow.1);
    assert!(slow.1.ends_with("503 Service Unavailable: SlowDown"), "{}", slow.1);
    let forbidden = failure(
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 43\r\nConnection: close\r\n\r\n\
         <Error><Code>AccessDenied</Code>xxxx</Error>",
    );
    assert_eq!(forbidden.0, Failure::Forbidden, "{}", forbidden.1);
    assert!(forbidden.1.starts_with("the store `s3://bucket/prefix` refuses access"));
    let missing = failure(
        "HTTP/1.1 404 Not Found\r\nContent-Length: 41\r\nConnection: close\r\n\r\n\
         <Error><Code>NoSuchBucket</Code>xx</Error>",
    );
    assert_eq!(missing.0, Failure::NotFound, "{}", missing.1);
    assert!(!missing.1.contains("secret"));
    let skewed = failure(
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 82\r\nConnection: close\r\n\r\n\
         <Error><Code>RequestTimeTooSkewed</Code><Message>Check the clock</Message></Error>",
    );
    assert_eq!(skewed.0, Failure::WrongTime, "{}", skewed.1);
    assert!(skewed.1.ends_with("403 Forbidden: RequestTimeTooSkewed: Check the clock"));
    let broken = failure(
        "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\nConnection: close\r\n\r\noops",
    );
    assert_eq!(broken.0, Failure::ServerError, "{}", broken.1);
}

const MARKER: &str = r#"{"kitbag_store":1}"#;

/// Returns an answer that has a body and ends the connection.
pub fn response(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: \"1\"\r\n\
         Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    List,
    Get,
    Put,
    Delete,
}

impl Operation {
    const ALL: [Self; 4] = [Self::List, Self::Get, Self::Put, Self::Delete];

    /// Returns the operation of a request to a store.
    fn of(request: &str) -> Self {
        match request.split(' ').next() {
            Some("PUT") => Self::Put,
            Some("POST" | "DELETE") => Self::Delete,
            _ if request.contains("list-type=2") => Self::List,
            _ => Self::Get,
        }
    }

    fn run(self, store: &ObjectStore) -> Result<(), StoreError> {
        match self {
            Self::List => store.list("index").map(|_| ()),
            Self::Get => store.get("index/a").map(|_| ()),
            Self::Put => store.put("index/a", b"").map(|_| ()),
            Self::Delete => store.delete("index/a"),
        }
    }
}

/// Returns a store that was used once, and whose server then fails one operation with a status. Without a status,
/// there is no server any more.
fn store_that_fails(operation: Operation, status: Option<&'static str>) -> ObjectStore {
    let Some(status) = status else {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let store = store(&format!("http://{}", listener.local_addr().unwrap()));
        let server = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            drop(listener);
            let _ = connection.read(&mut [0; 64 << 10]);
            connection.write_all(response("200 OK", MARKER).as_bytes()).unwrap();
        });
        store.require().unwrap();
        server.join().unwrap();
        return store;
    };
    let store = store(&server_by_request(move |request, connection| {
        let is_marker = request.contains("kitbag-store.json");
        let answer = match Operation::of(request) {
            failing if failing == operation && !is_marker => response(status, ""),
            _ => response("200 OK", MARKER),
        };
        let _ = connection.write_all(answer.as_bytes());
    }));
    store.require().unwrap();
    store
}

#[test]
fn every_operation_names_the_same_failure() {
    let cases = [
        (Some("503 Service Unavailable"), Failure::Throttled),
        (Some("500 Internal Server Error"), Failure::ServerError),
        (Some("403 Forbidden"), Failure::Forbidden),
        (Some("404 Not Found"), Failure::NotFound),
        (Some("301 Moved Permanently"), Failure::WrongRegion),
        (None, Failure::Unreachable),
    ];
    let check = |operation: Operation, status, expected| {
        let result = operation.run(&store_that_fails(operation, status));
        if (operation, expected) == (Operation::Get, Failure::NotFound) {
            // The object is missing, rather than the bucket.
            return result.unwrap();
        }
        let error = result.unwrap_err();
        let text = error.to_string();
        let StoreError::Request { failure, .. } = error else { panic!("{operation:?}: {text}") };
        assert_eq!(failure, expected, "{operation:?}: {text}");
        assert!(error.hint().is_some(), "{operation:?}: {text}");
        let detail = match status {
            Some("301 Moved Permanently") => "Received redirect without LOCATION, this normally",
            Some(status) => status,
            // The rest is a message of the operating system.
            None => "io: ",
        };
        let start = format!("the store `s3://bucket/prefix` {expected}: {detail}");
        assert!(text.starts_with(&start), "{operation:?}: {text}");
        for noise in ["http://", "127.0.0.1", "performing", "retr", "Generic"] {
            assert!(!text.contains(noise), "{operation:?}: {text}");
        }
    };
    std::thread::scope(|scope| {
        for operation in Operation::ALL {
            for (status, failure) in cases {
                scope.spawn(move || check(operation, status, failure));
            }
        }
    });
}

/// Deletions of many objects are refused in the body of a 200.
#[test]
fn refused_deletions_are_explained() {
    let delete = |code: &'static str| {
        let body = format!(
            "<DeleteResult><Error><Key>prefix/v1/index/a</Key><Code>{code}</Code>\
             <Message>Not (code: 1): allowed</Message></Error></DeleteResult>"
        );
        let server = server_of(move |connection| {
            let _ = connection.write_all(response("200 OK", &body).as_bytes());
        });
        store(&server).delete("index/a")
    };
    let error = delete("AccessDenied").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the store `s3://bucket/prefix` refuses access: `prefix/v1/index/a` was not deleted: \
         AccessDenied: Not (code: 1): allowed"
    );
    assert!(error.hint().is_some());
    let error = delete("InternalError").unwrap_err();
    assert!(error.to_string().contains("reports an error of its own"), "{error}");
    delete("NoSuchKey").unwrap();
}

/// Names of buckets and prefixes may look like anything.
#[test]
fn names_are_not_taken_for_answers() {
    let bad = "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad";
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for url in ["s3://no-credentials-503/429", "s3://slowdown/status-code-507", "s3://403/timeout"]
    {
        let failure = |endpoint: &str| match store_at(url, endpoint).list("index").unwrap_err() {
            StoreError::Request { failure, .. } => failure,
            error => panic!("{error}"),
        };
        assert_eq!(failure(&server(Some(bad))), Failure::Other, "{url}");
        assert_eq!(failure(&format!("http://{closed}")), Failure::Unreachable, "{url}");
    }
}

#[test]
fn redirects_ask_for_the_region() {
    let redirect =
        "HTTP/1.1 301 Moved Permanently\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let error = store(&server(Some(redirect))).list("index").unwrap_err();
    let StoreError::Request { failure: Failure::WrongRegion, .. } = error else {
        panic!("{error}")
    };
    assert!(error.hint().is_some_and(|hint| hint.contains("AWS_REGION")));
}

#[test]
fn addresses_of_other_services_do_not_matter() {
    let environment = vec![("AWS_ENDPOINT_URL".to_owned(), "nonsense".to_owned())];
    let options = StoreOptions { environment, ..options() };
    ObjectStore::open(&"gs://bucket".parse().unwrap(), &options).unwrap();
}

#[test]
fn invalid_addresses_of_servers_are_explained() {
    for address in ["127.0.0.1:9000", "storage.example.org", "ftp://storage", "http://", "http:/x"]
    {
        let environment = vec![("AWS_ENDPOINT_URL".to_owned(), address.to_owned())];
        let options = StoreOptions { environment, ..options() };
        let error = ObjectStore::open(&"s3://bucket".parse().unwrap(), &options).unwrap_err();
        assert!(matches!(error, StoreError::Settings { .. }), "{error}");
        let expected = format!("`AWS_ENDPOINT_URL` is `{address}`: write an address");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn missing_variables_are_named() {
    let error = |url: &str, variables: &[(&str, &str)]| {
        let variables = variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let options = StoreOptions { environment: variables.collect(), ..options() };
        let error = ObjectStore::open(&url.parse().unwrap(), &options).unwrap_err();
        assert!(matches!(error, StoreError::Settings { .. }), "{error}");
        (error.to_string(), error.hint().unwrap_or_default())
    };
    for (url, variable, present) in [
        ("az://b", "AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"),
        ("s3://b", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"),
        ("s3://b", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    ] {
        let (message, hint) = error(url, &[(present, "x")]);
        assert!(message.ends_with(&format!("cannot be opened: `{variable}` is not set")));
        assert!(hint.starts_with(&format!("set `{variable}`")), "{hint}");
    }
    let (message, hint) = error("s3://b", &[("AWS_ENDPOINT_URL", "nonsense")]);
    assert_eq!(hint, "correct the variable, or remove it", "{message}");
}

/// The address of the service that has credentials is a variable of the process, so the test starts itself with it.
#[test]
fn missing_credentials_of_google_are_named() {
    let name = "failing::missing_credentials_of_google_are_named";
    if std::env::var_os("GCE_METADATA_IP").is_none() {
        let missing = server(Some(
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        ));
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (missing, closed) = (missing.trim_start_matches("http://"), closed.to_string());
        let empty = tempfile::tempdir().unwrap();
        for address in [missing, &closed] {
            let mut test = std::process::Command::new(std::env::current_exe().unwrap());
            test.args(["--exact", name]).env("HOME", empty.path()).env("APPDATA", empty.path());
            test.env("GCE_METADATA_HOST", address).env("GCE_METADATA_IP", address);
            let output = test.output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("1 passed"), "{text}");
        }
        return;
    }
    let store = ObjectStore::open(&"gs://bucket".parse().unwrap(), &options()).unwrap();
    let error = store.list("index").unwrap_err();
    let start = "the store `gs://bucket` needs credentials: none are set, and this machine provides \
                 none: ";
    assert!(error.to_string().starts_with(start), "{error}");
    assert!(!error.to_string().contains("http://"), "{error}");
    assert_eq!(error.hint(), Some("set `GOOGLE_APPLICATION_CREDENTIALS`"));
}

#[test]
fn a_server_that_is_not_there_is_unreachable() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = store(&format!("http://{closed}")).get("index/a").unwrap_err();
    assert!(matches!(error, StoreError::Request { failure: Failure::Unreachable, .. }), "{error}");
}

#[test]
fn a_server_that_never_answers_ends_with_the_limit() {
    let store = store(&server(None));
    let limited = store.until(Instant::now() + Duration::from_millis(200));
    assert!(matches!(limited.get("index/a").unwrap_err(), StoreError::TimedOut { .. }));
    let all = limited.get_all(&["index/a".to_owned(), "index/b".to_owned()]);
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|it| matches!(it, Err(StoreError::TimedOut { .. }))));
    let cancelled = store.unless(std::sync::Arc::new(|| true));
    assert!(matches!(cancelled.put("a", b"").unwrap_err(), StoreError::Cancelled { .. }));
}

#[test]
fn damaged_and_missing_segments_cost_only_themselves() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    for content in 1..=3 {
        push(&index, &[content]).unwrap();
    }
    let listing = index.read().unwrap();
    let files = folder.files("segments");
    Folder::damage(&files[0]);
    std::fs::remove_file(&files[1]).unwrap();
    let fetched = index.fetch(&listing.segments);
    let problems: Vec<String> =
        fetched.iter().filter_map(|it| it.as_ref().err()).map(ToString::to_string).collect();
    assert_eq!((fetched.len(), problems.len()), (3, 2));
    assert!(problems.iter().any(|it| it.contains("its hash does not match")), "{problems:?}");
    assert!(problems.iter().any(|it| it.contains("is missing")), "{problems:?}");
}

#[test]
fn swapped_objects_are_detected() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    push(&index, &[1]).unwrap();
    push(&index, &[2]).unwrap();
    let files = folder.files("segments");
    let (one, other) = (std::fs::read(&files[0]).unwrap(), std::fs::read(&files[1]).unwrap());
    std::fs::write(&files[0], other).unwrap();
    std::fs::write(&files[1], one).unwrap();
    let listing = index.read().unwrap();
    assert!(index.fetch(&listing.segments).iter().all(Result::is_err));
}

#[test]
fn a_failed_upload_publishes_nothing() {
    let folder = Folder::new(&options());
    let index = index(&folder.store);
    push(&index, &[1]).unwrap();
    // The name of the folder of segments is taken, so the upload fails before the list is written.
    let segments = folder.files("segments")[0].parent().unwrap().to_owned();
    let moved = folder.folder.path().join("moved");
    std::fs::rename(&segments, &moved).unwrap();
    std::fs::write(&segments, "").unwrap();
    let listing = index.read().unwrap();
    index.push(&listing, vec![segment(&[2])], &[id(2)]).unwrap_err();
    std::fs::remove_file(&segments).unwrap();
    std::fs::rename(&moved, &segments).unwrap();
    let listing = index.read().unwrap();
    assert_eq!(read_all(&index, &listing), expected([1]));
}

//! Store on a real S3 server on this machine.

use std::env;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use sscg_index::Store;
use sscg_lance::{ChunkFilter, LanceOptions, LanceStore};
use tempfile::TempDir;

use crate::project::{directory, index, tree};

/// Server process, which is stopped on drop.
pub(crate) struct Server {
    process: Child,
    port: u16,
    _root: TempDir,
}

impl Server {
    /// Starts the program in `SSCG_S3_SERVER`; `cargo xtask tools` installs it, and `cargo xtask test` sets the
    /// variable. Without it, prints a note and returns `None`.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = env::var_os("SSCG_S3_SERVER") else {
            eprintln!("skipped: SSCG_S3_SERVER names no server; `cargo xtask tools` installs one");
            return None;
        };
        let root = directory();
        // A bucket is a directory of the server's root.
        std::fs::create_dir(root.path().join("bucket")).expect("writable");
        let port = free_port();
        let mut command = Command::new(program);
        command.args(["--host", "127.0.0.1", "--access-key", "key", "--secret-key", "secret"]);
        command
            .args(["--port", &port.to_string()])
            .arg(root.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = command.spawn().expect("the server starts");
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(30), "the server does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        Some(Self { process, port, _root: root })
    }

    pub(crate) fn options(&self) -> LanceOptions {
        let storage = [
            ("aws_endpoint", format!("http://127.0.0.1:{}", self.port)),
            ("aws_region", "us-east-1".to_owned()),
            ("aws_access_key_id", "key".to_owned()),
            ("aws_secret_access_key", "secret".to_owned()),
        ];
        let storage = storage.map(|(name, value)| (name.to_owned(), value)).to_vec();
        LanceOptions::default().with_storage(storage)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

#[test]
fn it_is_a_store() {
    let Some(server) = Server::start() else { return };
    // The server checks for a file and writes it in two steps; S3 itself does it in one.
    sscg_index::conformance::check_with_one_writer(&|| {
        let store = LanceStore::open("s3://bucket/some/prefix", "shop", server.options());
        Arc::new(store.expect("the server answers"))
    });
}

#[test]
fn it_is_searched_where_it_lies() {
    let Some(server) = Server::start() else { return };
    let open = || LanceStore::open("s3://bucket", "shop", server.options()).expect("the server answers");
    let root = tree(&[("a.py", "def pay_invoice():\n    pass\n"), ("b.py", "def refund():\n    pass\n")]);
    let store = Arc::new(open());
    let snapshot = index(root.path(), &store, "main");
    store.publish("main", &snapshot).expect("it can be published");
    drop(root);
    let reader = Arc::new(open());
    let hits = reader.matching("main", "invoice", &ChunkFilter::default(), 10).expect("it can be searched");
    assert_eq!(hits[0].chunk.path, "a.py");
    assert!(
        Arc::clone(&reader).detached("main").expect("readable").expect("published").graph == snapshot.graph
    );
    reader.collect_garbage(0).expect("it can be cleaned");
    assert!(Arc::new(open()).detached("main").expect("readable").is_some());
}

#[test]
fn what_the_server_refuses_is_told() {
    let Some(server) = Server::start() else { return };
    let mut options = server.options();
    options.storage.push(("aws_secret_access_key".to_owned(), "wrong".to_owned()));
    let store = LanceStore::open("s3://bucket", "shop", options);
    let error = store.and_then(|store| store.manifest("main")).expect_err("the key is wrong");
    assert!(error.to_string().contains("s3://bucket/shop"), "{error}");
    assert!(Path::new("s3:").metadata().is_err(), "nothing is written to a directory of that name");
}
